package erase_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/erase"
	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
)

const pages = 12

// site writes a file for each page, but for those that are left out. Each third page is of bad.example, and its sentences are canaries;
// the last page of that site is too short to be kept, so that it is a sample of rejects.
func site(t *testing.T, without func(page int) bool) string {
	root := t.TempDir()
	for i := range pages {
		if without != nil && without(i) {
			continue
		}
		text := pipelinetest.Sentence("eng", 31*i)
		if isBad(i) {
			text = canary(i)
		}
		for j := range 4 {
			text += fmt.Sprintf(" %s", pipelinetest.Sentence("eng", 1000*i+j))
		}
		if i == pages-1 {
			text = canary(i)
		}
		pipelinetest.File(t, root, fmt.Sprintf("%02d.jsonl", i), fmt.Sprintf("{\"url\": %q, \"text\": %q}\n", address(i), text))
	}
	return root
}

func isBad(page int) bool { return page%3 == 2 }

func address(page int) string {
	if isBad(page) {
		return fmt.Sprintf("https://www.bad.example/%d", page)
	}
	return fmt.Sprintf("https://good.example/%d", page)
}

func canary(page int) string {
	return fmt.Sprintf("The canary number %d sings behind the quiet mill.", page)
}

func list(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func documents(t *testing.T, input string) (string, *dataset.Manifest) {
	return pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, "--input", input), pipelinetest.Settings(600), pipelinetest.Plain(2))
}

