package pipelines_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/dedup"
	"sentweave/pipelines/erase"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// dumps are five parts of a corpus, of four shards each, whose documents often have the text of another one.
func dumps() (list [5][][]schemas.Document) {
	random := rand.New(rand.NewPCG(1, 2))
	for part := range list {
		for range 4 {
			var shard []schemas.Document
			for range 6 {
				language := []string{"eng", "deu", "fra"}[random.IntN(3)]
				d := pipelinetest.DocumentOf(0, language, pipelinetest.Sentence("eng", random.IntN(150)))
				d.ID = fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64())
				shard = append(shard, d)
			}
			list[part] = append(list[part], shard)
		}
	}
	return list
}

// corpusOf writes the dumps whose numbers are given, in their order.
func corpusOf(t *testing.T, parts string) string {
	var shards [][]schemas.Document
	for part, dump := range dumps() {
		if strings.Contains(parts, fmt.Sprint(part)) {
			shards = append(shards, dump...)
		}
	}
	return datasettest.Write(t, nil, shards...)
}

// oneByOne are the dumps that are there, step by step, where they come one by one in any order.
func oneByOne() [][]string {
	if testing.Short() {
		return [][]string{{"3", "03", "034"}}
	}
	return [][]string{{"0", "01", "012", "0123", "01234"}, {"3", "03", "034", "0234", "01234"}}
}

// extends compares what is extended step by step with what is made at once. A run is stopped in the midst
// of its work and begun again, with units of other sizes.
func extends[R schemas.Row](t *testing.T, orders [][]string, parse func(args ...string) pipelinetest.Pipeline,
	check func(before, after, whole string)) {
	for _, order := range orders {
		before := ""
		for step, parts := range order {
			documents := corpusOf(t, parts)
			whole, want := pipelinetest.Run(t, parse("--documents", documents), pipelinetest.Settings(1), pipelinetest.Plain(2))
			if step == 0 {
				// Of units of several shards some are parted by new ones.
				before, _ = pipelinetest.Run(t, parse("--documents", documents), pipelinetest.Settings(5000), pipelinetest.Plain(1))
				continue
			}
			job, err := parse("--documents", documents, "--extend", before).Plan(t.Context(), filepath.Join(t.TempDir(), "out"),
				pipelinetest.Settings(int64(1+5000*(step%2))))
			if err != nil {
				t.Fatal(err)
			}
			if step == 2 {
				folder, _ := storagetest.CrashAt(job.Output, 60)
				if _, err := pipelinetest.PlainIn(t.Context(), job, folder, 1); err == nil {
					t.Fatal("the run was not stopped")
				}
			}
			if _, err := pipelinetest.Plain(1+step)(t.Context(), job); err != nil {
				t.Fatal(err)
			}
			got, err := dataset.Verify(t.Context(), storage.NewLocal(job.Output))
			if err != nil {
				t.Fatal(err)
			}
			if got.ContentXXH3 != want.ContentXXH3 {
				t.Errorf("%v, step %d: content %s, want %s", order, step, got.ContentXXH3, want.ContentXXH3)
			}
			if diff := cmp.Diff(pipelinetest.Rows[R](t, whole), pipelinetest.Rows[R](t, job.Output)); diff != "" {
				t.Errorf("%v, step %d: rows: %s", order, step, diff)
			}
			if diff := cmp.Diff(want.Funnel, got.Funnel); diff != "" {
				t.Errorf("%v, step %d: funnel: %s", order, step, diff)
			}
			if diff := cmp.Diff(pipelinetest.Rejects(t, whole), pipelinetest.Rejects(t, job.Output)); diff != "" {
				t.Errorf("%v, step %d: rejects: %s", order, step, diff)
			}
			check(before, job.Output, whole)
			before = job.Output
		}
	}
}

func TestWordCountsExtend(t *testing.T) {
	extends[schemas.WordCount](t, oneByOne(),
		func(args ...string) pipelinetest.Pipeline { return pipelinetest.Parse[wordcounts.Config](t, args...) },
		func(string, string, string) {})
}

// Of the shards of survivors those are byte for byte the old ones of which each document stays, unless new shards part them.
func TestDedupExtend(t *testing.T) {
	kept, lost := 0, 0
	extends[schemas.Document](t, oneByOne(),
		func(args ...string) pipelinetest.Pipeline { return pipelinetest.Parse[dedup.Config](t, args...) },
		func(before, after, whole string) {
			stays := map[string]bool{}
			for _, d := range pipelinetest.Rows[schemas.Document](t, whole) {
				stays[d.ID] = true
			}
			shards := map[string]bool{}
			for name, digest := range pipelinetest.Digests(t, after) {
				shards[digest] = shards[digest] || strings.HasPrefix(name, "data/")
			}
			folder, m, err := dataset.Open(t.Context(), before)
			if err != nil {
				t.Fatal(err)
			}
			digests := pipelinetest.Digests(t, before)
			for _, s := range m.Shards {
				same := true
				for d, err := range dataset.SpanRows[schemas.Document](t.Context(), folder, m, dataset.Span{Name: s.Name, To: 1}) {
					same = same && err == nil && stays[d.ID]
				}
				if shards[digests[s.Name]] {
					kept++
				} else if same {
					lost++
				}
				if shards[digests[s.Name]] && !same {
					t.Errorf("%s is kept, and a document of it does not stay", s.Name)
				}
			}
		})
	if kept < 4 || lost > 2 {
		t.Errorf("%d shards are kept; %d are not, of which all documents stay", kept, lost)
	}
}

