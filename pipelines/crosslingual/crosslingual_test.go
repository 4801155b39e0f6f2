package crosslingual_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/benchmarks"
	"sentweave/pipelines/crosslingual"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

func run(t *testing.T, shardBytes int64, args ...string) ([]schemas.Pair, *dataset.Manifest, string) {
	t.Helper()
	c := pipelinetest.Parse[crosslingual.Config](t, args...)
	out, m := pipelinetest.Run(t, c, pipelinetest.Settings(shardBytes), pipelinetest.Plain(2))
	return pipelinetest.Rows[schemas.Pair](t, out), m, out
}

// Each item gives one pair in two languages, whose texts and label are those of its
// versions; ordered pairs of languages are balanced, over all and within each label.
func TestPairs(t *testing.T) {
	const items = 400
	location := pipelinetest.Inference(t, items)
	versions := map[string]map[string]schemas.Benchmark{} // by language and text of the premise and hypothesis
	for _, b := range pipelinetest.Rows[schemas.Benchmark](t, location) {
		for _, text := range []string{"premise " + b.TextA, "hypothesis " + b.TextB} {
			key := b.LanguageA + " " + text
			if versions[key] == nil {
				versions[key] = map[string]schemas.Benchmark{}
			}
			versions[key][b.ID] = b
		}
	}
	rows, m, _ := run(t, 1, "--benchmarks", location, "--languages", "eng,deu,spa")
	counts, within := map[string]int{}, map[string]map[string]int{}
	for _, p := range rows {
		if p.Kind != schemas.KindNLI || p.LanguageA == p.LanguageB || p.Origin != "inference/train" {
			t.Fatalf("%+v", p)
		}
		found := false
		for id, premise := range versions[p.LanguageA+" premise "+p.TextA] {
			hypothesis, ok := versions[p.LanguageB+" hypothesis "+p.TextB][id]
			found = found || ok && premise.Label == p.Label && hypothesis.Label == p.Label
		}
		if !found {
			t.Fatalf("no item has this premise, hypothesis and label: %+v", p)
		}
		pair := p.LanguageA + ">" + p.LanguageB
		counts[pair]++
		if within[p.Label] == nil {
			within[p.Label] = map[string]int{}
		}
		within[p.Label][pair]++
	}
	if want := items - items/10; len(rows) != want {
		t.Errorf("%d pairs of %d items with gold", len(rows), want)
	}
	balanced := func(name string, counts map[string]int, slack int) {
		list := slices.Sorted(maps.Values(counts))
		if len(list) != 6 || list[5]-list[0] > slack {
			t.Errorf("%s: %v", name, counts)
		}
	}
	balanced("all", counts, 2) // those without gold are dealt as well, as a label of their own
	for label, n := range within {
		balanced(label, n, 1)
	}
	if diff := cmp.Diff(map[string]int64{"items gold no_gold": items / 10}, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
}

// item is a version of an item.
func item(id int, language, premise, hypothesis, label string) schemas.Benchmark {
	b := schemas.Benchmark{
		ID: schemas.DerivedID("item", fmt.Sprint(id)), Task: "x", File: "f", LanguageA: language, LanguageB: language, TextA: premise,
		TextB: hypothesis, Label: label, Skip: label == "",
	}
	if hypothesis == "" {
		b.LanguageB = ""
	}
	return b
}

// What cannot be joined is counted, by the pair of languages, with a sample.
func TestRejects(t *testing.T) {
	a, b, c := datasettest.Write(t, nil, []schemas.Benchmark{
		item(0, "eng", "A", "B", "neutral"), item(1, "eng", "A", "B", "neutral"), item(2, "eng", "A", "B", "neutral"),
		item(3, "eng", "", "", "neutral"), item(4, "eng", "A", "B", ""), item(6, "eng", "A", "B", "1"),
	}), datasettest.Write(t, nil, []schemas.Benchmark{
		item(0, "deu", "C", "D", "neutral"), item(2, "deu", "C", "D", "entailment"), item(3, "deu", "", "", "neutral"),
		item(4, "deu", "C", "D", ""), item(5, "deu", "C", "D", "neutral"), item(6, "deu", "C", "D", "1"),
	}), datasettest.Write(t, nil, []schemas.Benchmark{item(0, "fra", "E", "F", "neutral")})
	rows, m, out := run(t, 1, "--benchmarks", strings.Join([]string{a, b, c}, ","), "--languages", "de,en")
	if len(rows) != 1 || rows[0].TextA+rows[0].TextB != "AD" && rows[0].TextA+rows[0].TextB != "CB" || rows[0].Label != "neutral" {
		t.Errorf("%+v", rows)
	}
	dropped := pipelinetest.Dropped(m)
	// Items 1 and 5 lack the one or the other.
	if n := dropped["items versions missing_premise"] + dropped["items versions missing_hypothesis"]; n != 2 {
		t.Errorf("%d items with a missing version: %v", n, dropped)
	}
	delete(dropped, "items versions missing_premise")
	delete(dropped, "items versions missing_hypothesis")
	want := map[string]int64{"versions language other_language": 1, "items gold no_gold": 1, "items gold unknown_label": 1,
		"items versions labels_differ": 1, "items versions no_text": 1}
	if diff := cmp.Diff(want, dropped); diff != "" {
		t.Error(diff)
	}
	for _, r := range pipelinetest.Rejects(t, out) {
		if r.Step != "language" && (r.Language != "deu-eng" || !strings.Contains(r.Detail, "premise in ")) {
			t.Errorf("%+v", r)
		}
	}
}

// Splits are kept apart: of those that are not wanted nothing is dealt, and the others
// are told by the origin.
func TestSplits(t *testing.T) {
	shards := make([][]schemas.Benchmark, 2)
	for i := range 90 {
		for shard, code := range []string{"eng", "deu"} {
			b := item(i, code, fmt.Sprint(code, " premise ", i), fmt.Sprint(code, " hypothesis ", i), "neutral")
			b.Task, b.Split = "multinli", []string{"train", "dev_matched", "dev_mismatched"}[i%3]
			shards[shard] = append(shards[shard], b)
		}
	}
	location := datasettest.Write(t, nil, shards...)
	origins := func(args ...string) (map[string]int, map[string]int64, string) {
		rows, m, _ := run(t, 1, append([]string{"--benchmarks", location, "--languages", "eng,deu"}, args...)...)
		counts, languages := map[string]int{}, map[string]int{}
		for _, p := range rows {
			var number int
			if _, err := fmt.Sscanf(p.TextA, p.LanguageA+" premise %d", &number); err != nil || p.Origin != "multinli/"+
				[]string{"train", "dev_matched", "dev_mismatched"}[number%3] {
				t.Fatalf("%+v, %v", p, err)
			}
			counts[p.Origin]++
			languages[p.LanguageA]++
		}
		if d := languages["eng"] - languages["deu"]; d < -1 || d > 1 {
			t.Errorf("%v: %v", args, languages)
		}
		return counts, pipelinetest.Dropped(m), string(m.Plan.Config)
	}
	counts, dropped, config := origins()
	if diff := cmp.Diff(map[string]int{"multinli/train": 30, "multinli/dev_matched": 30, "multinli/dev_mismatched": 30},
		counts); diff != "" || len(dropped) > 0 || strings.Contains(config, "splits") {
		t.Error(diff, dropped, config)
	}
	counts, dropped, config = origins("--splits", "train,dev_matched,train")
	if diff := cmp.Diff(map[string]int{"multinli/train": 30, "multinli/dev_matched": 30}, counts); diff != "" ||
		!strings.Contains(config, `"splits":["dev_matched","train"]`) {
		t.Error(diff, config)
	}
	if diff := cmp.Diff(map[string]int64{"versions split other_split": 60}, dropped); diff != "" {
		t.Error(diff)
	}
}

// The languages are those that the manifests tell, here of a real file's form.
func TestLanguagesFound(t *testing.T) {
	root := t.TempDir()
	const columns = 19
	lines := []string{"language\tgold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\tsentence2_parse\tsentence1\tsentence2\tpromptID\tpairID\tgenre\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5\tsentence1_tokenized\tsentence2_tokenized\tmatch"}
	for i := range 30 {
		for _, code := range []string{"ar", "bg", "zh"} {
			fields := make([]string, columns)
			fields[0], fields[1], fields[6], fields[7], fields[9] = code, "neutral", fmt.Sprint(code, " premise ", i),
				fmt.Sprint(code, " hypothesis ", i), fmt.Sprint(i)
			lines = append(lines, strings.Join(fields, "\t"))
		}
	}
	pipelinetest.File(t, root, "xnli.dev.tsv", strings.Join(lines, "\n")+"\n")
	made, m := pipelinetest.Run(t, pipelinetest.Parse[benchmarks.Format[benchmarks.XNLI]](t, "--input", root, "--partial"),
		pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	if m.Rows != 90 {
		t.Fatalf("%d rows", m.Rows)
	}
	rows, m, _ := run(t, 1<<20, "--benchmarks", made)
	if want := `{"languages":["ara","bul","zho"]}`; string(m.Plan.Config) != want || len(rows) != 30 {
		t.Errorf("%d pairs, config %s, want %s", len(rows), m.Plan.Config, want)
	}
	counts := map[string]int{}
	for _, p := range rows {
		counts[p.LanguageA+p.LanguageB]++
		_, premise, _ := strings.Cut(p.TextA, "premise")
		if _, hypothesis, _ := strings.Cut(p.TextB, "hypothesis"); premise != hypothesis {
			t.Errorf("%q with %q", p.TextA, p.TextB)
		}
	}
	if len(counts) != 6 || slices.Max(slices.Collect(maps.Values(counts))) != 5 {
		t.Errorf("pairs of languages: %v", counts)
	}
}

func TestMisuse(t *testing.T) {
	one := datasettest.Write(t, nil, []schemas.Benchmark{item(0, "eng", "A", "B", "neutral")})
	dev := item(0, "deu", "A", "B", "neutral")
	dev.Split = "dev"
	other := datasettest.Write(t, nil, []schemas.Benchmark{dev})
	for args, want := range map[string]string{
		"--languages eng,deu --benchmarks " + one + "," + one: "item " + item(0, "", "", "", "").ID + " occurs twice in eng",
		"--benchmarks " + one:                                   "does not tell the languages of its rows: name them by --languages",
		"--benchmarks " + one + " --languages x":                "languages: ",
		"--benchmarks " + one + " --languages en,eng":           "eng only: a pair needs two",
		"--benchmarks " + one + " --splits a,,b":                "splits has an empty name",
		"--languages eng,deu --benchmarks " + one + "," + other: `is of the split`,
	} {
		c, err := pipelinetest.Configure[crosslingual.Config](strings.Fields(args)...)
		if err == nil {
			err = pipelinetest.Fails(t, c, pipelinetest.Settings(1))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	empty, m, _ := run(t, 1, "--languages", "eng,deu", "--benchmarks", datasettest.Write[schemas.Benchmark](t, nil))
	if len(empty) != 0 || m.Rows != 0 {
		t.Errorf("%d pairs of no item", len(empty))
	}
}
