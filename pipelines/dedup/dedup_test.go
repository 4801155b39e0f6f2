package dedup_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/dedup"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

// pages are documents by their ids, with what must be left of each.
var pages = []struct {
	id         int
	language   string
	sentences  []string
	byDocument bool     // it stays, documents being compared
	bySentence []string // what stays, sentences being compared
}{
	{1, "eng", []string{"A heron waits.", "Rain falls."}, true, []string{"A heron waits.", "Rain falls."}},
	{2, "eng", []string{"Rain falls.", "The ferry is late."}, true, []string{"The ferry is late."}},
	{3, "eng", []string{"A heron  waits.", " Rain falls. "}, false, nil}, // white space does not count
	{4, "eng", []string{"a heron waits.", "Rain falls!"}, true, []string{"a heron waits.", "Rain falls!"}},
	{5, "deu", []string{"Rain falls.", "Es regnet.", "Es regnet."}, true,
		[]string{"Rain falls.", "Es regnet."}}, // languages count, the first of two stays
	{6, "eng", []string{"The ferry is late.", "Rain falls."}, true, nil}, // in another order
	{7, "eng", []string{"A heron waits. Rain falls."}, true,
		[]string{"A heron waits. Rain falls."}}, // sentences do not run together
	{16, "eng", []string{"A heron waits.", "Rain falls."}, false, nil},
}

func document(i int) schemas.Document {
	return pipelinetest.DocumentOf(pages[i].id, pages[i].language, pages[i].sentences...)
}

func run(t *testing.T, parallelism int, args ...string) ([]schemas.Document, *dataset.Manifest) {
	t.Helper()
	out, m := pipelinetest.Run(t, pipelinetest.Parse[dedup.Config](t, args...), pipelinetest.Settings(1), pipelinetest.Plain(parallelism))
	if err := m.Funnel.Check(); err != nil {
		t.Error(err)
	}
	return pipelinetest.Rows[schemas.Document](t, out), m
}

// left tells the sentences of each document that is left.
func left(documents []schemas.Document) map[string][]string {
	texts := map[string][]string{}
	for _, d := range documents {
		for _, s := range d.Sentences {
			texts[d.ID] = append(texts[d.ID], s.Text)
		}
	}
	return texts
}

// Of equal texts the one of the smallest id stays, in whatever shard and order
// it stands and however many units run at once.
func TestFirstIdentityWins(t *testing.T) {
	want := map[string]map[string][]string{dedup.LevelDocument: {}, dedup.LevelSentence: {}}
	for i, p := range pages {
		id := document(i).ID
		if p.byDocument {
			want[dedup.LevelDocument][id] = p.sentences
		}
		if p.bySentence != nil {
			want[dedup.LevelSentence][id] = p.bySentence
		}
	}
	drops := map[string]map[string]int64{
		dedup.LevelDocument: {"documents duplicates duplicate": 2},
		dedup.LevelSentence: {"documents duplicates no_sentence_left": 3, "sentences duplicates duplicate": 8},
	}
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 4 {
		order := random.Perm(len(pages))
		if round == 0 {
			slices.Sort(order)
			slices.Reverse(order)
		}
		shards := make([][]schemas.Document, 1+round)
		for k, i := range order {
			shards[k%len(shards)] = append(shards[k%len(shards)], document(i))
		}
		documents := datasettest.Write(t, nil, shards...)
		for level, texts := range want {
			got, m := run(t, 1+round, "--documents", documents, "--level", level)
			if diff := cmp.Diff(texts, left(got)); diff != "" {
				t.Errorf("%s, order %v: %s", level, order, diff)
			}
			if diff := cmp.Diff(drops[level], pipelinetest.Dropped(m)); diff != "" {
				t.Errorf("%s, order %v: %s", level, order, diff)
			}
		}
	}
}

