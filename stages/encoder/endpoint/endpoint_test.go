package endpoint

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sentweave/stages/encoder"
	"sentweave/transforms/engines"
)

const secret = "sk-canary/9+8"

// fake speaks as a service that has a model of three numbers. Trouble, if set, may answer in its place, given the number of the request
// and its texts, and says whether it did; change may change an answer.
type fake struct {
	trouble func(w http.ResponseWriter, number int, texts []string) bool
	change  func(number int, data []map[string]any) []map[string]any
	// floats: it does not know base64. silent: it counts no tokens.
	floats, silent bool

	mutex    sync.Mutex
	requests int
	paid     map[string]int // texts that were answered
	under    int            // requests under way, and the most
	most     int
}

func vectorOf(text string) []float32 {
	h := fnv.New64a()
	io.WriteString(h, text)
	x := h.Sum64()
	return []float32{float32(x%1000)/7 - 50, float32(x>>20%1000) / 3, float32(len(text))}
}

func (f *fake) start(t testing.TB) string {
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func say(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// refuse answers as a service that repeats keys in its messages.
func refuse(w http.ResponseWriter, status int, message string) {
	say(w, status, map[string]any{"error": map[string]any{"message": message + " (key " + secret + ")", "type": "x", "code": nil}})
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model          string
		Input          []string
		EncodingFormat string `json:"encoding_format"`
		Dimensions     int
	}
	switch err := json.NewDecoder(r.Body).Decode(&q); {
	case r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost:
		refuse(w, http.StatusNotFound, "nothing is here")
		return
	case r.Header.Get("Authorization") != "Bearer "+secret:
		refuse(w, http.StatusUnauthorized, "wrong key")
		return
	case err != nil || q.Model != "three" || len(q.Input) == 0 || len(q.Input) > 32:
		refuse(w, http.StatusBadRequest, "the request is wrong")
		return
	case f.floats && q.EncodingFormat != "float":
		refuse(w, http.StatusUnprocessableEntity, "the request is wrong")
		return
	}
	f.mutex.Lock()
	number := f.requests
	f.requests++
	f.under++
	f.most = max(f.most, f.under)
	f.mutex.Unlock()
	defer func() { f.mutex.Lock(); f.under--; f.mutex.Unlock() }()
	if f.trouble != nil && f.trouble(w, number, q.Input) {
		return
	}
	var data []map[string]any
	tokens := 0
	for i, text := range q.Input {
		v := vectorOf(text)
		if q.Dimensions > 0 {
			v = v[:q.Dimensions]
		}
		var embedding any = v
		if q.EncodingFormat == "base64" {
			var b []byte
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			embedding = base64.StdEncoding.EncodeToString(b)
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": embedding})
		tokens += len(strings.Fields(text))
	}
	slices.Reverse(data) // the order is that of the index alone
	if f.change != nil {
		data = f.change(number, data)
	}
	f.mutex.Lock()
	for _, text := range q.Input {
		f.paid[text]++
	}
	f.mutex.Unlock()
	body := map[string]any{"object": "list", "data": data, "model": "three"}
	if !f.silent {
		body["usage"] = map[string]any{"prompt_tokens": tokens, "total_tokens": tokens}
	}
	say(w, http.StatusOK, body)
}

// configOf asks a fake without long pauses.
func configOf(t testing.TB, f *fake) Config {
	f.paid = map[string]int{}
	t.Setenv("FAKE_KEY", secret)
	c := Config{Location: f.start(t) + "#three", KeyVariable: "FAKE_KEY", Call: DefaultCall()}
	c.Call.Pause, c.Call.MaxPause, c.Call.Timeout = time.Millisecond, 4*time.Millisecond, 2*time.Second
	return c
}

func textsOf(n int) []encoder.Text {
	list := make([]encoder.Text, n)
	for i := range list {
		list[i] = encoder.Text{Text: fmt.Sprintf("text %d of many, é ½ 語\n", i), Language: "eng"}
	}
	list[n/2].Text = "" // which has a vector, too
	return list
}

func check(t *testing.T, c Config, texts []encoder.Text) error {
	t.Helper()
	e, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	vectors, err := e.Encode(t.Context(), texts)
	if err != nil {
		return err
	}
	d := vectors.(encoder.Dense)
	for i, text := range texts {
		want := vectorOf(text.Text)
		if c.Dimensions > 0 {
			want = want[:c.Dimensions]
		}
		if !slices.Equal(d.Row(i), want) {
			t.Fatalf("the vector of %q is %v, want %v", text.Text, d.Row(i), want)
		}
	}
	return nil
}

func html(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<!doctype html><title>Sign in</title> key "+secret)
}

// Troubles that pass: the vectors are right.
func TestRight(t *testing.T) {
	for name, f := range map[string]*fake{
		"well":   {},
		"floats": {floats: true},
		"429": {trouble: func(w http.ResponseWriter, number int, _ []string) bool {
			if number%3 == 0 {
				refuse(w, http.StatusTooManyRequests, "slow down")
			}
			return number%3 == 0
		}},
		"Retry-After": {trouble: func(w http.ResponseWriter, number int, _ []string) bool {
			if number < 6 {
				w.Header().Set("Retry-After", "0")
				refuse(w, http.StatusTooManyRequests, "slow down")
			}
			return number < 6
		}},
		"5xx, a page, a cut, no answer": {trouble: func(w http.ResponseWriter, number int, _ []string) bool {
			switch number % 7 {
			case 0:
				refuse(w, http.StatusServiceUnavailable, "overloaded")
			case 1:
				html(w)
			case 2:
				w.Header().Set("Content-Length", "1000")
				_, _ = io.WriteString(w, `{"data":[`)
			case 3:
				c, _, err := w.(http.Hijacker).Hijack()
				if err == nil {
					_ = c.Close()
				}
			default:
				return false
			}
			return true
		}},
		"at most five texts": {trouble: func(w http.ResponseWriter, _ int, texts []string) bool {
			if len(texts) > 5 {
				refuse(w, http.StatusRequestEntityTooLarge, "batch size > 5")
			}
			return len(texts) > 5
		}},
		"wrong answers at times": {change: func(number int, data []map[string]any) []map[string]any {
			switch {
			case len(data) == 1:
			case number%6 == 0:
				return data[1:]
			case number%6 == 1:
				return append(data, data[0])
			case number%6 == 2:
				data[0]["index"] = data[1]["index"]
			case number%6 == 3:
				data[0]["embedding"] = []any{1, nil, 2}
			case number%6 == 4:
				data[0]["embedding"] = base64.StdEncoding.EncodeToString([]byte{0, 0, 0xc0, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0}) // NaN
			}
			return data
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := check(t, configOf(t, f), textsOf(300)); err != nil {
				t.Error(err)
			}
			if f.most > 4 {
				t.Errorf("%d requests at once", f.most)
			}
		})
	}
	c := configOf(t, &fake{})
	c.Dimensions = 2
	if err := check(t, c, textsOf(40)); err != nil {
		t.Error(err)
	}
}

// Troubles that stay are one error that names the service and the reason, without the key.
func TestWrong(t *testing.T) {
	always := func(do func(w http.ResponseWriter)) func(http.ResponseWriter, int, []string) bool {
		return func(w http.ResponseWriter, _ int, _ []string) bool { do(w); return true }
	}
	for want, f := range map[string]*fake{
		"the answer is a page: <!doctype html><title>Sign in": {trouble: always(html)},
		"429 Too Many Requests: slow down": {trouble: always(func(w http.ResponseWriter) {
			refuse(w, http.StatusTooManyRequests, "slow down")
		})},
		"the engine wants a pause of 1h0m0s": {trouble: always(func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "3600")
			refuse(w, http.StatusTooManyRequests, "quota")
		})},
		"500 Internal Server Error": {trouble: always(func(w http.ResponseWriter) { refuse(w, 500, "no memory") })},
		"there was no answer in":    {trouble: always(func(http.ResponseWriter) { time.Sleep(30 * time.Millisecond) })},
		"the engine refuses every text, even \"Hello.\"": {trouble: always(func(w http.ResponseWriter) {
			refuse(w, http.StatusBadRequest, "no model three")
		})},
		"no vector of the text \"text 7 of many": {trouble: func(w http.ResponseWriter, _ int, texts []string) bool {
			bad := slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, "text 7 ") })
			if bad {
				refuse(w, http.StatusBadRequest, "maximum context length is 4 tokens")
			}
			return bad
		}},
		"no vector of the text \"text 8 of many": {trouble: func(w http.ResponseWriter, _ int, texts []string) bool {
			bad := slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, "text 8 ") })
			if bad {
				refuse(w, http.StatusInternalServerError, "not this one")
			}
			return bad
		}},
		"it gives vectors of 2 numbers, where 3": {change: func(number int, data []map[string]any) []map[string]any {
			if number == 5 {
				for _, d := range data {
					d["embedding"] = []any{1, 2}
				}
			}
			return data
		}},
		"has the number NaN": {change: func(_ int, data []map[string]any) []map[string]any {
			data[0]["embedding"] = base64.StdEncoding.EncodeToString([]byte{0, 0, 0xc0, 0x7f})
			return data
		}},
		"is neither a list of numbers nor base64": {change: func(_ int, data []map[string]any) []map[string]any {
			data[0]["embedding"] = []any{1, nil, 2}
			return data
		}},
		"do not have each index": {change: func(_ int, data []map[string]any) []map[string]any {
			data[0]["index"] = 99
			return data
		}},
		"have 0 vectors": {change: func(int, []map[string]any) []map[string]any { return nil }},
		"the answer is longer than 64 MiB": {trouble: always(func(w http.ResponseWriter) {
			for range 65 {
				_, _ = io.WriteString(w, strings.Repeat(" ", 1<<20))
			}
		})},
	} {
		t.Run(want, func(t *testing.T) {
			c := configOf(t, f)
			c.Call.Attempts = 2
			if strings.HasPrefix(want, "there was no") {
				c.Call.Timeout = 10 * time.Millisecond
			}
			n := 200
			if strings.HasSuffix(want, "MiB") {
				n = 1
			}
			err := check(t, c, textsOf(n))
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "http://127.0.0.1:") {
				t.Fatalf("error %v", err)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("the key is in %v", err)
			}
		})
	}
	c := configOf(t, &fake{trouble: always(func(w http.ResponseWriter) { refuse(w, http.StatusBadGateway, "nobody is here") })})
	if err := check(t, c, textsOf(1)); err == nil || !strings.Contains(err.Error(), "502 Bad Gateway: nobody is here") {
		t.Errorf("a text alone: %v", err)
	}
	c = configOf(t, &fake{})
	t.Setenv("FAKE_KEY", "sk-other")
	if err := check(t, c, textsOf(3)); err == nil || !strings.Contains(err.Error(), "401 Unauthorized") ||
		!strings.Contains(err.Error(), "variable or the file") {
		t.Errorf("a wrong key: %v", err)
	}
}

