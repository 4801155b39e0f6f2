package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

func secret(t *testing.T) engines.Secret {
	t.Helper()
	t.Setenv("TEST_KEY", enginetest.Canary)
	s, err := engines.ReadSecret("TEST_KEY", "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a status says, and that a server which repeats the key does not have it told.
func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		status   int
		header   http.Header
		body     string
		kind     engines.Kind
		after    time.Duration
		unbilled bool
		text     string
	}{
		{429, http.Header{"Retry-After": {"7"}}, `{"error":"slow down"}`, engines.Throttled, 7 * time.Second, true, "slow down"},
		{429, http.Header{"Retry-After": {"Fri, 20 Nov 2026 10:01:30 GMT"}, "Date": {"Fri, 20 Nov 2026 10:00:00 GMT"}}, "",
			engines.Throttled, 90 * time.Second, true, "429"},
		{503, http.Header{"Retry-After": {"-1"}}, "<html>busy</html>", engines.Unavailable, 0, false, "<html>busy</html>"},
		{502, nil, "", engines.Unavailable, 0, false, "502"}, {504, nil, "", engines.Unavailable, 0, false, "504"},
		{408, nil, "", engines.Unavailable, 0, false, "408"},
		{429, nil, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
			engines.Fatal, 0, true, "exceeded your current quota"},
		{429, nil, `{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
			engines.Throttled, 0, true, "Rate limit"},
		{400, nil, `{"error":{"message":"'temperature' does not support 0","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`,
			engines.Fatal, 0, true, "does not support 0"},
		{400, nil, `{"error":{"message":"no such model","param":null,"code":"model_not_found"}}`, engines.Fatal, 0, true, "no such model"},
		{400, nil, `{"error":{"message":"you must provide a model parameter","param":"model","code":null}}`, engines.Fatal, 0, true,
			"model parameter"},
		{400, nil, `{"error":{"message":"This model's maximum context length is 4096 tokens","param":"messages","code":"context_length_exceeded"}}`,
			engines.Refused, 0, true, "context length"},
		{400, nil, `{"error":{"message":"filtered","param":"prompt","code":"content_filter"}}`, engines.Refused, 0, true, "filtered"},
		{400, nil, `{"error":{"message":"too long","param":"messages[1].content","code":"string_above_max_length"}}`, engines.Refused, 0,
			true, "too long"},
		{400, nil, `{"error":{"message":"'max_tokens' is too large: your request has 5000 input tokens","param":"max_tokens","code":400}}`,
			engines.Refused, 0, true, "too large"},
		{400, nil, `{"object":"error","message":"maximum context length","type":"BadRequestError","param":null,"code":400}`,
			engines.Refused, 0, true, "maximum context"},
		{400, nil, `{"error":{"message":"maximum context length","type":"BadRequestError","param":null,"code":400}}`, engines.Refused, 0,
			true, "maximum context"},
		{500, nil, `{"error":{"message":"oops","param":"model","code":"unsupported_value"}}`, engines.Failed, 0, false, "oops"},
		{500, nil, `{"error":{"message":"out of memory"}}`, engines.Failed, 0, false, "out of memory"},
		{400, nil, `{"status":"error","explanation":"too long"}`, engines.Refused, 0, true, "too long"},
		{413, nil, "", engines.Refused, 0, true, "413"}, {422, nil, `{"message":"bad"}`, engines.Refused, 0, true, "bad"},
		{401, nil, "", engines.Fatal, 0, true, "401"}, {403, nil, "", engines.Fatal, 0, true, "403"},
		{404, nil, "", engines.Fatal, 0, true, "404"},
		{307, http.Header{"Location": {"https://elsewhere.example/"}}, "", engines.Fatal, 0, false, "elsewhere.example"},
		{204, nil, "", engines.Malformed, 0, false, "204"},
		{200, nil, `{"x":`, engines.Malformed, 0, false, "not the JSON"},
		{200, nil, "\n<!DOCTYPE html><title>Sign in</title>", engines.Unavailable, 0, false,
			"the answer is a page: <!DOCTYPE html><title>Sign in"}, {200, nil, "\"\xff\"", engines.Malformed, 0, false, "UTF-8"},
		{200, nil, `[]`, engines.Malformed, 0, false, "not the JSON"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+enginetest.Canary {
				t.Error("the key was not sent")
			}
			for name, values := range tt.header {
				w.Header()[name] = values
			}
			w.Header().Set("X-Key", enginetest.Canary)
			w.WriteHeader(tt.status)
			if tt.status != 204 {
				_, _ = w.Write([]byte(tt.body))
			}
		}))
		c, err := New(server.URL+"/base/", secret(t))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ X int }
		err = c.Post(t.Context(), "/path", "body", Bearer(secret(t)), &answer)
		var f *engines.Fault
		if !errors.As(err, &f) || f.Kind != tt.kind || f.RetryAfter != tt.after || f.Unbilled != tt.unbilled ||
			!strings.Contains(f.Error(), tt.text) {
			t.Errorf("%d %s: %v (%+v)", tt.status, tt.body, err, f)
		}
		if said := engines.Said(err); !strings.Contains(said, tt.text) || strings.Contains(said, "127.0.0.1") ||
			!strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%d %s: said %q of %q", tt.status, tt.body, said, err)
		}
		server.Close()
	}
}

func TestErrorsTellNoSecret(t *testing.T) {
	bodies := []string{
		enginetest.Canary, `{"error":"key ` + strings.ReplaceAll(enginetest.Canary, `"`, `\"`) + ` is wrong"}`,
		strings.Repeat("x", longestMessage-8) + enginetest.Canary,
		"?key=" + url.QueryEscape(enginetest.Canary), "/" + url.PathEscape(enginetest.Canary),
	}
	for _, status := range []int{200, 301, 400, 403, 429, 500, 503} {
		for _, body := range bodies {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/?key="+url.QueryEscape(enginetest.Canary))
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}))
			c, err := New(server.URL, secret(t))
			if err != nil {
				t.Fatal(err)
			}
			var answer []int
			err = c.PostForm(t.Context(), "/translate", url.Values{"key": {enginetest.Canary}}, Bearer(secret(t)), &answer)
			if err == nil {
				t.Errorf("%d %s: no error", status, body)
			}
			enginetest.CheckSecret(t, err, c)
			server.Close()
			c.Close()
			err = c.Post(t.Context(), "/translate", enginetest.Canary, Bearer(secret(t)), &answer)
			if f := new(engines.Fault); !errors.As(err, &f) || f.Kind != engines.Unavailable || !f.Unbilled {
				t.Errorf("of a server that is gone: %v", err)
			}
			enginetest.CheckSecret(t, err)
		}
	}
}

func TestNew(t *testing.T) {
	const tail = enginetest.CanaryTail
	for _, base := range []string{"", "localhost:5000", "ftp://host", "http://", "http://user:" + tail + "@host",
		"https://" + tail + "@host/v1", "https://" + tail + ":@host/v1", "http://host?key=" + tail, "http://host/#" + tail, "http://ho st",
		"http://a\x7f" + tail} {
		_, err := New(base, secret(t))
		if err == nil {
			t.Errorf("%q: no error", base)
		}
		enginetest.CheckSecret(t, err)
	}
}

func TestSecretOnOtherHosts(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusPermanentRedirect))
	defer server.Close()
	c, err := New(server.URL, secret(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Post(t.Context(), "/", "body", Bearer(secret(t)), nil); engines.KindOf(err) != engines.Fatal {
		t.Errorf("error %v", err)
	}
}
