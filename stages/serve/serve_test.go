package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"sentweave/stages/pcr"
	"sentweave/transforms/measure/neighbors"
)

// letters is an encoder of three numbers: the length of a text, its first byte, and a tag. A batch waits for the gate, and is kept.
type letters struct {
	tag     float32
	gate    chan struct{} // nil for none
	err     error
	mutex   sync.Mutex
	batches [][]string
}

func (l *letters) Dimension() int { return 3 }

func (l *letters) Sequence(text string) (list []int32, cut int) {
	ids := []int32{0}
	for _, c := range []byte(text) {
		ids = append(ids, int32(c))
	}
	return ids[:min(len(ids), 100)], max(0, len(ids)-100)
}

func (l *letters) EncodeSequences(_ context.Context, dst []float32, sequences [][]int32) error {
	var batch []string
	for i, ids := range sequences {
		copy(dst[3*i:], []float32{float32(len(ids)), float32(ids[min(1, len(ids)-1)]), l.tag})
		text := ""
		for _, id := range ids[1:] {
			text += string(rune(id))
		}
		batch = append(batch, text)
	}
	l.mutex.Lock()
	l.batches = append(l.batches, batch)
	l.mutex.Unlock()
	if l.gate != nil {
		<-l.gate
	}
	return l.err
}

func settings() Config {
	return Config{Listen: "127.0.0.1:0", ReadTimeout: time.Second, RequestTimeout: 5 * time.Second, DrainTimeout: 5 * time.Second,
		RequestBytes: 1 << 20, RequestTexts: 50, RequestTokens: 2000, QueueTexts: 100, BatchTokens: 64, BatchWait: time.Millisecond}
}