// A sentence that goes leaves its position empty: what stood around it is not
// consecutive.
func TestPositionsStay(t *testing.T) {
	documents := datasettest.Write(t, nil, []schemas.Document{
		pipelinetest.DocumentOf(2, "eng", "One.", "Two.", "Three.", "Two."), pipelinetest.DocumentOf(1, "eng", "Three.", "Four."),
	})
	got, _ := run(t, 1, "--documents", documents, "--level", "sentence")
	var places []string
	for _, d := range got {
		for _, s := range d.Sentences {
			places = append(places, fmt.Sprint(s.Position, " ", s.Text))
		}
	}
	if diff := cmp.Diff([]string{"0 One.", "1 Two.", "0 Three.", "1 Four."}, places); diff != "" {
		t.Error(diff)
	}
}

// Of equal paragraphs, and of spans of three sentences, all sentences go but those of the smallest id.
func TestStretches(t *testing.T) {
	inBlocks := func(id int, blocks ...string) schemas.Document {
		d := pipelinetest.DocumentOf(id, "eng", strings.Split(strings.Join(blocks, "|"), "|")...)
		i := 0
		for block, text := range blocks {
			for range strings.Split(text, "|") {
				d.Sentences[i].Block = int32(block)
				i++
			}
		}
		return d
	}
	documents := datasettest.Write(t, nil, []schemas.Document{
		inBlocks(4, "A.|B.", "C.", "D."), inBlocks(2, "B.", "C.|D.", "E."), inBlocks(3, "A.|B.", "C.|D."), inBlocks(5, "D."),
	}, []schemas.Document{inBlocks(1, "A.|B.|C.", "X.", "A.|B.|C."), inBlocks(6, "C.", "A.")})
	for level, want := range map[string][]string{
		"paragraph": {"4: C. D.", "2: B. C. D. E.", "3: A. B.", "1: A. B. C. X.", "6: A."},
		// 1 has A B C twice, 2 has B C D, and 3 and 4 have both of these.
		"span": {"2: B. C. D. E.", "5: D.", "1: A. B. C. X.", "6: C. A."},
	} {
		got, m := run(t, 2, "--documents", documents, "--level", level)
		var texts []string
		for _, d := range got {
			line := strings.TrimLeft(d.ID, "0") + ":"
			for _, s := range d.Sentences {
				line += " " + s.Text
			}
			texts = append(texts, line)
		}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Errorf("%s: %s", level, diff)
		}
		if m.Funnel.Out("sentences")["eng"] == 0 {
			t.Errorf("%s: no sentences are counted", level)
		}
	}
}

// Loosely compared, texts that differ in case, punctuation, numbers and forms of
// letters are equal.
func TestLoose(t *testing.T) {
	documents := datasettest.Write(t, nil, []schemas.Document{
		pipelinetest.DocumentOf(1, "eng", "Page 3 of 12"), pipelinetest.DocumentOf(2, "eng", "PAGE 400 of 1!"),
		pipelinetest.DocumentOf(3, "eng", "page ７ of １"), pipelinetest.DocumentOf(4, "eng", "page of"),
	})
	for _, test := range []struct {
		args []string
		want int
	}{{nil, 4}, {[]string{"--loose"}, 2}} {
		got, _ := run(t, 2, append([]string{"--documents", documents}, test.args...)...)
		if len(got) != test.want {
			t.Errorf("%v: %d documents are left, want %d", test.args, len(got), test.want)
		}
	}
}

// Texts of other datasets go, whatever their ids and whichever languages they were
// taken for, and are told apart from duplicates. What the other datasets repeat among
// themselves is nothing to us.
func TestAgainst(t *testing.T) {
	documents := datasettest.Write(t, nil, []schemas.Document{
		pipelinetest.DocumentOf(1, "eng", "Held out.", "Kept."), pipelinetest.DocumentOf(2, "eng", "Held out."),
		pipelinetest.DocumentOf(3, "eng", "Kept.", "Benchmark."),
		pipelinetest.DocumentOf(4, "deu", "Kept.", "Elsewhere in Danish.", "Held out."),
		pipelinetest.DocumentOf(5, "swe", "Elsewhere in Danish."),
	})
	heldOut := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(8, "eng", "Held out.", "Held out.")})
	benchmark := datasettest.Write(t, nil, []schemas.Document{
		pipelinetest.DocumentOf(9, "eng", "Benchmark."), pipelinetest.DocumentOf(10, "dan", "Elsewhere in Danish."),
		pipelinetest.DocumentOf(11, "eng", "Benchmark."),
	})
	got, m := run(t, 2, "--documents", documents, "--level", "sentence", "--against", strings.Join([]string{heldOut, benchmark}, ","))
	if diff := cmp.Diff(map[string][]string{fmt.Sprintf("%032x", 1): {"Kept."}, fmt.Sprintf("%032x", 4): {"Kept."}},
		left(got)); diff != "" {
		t.Error(diff)
	}
	want := map[string]int64{
		"sentences duplicates in_other_dataset": 6, "sentences duplicates duplicate": 1, "documents duplicates no_sentence_left": 3,
	}
	if diff := cmp.Diff(want, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
}

