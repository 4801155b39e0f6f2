package apy

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"sentweave/transforms/engines"
)

// A server may answer anything: as many translations come back as texts were sent, or
// an error, after those that came.
func FuzzAnswers(f *testing.F) {
	languages := []byte(`{"responseData": [{"sourceLanguage": "eng", "targetLanguage": "deu"}, {"sourceLanguage": "eng", "targetLanguage": "cat_valencia"}]}`)
	f.Add(languages, []byte(`{"responseData": {"translatedText": "eins"}, "responseStatus": 200}`), uint16(0))
	f.Add(languages, []byte(`{"responseData": {"translatedText": null}, "responseStatus": 200}`), uint16(0))
	f.Add(languages, []byte(`{"status": "error", "code": 400}`), uint16(200))
	f.Add([]byte(`{"responseData": [null]}`), []byte(`<html>`), uint16(302))
	var listed, answer []byte
	var status int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Write(listed)
			return
		}
		w.WriteHeader(status)
		w.Write(answer)
	}))
	f.Cleanup(server.Close)
	f.Fuzz(func(t *testing.T, languages, body []byte, code uint16) {
		listed, answer, status = languages, body, 200+int(code)%400
		config := DefaultConfig(server.URL)
		e, err := Open(t.Context(), config)
		if err != nil {
			if len(err.Error()) > 10_000 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
			return
		}
		defer e.Close()
		pair, texts := engines.Pair{Source: "eng", Target: "deu"}, []string{"one", "2 &amp; <b>"}
		answers, err := e.Translate(t.Context(), pair, texts)
		if (err == nil) != (len(answers) == len(texts)) {
			t.Errorf("%d answers of %d texts, error %v", len(answers), len(texts), err)
		}
		if supported := e.Supports(pair); supported != nil && err == nil {
			t.Errorf("translated what is not supported: %v", supported)
		}
		if err != nil && len(err.Error()) > 10_000 {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	})
}
