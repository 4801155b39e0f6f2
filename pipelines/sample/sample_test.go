package sample_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/sample"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/random"
)

// languages of the rows below, and how many there are of each.
var languages = map[string]int{"eng": 700, "deu": 150, "spa": 40, "swa": 3}

// documents are rows of all languages, mixed, in shards of several sizes.
func documents(t *testing.T) (location string, all []schemas.Document) {
	t.Helper()
	left, codes := map[string]int{}, []string{"deu", "eng", "spa", "swa"}
	for code, n := range languages {
		left[code] = n
	}
	draw := random.New(1, 1, "mixed", "", 0)
	for total := 893; total > 0; total-- {
		at := draw.IntN(total)
		for _, code := range codes {
			if at -= left[code]; at < 0 {
				left[code]--
				all = append(all, pipelinetest.DocumentOf(total, code, fmt.Sprintf("This is text %d.", total)))
				break
			}
		}
	}
	return datasettest.Write(t, nil, all[:400], all[400:401], nil, all[401:]), all
}

// drawn runs the pipeline and returns the ids of its rows, in order.
func drawn(t *testing.T, shardBytes int64, args ...string) (ids []string, m *dataset.Manifest) {
	t.Helper()
	out, m := pipelinetest.Run(t, pipelinetest.Parse[sample.Config](t, args...), pipelinetest.Settings(shardBytes),
		pipelinetest.Plain(1+int(shardBytes%3)))
	for _, d := range pipelinetest.Rows[schemas.Document](t, out) {
		ids = append(ids, d.ID)
	}
	if err := m.Funnel.Check(); err != nil {
		t.Error(err)
	}
	return ids, m
}

