package wordcounts_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

var (
	long    = strings.Repeat("w", 256) // the longest word that counts
	tooLong = strings.Repeat("é", 129) // 258 bytes; 129 without its accents
)

var documents = []schemas.Document{
	pipelinetest.DocumentOf(1, "eng", "The cat, the dog.", "THE CAT!"),
	pipelinetest.DocumentOf(2, "fra", "Le café fermé.", "the"),
	pipelinetest.DocumentOf(3, "eng", "don't "+long, long+"w"),
	pipelinetest.DocumentOf(4, "zho", "猫和猫"),
	pipelinetest.DocumentOf(5, "fra", "Café "+tooLong),
}

// counted is "language word" to count, by flag and made by hand: the basic tokenizer of BERT
// splits at white space, around punctuation and around ideographs.
var counted = map[string]map[string]int64{
	"": {
		"eng the": 3, "eng cat": 2, "eng dog": 1, "eng ,": 1, "eng .": 1, "eng !": 1,
		"eng don": 1, "eng '": 1, "eng t": 1, "eng " + long: 1,
		"fra le": 1, "fra cafe": 2, "fra ferme": 1, "fra .": 1, "fra the": 1, "fra " + strings.Repeat("e", 129): 1,
		"zho 猫": 2, "zho 和": 1,
	},
	"--cased": {
		"eng The": 1, "eng the": 1, "eng THE": 1, "eng cat": 1, "eng CAT": 1, "eng dog": 1, "eng ,": 1, "eng .": 1, "eng !": 1,
		"eng don": 1, "eng '": 1, "eng t": 1, "eng " + long: 1,
		"fra Le": 1, "fra café": 1, "fra Café": 1, "fra fermé": 1, "fra .": 1, "fra the": 1,
		"zho 猫": 2, "zho 和": 1,
	},
	"--spaces": {
		"eng The": 1, "eng cat,": 1, "eng the": 1, "eng dog.": 1, "eng THE": 1, "eng CAT!": 1,
		"eng don't": 1, "eng " + long: 1, "eng " + long + "w": 1,
		"fra Le": 1, "fra café": 1, "fra Café": 1, "fra fermé.": 1, "fra the": 1, "fra " + tooLong: 1,
		"zho 猫和猫": 1,
	},
}

// The counts are those made by hand, however the documents are cut into shards
// and units.
func TestCounts(t *testing.T) {
	layouts := [][][]schemas.Document{{documents}, {documents[:2], documents[2:4], documents[4:]}, make([][]schemas.Document, 9)}
	for i, d := range documents {
		layouts[2][8-2*i] = []schemas.Document{d}
	}
	for flag := range counted {
		for i, shards := range layouts {
			args := []string{"--documents", datasettest.Write(t, nil, shards...)}
			if flag != "" {
				args = append(args, flag)
			}
			out, m := pipelinetest.Run(t, pipelinetest.Parse[wordcounts.Config](t, args...), pipelinetest.Settings(1),
				pipelinetest.Plain(1+i))
			got := map[string]int64{}
			for _, row := range pipelinetest.Rows[schemas.WordCount](t, out) {
				word := row.Language + " " + row.Word
				if got[word] != 0 {
					t.Errorf("%q has two rows", word)
				}
				got[word] = row.Count
			}
			if diff := cmp.Diff(counted[flag], got); diff != "" {
				t.Errorf("%s, %d shards: %s", flag, len(shards), diff)
			}
			if err := m.Funnel.Check(); err != nil {
				t.Error(err)
			}
			dropped := map[string]map[string]int64{"": {"words length too_long": 1}, "--cased": {"words length too_long": 2}}
			if flag == "--spaces" {
				dropped[flag] = map[string]int64{}
			}
			if diff := cmp.Diff(dropped[flag], pipelinetest.Dropped(m)); diff != "" {
				t.Errorf("%s: %s", flag, diff)
			}
			if diff := cmp.Diff(map[string]int64{"eng": 4, "fra": 3, "zho": 1}, m.Funnel.Out("sentences")); diff != "" {
				t.Error(diff)
			}
			words := map[string]int64{}
			for word, n := range counted[flag] {
				language, _, _ := strings.Cut(word, " ")
				words[language] += n
			}
			if diff := cmp.Diff(words, m.Funnel.Out("words")); diff != "" {
				t.Errorf("words in the funnel: %s", diff)
			}
		}
	}
}

// Each side of a pair counts as a sentence of its language.
func TestPairs(t *testing.T) {
	pair := func(id, a, b string) schemas.Pair {
		p := schemas.Pair{ID: strings.Repeat(id, 32), Kind: schemas.KindBitext, TextA: a, LanguageA: "eng", TextB: b, LanguageB: "fra",
			Origin: "c"}
		if b == "" {
			p.Kind, p.LanguageB = schemas.KindSingle, ""
		}
		return p
	}
	pairs := datasettest.Write(t, nil, []schemas.Pair{pair("1", "The cat", "le chat"), pair("2", "the dog", "le chien")},
		[]schemas.Pair{pair("3", "cat", "")})
	out, m := pipelinetest.Run(t, pipelinetest.Parse[wordcounts.Config](t, "--pairs", pairs), pipelinetest.Settings(1),
		pipelinetest.Plain(2))
	got := map[string]int64{}
	for _, row := range pipelinetest.Rows[schemas.WordCount](t, out) {
		got[row.Language+" "+row.Word] = row.Count
	}
	want := map[string]int64{"eng the": 2, "eng cat": 2, "eng dog": 1, "fra le": 2, "fra chat": 1, "fra chien": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"eng": 3, "fra": 2}, m.Funnel.Out("sentences")); diff != "" {
		t.Error(diff)
	}
}

// Documents of which none has a sentence have no words.
func TestNoWords(t *testing.T) {
	for _, rows := range [][]schemas.Document{nil, {pipelinetest.DocumentOf(1, "eng", " \u00a0\t")}} {
		config := pipelinetest.Parse[wordcounts.Config](t, "--documents", datasettest.Write(t, nil, rows))
		if _, m := pipelinetest.Run(t, config, pipelinetest.Settings(1), pipelinetest.Plain(1)); m.Rows != 0 {
			t.Errorf("%d rows of documents without words", m.Rows)
		}
	}
}

// There are never more units that sum than 64, since each reads every spill
// file, and always one where there are words.
func TestUnits(t *testing.T) {
	for shards, want := range map[int]int{1: 1, 4: 1, 5: 2, 300: 64} {
		location, _ := pipelinetest.Documents{Shards: shards, PerShard: 1, Sentences: 1}.Write(t)
		job, err := pipelinetest.Parse[wordcounts.Config](t, "--documents", location).Plan(
			t.Context(), t.TempDir(), pipelinetest.Settings(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := job.Phases[1].Count; got != want || job.Plan.Units != shards+want {
			t.Errorf("%d shards are summed by %d of %d units, want %d", shards, got, job.Plan.Units, want)
		}
	}
	if err := (wordcounts.Config{}).Validate(); err == nil || !strings.Contains(err.Error(), "give either documents or pairs") {
		t.Errorf("%v", err)
	}
}
