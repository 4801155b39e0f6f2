package enginetest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"sentweave/transforms/engines"
)

// FuzzAnswers has a server answer what the fuzzer makes up, to the question for its
// languages and to that for translations, with statuses of HTTP from 200 to 599: as many
// translations come back as texts were sent, or an error.
func FuzzAnswers(f *testing.F, open func(ctx context.Context, server string) (engines.Engine, error)) {
	f.Helper()
	var languages, answer []byte
	var status int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data := answer
		if r.Method == http.MethodGet {
			data = languages
		} else {
			w.WriteHeader(status)
		}
		_, _ = w.Write(data)
	}))
	f.Cleanup(server.Close)
	const longest = 10_000 // bytes of a message
	f.Fuzz(func(t *testing.T, listed, translated []byte, code uint16) {
		languages, answer, status = listed, translated, 200+int(code)%400
		e, err := open(t.Context(), server.URL)
		if err != nil {
			if len(err.Error()) > longest {
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
		if err != nil && len(err.Error()) > longest {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	})
}
