package enginetest

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// Server is a service that throws dice at each request to translate.
type Server struct {
	// URL is its address.
	URL  string
	Dice Dice
	// RetryAfter is that header of answers that throttle. Default "0".
	RetryAfter string
}

// protocol is how a service is spoken to.
type protocol struct {
	// read returns the key, the texts and the target of a request, or why it is wrong.
	read func(r *http.Request) (key string, texts []string, target string, err error)
	// write returns the answer for translations; cut says that it ends too early.
	write func(translations []string, cut bool) any
	// list answers other paths.
	list map[string]any
	// translate is the path of translations.
	translate string
	// numbered: answers may come in another order, and repeat themselves visibly.
	numbered bool
	// cuts: the protocol tells itself when an answer ended too early.
	cuts bool
}

func serve(t testing.TB, p protocol) *Server {
	s := &Server{RetryAfter: "0"}
	mux := http.NewServeMux()
	for path, list := range p.list {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, list) })
	}
	mux.HandleFunc("POST "+p.translate, func(w http.ResponseWriter, r *http.Request) { s.handle(w, r, p) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// fail answers as a server that repeats keys in its messages.
func fail(w http.ResponseWriter, status int, text string) {
	reply(w, status, map[string]any{"error": text + ", key " + Canary})
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request, p protocol) {
	key, texts, target, err := p.read(r)
	switch {
	case err != nil:
		fail(w, http.StatusBadRequest, err.Error())
		return
	case key != Canary:
		fail(w, http.StatusForbidden, "wrong key "+key)
		return
	}
	translations := make([]string, len(texts))
	for i, text := range texts {
		translations[i] = Translation(target, text)
	}
	trouble := s.Dice.Throw(texts)
	switch trouble {
	case Throttle:
		w.Header().Set("Retry-After", s.RetryAfter)
		fail(w, http.StatusTooManyRequests, "slow down")
		return
	case Break:
		fail(w, http.StatusInternalServerError, "cannot translate")
		return
	case Vanish:
		if connection, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = connection.Close()
		}
		return
	case Stall:
		<-r.Context().Done()
		return
	case Truncate:
		if !p.cuts {
			truncate(w, p.write(translations, false))
			return
		}
		reply(w, http.StatusOK, p.write(translations[:len(translations)-1], true))
		return
	case Short:
		translations = translations[1:]
	case Long:
		translations = append(translations, "one more")
	case Duplicate:
		translations = append(translations[:len(translations)-1:len(translations)-1], translations[0])
	case Lie:
		translations = texts
	}
	well := trouble == None || trouble == Reorder || trouble == Lie || trouble == Duplicate && len(texts) == 1
	if well {
		s.Dice.Answered(texts...)
	}
	body := p.write(translations, false)
	if p.numbered {
		body = p.write(renumber(translations, trouble), false)
	}
	reply(w, http.StatusOK, body)
}

// renumber writes translations as numbered lines, in the order or with the repeated
// number of a trouble.
func renumber(translations []string, trouble Trouble) []string {
	lines := make([]string, len(translations))
	for i, text := range translations {
		number := i + 1
		if trouble == Duplicate && i > 0 && i == len(translations)-1 {
			number = 1
		}
		lines[i] = fmt.Sprintf("%d\t%s", number, text)
	}
	if trouble == Reorder {
		for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
			lines[i], lines[j] = lines[j], lines[i]
		}
	}
	return lines
}

// truncate sends half of an answer and closes the connection.
func truncate(w http.ResponseWriter, body any) {
	data, _ := json.Marshal(body)
	connection, buffer, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	fmt.Fprintf(buffer, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(data), data[:len(data)/2])
	_ = buffer.Flush()
}

// LibreTranslate speaks as a LibreTranslate server with English, German, Chinese
// and Brazilian Portuguese. It takes texts for HTML, as the server does.
func LibreTranslate(t testing.TB) *Server {
	codes := []string{"de", "en", "pt-BR", "zh-Hans", "zh-Hant"}
	var languages []map[string]any
	for _, code := range codes {
		languages = append(languages, map[string]any{"code": code, "name": code, "targets": codes})
	}
	languages[2]["targets"] = []string{"en"}
	return serve(t, protocol{
		translate: "/translate", list: map[string]any{"/languages": languages},
		read: func(r *http.Request) (string, []string, string, error) {
			var body struct {
				Q                      []string
				Source, Target, Format string
				Key                    string `json:"api_key"`
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				return "", nil, "", err
			}
			target := map[string]string{"en de": "deu", "de en": "eng"}[body.Source+" "+body.Target]
			if target == "" || body.Format != "text" || len(body.Q) == 0 {
				return "", nil, "", fmt.Errorf("%s is not supported", body.Source)
			}
			for i, text := range body.Q { // the server does it to translations
				body.Q[i] = html.UnescapeString(text)
			}
			return body.Key, body.Q, target, nil
		},
		write: func(translations []string, _ bool) any { return map[string]any{"translatedText": translations} },
	})
}

// APY speaks as a server of apertium-apy that has one pair.
func APY(t testing.TB) *Server {
	type pair struct {
		Source string `json:"sourceLanguage"`
		Target string `json:"targetLanguage"`
	}
	return serve(t, protocol{
		translate: "/translate",
		list: map[string]any{"/listPairs": map[string]any{
			"responseData": []pair{{"eng", "deu"}, {"eng", "cat_valencia"}, {"nob", "nno"}}, "responseStatus": 200}},
		read: func(r *http.Request) (string, []string, string, error) {
			if r.PostFormValue("langpair") != "eng|deu" || r.PostFormValue("markUnknown") != "no" || r.PostFormValue("format") != "txt" {
				return "", nil, "", fmt.Errorf("that pair is not installed")
			}
			return r.PostFormValue("key"), []string{r.PostFormValue("q")}, "deu", nil
		},
		write: func(translations []string, _ bool) any {
			data := map[string]any{}
			if len(translations) > 0 {
				data["translatedText"] = translations[0]
			}
			return map[string]any{"responseData": data, "responseDetails": nil, "responseStatus": 200}
		},
	})
}

// Chat speaks as an endpoint of chat completions whose model translates numbered
// lines.
func Chat(t testing.TB) *Server {
	return serve(t, protocol{
		translate: "/v1/chat/completions", numbered: true, cuts: true,
		read: func(r *http.Request) (string, []string, string, error) {
			var body struct {
				Model    string
				Messages []struct{ Role, Content string }
			}
			data, err := io.ReadAll(r.Body)
			if err == nil {
				err = json.Unmarshal(data, &body)
			}
			if err != nil || body.Model != "model-7b" || len(body.Messages) != 2 || !strings.Contains(string(data), `"temperature":0`) {
				return "", nil, "", fmt.Errorf("the request is wrong: %w", err)
			}
			var texts []string
			for i, line := range strings.Split(body.Messages[1].Content, "\n") {
				number, text, ok := strings.Cut(line, "\t")
				if !ok || number != strconv.Itoa(i+1) {
					return "", nil, "", fmt.Errorf("line %d is not numbered", i)
				}
				texts = append(texts, text)
			}
			return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), texts, "deu", nil
		},
		write: func(lines []string, cut bool) any {
			reason := "stop"
			if cut {
				reason = "length"
			}
			return map[string]any{"choices": []any{
				map[string]any{"message": map[string]any{"role": "assistant", "content": strings.Join(lines, "\n")},
					"finish_reason": reason}}}
		},
	})
}
