package apy

import (
	"context"
	"testing"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

func FuzzAnswers(f *testing.F) {
	languages := []byte(`{"responseData": [{"sourceLanguage": "eng", "targetLanguage": "deu"}, {"sourceLanguage": "eng", "targetLanguage": "cat_valencia"}]}`)
	f.Add(languages, []byte(`{"responseData": {"translatedText": "eins"}, "responseStatus": 200}`), uint16(0))
	f.Add(languages, []byte(`{"responseData": {"translatedText": null}, "responseStatus": 200}`), uint16(0))
	f.Add(languages, []byte(`{"status": "error", "code": 400}`), uint16(200))
	f.Add([]byte(`{"responseData": [null]}`), []byte(`<html>`), uint16(302))
	enginetest.FuzzAnswers(f, func(ctx context.Context, server string) (engines.Engine, error) {
		return Open(ctx, DefaultConfig(server))
	})
}
