package mine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/mine"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
)

const day = 24 * 60 * 60 * 1000

// place sets what a document has of the n-th host, date or page. Host and day have equal ones in other forms.
var place = map[string]func(d *schemas.Document, n, row int){
	"host": func(d *schemas.Document, n, row int) {
		names := []string{fmt.Sprintf("WWW.%d.EXAMPLE", n), fmt.Sprintf("www.%d.example.", n)}
		if n == 1 {
			names = []string{"WÜRFEL1.EXAMPLE", "würfel1.example.", "xn--wrfel1-3ya.example"}
		}
		d.URL = fmt.Sprintf("https://%s:%d/page", names[row%len(names)], row+1)
	},
	"date": func(d *schemas.Document, n, row int) { d.Date = int64(n-2)*day + int64(row)*1000 + 1 }, // before 1970, too
	"page": func(d *schemas.Document, n, _ int) { d.Source = fmt.Sprintf("%s/%d.html", d.Language, n) },
}

// placed writes sentences with a document for each: in five places, in one that the other language lacks, and in none.
func placed(t testing.TB, language, key string) (vectors, documents string, byPlace map[int][]schemas.Embedding) {
	var rows []schemas.Embedding
	var list []schemas.Document
	byPlace = map[int][]schemas.Embedding{}
	seen := map[string]bool{}
	for i, e := range rowsOf[schemas.Embedding](t, pipelinetest.Vectors(t, language, 60, false)) {
		d := schemas.Document{ID: schemas.ID(language, int64(i)), Source: "elsewhere", Language: language}
		n := 0
		for n < 60 && pipelinetest.Sentence(language, n) != e.Text {
			n++
		}
		switch {
		case i%17 == 16:
			n = -1
		case n == 60:
			n = i % 5
		case n > 56:
			n = int(language[0]) // of the language alone
		default:
			n %= 5
		}
		if n >= 0 {
			place[key](&d, n, i)
		}
		e.ID = d.ID + "/0"
		rows, list = append(rows, e), append(list, d)
		if text := fmt.Sprint(n, e.Text); !seen[text] && slices.ContainsFunc(e.Vector, func(x float32) bool { return x != 0 }) {
			byPlace[n], seen[text] = append(byPlace[n], e), true
		}
	}
	documents = datasettest.WriteDraft(t, dataset.Draft{Layout: "{language}/{page}.html"}, list[:70], list[70:])
	m, err := dataset.Load(t.Context(), storage.NewLocal(documents))
	if err != nil {
		t.Fatal(err)
	}
	return datasettest.WriteDraft(t, dataset.Draft{Inputs: []dataset.Input{m.Input("texts")}}, rows[:50], rows[50:]), documents, byPlace
}

// Within hosts, dates or pages the pairs are those of each by itself. What has no place, or one that the other side lacks,
// is dropped for that.
func TestWithin(t *testing.T) {
	for key, retrieval := range map[string]string{"host": "max", "date": "fwd", "page": "intersect"} {
		german, germanPages, x := placed(t, "deu", key)
		english, englishPages, y := placed(t, "eng", key)
		var want []found
		for n := range 5 {
			want = append(want, expected(t, x[n], y[n])["ratio "+retrieval]...)
		}
		args := []string{"--source", german, "--target", english, "--threshold=-9", "--within", key, "--source-documents", germanPages}
		got, m := mineTo(t, 3000, append(args, "--target-documents", englishPages, "--retrieval", retrieval)...)
		again := pipelinetest.Parse[mine.Config](t, append(args, "--target-documents", englishPages, "--retrieval", retrieval)...)
		if _, other := pipelinetest.Run(t, again, pipelinetest.Settings(3000), pipelinetest.Local(3)); other.ContentXXH3 != m.ContentXXH3 {
			t.Errorf("%s: other rows by another runner", key)
		}
		slices.SortFunc(got, found.compare)
		slices.SortFunc(want, found.compare)
		if !slices.EqualFunc(got, want, func(a, b found) bool { return a.compare(b) == 0 && math.Abs(a.score-b.score) < 1e-6 }) {
			t.Errorf("%s: %d pairs, %d of each by itself", key, len(got), len(want))
		}
		dropped, alone, nowhere := pipelinetest.Dropped(m), 0, len(x[-1])+len(y[-1])
		for _, list := range []map[int][]schemas.Embedding{x, y} {
			for n := range list {
				if n > 4 {
					alone += len(list[n])
				}
			}
		}
		if dropped["sentences vectors no_candidate"] != int64(alone) || dropped["sentences vectors no_key"] != int64(nowhere) ||
			alone < 3 || nowhere < 10 {
			t.Errorf("%s: %v, want %d without a candidate and %d without a key", key, dropped, alone, nowhere)
		}
		c := pipelinetest.Parse[mine.Config](t, append(args, "--target-documents", germanPages)...)
		if err := pipelinetest.Fails(t, c, pipelinetest.Settings(1)); !strings.Contains(err.Error(), "are not of the documents in") {
			t.Error(err)
		}
	}
}
