package enginetest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"sentweave/transforms/engines"
)

// DeepLServer speaks as the API of DeepL, version 2, with some of its languages. Its
// answers and refusals are those of DeepL's own mock server (DeepLcom/deepl-mock,
// version 1.21.0, index.js) and the limits those of the documentation.
type DeepLServer struct {
	*Server
	// Key is what the account is known by. Default Canary.
	Key string
	// Quota is what may be translated, in characters.
	Quota int64

	mutex sync.Mutex
	used  int64
	sent  []Sent
}

// Sent is a request that came.
type Sent struct {
	Path, Key, ContentType string
	// Body is the request's JSON.
	Body map[string]any
}

type deeplLanguage struct {
	Code   string `json:"language"`
	Name   string `json:"name"`
	Formal *bool  `json:"supports_formality,omitempty"`
}

// deeplTargets are the target languages by DeepL's code, each with ours.
var deeplTargets = map[string]string{
	"DE": "deu", "EN-GB": "eng", "EN-US": "eng", "ES": "spa", "ES-419": "spa", "NB": "nob", "PT-BR": "por", "PT-PT": "por", "ZH": "zho",
	"ZH-HANS": "zho", "ZH-HANT": "zho_Hant",
}

// deeplFormal are those that have formality.
var deeplFormal = []string{"DE", "ES", "ES-419", "PT-BR", "PT-PT"}

// DeepL starts a server.
func DeepL(t testing.TB) *DeepLServer {
	s := &DeepLServer{Server: &Server{RetryAfter: "0"}, Key: Canary, Quota: 500_000}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/languages", s.languages)
	mux.HandleFunc("GET /v2/usage", func(w http.ResponseWriter, _ *http.Request) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		reply(w, http.StatusOK, map[string]int64{"character_count": s.used, "character_limit": s.Quota})
	})
	mux.HandleFunc("POST /v2/translate", s.translate)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "DeepL-Auth-Key "); !ok || key != s.Key {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Sent returns the requests to translate that came.
func (s *DeepLServer) Sent() []Sent {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.sent)
}

// refuse answers as the API does.
func refuse(w http.ResponseWriter, status int, text string) {
	reply(w, status, map[string]string{"message": text})
}

// languages answers with those of a type, which is in the query or, as DeepL's Python
// client has it, in a form.
func (s *DeepLServer) languages(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<10))
	form, _ := url.ParseQuery(r.URL.RawQuery + "&" + string(body))
	var list []deeplLanguage
	for code := range deeplTargets {
		if form.Get("type") == "target" {
			formal := slices.Contains(deeplFormal, code)
			list = append(list, deeplLanguage{Code: code, Name: "language " + code, Formal: &formal})
		} else if code, _, _ = strings.Cut(code, "-"); !slices.Contains(list, deeplLanguage{Code: code, Name: "language " + code}) {
			list = append(list, deeplLanguage{Code: code, Name: "language " + code})
		}
	}
	slices.SortFunc(list, func(a, b deeplLanguage) int { return strings.Compare(a.Code, b.Code) })
	reply(w, http.StatusOK, list)
}

// deeplRequest is what a request to translate may say here.
type deeplRequest struct {
	Text      []string
	Source    string `json:"source_lang"`
	Target    string `json:"target_lang"`
	Formality string
	Glossary  string `json:"glossary_id"`
	Model     string `json:"model_type"`
	Billed    bool   `json:"show_billed_characters"`
}

func (s *DeepLServer) translate(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(io.LimitReader(r.Body, 128<<10+1))
	sent := Sent{Path: r.URL.Path, Key: r.Header.Get("Authorization"), ContentType: r.Header.Get("Content-Type")}
	var body deeplRequest
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	switch {
	case err != nil:
		return
	case len(data) > 128<<10:
		refuse(w, http.StatusRequestEntityTooLarge, "Request size exceeds the limit")
		return
	case decoder.Decode(&body) != nil || json.Unmarshal(data, &sent.Body) != nil:
		refuse(w, http.StatusBadRequest, "The request is not JSON of this endpoint")
		return
	}
	characters := int64(0)
	for _, text := range body.Text {
		characters += int64(engines.Characters(text))
	}
	s.mutex.Lock()
	s.sent = append(s.sent, sent)
	exceeded := s.used+characters > s.Quota
	s.mutex.Unlock()
	target := strings.ToUpper(body.Target)
	switch {
	case len(body.Text) == 0:
		refuse(w, http.StatusBadRequest, "Parameter 'text' not specified")
	case len(body.Text) > 50:
		refuse(w, http.StatusBadRequest, "Too many texts in the request")
	case deeplTargets[target] == "":
		refuse(w, http.StatusBadRequest, "Value for 'target_lang' not supported.")
	case strings.Contains(body.Source, "-"):
		refuse(w, http.StatusBadRequest, "Value for 'source_lang' not supported.")
	case (body.Formality == "less" || body.Formality == "more") && !slices.Contains(deeplFormal, target):
		refuse(w, http.StatusBadRequest, "Target language '"+target+"' doesn't support formality.")
	case exceeded:
		refuse(w, 456, "Quota for this billing period has been exceeded.")
	default:
		s.answer(w, r, body, deeplTargets[target], characters)
	}
}

// answer translates, with the trouble of the dice.
func (s *DeepLServer) answer(w http.ResponseWriter, r *http.Request, body deeplRequest, target string, characters int64) {
	type translation struct {
		Detected string `json:"detected_source_language"`
		Text     string `json:"text"`
		Billed   *int   `json:"billed_characters,omitempty"`
		Model    string `json:"model_type_used,omitempty"`
	}
	s.handle(w, r, protocol{
		read: func(*http.Request) (string, []string, string, error) { return Canary, body.Text, target, nil },
		write: func(translations []string, _ bool) any {
			s.mutex.Lock()
			s.used += characters
			s.mutex.Unlock()
			list := make([]translation, len(translations))
			for i, text := range translations {
				list[i] = translation{Detected: body.Source, Text: text, Model: body.Model}
				if body.Billed {
					billed := engines.Characters(body.Text[min(i, len(body.Text)-1)])
					list[i].Billed = &billed
				}
			}
			return map[string]any{"translations": list}
		},
	})
}