func pairOf(n int, texts ...string) schemas.Pair {
	p := schemas.Pair{ID: fmt.Sprintf("%032x", n), Kind: schemas.KindBitext, TextA: texts[1], TextB: texts[3], LanguageA: texts[0],
		LanguageB: texts[2], Origin: "c"}
	return p
}

// Of equal pairs the one with the smallest id stays, translations in whichever order; texts
// alone are not duplicates. Of pairs one of whose texts is in another dataset none stays.
func TestPairs(t *testing.T) {
	shards := [][]schemas.Pair{
		{pairOf(9, "eng", "One.", "deu", "Eins."), pairOf(2, "eng", "Two.", "deu", "Zwei."), pairOf(3, "eng", "Two.", "deu", "Zwo.")},
		{pairOf(1, "deu", "Eins.", "eng", "One."), pairOf(4, "eng", "Three.", "deu", "Drei."), pairOf(5, "eng", "three", "deu", "drei!")},
		nil,
		{pairOf(6, "eng", "One.", "spa", "Eins."), pairOf(7, "eng", "Two.", "deu", "Zwei.")},
	}
	pairs := datasettest.Write(t, nil, shards...)
	training := datasettest.Write(
		t, nil, []schemas.Pair{pairOf(20, "nld", "Zwei.", "eng", "Three."), pairOf(21, "nld", "Zwei.", "eng", "Four.")})
	for name, test := range map[string]struct {
		args    []string
		want    []int
		dropped map[string]int64
	}{
		"alone":   {nil, []int{1, 2, 3, 4, 5, 6}, map[string]int64{"pairs duplicates duplicate": 2}},
		"loosely": {[]string{"--loose"}, []int{1, 2, 3, 4, 6}, map[string]int64{"pairs duplicates duplicate": 3}},
		"against another": {[]string{"--against", training}, []int{1, 3, 5, 6},
			map[string]int64{"pairs duplicates duplicate": 1, "pairs duplicates in_other_dataset": 3}},
		"loosely against": {[]string{"--against", training, "--loose"}, []int{1, 3, 6},
			map[string]int64{"pairs duplicates duplicate": 1, "pairs duplicates in_other_dataset": 4}},
	} {
		for parallelism := range 2 {
			out, m := pipelinetest.Run(t, pipelinetest.Parse[dedup.Config](t, append([]string{"--pairs", pairs}, test.args...)...),
				pipelinetest.Settings(1), pipelinetest.Plain(1+parallelism))
			if err := m.Funnel.Check(); err != nil {
				t.Error(err)
			}
			var got []int
			for _, p := range pipelinetest.Rows[schemas.Pair](t, out) {
				var n int
				if _, err := fmt.Sscanf(p.ID, "%x", &n); err != nil {
					t.Fatal(err)
				}
				got = append(got, n)
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if diff := cmp.Diff(test.dropped, pipelinetest.Dropped(m)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// Of equal pairs the one with the best score stays. A text stays in its best pairs, in each two languages; an equal pair
// takes no place, and a text that is on both sides counts once.
func TestScoredPairs(t *testing.T) {
	scored := func(n int, score float32, texts ...string) schemas.Pair {
		p := pairOf(n, texts...)
		p.Score = &score
		return p
	}
	pairs := datasettest.Write(t, nil, []schemas.Pair{
		scored(1, 1.1, "eng", "One.", "deu", "Eins."), scored(2, 1.3, "deu", "Eins.", "eng", "One."),
		scored(3, 1.2, "eng", "One.", "deu", "Ein."), scored(4, 1.2, "eng", "One.", "deu", "Eine."),
	}, []schemas.Pair{
		pairOf(5, "eng", "One.", "deu", "Einer."), scored(6, 1.4, "eng", "Won.", "deu", "Eins."),
		scored(7, -1, "eng", "One.", "fra", "Un."), scored(8, 0, "eng", "ONE", "deu", "one"), scored(9, 1, "eng", "Two.", "deu", "Zwei."),
	})
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"all":          {nil, "2 3 4 5 6 7 8 9"},
		"one":          {[]string{"--max-per-text", "1"}, "6 7 8 9"}, // 2 loses to 6, and 3 to 5 lose to 2
		"two":          {[]string{"--max-per-text", "2"}, "2 3 6 7 8 9"},
		"one, loosely": {[]string{"--max-per-text", "1", "--loose"}, "6 7 9"},
	} {
		out, m := pipelinetest.Run(t, pipelinetest.Parse[dedup.Config](t, append([]string{"--pairs", pairs}, test.args...)...),
			pipelinetest.Settings(1), pipelinetest.Plain(2))
		var got []string
		for _, p := range pipelinetest.Rows[schemas.Pair](t, out) {
			got = append(got, strings.TrimLeft(p.ID, "0"))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v, want %s; dropped %v", name, got, test.want, pipelinetest.Dropped(m))
		}
	}
}

// A dataset without rows gives one without rows.
func TestNoDocuments(t *testing.T) {
	for _, documents := range []string{datasettest.Write[schemas.Document](t, nil), datasettest.Write[schemas.Document](t, nil, nil, nil)} {
		for _, level := range []string{"document", "sentence"} {
			if got, m := run(t, 1, "--documents", documents, "--level", level); len(got) != 0 || m.Rows != 0 {
				t.Errorf("%d rows", len(got))
			}
		}
	}
}

// The layout of the pages stays known through this pipeline: pairs asks for it.
// A dataset without one has none.
func TestLayoutIsHandedOn(t *testing.T) {
	for _, layout := range []string{pipelinetest.Layout, ""} {
		documents, _ := pipelinetest.Documents{Shards: 2, PerShard: 2, Sentences: 2, Layout: layout}.Write(t)
		_, m := run(t, 1, "--documents", documents)
		if m.Plan.Layout != layout {
			t.Errorf("layout %q: %q", layout, m.Plan.Layout)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		config dedup.Config
		want   []string
	}{
		{dedup.Config{Documents: "d", Level: "document"}, nil},
		{dedup.Config{Pairs: "p", Level: "document"}, nil},
		{dedup.Config{Documents: "d", Level: "document", PerText: 1}, []string{"max-per-text is for pairs"}},
		{dedup.Config{Pairs: "p", Level: "document", PerText: -1}, []string{"max-per-text is -1"}},
		{dedup.Config{Pairs: "p", Level: "sentence"}, []string{"level is for documents"}},
		{dedup.Config{Documents: "d", Pairs: "p", Level: "document"}, []string{"give either documents or pairs"}},
		{dedup.Config{Level: "page"}, []string{"give either documents or pairs",
			`level "page" is not one of document, sentence, paragraph, span`}},
		{dedup.Config{Documents: "d", Level: "document", Near: "nemo"}, nil},
		{dedup.Config{Documents: "d", Level: "document", Near: "fineweb"}, []string{`near "fineweb" is not one of datatrove, nemo`}},
		{dedup.Config{Pairs: "p", Level: "sentence", Near: "nemo", Loose: true},
			[]string{"near is for documents", "near compares whole documents", "loose is for exact duplicates"}},
	} {
		err := test.config.Validate()
		if (err == nil) != (test.want == nil) {
			t.Errorf("%+v: %v", test.config, err)
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %q", test.config, err, want)
			}
		}
	}
}