// start returns the address of a server.
func start(t *testing.T, c Config, models ...Model) string {
	t.Helper()
	s, err := New(c, models, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(s.Handler())
	server.Config.ReadTimeout = c.ReadTimeout
	server.Start()
	t.Cleanup(func() { server.Close(); s.Close() })
	return server.URL
}

func post(t *testing.T, url, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.Post(url+"/v1/embeddings", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(data)
}

func two() []Model {
	return []Model{{Name: "a", Encoder: &letters{tag: 7}, Prompts: map[string]Encoder{"query": &letters{tag: 8}}},
		{Name: "b", Encoder: &letters{tag: 9}}}
}

// Without a key, a request under a name that leads to this machine is refused.
func TestHosts(t *testing.T) {
	s, err := New(settings(), two(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for host, want := range map[string]int{"localhost": 200, "127.0.0.1:80": 200, "[::1]:8000": 200, "[::1]": 200,
		"rebound.example:8000": 403, "localhost.example": 403, "10.0.0.1:8000": 403, "": 403} {
		q, w := httptest.NewRequest(http.MethodGet, "/v1/models", http.NoBody), httptest.NewRecorder()
		q.Host = host
		if s.Handler().ServeHTTP(w, q); w.Code != want {
			t.Errorf("host %q: %d, want %d: %s", host, w.Code, want, w.Body)
		}
	}
}

const secretText = "zebra"

// Each fault has its status and one message in OpenAI's form, which holds no text.
func TestAnswers(t *testing.T) {
	models := two()
	vectors := neighbors.Matrix{Data: []float32{2, 0, 0, 0, 3, 0}, Dim: 3}
	components, err := pcr.Fit(vectors, []string{"deu", "eng"}, pcr.Config{Components: 1})
	if err != nil {
		t.Fatal(err)
	}
	models[0].Components = components // the first number of German, and the second one of English
	url := start(t, settings(), models...)
	long := strings.Repeat("x", 1<<19)
	list := func(n int, text string) string {
		return `["` + strings.Repeat(text+`","`, n-1) + text + `"]`
	}
	for name, test := range map[string]struct {
		body   string
		status int
		want   string // in the answer
	}{
		"one text":        {`{"model":"a","input":"zebra"}`, 200, `"index":0,"embedding":[6,122,7]}],"model":"a","usage":{"prompt_tokens":6,"total_tokens":6}`},
		"several":         {`{"model":"b","input":["zebra","b"],"user":"u"}`, 200, `{"object":"embedding","index":1,"embedding":[2,98,9]}`},
		"base64":          {`{"model":"a","input":"zebra","encoding_format":"base64"}`, 200, `"embedding":"` + encoded(6, 122, 7) + `"`},
		"prompt":          {`{"model":"a","input":"zebra","prompt_name":"query"}`, 200, `[6,122,8]`},
		"dimensions":      {`{"model":"a","input":"","dimensions":2}`, 200, `"embedding":[1,0]`},
		"own dimensions":  {`{"model":"a","input":"zebra","dimensions":3}`, 200, `[6,122,7]`},
		"empty text":      {`{"model":"a","input":""}`, 200, `[1,0,7]`},
		"NUL":             {`{"model":"a","input":"\u0000zebra"}`, 200, `[7,0,7]`},
		"null fields":     {`{"model":"a","input":"zebra","dimensions":null,"encoding_format":null}`, 200, `[6,122,7]`},
		"a long text":     {`{"model":"a","input":"` + long + `"}`, 200, `[100,120,7]`},
		"the most texts":  {`{"model":"a","input":` + list(50, "zebra") + `}`, 200, `"index":49`},
		"no text":         {`{"model":"a","input":[]}`, 400, `"param":"input"`},
		"no input":        {`{"model":"a"}`, 400, `input must be a text`},
		"tokens":          {`{"model":"a","input":[1,2]}`, 400, `ids of tokens are not taken`},
		"lists":           {`{"model":"a","input":[["zebra"]]}`, 400, `a list of texts`},
		"null":            {`{"model":"a","input":["zebra",null]}`, 400, `a list of texts`},
		"invalid UTF-8":   {`{"model":"a","input":["b","zebra` + "\xff" + `"]}`, 400, `the text 1 of input is not valid Unicode`},
		"half surrogate":  {`{"model":"a","input":"zebra\ud800"}`, 400, `not valid Unicode`},
		"too many texts":  {`{"model":"a","input":` + list(51, "zebra") + `}`, 400, `51 texts, a request may have 50`},
		"far too many":    {`{"model":"a","input":` + list(100_000, "zebra") + `}`, 400, `more than 50 texts`},
		"too many tokens": {`{"model":"a","input":` + list(30, long[:10_000]) + `}`, 400, `more than 2000 tokens`},
		"too large":       {`{"model":"a","input":"` + long + long + `"}`, 413, `more than 1048576 bytes`},
		"no such model":   {`{"model":"zebra","input":"b"}`, 404, `"code":"model_not_found"`},
		"no model":        {`{"input":"b"}`, 400, `model is missing`},
		"no components":   {`{"model":"b","input":"b","language":"deu"}`, 400, `served without components: send no language`},
		"wrong language":  {`{"model":"a","input":"b","language":"zebra"}`, 400, `has components of other languages: deu, eng`},
		"language":        {`{"model":"a","input":"zebra","language":"deu"}`, 200, `[0,122,7]`},
		"in base64":       {`{"model":"a","input":"zebra","language":"eng","encoding_format":"base64"}`, 200, encoded(6, 0, 7)},
		"and a prompt":    {`{"model":"a","input":"zebra","language":"eng","prompt_name":"query"}`, 200, `[6,0,8]`},
		"no such prompt":  {`{"model":"a","input":"b","prompt_name":"zebra"}`, 400, `no prompt of that name, only: query`},
		"dimension 4":     {`{"model":"a","input":"b","dimensions":4}`, 400, `dimensions must be from 1 to 3`},
		"dimension 0":     {`{"model":"a","input":"b","dimensions":0}`, 400, `"param":"dimensions"`},
		"format":          {`{"model":"a","input":"b","encoding_format":"zebra"}`, 400, `must be float or base64`},
		"no JSON":         {`{"model":"a","input":"zebra"`, 400, `no JSON: there is a fault at byte 28`},
		"no object":       {`["zebra"]`, 400, `no object of JSON`},
		"a wrong type":    {`{"model":7,"input":"zebra"}`, 400, `model is of another type`},
		"empty":           {``, 400, `no JSON`},
		"deep":            {strings.Repeat("[", 100_000), 400, `lists in lists`},
	} {
		r, body := post(t, url, test.body)
		if r.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s: %d %.300s, want %d with %s", name, r.StatusCode, body, test.status, test.want)
		}
		var e struct {
			Error struct{ Message, Type string }
		}
		if err := json.Unmarshal([]byte(body), &e); err != nil || test.status != 200 && (e.Error.Message == "" ||
			e.Error.Type != "invalid_request_error") {
			t.Errorf("%s: %q is not an error in OpenAI's form: %v", name, body, err)
		}
		if strings.Contains(body, secretText) {
			t.Errorf("%s: the answer holds a text: %s", name, body)
		}
	}
}

// A text that is longer than the model takes is cut, which is counted, and noted once; or it is refused.
func TestLongTexts(t *testing.T) {
	body := `{"model":"a","input":["` + secretText + `","` + strings.Repeat("x", 99) + `","` + strings.Repeat("x", 100) + `"]}`
	var notes []string
	s, err := New(settings(), two(), func(text string) { notes = append(notes, text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ask := func(path, body string) string {
		q, w := httptest.NewRequest(http.MethodPost, "http://localhost"+path, strings.NewReader(body)), httptest.NewRecorder()
		if q.Header.Set("Content-Type", "application/json"); body == "" {
			q.Method = http.MethodGet
		}
		s.Handler().ServeHTTP(w, q)
		return w.Body.String()
	}
	for range 2 {
		if got := ask("/v1/embeddings", body); !strings.Contains(got, `"index":2,"embedding":[100,`) {
			t.Error(got)
		}
	}
	if got, want := ask("/metrics", ""), "sentweave_truncated_texts_total{model=\"a\"} 2\n"; !strings.Contains(got, want) {
		t.Errorf("metrics have not %s", want)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "model a: the ends of texts are cut off that have more than its 100 tokens") {
		t.Errorf("notes %q", notes)
	}
	c := settings()
	c.RefuseLong = true
	const want = `"code":"context_length_exceeded","message":"the text 2 of input has 101 tokens, the model takes 100: shorten it, or cut it into several"`
	if r, got := post(t, start(t, c, two()...), body); r.StatusCode != 400 || !strings.Contains(got, want) {
		t.Errorf("%d %s", r.StatusCode, got)
	}
}

// Whatever a body holds, its texts are valid Unicode and no more than allowed, or it is refused.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"model":"a","input":["x","\ud83d\ude00"]}`, `{"input":"\ud800"}`, `{"input":[["x"]]}`, `{"input":[1]}`,
		"[", `{"input":"\u0000"}`} {
		f.Add([]byte(seed))
	}
	s := &Server{config: settings()}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, texts, err := s.read(body)
		if err == nil && (len(texts) == 0 || len(texts) > s.config.RequestTexts) {
			t.Errorf("%q: %d texts, %v", body, len(texts), err)
		}
		for _, text := range texts {
			if err == nil && !utf8.ValidString(text) {
				t.Errorf("%q: %q", body, text)
			}
		}
	})
}

func encoded(vector ...float32) string {
	data, _ := binary.Append(nil, binary.LittleEndian, vector)
	return base64.StdEncoding.EncodeToString(data)
}

// Paths and methods have their answers, and wrong ones an error in the same form.
func TestPaths(t *testing.T) {
	url := start(t, settings(), two()...)
	if r, body := post(t, url, `{"model":"b","input":["x","y"]}`); r.StatusCode != 200 {
		t.Fatal(body)
	}
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/healthz", 200, "ok"}, {"GET", "/readyz", 200, "ready"},
		{"GET", "/v1/models", 200, `{"object":"list","data":[{"id":"a","object":"model"`},
		{"GET", "/v1/models/b", 200, `"id":"b"`}, {"GET", "/v1/models/c", 404, "model_not_found"},
		{"GET", "/v1/embeddings", 405, "answers POST"}, {"POST", "/v1/models", 405, "answers GET"}, {"GET", "/v2", 404, "no such path"},
		{"POST", "/v1/embeddings", 415, "application/json"}, {"HEAD", "/healthz", 200, ""}, {"HEAD", "/v1/embeddings", 405, ""},
		{"GET", "/metrics", 200, `sentweave_texts_total{model="b"} 2`},
		{"GET", "/metrics", 200, `sentweave_requests_total{code="200",path="/v1/embeddings"} 1`},
		{"GET", "/metrics", 200, `sentweave_queue_texts 0`},
	} {
		q, err := http.NewRequestWithContext(t.Context(), test.method, url+test.path, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s %s: %d %.200s, want %d with %s", test.method, test.path, r.StatusCode, body, test.status, test.want)
		}
	}
}

// Without the key only health and readiness answer, and no answer holds the key.
func TestKey(t *testing.T) {
	const key = "the-key-of-this-test~+/="
	c := settings()
	c.KeyFile = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(c.KeyFile, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := start(t, c, two()...)
	for given, status := range map[string]int{"": 401, "Bearer": 401, "Bearer wrong": 401, "Basic " + key: 401, key: 401,
		"Bearer " + key: 200, "bearer " + key: 200} {
		for path, open := range map[string]bool{"/healthz": true, "/readyz": true, "/metrics": false, "/v1/models": false} {
			q, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
			q.Header.Set("Authorization", given)
			r, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(r.Body)
			r.Body.Close()
			want := status
			if open {
				want = 200
			}
			if r.StatusCode != want || bytes.Contains(body, []byte(key)) {
				t.Errorf("%s with %q: %d %s, want %d", path, given, r.StatusCode, body, want)
			}
		}
	}
}

// A key that a header cannot bring, or that is soon guessed, is refused, and is not shown.
func TestReadKey(t *testing.T) {
	for key, want := range map[string]string{
		"eight8+/":               "",
		" \n 12345678 \n\n":      "", // without the white space around it
		"\n":                     "is empty",
		"a key of several words": "holds spaces",
		"secret-clé":             "holds spaces, or characters other than those of ASCII",
		"secret-\u0085-key":      "holds spaces, or characters other than those of ASCII",
		"secret-\x01-key":        "control characters",
		"first-key\nsecond-key":  "more than one line",
		"short-1":                "is soon guessed, since it has fewer than 8 characters",
		"é":                      "is soon guessed",
	} {
		c := settings()
		c.KeyFile = filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(c.KeyFile, []byte(key), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := New(c, two(), nil)
		if err == nil {
			s.Close()
		}
		text := fmt.Sprint(err)
		if (err == nil) != (want == "") || !strings.Contains(text, want) && want != "" || len(key) > 1 && strings.Contains(text, key) {
			t.Errorf("%q: %v, want %q", key, err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"":                         func(*Config) {},
		"listen \"0.0.0.0:1\" can": func(c *Config) { c.Listen = "0.0.0.0:1" },
		"listen \":1\" can":        func(c *Config) { c.Listen = ":1" },
		"is not an address":        func(c *Config) { c.Listen = "127.0.0.1" },
		"no such request could":    func(c *Config) { c.QueueTexts = 10 },
		"batch-tokens is not":      func(c *Config) { c.BatchTokens = 0 },
		"is not set":               func(c *Config) { c.Listen, c.KeyVariable = ":1", "SENTWEAVE_NO_SUCH_KEY" },
	} {
		c := settings()
		change(&c)
		s, err := New(c, nil, nil)
		if err == nil {
			s.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A request that does not come to its end in time has an answer, and one that came and takes longer is answered.
func TestSlow(t *testing.T) {
	c, slow := settings(), &letters{gate: make(chan struct{})}
	c.ReadTimeout = 100 * time.Millisecond
	url := start(t, c, Model{Name: "a", Encoder: slow})
	time.AfterFunc(3*c.ReadTimeout, func() { close(slow.gate) })
	if r, body := post(t, url, `{"model":"a","input":"x"}`); r.StatusCode != 200 {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	connection, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	answer, err := io.ReadAll(connection)
	if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 408 ")) || !bytes.Contains(answer, []byte("did not come within 100ms")) {
		t.Errorf("%s, %v", answer, err)
	}
}

// A client that sends all of a refused request before it reads has the answer, and not a connection that is reset.
func TestRefusedBodies(t *testing.T) {
	c := settings()
	url := start(t, c, two()...)
	body := bytes.Repeat([]byte("x"), 8*int(c.RequestBytes))
	for head, want := range map[string]string{
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n":               "413",
		"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n":                     "415",
		"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n": "413",
	} {
		connection, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		fmt.Fprintf(connection, "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\n"+head, len(body))
		if _, err = connection.Write(body); err == nil {
			_, err = io.WriteString(connection, "\r\n0\r\n\r\n")
		}
		answer, e := bufio.NewReader(connection).ReadString('\n')
		if err = errors.Join(err, e); err != nil || !strings.HasPrefix(answer, "HTTP/1.1 "+want) {
			t.Errorf("%q: %q, %v, want %s", head, answer, err, want)
		}
	}
}

// A service that is asked to stop answers what is under way, and takes nothing new.
func TestDrain(t *testing.T) {
	for name, drain := range map[string]struct {
		timeout, work time.Duration
	}{
		"in time":                {5 * time.Second, 0},
		"shortly before the end": {900 * time.Millisecond, 650 * time.Millisecond}, // net/http looks after 511 and 1,011 ms
		"too late":               {20 * time.Millisecond, time.Hour},
	} {
		slow := &letters{gate: make(chan struct{})}
		c, inTime := settings(), drain.work < drain.timeout
		c.DrainTimeout = drain.timeout
		s, err := New(c, []Model{{Name: "a", Encoder: slow}}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", c.Listen)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		served, answered := make(chan error), make(chan string)
		go func() { served <- s.Serve(ctx, l) }()
		go func() {
			r, err := http.Post("http://"+l.Addr().String()+"/v1/embeddings", "application/json",
				strings.NewReader(`{"model":"a","input":"x"}`))
			if err != nil {
				answered <- err.Error()
				return
			}
			body, _ := io.ReadAll(r.Body)
			r.Body.Close()
			answered <- string(body)
		}()
		waitFor(t, slow, 1)
		stop()
		for !s.draining.Load() {
			time.Sleep(time.Millisecond)
		}
		if inTime {
			time.Sleep(drain.work)
			close(slow.gate)
		}
		want := "the service has ended before the answer"
		if inTime {
			want = `[2,120,0]`
		}
		if body := <-answered; !strings.Contains(body, want) {
			t.Errorf("%s: %s", name, body)
		}
		if err := <-served; (err == nil) != inTime {
			t.Errorf("%s: %v", name, err)
		}
		if !inTime {
			close(slow.gate)
		}
		s.Close()
	}
}
