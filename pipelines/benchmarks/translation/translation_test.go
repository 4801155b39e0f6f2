package translation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/benchmarks/translation"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/engines"
)

func row(n int, language, a, b string) schemas.Benchmark {
	r := schemas.Benchmark{
		ID: schemas.DerivedID("test", fmt.Sprint(n)), Task: "t", Split: "test", Row: int32(n), File: "f", LanguageA: language, TextA: a,
		Label: fmt.Sprint(n % 2),
	}
	if b != "" {
		r.TextB, r.LanguageB = b, language
	}
	return r
}

func memory(t *testing.T, target string, translated map[string]string, rejected map[string]string) string {
	t.Helper()
	var rows []schemas.Translation
	i, p := engines.Identity{Engine: "test"}, engines.Pair{Source: "eng", Target: target}
	add := func(list map[string]string, status, reason string) {
		for text, translation := range list {
			rows = append(rows, schemas.Translation{
				Key: i.Key(p, text), Engine: "test", OptionsXXH3: i.OptionsXXH3(), SourceLanguage: "eng", TargetLanguage: target,
				Text: text, Translation: translation, Status: status, Reason: reason,
			})
		}
	}
	add(translated, schemas.TranslationOK, "")
	add(rejected, schemas.TranslationRejected, "copied")
	return datasettest.Write(t, nil, rows)
}

// Rows keep their place, label and split in each language; texts are found wherever
// they stand; what failed the checks is stood in for, and counted.
func TestTranslate(t *testing.T) {
	skipped := row(4, "eng", "", "")
	skipped.Skip, skipped.Label = true, ""
	source := datasettest.Write(t, nil,
		[]schemas.Benchmark{row(0, "eng", "one", "two"), row(1, "eng", "two", "")},
		[]schemas.Benchmark{row(2, "eng", "bad", "worse"), row(3, "spa", "uno", ""), skipped, row(5, "eng", "one", "one")})
	for _, broken := range []string{"", "m\ufffds"} {
		translated(t, source, broken)
	}
}

// translated translates with a memory whose rejected rows have a text that cannot be used.
func translated(t *testing.T, source, broken string) {
	spa := memory(t, "spa", map[string]string{"one": "uno", "two": "dos\u2028y\tmás"}, map[string]string{"bad": "bad-ish", "worse": broken})
	deu := memory(t, "deu", map[string]string{"one": "eins", "two": "zwei", "bad": "schlecht", "worse": "schlechter"}, nil)
	args := []string{"--benchmarks", source, "--memory", spa + "," + deu, "--targets", "es,de"}
	for _, test := range []struct {
		fallback, bad string
		dropped       map[string]int64
	}{
		{"rejected", "2 spa bad-ish|worse (bad|worse)",
			map[string]int64{"rows language other_language": 2, "translations memory rejected": 1, "translations memory source_text": 1}},
		{"source", "2 spa bad|worse (bad|worse)",
			map[string]int64{"rows language other_language": 2, "translations memory source_text": 2}},
	} {
		out, m := pipelinetest.Run(t, pipelinetest.Parse[translation.Config](t, append(args, "--fallback", test.fallback)...),
			pipelinetest.Settings(1), pipelinetest.Plain(3))
		var got []string
		for _, r := range pipelinetest.Rows[schemas.Benchmark](t, out) {
			got = append(got, fmt.Sprintf("%d %s %s|%s (%s|%s)", r.Row, r.LanguageA, r.TextA, r.TextB, r.OriginalA, r.OriginalB))
			if want := row(int(r.Row), "", "", ""); r.ID != want.ID || r.Label != want.Label && !r.Skip {
				t.Errorf("%+v", r)
			}
		}
		want := []string{
			"0 deu eins|zwei (one|two)", "1 deu zwei| (two|)", "2 deu schlecht|schlechter (bad|worse)", "4 deu | (|)",
			"5 deu eins|eins (one|one)",
			"0 spa uno|dos y más (one|two)", "1 spa dos y más| (two|)", test.bad, "4 spa | (|)", "5 spa uno|uno (one|one)",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", test.fallback, diff)
		}
		if diff := cmp.Diff(test.dropped, pipelinetest.Dropped(m)); diff != "" {
			t.Errorf("%s: %s", test.fallback, diff)
		}
	}
	nobody := row(6, "eng", "nobody agrees", "one")
	nobody.Skip, nobody.Label = true, ""
	alone := datasettest.Write(t, nil, []schemas.Benchmark{nobody})
	goldless := []string{"--benchmarks", alone, "--memory", deu, "--targets", "de", "--fallback", "fail"}
	if err := pipelinetest.Fails(t, pipelinetest.Parse[translation.Config](t, goldless...), pipelinetest.Settings(1)); err == nil ||
		!strings.Contains(err.Error(), "with --gold-only the texts of rows without gold") {
		t.Errorf("without gold, which nobody left out: %v", err)
	}
	out, m := pipelinetest.Run(t, pipelinetest.Parse[translation.Config](t, append(goldless, "--gold-only")...), pipelinetest.Settings(1),
		pipelinetest.Plain(1))
	if r := pipelinetest.Rows[schemas.Benchmark](t, out)[0]; r.TextA != "nobody agrees" || r.TextB != "one" || r.LanguageA != "deu" ||
		!r.Skip || pipelinetest.Dropped(m)["translations memory no_gold"] != 1 {
		t.Errorf("without gold: %+v %v", r, pipelinetest.Dropped(m))
	}
	for want, more := range map[string][]string{"failed the checks": {"--fallback", "fail"},
		"no translation into fra": {"--targets", "es,fr"}} {
		if err := pipelinetest.Fails(t, pipelinetest.Parse[translation.Config](t, append(args, more...)...),
			pipelinetest.Settings(1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", more, err)
		}
	}
}

func TestMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"": "benchmarks is empty", "--benchmarks x": "memory is empty", "--benchmarks x --memory y": "targets is empty",
		"--benchmarks x --memory y --targets en": "en is the source", "--benchmarks x --memory y --targets xx1": "targets:",
	} {
		if err := (func() error {
			c, err := pipelinetest.Configure[translation.Config](strings.Fields(args)...)
			if err == nil {
				err = c.Validate()
			}
			return err
		})(); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "missing flags") {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	c := translation.Config{Benchmarks: "x", Memory: []string{"y"}, Source: "eng", Fallback: "rejected"}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "targets is empty") {
		t.Error(err)
	}
}