// lowest is the sample as its definition has it: sort by hash, take the first, put them in order.
func lowest(all []schemas.Document, quota map[string]int) (ids []string) {
	rank := func(d schemas.Document) uint64 {
		s := random.New(1, 7, "sample", d.ID, 0) // the seed of pipelinetest.Settings
		return s.Uint64()
	}
	chosen := map[string]bool{}
	for code, n := range quota {
		list := slices.DeleteFunc(slices.Clone(all), func(d schemas.Document) bool { return code != "" && d.Language != code })
		slices.SortFunc(list, func(a, b schemas.Document) int { return cmp.Compare(rank(a), rank(b)) })
		for _, d := range list[:n] {
			chosen[d.ID] = true
		}
	}
	for _, d := range all {
		if chosen[d.ID] {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// The rows are those of the definition, in the order of the dataset, however it is cut; a language
// that runs out is told.
func TestSample(t *testing.T) {
	location, all := documents(t)
	for i, test := range []struct {
		args  string
		quota map[string]int
		told  string
	}{
		{"--rows 1", map[string]int{"": 1}, ""},
		{"--rows 100", map[string]int{"": 100}, ""},
		{"--rows 893", map[string]int{"": 893}, ""},
		{"--rows 5000", map[string]int{"": 893}, "the input has 893 rows, fewer than --rows=5000"},
		{"--share 0.25", map[string]int{"": 223}, ""}, // of 223.25
		{"--share 1", map[string]int{"": 893}, ""},
		{"--share 0.0001", map[string]int{"": 0}, "the sample is empty: --share=0.0001 of 893 rows"},
		{"--share 0.0001 --by language", map[string]int{}, "the sample is empty: --share=0.0001 of the rows of each language"},
		{"--rows 3 --by language", map[string]int{"eng": 3, "deu": 3, "spa": 3, "swa": 3}, ""},
		{"--rows 41 --by language", map[string]int{"eng": 41, "deu": 41, "spa": 40, "swa": 3},
			"ran out, with all their rows in the sample: swa (3), spa (40)"},
		{"--share .1 --by language", map[string]int{"eng": 70, "deu": 15, "spa": 4, "swa": 0},
			"languages without a row in the sample: swa (3)"},
		{"--rows 100 --by language --balanced", map[string]int{"deu": 33, "eng": 32, "spa": 32, "swa": 3}, "swa (3); the others fill up"},
		{"--rows 9000 --by language --balanced", map[string]int{"eng": 700, "deu": 150, "spa": 40, "swa": 3}, "the input has 893 rows"},
		// Of 90 seats by 700, 150, 40 and 3: divisor 9.9.
		{"--rows 90 --by language --alpha 1", map[string]int{"eng": 71, "deu": 15, "spa": 4, "swa": 0}, "a row in the sample: swa (3)"},
		// The roots are 26.5, 12.2, 6.3 and 1.7: divisor 0.467.
		{"--rows 100 --by language --alpha .5", map[string]int{"eng": 57, "deu": 26, "spa": 14, "swa": 3}, "swa (3); the others fill up"},
	} {
		want := lowest(all, test.quota)
		sizes := []int64{1, 3 << 10, 1 << 20}
		if testing.Short() {
			sizes = sizes[i%3:][:1]
		}
		for _, shardBytes := range sizes {
			args := append(strings.Fields(test.args), "--documents", location)
			ids, m := drawn(t, shardBytes, args...)
			if diff := gocmp.Diff(want, ids); diff != "" {
				t.Errorf("%s, units of %d bytes: %d rows, want %d", test.args, shardBytes, len(ids), len(want))
			}
			if n := pipelinetest.Dropped(m)["documents sample not_drawn"]; n != int64(len(all)-len(want)) {
				t.Errorf("%s: %d are dropped", test.args, n)
			}
			told := strings.Join(pipelinetest.Parse[sample.Config](t, args...).Shortfalls(m), "\n")
			if (told == "") != (test.told == "") || !strings.Contains(told, test.told) {
				t.Errorf("%s: told %q, want %q", test.args, told, test.told)
			}
		}
	}
}

// A sample of fewer rows lies within one of more, in every way to draw, at other units and parallelism.
func TestNested(t *testing.T) {
	location, _ := documents(t)
	for _, way := range []string{"", "--by language", "--by language --balanced", "--by language --alpha .3"} {
		var before []string
		for i, size := range []string{"--rows 5", "--rows 50", "--rows 300", "--rows 800"} {
			ids, _ := drawn(t, []int64{1, 4 << 10, 2 << 10, 1 << 20}[i], append(strings.Fields(way+" "+size), "--documents", location)...)
			for _, id := range before {
				if !slices.Contains(ids, id) {
					t.Errorf("%s %s lacks %s, which a smaller sample has", way, size, id)
				}
			}
			before = ids
		}
	}
}

// Rows of one id have one rank: as many as are asked for are drawn, the first ones.
func TestTies(t *testing.T) {
	var pairs []schemas.Pair
	for i := range 200 {
		pairs = append(pairs, schemas.Pair{ID: schemas.DerivedID("test", fmt.Sprint(i%2)), Kind: schemas.KindBitext, Origin: "test",
			LanguageA: []string{"eng", "deu"}[i%3%2], LanguageB: []string{"deu", "eng"}[i%3%2], TextA: fmt.Sprint("a ", i), TextB: "b"})
	}
	location := datasettest.Write(t, nil, pairs[:90], pairs[90:])
	for _, args := range []string{"--rows 130", "--rows 130 --by language"} { // a pair of languages has no order
		for _, shardBytes := range []int64{1, 1 << 20} {
			out, m := pipelinetest.Run(t, pipelinetest.Parse[sample.Config](t, append(strings.Fields(args), "--pairs", location)...),
				pipelinetest.Settings(shardBytes), pipelinetest.Plain(2))
			rows := pipelinetest.Rows[schemas.Pair](t, out)
			texts := map[string][]string{} // by id
			for _, p := range rows {
				texts[p.ID] = append(texts[p.ID], p.TextA)
			}
			for id, list := range texts {
				var want []string
				for _, p := range pairs {
					if p.ID == id && len(want) < len(list) {
						want = append(want, p.TextA)
					}
				}
				if len(list) != 30 && len(list) != 100 || !slices.Equal(list, want) {
					t.Errorf("%s: of %s the %d pairs are %v", args, id, len(list), list)
				}
			}
			if m.Rows != 130 || m.Funnel.Chains[0].Steps[0].Languages["deu-eng"].In != 200 {
				t.Errorf("%s: %+v", args, m.Funnel)
			}
		}
	}
}

func TestEmptyInput(t *testing.T) {
	ids, m := drawn(t, 1, "--documents", datasettest.Write[schemas.Document](t, nil), "--rows", "3", "--by", "language")
	if len(ids) > 0 || m.Rows != 0 {
		t.Errorf("%d rows", m.Rows)
	}
}

func TestValidate(t *testing.T) {
	for args, want := range map[string]string{
		"--documents d --rows 0":                                    "rows must be at least 1, or --share above 0",
		"--documents d --rows=-1":                                   "rows is -1",
		"--documents d --share 1.5":                                 "share is 1.5",
		"--documents d --share NaN":                                 "share is NaN",
		"--documents d --rows 2 --balanced":                         "give --by=language",
		"--documents d --rows 2 --alpha 1":                          "give --by=language",
		"--documents d --rows 2 --by language --alpha 2":            "alpha is 2, it must be from 0 to 1",
		"--documents d --rows 2 --by language --alpha NaN":          "alpha is NaN, it must be from 0 to 1",
		"--documents d --rows 2 --by language --alpha 0 --balanced": "either balanced or alpha",
	} {
		if _, err := pipelinetest.Configure[sample.Config](strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
