package mine_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/mine"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/peertest"
	"sentweave/schemas/storage"
	"sentweave/transforms/measure/mining"
	"sentweave/transforms/measure/neighbors"
)

// rowsOf returns the rows of a dataset.
func rowsOf[T schemas.Row](t testing.TB, location string) (rows []T) {
	t.Helper()
	folder := storage.NewLocal(location)
	m, err := dataset.Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range dataset.Rows[T](t.Context(), folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// usable returns the sentences of a dataset that can be searched: the first of each text, with a vector.
func usable(t testing.TB, location string) (rows []schemas.Embedding) {
	seen := map[string]bool{}
	for _, e := range rowsOf[schemas.Embedding](t, location) {
		if slices.ContainsFunc(e.Vector, func(x float32) bool { return x != 0 }) && !seen[e.Text] {
			rows, seen[e.Text] = append(rows, e), true
		}
	}
	return rows
}

// found is a pair by the texts of its sides.
type found struct {
	a, b  string
	score float64
}

func (f found) compare(g found) int { return cmp.Or(cmp.Compare(f.a, g.a), cmp.Compare(f.b, g.b)) }

// mineTo mines and returns the pairs.
func mineTo(t testing.TB, shard int64, args ...string) (list []found, m *dataset.Manifest) {
	t.Helper()
	location, m := pipelinetest.Run(t, pipelinetest.Parse[mine.Config](t, args...), pipelinetest.Settings(shard), pipelinetest.Plain(2))
	for _, p := range rowsOf[schemas.Pair](t, location) {
		list = append(list, found{p.TextA, p.TextB, float64(*p.Score)})
	}
	return list, m
}

// Four languages with English: pairs and scores are those of LASER's procedure in numpy and of
// package mining, which evaluates, by every margin and retrieval, for vectors of which many cosines are equal and for others.
func TestBesideMemoryAndNumpy(t *testing.T) {
	const translated = 60
	english := map[bool]string{}
	for _, exact := range []bool{true, false} {
		english[exact] = pipelinetest.Vectors(t, "eng", translated, exact)
	}
	for i, language := range []string{"deu", "spa", "fra", "jpn"} {
		exact := i%2 == 0
		location := pipelinetest.Vectors(t, language, translated, exact)
		x, y := usable(t, location), usable(t, english[exact])
		inMemory, numpy := expected(t, x, y), laser(t, x, y)
		for j, name := range slices.Sorted(maps.Keys(inMemory)) {
			if name != "ratio max" && (j%4 != i || testing.Short()) { // each margin and retrieval once
				continue
			}
			margin, retrieval, _ := strings.Cut(name, " ")
			got, _ := mineTo(t, 6000, "--source", location, "--target", english[exact], "--margin", margin, "--retrieval", retrieval,
				"--threshold=-9")
			slices.SortFunc(got, found.compare)
			for reference, list := range map[string][]found{"package mining": inMemory[name], "numpy": numpy[name]} {
				slices.SortFunc(list, found.compare)
				equal := slices.EqualFunc(got, list, func(a, b found) bool { return a.compare(b) == 0 && math.Abs(a.score-b.score) < 1e-6 })
				if !equal && (numpy != nil || reference != "numpy") {
					t.Errorf("%s, %s: %d pairs, %d of %s: %.600v, want %.600v", language, name, len(got), len(list), reference, got, list)
				}
			}
		}
	}
}

// expected are the pairs of package mining in memory.
func expected(t *testing.T, x, y []schemas.Embedding) map[string][]found {
	matrix := func(rows []schemas.Embedding) (m neighbors.Matrix) {
		for _, e := range rows {
			m.Data, m.Dim = append(m.Data, e.Vector...), len(e.Vector)
		}
		return m
	}
	nearest := func(of, among []schemas.Embedding) []neighbors.Neighbor {
		index, err := neighbors.NewIndex(matrix(among), neighbors.ByCosine)
		if err != nil {
			t.Fatal(err)
		}
		list, err := index.TopK(t.Context(), matrix(of), 4, neighbors.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	n, err := mining.NewNeighborhoods(len(x), len(y), nearest(x, y), nearest(y, x))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]found{}
	for _, margin := range mining.Margins() {
		for _, retrieval := range mining.Retrievals() {
			pairs, err := n.Mine(margin, retrieval)
			if err != nil || len(pairs) == 0 {
				t.Fatal(len(pairs), err)
			}
			for _, p := range pairs {
				name := string(margin) + " " + string(retrieval)
				all[name] = append(all[name], found{x[p.Source].Text, y[p.Target].Text, p.Score})
			}
		}
	}
	return all
}

// laser are the pairs of LASER's procedure, none without numpy.
func laser(t *testing.T, x, y []schemas.Embedding) map[string][]found {
	python := os.Getenv("SENTWEAVE_PYTHON")
	if python == "" {
		return nil
	}
	vectors := func(rows []schemas.Embedding) (list [][]float32) {
		for _, e := range rows {
			list = append(list, e.Vector)
		}
		return list
	}
	input, err := json.Marshal(map[string]any{"x": vectors(x), "y": vectors(y), "k": 4, "gold": [][2]int{{0, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	type run struct {
		Margin, Retrieval string
		Pairs             [][3]float64
	}
	all := map[string][]found{}
	for _, want := range peertest.Values[run](t, peertest.Output(t, input, python, "../../transforms/measure/mining/testdata/laser.py")) {
		for _, p := range want.Pairs {
			name := want.Margin + " " + want.Retrieval
			all[name] = append(all[name], found{x[int(p[0])].Text, y[int(p[1])].Text, p[2]})
		}
	}
	return all
}

// gold writes the true pairs of the first translated sentences, German first.
func gold(t testing.TB, translated int) string { return goldFrom(t, 0, translated) }

func goldFrom(t testing.TB, first, end int) string {
	var pairs []schemas.Pair
	for n := first; n < end; n++ {
		pairs = append(pairs, schemas.Pair{ID: schemas.DerivedID("gold", fmt.Sprint(n)), Kind: schemas.KindBitext, LanguageA: "eng",
			LanguageB: "deu", TextA: pipelinetest.Sentence("eng", n), TextB: pipelinetest.Sentence("deu", n)})
	}
	return datasettest.Write(t, nil, pairs)
}

// With true pairs the threshold is the one of the best F1, as package mining finds it, and the funnel
// tells the figures.
func TestGold(t *testing.T) {
	german, english := pipelinetest.Vectors(t, "deu", 60, false), pipelinetest.Vectors(t, "eng", 60, false)
	x, y := usable(t, german), usable(t, english)
	list, truth := expected(t, x, y)["ratio max"], map[[2]string]bool{}
	for n := range 60 {
		a, b := pipelinetest.Sentence("deu", n), pipelinetest.Sentence("eng", n)
		of := func(text string) func(schemas.Embedding) bool {
			return func(e schemas.Embedding) bool { return e.Text == text }
		}
		if slices.ContainsFunc(x, of(a)) && slices.ContainsFunc(y, of(b)) {
			truth[[2]string{a, b}] = true
		}
	}
	tuning := mining.NewTuning(len(truth))
	for _, p := range list {
		tuning.Add(p.score, truth[[2]string{p.a, p.b}])
	}
	threshold, want, _ := tuning.Best()
	got, m := mineTo(t, 3000, "--source", german, "--target", english, "--gold", gold(t, 60))
	if len(got) != want.Extracted || want.F1 < .8 || want.F1 == 1 {
		t.Errorf("%d pairs, want %+v at %v", len(got), want, threshold)
	}
	note := strings.Join(mine.Config{}.Shortfalls(m), "\n")
	absent := fmt.Sprintf("; %d others", 60-len(truth))
	if text := fmt.Sprintf("%d of %d pairs are among the %d true ones: precision %.1f %%, recall %.1f %%, F1 %.1f %%%s of gold have a text "+
		"that is not among these sentences", want.Correct, want.Extracted, len(truth), 100*want.Precision, 100*want.Recall, 100*want.F1,
		absent); note != text {
		t.Errorf("%q, want %q", note, text)
	}
	_, m = mineTo(t, 3000, "--source", german, "--target", english, "--gold", gold(t, 80))
	note = strings.Replace(note, absent, fmt.Sprintf("; %d others", 80-len(truth)), 1)
	if more := strings.Join(mine.Config{}.Shortfalls(m), ""); more != note {
		t.Errorf("%q with 20 true pairs that cannot be found, want %q", more, note)
	}
	if c := m.Funnel.Chains[1].Steps[0].Languages; len(c) != 1 || c["deu-eng"].In == 0 {
		t.Errorf("the funnel of pairs has the languages %v", slices.Sorted(maps.Keys(c)))
	}
	again, _ := mineTo(t, 3000, "--source", german, "--target", english, "--threshold", fmt.Sprint(threshold))
	if !slices.Equal(got, again) {
		t.Errorf("%d pairs at the threshold %v, %d when it was found", len(again), threshold, len(got))
	}
}

// True pairs of other sentences are an error of the unit before the search.
func TestGoldOfOthers(t *testing.T) {
	c := pipelinetest.Parse[mine.Config](t, "--source", pipelinetest.Vectors(t, "deu", 60, false), "--target",
		pipelinetest.Vectors(t, "eng", 60, false), "--gold", goldFrom(t, 60, 80))
	const distinct = "unit 20: " // after five and five that write and tell, and ten that sign
	if err := pipelinetest.Fails(t, c, pipelinetest.Settings(3000)); !strings.Contains(err.Error(), distinct+"gold: none of its 20 pairs") {
		t.Error(err)
	}
}

// Pairs name the documents of their sentences, where the ids of the vectors do.
func TestDocuments(t *testing.T) {
	var rows []schemas.Embedding
	for n := range 20 {
		rows = append(rows, schemas.Embedding{ID: fmt.Sprintf("%s/%d", schemas.ID("page", int64(n/5)), n), Language: "deu",
			Text: pipelinetest.Sentence("deu", n), Vector: pipelinetest.Vector("deu", n, false)})
	}
	location, _ := pipelinetest.Run(t, pipelinetest.Parse[mine.Config](t, "--source", datasettest.Write(t, nil, rows), "--target",
		pipelinetest.Vectors(t, "eng", 60, false)), pipelinetest.Settings(3000), pipelinetest.Plain(2))
	pairs := rowsOf[schemas.Pair](t, location)
	for _, p := range pairs {
		i := slices.IndexFunc(rows, func(e schemas.Embedding) bool { return e.Text == p.TextA })
		if p.DocumentA != schemas.ID("page", int64(i/5)) || p.DocumentB != "" {
			t.Errorf("%q is in the document %q, its translation in %q", p.TextA, p.DocumentA, p.DocumentB)
		}
	}
	if len(pairs) < 10 {
		t.Errorf("%d pairs", len(pairs))
	}
}

// A sentence that is on both sides is not mined with itself: of the neighbours that say something else the best one is.
func TestSameText(t *testing.T) {
	german, english := pipelinetest.Vectors(t, "deu", 60, false), pipelinetest.Vectors(t, "eng", 60, false)
	left := slices.Concat(rowsOf[schemas.Embedding](t, german), rowsOf[schemas.Embedding](t, english)[:20])
	for i := range left[len(left)-20:] {
		left[len(left)-20+i].ID += " on a German page"
	}
	got, _ := mineTo(t, 3000, "--source", datasettest.Write(t, nil, left), "--target", english, "--threshold=0")
	for _, p := range got {
		if p.a == p.b {
			t.Errorf("%q is paired with itself", p.a)
		}
	}
	if len(got) < 60 {
		t.Errorf("%d pairs, want those of the translations", len(got))
	}
}

// Negatives are the nearest targets of each source in a pair, none of them the target of the pair, none at the
// threshold, and with true pairs none that is true.
func TestNegatives(t *testing.T) {
	german, english := pipelinetest.Vectors(t, "deu", 60, false), pipelinetest.Vectors(t, "eng", 60, false)
	args := []string{"--source", german, "--target", english}
	pairs, _ := mineTo(t, 3000, args...)
	negatives, _ := mineTo(t, 3000, append(args, "--negatives", "2", "--negatives-from", ".5")...)
	mined, count := map[string]string{}, map[string]int{}
	for _, p := range pairs {
		mined[p.a] = p.b
	}
	for _, n := range negatives {
		count[n.a]++
		if mined[n.a] == "" || mined[n.a] == n.b || n.score >= 1.06 || n.score < .5 || count[n.a] > 2 {
			t.Errorf("%+v, where the pair has %q", n, mined[n.a])
		}
	}
	if len(negatives) < len(pairs) {
		t.Errorf("%d negatives of %d pairs", len(negatives), len(pairs))
	}
	negatives, _ = mineTo(t, 3000, append(args, "--negatives", "3", "--gold", gold(t, 60))...)
	for _, n := range negatives {
		for i := range 60 {
			if n.a == pipelinetest.Sentence("deu", i) && n.b == pipelinetest.Sentence("eng", i) {
				t.Errorf("the true pair %+v is a negative", n)
			}
		}
	}
	if len(negatives) == 0 {
		t.Error("no negatives")
	}
}

// Each row that cannot be searched is dropped for its reason.
func TestReasons(t *testing.T) {
	base := func(n int) schemas.Embedding {
		return schemas.Embedding{ID: fmt.Sprint(n), Language: "deu", Text: pipelinetest.Sentence("deu", n),
			Vector: pipelinetest.Vector("deu", n, false)}
	}
	rows := []schemas.Embedding{base(0)}
	for _, change := range []func(*schemas.Embedding){
		func(e *schemas.Embedding) { e.Text = "" }, func(e *schemas.Embedding) { clear(e.Vector) },
		func(e *schemas.Embedding) { e.Vector = e.Vector[1:] }, func(e *schemas.Embedding) { e.Language = "nld" },
		func(e *schemas.Embedding) { e.ID = "0" }, func(e *schemas.Embedding) { e.Text = pipelinetest.Sentence("deu", 0) },
	} {
		e := base(len(rows))
		change(&e)
		rows = append(rows, e)
	}
	rows[0], rows[1] = rows[1], rows[0] // a first row without a text does not say that none has one
	for n := range 10 {
		rows = append(rows, base(100+n))
	}
	_, m := mineTo(t, 200, "--source", datasettest.Write(t, nil, rows[:5], rows[5:]), "--target", pipelinetest.Vectors(t, "eng", 20, false),
		"--languages", "deu,eng")
	dropped := map[string]int64{}
	for _, c := range m.Funnel.Chains {
		if c.Items == "sentences" {
			dropped = c.Steps[0].Total().Dropped
		}
	}
	for _, reason := range []string{"no_text", "other_dimension", "other_language", "repeated_id"} {
		if dropped[reason] != 1 {
			t.Errorf("%s: %d rows", reason, dropped[reason])
		}
	}
	if dropped["repeated_text"] != 2 || dropped["zero_vector"] != 2 { // one of the English sentences, too
		t.Errorf("%v", dropped)
	}
}

// What cannot be mined is an error before any work.
// A side that has fewer texts than --k once equal ones are one is an error that says what does not count.
func TestFewDistinct(t *testing.T) {
	english := rowsOf[schemas.Embedding](t, pipelinetest.Vectors(t, "eng", 5, false))
	for i := range english[2:] {
		english[2+i].Text = english[1].Text
	}
	c := pipelinetest.Parse[mine.Config](t, "--source", pipelinetest.Vectors(t, "deu", 5, false),
		"--target", datasettest.Write(t, nil, english))
	const want = "only 2 of the sentences of the target can be searched, fewer than the 4 of --k: give a smaller one; equal texts count once"
	if err := pipelinetest.Fails(t, c, pipelinetest.Settings(1<<20)); !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

func TestMisuse(t *testing.T) {
	german, english := pipelinetest.Vectors(t, "deu", 5, false), pipelinetest.Vectors(t, "eng", 5, false)
	write := func(change func(*schemas.Embedding)) string {
		rows := rowsOf[schemas.Embedding](t, english)
		for i := range rows {
			change(&rows[i])
		}
		return datasettest.Write(t, nil, rows)
	}
	nli := datasettest.Write(t, nil, []schemas.Pair{{ID: schemas.ID("nli", 0), Kind: schemas.KindNLI, LanguageA: "eng",
		LanguageB: "eng", TextA: "a", TextB: "b", Label: "neutral", Origin: "test"}})
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"other dimension": {[]string{"--target", write(func(e *schemas.Embedding) { e.Vector = e.Vector[1:] })},
			"16 dimensions, and 15 dimensions"},
		"no texts":     {[]string{"--target", write(func(e *schemas.Embedding) { e.Text = "" })}, "embed without --no-text"},
		"few":          {[]string{"--target", english, "--k", "12"}, "has fewer sentences, 10, than the 12 of --k: give a smaller one"},
		"one dataset":  {[]string{"--target", german}, "give two --languages"},
		"kind of gold": {[]string{"--target", english, "--gold", nli}, "want bitext"},
		"finite":       {[]string{"--target", english, "--threshold", "nan"}, "must be finite"},
		"threshold":    {[]string{"--target", english, "--margin", "distance"}, "has no usual threshold"},
		"both":         {[]string{"--target", english, "--threshold", "1", "--gold", german}, "give either threshold or gold"},
		"gold":         {[]string{"--target", english, "--gold", german}, "holds rows of embedding"},
		"negatives":    {[]string{"--target", english, "--negatives", "4"}, "must be less than k"},
		"range":        {[]string{"--target", english, "--negatives-from", ".4"}, "no effect without --negatives"},
		"bwd":          {[]string{"--target", english, "--negatives", "2", "--retrieval", "bwd"}, "another retrieval than bwd"},
		"languages":    {[]string{"--target", english, "--languages", "deu"}, "want two"},
	} {
		c, err := pipelinetest.Configure[mine.Config](append([]string{"--source", german}, test.args...)...)
		if err == nil {
			_, err = c.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