// What is spent stays within the budget, also where the service counts no tokens, and the tokens are those that it counts.
func TestBudget(t *testing.T) {
	for _, silent := range []bool{false, true} {
		f := &fake{silent: silent}
		c := configOf(t, f)
		c.Price, c.Budget = 1000, NewBudget(3) // 3,000 tokens
		e, err := Open(c)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		_, err = e.Encode(t.Context(), textsOf(2000))
		if !errors.Is(err, engines.ErrBudget) || !strings.Contains(err.Error(), "of $3.000000") {
			t.Errorf("silent %t: %v", silent, err)
		}
		tokens := int64(0)
		for text, n := range f.paid {
			if n != 1 {
				t.Errorf("%q was paid for %d times", text, n)
			}
			if silent {
				tokens += int64(Tokens(text))
			} else {
				tokens += int64(len(strings.Fields(text)))
			}
		}
		// A request has at most some 1,200 tokens, and takes its place before it is sent.
		if used, spent := c.Budget.Spent(); used != tokens || tokens > 3000 || tokens < 300 || math.Abs(spent-float64(tokens)/1000) > 1e-9 {
			t.Errorf("silent %t: %d tokens, counted %d, spent $%v", silent, tokens, used, spent)
		}
	}
}

func TestMisuse(t *testing.T) {
	for location, want := range map[string]string{
		"https://host/v1":             "https://host/v1#MODEL",
		"https://user:word@host/v1#m": "give keys by environment variable or file",
		"https://host/v1?key=9#m":     "without what follows a ?",
		"https:///v1#m":               "want a URL",
	} {
		c := Config{Location: location, Call: DefaultCall()}
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "user:") {
			t.Errorf("%s: %v", location, err)
		}
	}
	c := Config{Location: "https://host/v1#m", Call: DefaultCall(), KeyVariable: "NO_SUCH_KEY"}
	if _, err := Open(c); err == nil || !strings.Contains(err.Error(), "NO_SUCH_KEY is not set") {
		t.Errorf("no key: %v", err)
	}
	if got := Name("https://host/v1#intfloat/e5"); got != "e5" {
		t.Errorf("name %q", got)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(`{"data":[{"index":0,"embedding":[1,2e3]}],"usage":{"total_tokens":1}}`)
	f.Add(`{"data":[{"index":1,"embedding":"AACAPw=="},{"index":0,"embedding":[1]}]}`)
	f.Add(`{"data":[{"embedding":"AA"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var r response
		if json.Unmarshal([]byte(text), &r) != nil {
			return
		}
		list, err := r.vectors(len(r.Data))
		for _, v := range list {
			if err == nil && (v == "" || len(v)%4 != 0) {
				t.Errorf("%q has a vector of %d bytes", text, len(v))
			}
		}
	})
}
