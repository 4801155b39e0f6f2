package deepl

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/peertest"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// client has DeepL's own client for Python do what it is told and tell what came of it.
const client = `
import json, sys, deepl
asked = json.load(sys.stdin)
client = deepl.DeepLClient(asked["key"], server_url=asked["server"])
languages = [v for k, v in vars(deepl.Language).items() if k.isupper()]
usage = client.get_usage()
told = {
    "addresses": [deepl.DeepLClient(k)._server_url for k in asked["keys"]],
    "documented": sorted(c.upper() for c in languages),
    "sources": [l.code for l in client.get_source_languages()],
    "targets": {l.code: l.supports_formality for l in client.get_target_languages()},
    "usage": [usage.character.count, usage.character.limit],
    "texts": [], "billed": 0, "refusals": [],
}
for options in asked["requests"]:
    try:
        for r in client.translate_text(asked["texts"], **options):
            told["texts"].append(r.text)
            told["billed"] += r.billed_characters
    except deepl.DeepLException as e:
        told["refusals"].append(type(e).__name__ + ": " + str(e))
try:
    deepl.DeepLClient("wrong", server_url=asked["server"]).get_usage()
except deepl.DeepLException as e:
    told["refusals"].append(type(e).__name__)
print(json.dumps(told))`

// The server of the tests serves DeepL's own client, too, and this package asks it as the
// client does: the same paths, headers and JSON.
func TestAsDeepLsClient(t *testing.T) {
	python := peertest.Python(t, "deepl==1.32.0")
	server := enginetest.DeepL(t)
	type options map[string]string
	pairs := []engines.Pair{{Source: "eng", Target: "deu"}, {Source: "por", Target: "eng"}, {Source: "eng", Target: "por"}}
	requests := []options{ // of which those beyond the pairs are refused
		{"source_lang": "EN", "target_lang": "DE"},
		{"source_lang": "PT", "target_lang": "EN-US", "formality": "prefer_more", "model_type": "quality_optimized"},
		{"source_lang": "EN", "target_lang": "PT-PT", "formality": "less", "glossary": "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"},
		{"source_lang": "ZH", "target_lang": "ZH-HANT", "formality": "more"},
		{"source_lang": "EN", "target_lang": "ES"},
	}
	texts, keys := enginetest.Texts(14), []string{"k-1", "k-1:fx", ":fx", "fx"}
	characters := engines.Characters(strings.Join(texts, ""))
	server.Quota = int64(len(pairs) * characters)
	var answer struct {
		Addresses, Documented, Sources, Texts, Refusals []string
		Targets                                         map[string]bool
		Usage                                           [2]int64
		Billed                                          int
	}
	peertest.Answer(t, map[string]any{"key": server.Key, "server": server.URL, "requests": requests, "texts": texts, "keys": keys}, &answer,
		python, "-c", client)

	// The client is served as it wants to be.
	var want []string
	for _, pair := range pairs {
		for _, a := range enginetest.Answers(pair, texts) {
			want = append(want, a.Text)
		}
	}
	refusals := []string{
		"DeepLException: Bad request, message: Target language 'ZH-HANT' doesn't support formality.",
		"QuotaExceededException: Quota for this billing period has been exceeded, message: Quota for this billing period has been exceeded.",
		"AuthorizationException",
	}
	if diff := cmp.Diff(want, answer.Texts) + cmp.Diff(refusals, answer.Refusals); diff != "" || int64(answer.Billed) != server.Quota ||
		answer.Usage != [2]int64{0, server.Quota} {
		t.Errorf("%s, %d characters of %d were billed, usage before %v", diff, answer.Billed, server.Quota, answer.Usage)
	}
	theirs := server.Sent()
	server.Quota *= 2

	// This package knows what the client knows.
	for i, key := range keys {
		t.Setenv("TEST_KEY", key)
		secret, err := engines.ReadSecret("TEST_KEY", "")
		if err != nil || address(secret) != answer.Addresses[i] {
			t.Errorf("key %s: at %s, to the client %s; error %v", key, address(secret), answer.Addresses[i], err)
		}
	}
	documented := strings.Fields(documented)
	slices.Sort(documented)
	if diff := cmp.Diff(answer.Documented, documented); diff != "" {
		t.Error(diff)
	}
	e, err := open(t, server, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(answer.Targets, e.formal); diff != "" {
		t.Error(diff)
	}
	for _, code := range answer.Sources {
		if table := (engines.Codes{}); table.AddCodes(code) != nil {
			t.Errorf("%s is not a language here", code)
		} else {
			for ours := range table {
				if e.sources[ours] != code {
					t.Errorf("%s is read as %q", ours, e.sources[ours])
				}
			}
		}
	}

	// And it asks as the client does.
	for i, pair := range pairs {
		e, err := open(t, server, func(c *Config) {
			c.Formality, c.Model, c.Glossary = requests[i]["formality"], requests[i]["model_type"], requests[i]["glossary"]
			c.Codes = map[string]string{"por": "PT-PT"}
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Translate(t.Context(), pair, texts); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(theirs[:len(pairs)], server.Sent()[len(theirs):]); diff != "" {
		t.Errorf("requests of the client, and of this package: %s", diff)
	}
}