// Where a dump is taken out, also while another one comes, the documents come back that had given way to its own. A shard of survivors is
// byte for byte the old one where none of its documents comes back or gives way.
func TestDedupShrinks(t *testing.T) {
	kept, revived := 0, 0
	extends[schemas.Document](t, [][]string{{"01234", "0234", "023"}, {"0124", "0234", "0134"}},
		func(args ...string) pipelinetest.Pipeline { return pipelinetest.Parse[dedup.Config](t, args...) },
		func(before, after, whole string) {
			old, stays := map[string]string{}, map[string]bool{}
			for name, digest := range pipelinetest.Digests(t, before) {
				old[digest] = name
			}
			for name, digest := range pipelinetest.Digests(t, after) {
				if strings.HasPrefix(name, "data/") && old[digest] != "" {
					kept++
				}
			}
			for _, d := range pipelinetest.Rows[schemas.Document](t, before) {
				stays[d.ID] = true
			}
			for _, d := range pipelinetest.Rows[schemas.Document](t, whole) {
				first := func(list []schemas.Document) bool {
					return slices.ContainsFunc(list, func(f schemas.Document) bool { return f.ID == d.ID })
				}
				if !stays[d.ID] && slices.ContainsFunc(dumps()[0], first) { // the first dump is there in all steps
					revived++
				}
			}
		})
	if kept < 4 || revived == 0 {
		t.Errorf("%d shards are kept, %d documents come back", kept, revived)
	}
}

