package libretranslate

import (
	"context"
	"testing"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

func FuzzAnswers(f *testing.F) {
	languages := []byte(`[{"code": "en", "targets": ["en", "de"]}, {"code": "de", "targets": ["en"]}]`)
	f.Add(languages, []byte(`{"translatedText": ["eins", "2 &amp;amp; <b>"]}`), uint16(0))
	f.Add(languages, []byte(`{"translatedText": "eins", "error": "busy"}`), uint16(0))
	f.Add(languages, []byte(`{"error": "API key"}`), uint16(203))
	f.Add([]byte(`[{"code": "zh"}, {"code": "pt-BR", "targets": [null]}, null]`), []byte(`<html>`), uint16(302))
	enginetest.FuzzAnswers(f, func(ctx context.Context, server string) (engines.Engine, error) {
		return Open(ctx, DefaultConfig(server))
	})
}
