package fill

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
	"sentweave/transforms/engines/google"
)

func TestGoogleBatch(t *testing.T) {
	folder := gcstest.Start(t).Folder()
	for _, test := range []struct {
		args, want string // a fault, or none
	}{
		{"", ""},
		{"--google-batch=" + folder + " --google-location=us-central1", ""},
		{"--google-batch=" + folder + "/ --google-location=us-central1 --google-model=NM1 --google-glossary=terms --google-keep-batches",
			""},
		{"--google-batch=" + folder, "location global has no batches"},
		{"--google-batch=" + folder + " --google-location=us-central1 --google-model=general/translation-llm", "takes no batches"},
		{"--google-batch=folder --google-location=us-central1", "want a folder in Cloud Storage"},
		{"--google-batch=gs://sentences --google-location=us-central1", "want a folder in Cloud Storage"},
		{"--google-batch=s3://sentences/batches --google-location=us-central1", "want a folder in Cloud Storage"},
		{"--google-batch-timeout=-1s", "google-batch-timeout -1s"},
		{"--google-model=a/b", `model "a/b"`},
		{"--google-glossary=terms", "location global has no glossaries"},
		{"--google-codes=yue=yue,en=en", ""},
		{"--google-codes=xx-nothing=yue", "xx-nothing"},
		{"--characters-per-text=-1", "characters-per-text is -1"},
		{"--langid=none --min-language-score=.5", "min-language-score has no effect without langid"},
		{"--langid=x --min-language-score=.5", ""},
	} {
		args := append([]string{"--texts=x", "--targets=deu", "--engine=google", "--google-project=project-1"},
			strings.Fields(test.args)...)
		_, err := pipelinetest.Configure[Config](args...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.args, err, test.want)
		}
	}
}

// A batch takes longer than a request: it has a time of its own.
func TestTimeouts(t *testing.T) {
	for _, test := range []struct {
		args            string
		google, another time.Duration
	}{
		{"", time.Minute, time.Minute},
		{"--request-timeout=5s", 5 * time.Second, 5 * time.Second},
		{"--google-batch-timeout=2h", time.Minute, time.Minute},
		{"--google-batch=gs://b/f --google-location=us-central1", google.BatchTimeout, time.Minute},
		{"--google-batch=gs://b/f --google-location=us-central1 --google-batch-timeout=2h --request-timeout=5s", 2 * time.Hour,
			5 * time.Second},
	} {
		args := append([]string{"--texts=x", "--targets=deu", "--engine=google,fra=apertium", "--google-project=project-1"},
			strings.Fields(test.args)...)
		c, err := pipelinetest.Configure[Config](args...)
		if err != nil {
			t.Fatal(err)
		}
		if google, another := c.Engines.caller("google").Timeout, c.Engines.caller("apertium").Timeout; google != test.google ||
			another != test.another {
			t.Errorf("%s: %v and %v", test.args, google, another)
		}
	}
}

// engineOf opens the engine that arguments ask for.
func engineOf(t *testing.T, args string) (Engines, engines.Engine, error) {
	t.Helper()
	c, err := pipelinetest.Configure[Config](append([]string{"--texts=x", "--targets=deu"}, strings.Fields(args)...)...)
	if err != nil {
		t.Fatal(err)
	}
	name, err := c.Engines.of("deu")
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Engines.open(t.Context(), name, true)
	if err == nil {
		t.Cleanup(func() { e.Close() })
	}
	return c.Engines, e, err
}

// What suits an engine gives way to what is asked for, and what it cannot take does not.
func TestRequestLimits(t *testing.T) {
	server := enginetest.LibreTranslate(t).URL
	for _, test := range []struct {
		args                    string
		items, characters, text int
	}{
		{"--engine=libretranslate --libretranslate-server=" + server, 50, 10_000, 0},
		{"--engine=libretranslate --texts-per-request=300 --characters-per-request=90000 --characters-per-text=500 --libretranslate-server=" + server,
			300, 90_000, 500},
		{"--engine=libretranslate --texts-per-request=5 --libretranslate-server=" + server, 5, 10_000, 0},
		{"--engine=chat --chat-model=m --chat-server=http://x/v1", 20, 4000, 0},
		{"--engine=chat --chat-model=m --chat-server=http://x/v1 --texts-per-request=60 --characters-per-request=8000", 60, 8000, 0},
		{"--engine=command --command-model=m --command-program=cat --texts-per-request=1000", 1000, 10_000, 0},
		{"--engine=google --google-project=p", 1024, 5000, 30_000},
		{"--engine=google --google-project=p --characters-per-request=20000 --texts-per-request=2000 --characters-per-text=900", 1024,
			20_000, 900},
		{"--engine=google --google-project=p --characters-per-request=90000", 1024, 30_000, 30_000},
	} {
		e, engine, err := engineOf(t, test.args)
		if err != nil {
			t.Fatal(err)
		}
		caller, err := engines.NewCaller(engine, e.caller(engine.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if l := caller.Limits(); l.Items != test.items || l.Characters != test.characters || l.TextCharacters != test.text {
			t.Errorf("%s: %+v", test.args, l)
		}
	}
}

// A server that is late is waited for also where it is asked what it has, and one that
// never answers is not waited for any longer.
func TestReach(t *testing.T) {
	for _, test := range []struct {
		reason string
		limit  string
		first  int // requests that go wrong
		wrong  func(w http.ResponseWriter, r *http.Request)
		want   string
	}{
		{"busy", "10s", 3, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, ""},
		{"stalls", "1s", 2, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, ""},
		{"always busy", "10s", 1 << 30, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
			"503"},
		{"always stalls", "50ms", 1 << 30, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no answer in 50ms"},
	} {
		for engine, answer := range map[string]string{
			"libretranslate": `[{"code":"en","targets":["de"]},{"code":"de","targets":["en"]}]`,
			"apy":            `{"responseData":[{"sourceLanguage":"eng","targetLanguage":"deu"}]}`,
		} {
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if int(requests.Add(1)) <= test.first {
					test.wrong(w, r)
					return
				}
				_, _ = w.Write([]byte(answer))
			}))
			_, e, err := engineOf(t, "--engine="+engine+" --request-timeout="+test.limit+" --retry-pause=1ms --attempts=4 --"+engine+
				"-server="+server.URL)
			switch {
			case test.want != "":
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "after 4 attempts") {
					t.Errorf("%s, %s: %d requests, error %v", engine, test.reason, requests.Load(), err)
				}
			case err != nil:
				t.Errorf("%s, %s: %v", engine, test.reason, err)
			case e.Supports(engines.Pair{Source: "eng", Target: "deu"}) != nil:
				t.Errorf("%s, %s: the pair is not there", engine, test.reason)
			}
			server.Close()
		}
	}
}

// metered is an engine with a quota.
type metered struct {
	*enginetest.Faulty
	asked int
}

func (m *metered) Quota(context.Context) string { m.asked++; return "nothing is left" }

// Each estimate of an engine with a quota tells it, which is asked for once.
func TestQuotas(t *testing.T) {
	m := &metered{}
	s := &service{opened: map[string]engines.Engine{"google": m, "apertium": &enginetest.Faulty{}}}
	list := []Estimate{{Engine: "google"}, {Engine: "apertium"}, {Engine: "google"}}
	s.quotas(t.Context(), list)
	if list[0].Quota != "nothing is left" || list[1].Quota != "" || list[2].Quota != list[0].Quota || m.asked != 1 {
		t.Errorf("%+v, asked %d times", list, m.asked)
	}
}
