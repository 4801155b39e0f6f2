package corpus

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/report/markup"
	"sentweave/stages/report/markup/markuptest"
)

// written makes a dataset with shards of documents, and with dropped ones, each of the language of its sample.
func written(t *testing.T, name string, shards [][]schemas.Document, dropped ...schemas.Reject) Dataset {
	t.Helper()
	folder := storage.NewLocal(t.TempDir())
	units := make([]dataset.Unit, len(shards))
	for i := range units {
		units[i].Ordinal = i
	}
	plan, err := dataset.Draft{Pipeline: "test", PipelineVersion: 1, Schema: schemas.Document{}.Schema(), Config: struct{}{}, ShardBytes: 1,
		Units: units}.Plan()
	if err == nil {
		_, err = plan.Create(t.Context(), folder, units)
	}
	for i, rows := range shards {
		a, beginErr := dataset.Begin[schemas.Document](folder, plan, i, dataset.NewChain("documents", "read", "quality"))
		if err = errors.Join(err, beginErr); err != nil {
			t.Fatal(err)
		}
		for _, d := range rows {
			err = errors.Join(err, a.Write(t.Context(), d), a.Funnel().Keep("documents", d.Language, 1))
		}
		if i == 0 {
			for _, r := range dropped {
				a.Rejects().Add(r)
				err = errors.Join(err, a.Funnel().Drop("documents", r.Language, r.Step, r.Reason, 1))
			}
		}
		err = errors.Join(err, a.Commit(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := plan.Finalize(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return Dataset{name, folder, m}
}

// document has sentences, and a name as its identity.
func document(name, language, address string, texts ...string) schemas.Document {
	d := schemas.Document{ID: schemas.ID(name, 0), Source: name, Language: language, LanguageScore: .75, URL: address}
	for i, text := range texts {
		d.Sentences = append(d.Sentences, schemas.Sentence{Text: text, Language: language, Position: int32(i)})
	}
	return d
}

func documents() []schemas.Document {
	a := document("a", "eng", "https://www.Example.org/a", "Abc.", "Défi!")
	a.Date, a.License = time.Date(2024, 5, 31, 23, 59, 59, 0, time.UTC).UnixMilli(), "cc-by-4.0"
	a.SetScore(schemas.ClusterScore, 3)
	b := document("b", "eng", "http://shop.example.org:8080/?x", "Four.")
	b.Date = time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	b.SetScore(schemas.ClusterScore, 1)
	c := document("c", "deu", "", "Eins.", "Zwei.", "Drei.")
	c.License, c.OptOut = markuptest.Nasty, "noai,tdm-reservation"
	c.SetScore(schemas.ClusterScore, 1)
	return []schemas.Document{a, b, c, document("d", "deu", "https://a.example.co.uk/", "Vier.")}
}

func rejects() (list []schemas.Reject) {
	for _, name := range []string{"p", "q", "r"} {
		list = append(list, schemas.Reject{ID: schemas.ID(name, 0), Source: name, Step: "quality", Reason: "short", Language: "eng",
			Detail: "3", Sample: markuptest.Nasty})
	}
	return append(list, schemas.Reject{ID: schemas.ID("s", 0), Source: "s", Step: "read", Reason: "empty", Language: "fra"})
}

// shown is the page and the table.
func shown(t *testing.T, c *Corpus) (page, table string) {
	t.Helper()
	var html strings.Builder
	data, err := c.CSV()
	if err = errors.Join(err, markup.Write(&html, markup.Report{Title: "t", Facts: c.Facts(), Sections: c.Sections()})); err != nil {
		t.Fatal(err)
	}
	return html.String(), string(data)
}

// The counts are those that were made by hand, hostile texts are escaped, and the order of rows and shards changes nothing.
func TestCorpus(t *testing.T) {
	list := documents()
	line := func(shards ...[]schemas.Document) []Dataset {
		return []Dataset{written(t, "all", [][]schemas.Document{list}, rejects()...), written(t, "clean", shards)}
	}
	c, err := Read(t.Context(), line(list[:3], list[3:]), 2)
	if err != nil {
		t.Fatal(err)
	}
	page, table := shown(t, c)
	for _, want := range []string{
		"funnel,all,documents,read,eng,in,5", "funnel,all,documents,read,fra,empty,1", "funnel,all,documents,quality,eng,short,3",
		"funnel,all,documents,quality,eng,out,2", "funnel,clean,documents,quality,deu,out,2", "size,,documents,,eng,,2",
		"size,,sentences,,deu,,4", "size,,characters,,eng,,14", "size,,characters,,deu,,20",
		"length,,sentences of documents,,,1,2", "length,,sentences of documents,,,2,2", "length,,characters of documents,,,4,2",
		"length,,characters of documents,,,8,2", "length,,characters of sentences,,,4,7",
		"score,,cluster_size,,,documents,3", "score,,cluster_size,,,0.5,1", "score,,cluster_size,,,1,3", "score,,language_score,,,0,0.75",
		"month,,documents,,,2024-05,1", "month,,documents,,,2024-06,1", "month,,documents,,,none,2", "license,,documents,,,cc-by-4.0,1",
		"license,,documents,,,none,2", "opt_out,,documents,,,noai,1", "opt_out,,documents,,,tdm-reservation,1",
		"opt_out,,documents,,,none,3", "domain,,documents,,,example.org,2", "domain,,documents,,,example.co.uk,1",
	} {
		if !strings.Contains(table, "\n"+want+"\n") {
			t.Errorf("the table lacks %q", want)
		}
	}
	for _, want := range []string{"50.0 %", "of 8 documents", "2 domains in all. 1 document has no address.", "2 documents have no date.",
		"&lt;script&gt;", "all: after read", "clean", "French"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(page, "short</td>"); n != 2 {
		t.Errorf("%d rejects are shown of a reason, want 2", n)
	}
	if strings.Contains(page, markuptest.Nasty) {
		t.Error("a text is not escaped")
	}
	markuptest.Check(t, page)

	reversed := slices.Clone(list)
	slices.Reverse(reversed)
	if c, err = Read(t.Context(), line(reversed[:1], reversed[1:2], reversed[2:]), 2); err != nil {
		t.Fatal(err)
	}
	c.bytes = 0
	otherPage, otherTable := shown(t, c)
	if table != otherTable || withoutFacts(page) != withoutFacts(otherPage) {
		t.Error("another order of the rows gives another report")
	}
}

// withoutFacts is a page without the size of the files, which depends on how they are cut.
func withoutFacts(page string) string {
	_, sections, _ := strings.Cut(page, "What came and went")
	return sections
}

// A dataset without documents, and one with more names than any of ours.
func TestOddDatasets(t *testing.T) {
	c, err := Read(t.Context(), []Dataset{written(t, "none", [][]schemas.Document{nil})}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if page, table := shown(t, c); strings.Contains(page, "not a number") || strings.Contains(table, "NaN") {
		t.Error("a share of nothing is shown")
	}
	var names strings.Builder
	for i := range mostNames {
		fmt.Fprintf(&names, ",%d", i)
	}
	odd := document("odd", "eng", "", "Text.")
	odd.OptOut = names.String()
	if _, err := Read(t.Context(), []Dataset{written(t, "odd", [][]schemas.Document{{odd}})}, 3); err == nil ||
		!strings.Contains(err.Error(), "sentweave corpus made no such dataset") {
		t.Errorf("%v, want a refusal of too many names", err)
	}
}