// Documents of before are not read, since their keys stay. Where these are lost, the documents are read as ever.
func TestDedupKeepsKeys(t *testing.T) {
	var shards [][]schemas.Document
	for i := range 6 {
		shards = append(shards, []schemas.Document{pipelinetest.DocumentOf(i, "eng", pipelinetest.Sentence("eng", i))})
	}
	shards[5] = append(shards[5], pipelinetest.DocumentOf(6, "eng", pipelinetest.Sentence("eng", 0)))
	each := func(t *testing.T, folder string, change func(files [][]byte)) {
		names, err := filepath.Glob(folder)
		if err != nil || len(names) < 5 {
			t.Fatalf("%d files, %v", len(names), err)
		}
		files := make([][]byte, 5)
		for i, name := range names[:5] {
			if files[i], err = os.ReadFile(name); err == nil {
				err = os.Remove(name)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		change(files)
		for i, data := range files {
			if data != nil {
				if err := os.WriteFile(names[i], data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	gone := func(files [][]byte) { clear(files) }
	unreadable := func(files [][]byte) {
		for _, data := range files {
			clear(data)
		}
	}
	foreign, _ := pipelinetest.Run(t, pipelinetest.Parse[dedup.Config](t, "--documents", datasettest.Write(t, nil, shards[1:]...)),
		pipelinetest.Settings(1), pipelinetest.Plain(2))
	const damaged = "delete that file and run the same command again"
	for _, test := range []struct {
		name            string
		documents, keys func(files [][]byte)
		want            string
	}{
		{"documents that cannot be read", unreadable, nil, ""},
		{"no keys", nil, gone, ""},
		{"neither", unreadable, gone, "part-00000.parquet"},
		{"keys with another bit", nil, func(files [][]byte) { files[2][len(files[2])/3] ^= 1 }, damaged},
		{"keys that are cut", nil, func(files [][]byte) { files[4] = files[4][:len(files[4])-1] }, damaged},
		{"no bytes of keys", nil, func(files [][]byte) { files[0] = []byte{} }, damaged},
		{"swapped keys", nil, func(files [][]byte) { files[0], files[1] = files[1], files[0] }, damaged},
		{"keys of another unit", nil, func(files [][]byte) { files[3] = files[2] }, damaged},
		{"keys of another dataset", nil, func(files [][]byte) {
			each(t, filepath.Join(foreign, "_run", "exchange", "*"), func(others [][]byte) { files[1] = others[1] })
		}, damaged},
	} {
		t.Run(test.name, func(t *testing.T) {
			documents := datasettest.Write(t, nil, shards...)
			whole, _ := pipelinetest.Run(t, pipelinetest.Parse[dedup.Config](t, "--documents", documents), pipelinetest.Settings(1),
				pipelinetest.Plain(2))
			before, _ := pipelinetest.Run(t, pipelinetest.Parse[dedup.Config](t, "--documents", datasettest.Write(t, nil, shards[:5]...)),
				pipelinetest.Settings(1), pipelinetest.Plain(2))
			if test.documents != nil {
				each(t, filepath.Join(documents, "data", "*"), test.documents)
			}
			if test.keys != nil {
				each(t, filepath.Join(before, "_run", "exchange", "*"), test.keys)
			}
			job, err := pipelinetest.Parse[dedup.Config](t, "--documents", documents, "--extend", before).Plan(t.Context(),
				filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
			if err == nil {
				_, err = pipelinetest.Plain(1)(t.Context(), job)
			}
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
				if rows, _ := filepath.Glob(filepath.Join(job.Output, "data", "*")); len(rows) > 0 {
					t.Errorf("rows were written: %v", rows)
				}
				if _, err := dataset.Verify(t.Context(), storage.NewLocal(before)); (err == nil) != (test.want != damaged) {
					t.Errorf("the dataset is verified: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want, got := pipelinetest.Rows[schemas.Document](t, whole), pipelinetest.Rows[schemas.Document](t, job.Output)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What cannot be extended, and why.
func TestBadExtend(t *testing.T) {
	documents, more := corpusOf(t, "01"), corpusOf(t, "012")
	without, others := corpusOf(t, "12"), corpusOf(t, "34")
	pairs := datasettest.Write(t, nil, []schemas.Pair{})
	make := func(c pipelinetest.Pipeline) string {
		location, _ := pipelinetest.Run(t, c, pipelinetest.Settings(1), pipelinetest.Plain(2))
		return location
	}
	survivors := make(pipelinetest.Parse[dedup.Config](t, "--documents", documents))
	counts := make(pipelinetest.Parse[wordcounts.Config](t, "--documents", documents))
	takedown := filepath.Join(t.TempDir(), "takedown.txt")
	if err := os.WriteFile(takedown, []byte("https://example.org/1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	erased := make(pipelinetest.Parse[erase.Config](t, "--documents", survivors, "--urls", takedown))
	near := make(pipelinetest.Parse[dedup.Config](t, "--documents", documents, "--near", "nemo"))
	bare, lost := t.TempDir(), t.TempDir()
	for _, copied := range []string{bare, lost} {
		if err := os.CopyFS(copied, os.DirFS(survivors)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(bare, "_run")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(lost, dataset.ShardName(1))); err != nil {
		t.Fatal(err)
	}
	plan := func(verb string, seed uint64, args ...string) error {
		c, err := pipelinetest.Pipeline(nil), error(nil)
		if verb == "dedup" {
			c, err = pipelinetest.Configure[dedup.Config](args...)
		} else {
			c, err = pipelinetest.Configure[wordcounts.Config](args...)
		}
		if err == nil {
			_, err = c.Plan(t.Context(), t.TempDir(), units.Settings{Seed: seed})
		}
		return err
	}
	for _, test := range []struct {
		verb string
		args []string
		want string
	}{
		{"dedup", []string{"--documents", more, "--extend", survivors, "--loose"}, "config loose is unset there and true here"},
		{"dedup", []string{"--documents", more, "--extend", near}, `was made otherwise: config near is "nemo" there`},
		{"dedup", []string{"--documents", more, "--extend", survivors, "--near", "nemo"}, "not for near"},
		{"dedup", []string{"--documents", more, "--extend", survivors, "--level", "span"}, "not for level span"},
		{"dedup", []string{"--documents", more, "--extend", survivors, "--against", documents}, "not for against"},
		{"dedup", []string{"--pairs", pairs, "--extend", survivors}, "not for pairs"},
		{"dedup", []string{"--documents", more, "--extend", documents}, "was made by test: give what dedup made"},
		{"dedup", []string{"--documents", more, "--extend", erased}, "extend what it was erased from"},
		{"dedup", []string{"--documents", more, "--extend", bare}, "has no list of its units"},
		{"dedup", []string{"--documents", more, "--extend", lost}, "part-00001.parquet is missing"},
		{"dedup", []string{"--documents", others, "--extend", survivors},
			"was made of 8 shards that the input has no more, such as data/part-00000.parquet"},
		{"wordcounts", []string{"--documents", more, "--extend", counts, "--cased"}, "config cased is unset there and true here"},
		{"wordcounts", []string{"--pairs", pairs, "--extend", counts}, "list of inputs is [documents] there"},
		{"wordcounts", []string{"--documents", without, "--extend", counts}, "was made of 4 shards that the input has no more"},
	} {
		if err := plan(test.verb, 7, test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.args, err, test.want)
		}
	}
	err := plan("dedup", 8, "--documents", more, "--extend", survivors)
	if err == nil || !strings.Contains(err.Error(), "seed is 7 there and 8 here") {
		t.Errorf("another seed: %v", err)
	}
}