// bytesOf are those of all files below a folder.
func bytesOf(t *testing.T, folder string) string {
	var all strings.Builder
	for name := range pipelinetest.Digests(t, folder) {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

// Erased documents and pairs are those of pages without them, in order, and nothing of what was erased is left, in rows,
// rejects or statistics.
func TestErase(t *testing.T) {
	before, m := documents(t, site(t, nil))
	rest, want := documents(t, site(t, isBad))
	if !strings.Contains(bytesOf(t, before), "canary") {
		t.Fatal("there is no canary to erase")
	}
	domains := list(t, "bad.example\n")
	after, got := pipelinetest.Run(t, pipelinetest.Parse[erase.Config](t, "--documents", before, "--domains", domains),
		pipelinetest.Settings(1), pipelinetest.Plain(3))
	diff := cmp.Diff(pipelinetest.Rows[schemas.Document](t, rest), pipelinetest.Rows[schemas.Document](t, after))
	if diff != "" || got.ContentXXH3 != want.ContentXXH3 {
		t.Errorf("%s, want %s: %s", got.ContentXXH3, want.ContentXXH3, diff)
	}
	if _, err := dataset.Verify(t.Context(), storage.NewLocal(after)); err != nil {
		t.Error(err)
	}
	if n := pipelinetest.Dropped(got)["documents erase listed"]; n != m.Rows-want.Rows || n == 0 {
		t.Errorf("%d rows are dropped, want %d", n, m.Rows-want.Rows)
	}
	for _, trace := range []string{"canary", "bad.example"} {
		if strings.Contains(bytesOf(t, after), trace) {
			t.Errorf("%q is left", trace)
		}
	}

	pairsOf := func(documents string) (string, *dataset.Manifest) {
		c := pipelinetest.Parse[pairs.Config](t, "--documents", documents, "--sliding")
		return pipelinetest.Run(t, c, pipelinetest.Settings(1<<10), pipelinetest.Plain(2))
	}
	pairsBefore, _ := pairsOf(before)
	_, pairsWant := pairsOf(after)
	arguments := []string{"--documents", before, "--pairs", pairsBefore, "--domains", domains}
	pairsAfter, pairsGot := pipelinetest.Run(t, pipelinetest.Parse[erase.Config](t, arguments...), pipelinetest.Settings(1),
		pipelinetest.Plain(2))
	if pairsGot.ContentXXH3 != pairsWant.ContentXXH3 || strings.Contains(bytesOf(t, pairsAfter), "canary") {
		t.Errorf("pairs: content %s, want %s", pairsGot.ContentXXH3, pairsWant.ContentXXH3)
	}

	// What was erased is erased again, without the documents of before.
	again := list(t, address(1)+"\n")
	later, _ := pipelinetest.Run(t, pipelinetest.Parse[erase.Config](t, "--documents", after, "--urls", again), pipelinetest.Settings(1),
		pipelinetest.Plain(2))
	_, laterWant := pairsOf(later)
	arguments = []string{"--documents", after, "--pairs", pairsAfter, "--urls", again}
	_, laterGot := pipelinetest.Run(t, pipelinetest.Parse[erase.Config](t, arguments...), pipelinetest.Settings(1), pipelinetest.Plain(2))
	if laterGot.ContentXXH3 != laterWant.ContentXXH3 || laterGot.Rows == pairsGot.Rows {
		t.Errorf("pairs erased again: content %s, want %s", laterGot.ContentXXH3, laterWant.ContentXXH3)
	}
	arguments[3] = pairsBefore // of which the documents do not tell those that were erased
	err := pipelinetest.Fails(t, pipelinetest.Parse[erase.Config](t, arguments...), pipelinetest.Settings(1))
	if !strings.Contains(err.Error(), "was not made of") {
		t.Error(err)
	}
}

// Pairs that were chosen from pairs are erased by the documents of these, and are those that are chosen from erased pairs, unless one of
// two equal pairs went that had pushed out the other.
func TestThrough(t *testing.T) {
	documents, _ := documents(t, site(t, nil))
	domains := list(t, "bad.example\n")
	run := func(c pipelinetest.Pipeline) (string, *dataset.Manifest) {
		return pipelinetest.Run(t, c, pipelinetest.Settings(1<<10), pipelinetest.Plain(2))
	}
	deduped := func(pairs string) string {
		location, _ := run(pipelinetest.Parse[dedup.Config](t, "--pairs", pairs))
		return location
	}
	filtered := func(pairs string) (string, *dataset.Manifest) {
		return run(pipelinetest.Parse[pairfilter.Config](t, "--pairs", pairs, "--filters", "length", "--max-characters", "70"))
	}
	made, _ := run(pipelinetest.Parse[pairs.Config](t, "--documents", documents, "--sliding"))
	single := deduped(made)
	chosen, before := filtered(single)
	erased, _ := run(pipelinetest.Parse[erase.Config](t, "--documents", documents, "--pairs", made, "--domains", domains))
	_, want := filtered(deduped(erased))
	plan := func(through ...string) (*units.Job, error) {
		args := []string{"--documents", documents, "--pairs", chosen, "--domains", domains}
		if len(through) > 0 {
			args = append(args, "--through", strings.Join(through, ","))
		}
		return pipelinetest.Parse[erase.Config](t, args...).Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
	}
	job, err := plan(made, single)
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(job.Notes, "\n"); !strings.Contains(notes, "dedup chose among rows") || strings.Contains(notes, "pairfilter") {
		t.Errorf("notes %q", notes)
	}
	got, err := pipelinetest.Plain(2)(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if got.ContentXXH3 != want.ContentXXH3 || got.Rows == before.Rows || got.Rows == 0 {
		t.Errorf("%d rows of %d, content %s, want %s", got.Rows, before.Rows, got.ContentXXH3, want.ContentXXH3)
	}
	_, m, err := dataset.Open(t.Context(), single)
	if err != nil {
		t.Fatal(err)
	}
	for want, through := range map[string][]string{
		"the pairs that `sentweave pairfilter` chose from, whose manifest has the check " + m.Check: {made},
		"name among --through":     {single},
		"is not between":           {made, single, erased},
		"holds rows of document v": {documents},
	} {
		if _, err := plan(through...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// Only the shards that lose rows are written anew, with the bytes that a pipeline would have given them, and a copy without
// receipts gives the same dataset.
func TestShards(t *testing.T) {
	var rows [3][]schemas.Document
	for i := range 9 {
		d := pipelinetest.DocumentOf(i, []string{"eng", "deu"}[i%2], fmt.Sprintf("This is text %d.", i))
		d.URL = fmt.Sprintf("http://example.org/%d/", i)
		if i == 8 {
			d.URL = ""
		}
		rows[i/3] = append(rows[i/3], d)
	}
	before := datasettest.Write(t, nil, rows[0], nil, rows[1], rows[2])
	urls := list(t, "https://example.org/1\n\nexample.org/3 # and\nhttps://example.org/4\nhttps://example.org/5?x\nhttps://example.org/5\n")
	c := pipelinetest.Parse[erase.Config](t, "--documents", before, "--urls", urls)
	after, m := pipelinetest.Run(t, c, pipelinetest.Settings(1), pipelinetest.Plain(1))
	without := datasettest.Write(t, nil, []schemas.Document{rows[0][0], rows[0][2]}, rows[2])
	_, want := pipelinetest.Run(t, pipelinetest.Parse[erase.Config](t, "--documents", without, "--urls", urls), pipelinetest.Settings(1),
		pipelinetest.Plain(1))
	if len(m.Shards) != 2 || m.Rows != 5 || m.ContentXXH3 != want.ContentXXH3 || m.Shards[0].XXH3 != want.Shards[0].XXH3 {
		t.Fatalf("%d rows in %+v", m.Rows, m.Shards)
	}
	old, err := os.ReadFile(filepath.Join(before, dataset.ShardName(3)))
	kept, keptErr := os.ReadFile(filepath.Join(after, dataset.ShardName(2)))
	if err != nil || keptErr != nil || string(old) != string(kept) {
		t.Error("a shard without such rows has other bytes", err, keptErr)
	}
	if diff := cmp.Diff(map[string]dataset.Count{"deu": {In: 4, Out: 1, Dropped: map[string]int64{"listed": 3}},
		"eng": {In: 5, Out: 4, Dropped: map[string]int64{"listed": 1}}}, m.Funnel.Chains[0].Steps[0].Languages); diff != "" {
		t.Error(diff)
	}
	digests := pipelinetest.Digests(t, after)
	if err := os.RemoveAll(filepath.Join(before, "_run")); err != nil {
		t.Fatal(err)
	}
	again, _ := pipelinetest.Run(t, c, pipelinetest.Settings(1), pipelinetest.Local(2))
	if diff := cmp.Diff(digests, pipelinetest.Digests(t, again)); diff != "" {
		t.Error(diff)
	}
	shard := filepath.Join(before, dataset.ShardName(3))
	if err := os.WriteFile(shard, append(old[:len(old)-9:len(old)-9], "damaged!!"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := pipelinetest.Fails(t, c, pipelinetest.Settings(1)); !strings.Contains(err.Error(), "xxh3") {
		t.Error(err)
	}
}

func TestMisuse(t *testing.T) {
	some := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "A text.")})
	other := datasettest.Write(t, "other",
		[]schemas.Pair{{ID: schemas.DerivedID("x"), Kind: schemas.KindSingle, TextA: "a", LanguageA: "eng"}})
	for _, test := range []struct {
		config erase.Config
		want   string
	}{
		{erase.Config{Documents: some}, "give either urls or domains"},
		{erase.Config{Documents: some, List: erase.List{URLs: list(t, "# none\n\n")}}, "has no entry: nothing would be erased"},
		{erase.Config{Documents: some, List: erase.List{URLs: list(t, "https://a.example/\na.example\n")}},
			`line 2: "a.example" is a domain`},
		{erase.Config{Documents: some, List: erase.List{Domains: list(t, "a.example\n!?\n")}}, "line 2"},
		{erase.Config{Documents: some, List: erase.List{Domains: "none.txt"}}, "none.txt"},
		{erase.Config{Documents: other, List: erase.List{Domains: list(t, "a.example")}},
			"holds rows of pair v1, this step reads document"},
		{erase.Config{Documents: some, Pairs: other, List: erase.List{Domains: list(t, "a.example")}}, "was not made of"},
	} {
		if err := pipelinetest.Fails(t, test.config, pipelinetest.Settings(1)); !strings.Contains(err.Error(), test.want) {
			t.Errorf("want %q: %v", test.want, err)
		}
	}
}
