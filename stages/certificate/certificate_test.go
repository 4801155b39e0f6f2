package certificate_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/certificate"
	"sentweave/stages/model"
	"sentweave/transforms/filters/blocklist"
	"sentweave/transforms/tokens/wordpiece"
)

// archive is a folder of datasets, each named for what is made of it.
type archive struct {
	*testing.T
	root   string
	checks map[string]string
}

// write writes a dataset that was made of others, by their names.
func write[R schemas.Row](a archive, name string, inputs []string, shards ...[]R) {
	a.Helper()
	draft := dataset.Draft{Config: name}
	for _, input := range inputs {
		draft.Inputs = append(draft.Inputs, dataset.Input{Role: input, XXH3: a.checks[input]})
	}
	location := datasettest.WriteDraft(a, draft, shards...)
	_, m, err := dataset.Open(a.Context(), location)
	if err == nil {
		err = os.Rename(location, filepath.Join(a.root, name))
	}
	if err != nil {
		a.Fatal(err)
	}
	a.checks[name] = m.Check
}

// reject writes a dataset of documents that has dropped one, and keeps a sample of it.
func (a archive) reject(name, input string, d schemas.Document) {
	const step, reason = "filter", "short"
	folder, units := storage.NewLocal(a.at(name)), []dataset.Unit{{}}
	plan, err := dataset.Draft{Pipeline: "test", PipelineVersion: 1, Schema: d.Schema(), Config: name, ShardBytes: 1, Units: units,
		Inputs: []dataset.Input{{Role: input, XXH3: a.checks[input]}}}.Plan()
	if err == nil {
		_, err = plan.Create(a.Context(), folder, units)
	}
	if err != nil {
		a.Fatal(err)
	}
	attempt, err := dataset.Begin[schemas.Document](folder, plan, 0, dataset.NewChain("documents", step))
	if err != nil {
		a.Fatal(err)
	}
	attempt.Rejects().Add(schemas.Reject{Step: step, Reason: reason, ID: d.ID, Language: d.Language, Sample: "text"})
	if err := errors.Join(attempt.Funnel().Drop("documents", d.Language, step, reason, 1), attempt.Commit(a.Context())); err != nil {
		a.Fatal(err)
	}
	if _, err := plan.Finalize(a.Context(), folder); err != nil {
		a.Fatal(err)
	}
}

func (a archive) at(name string) string { return filepath.Join(a.root, name) }

// flip changes a byte of the first rows of a dataset.
func (a archive) flip(name string) {
	path := filepath.Join(a.at(name), filepath.FromSlash(dataset.ShardName(0)))
	data, err := os.ReadFile(path)
	if err == nil {
		data[20] ^= 1
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		a.Fatal(err)
	}
}

func (a archive) file(name, text string) {
	storagetest.WriteFiles(a, a.root, map[string]string{name: text})
}

func documents(numbers ...int) (list []schemas.Document) {
	for _, i := range numbers {
		list = append(list, schemas.Document{ID: fmt.Sprintf("%032x", i), Source: "s", Language: "eng",
			URL: fmt.Sprintf("https://example.org/%d", i)})
	}
	return list
}

func pairOf(i int, a, b string) schemas.Pair {
	return schemas.Pair{ID: fmt.Sprintf("%032x", 100+i), Kind: schemas.KindBitext, TextA: "a", TextB: "b", LanguageA: "eng",
		LanguageB: "deu", DocumentA: a, DocumentB: b}
}

func exampleOf(i int) schemas.Example {
	return schemas.Example{ID: fmt.Sprintf("%032x", i), Kind: schemas.KindSingle, LanguageA: "eng", TokensA: []int32{1}, LengthA: 1}
}

func embeddingOf(id string) schemas.Embedding {
	return schemas.Embedding{ID: id, Language: "eng", Vector: []float32{1}}
}

// The certificate names all that has the rows, through identities as far as rows have them, and what may have learned of them.
func TestRelated(t *testing.T) {
	a := archive{t, t.TempDir(), map[string]string{}}
	id := func(i int) string { return documents(i)[0].ID }
	write(a, "documents", nil, documents(1, 2), documents(3, 4))
	write(a, "survivors", []string{"documents"}, documents(1), documents(2), documents(3))
	write(a, "sibling", []string{"documents"}, documents(3, 4)) // without the page
	write(a, "pairs", []string{"survivors"}, []schemas.Pair{pairOf(1, id(1), id(3)), pairOf(2, id(2), id(3)), pairOf(3, id(3), id(2))})
	write(a, "others", []string{"survivors"}, []schemas.Pair{pairOf(7, id(1), ""), pairOf(8, "", "")})
	write(a, "other-examples", []string{"others"}, []schemas.Example{exampleOf(108)})
	write(a, "flipped", []string{"survivors"}, []schemas.Pair{pairOf(9, id(2), id(3))})
	write(a, "flipped-examples", []string{"flipped"}, []schemas.Example{exampleOf(109)})
	write(a, "clean", []string{"pairs"}, []schemas.Pair{pairOf(1, id(1), id(3))})
	write(a, "examples", []string{"pairs"}, []schemas.Example{exampleOf(101), exampleOf(102)})
	write(a, "clean-examples", []string{"clean"}, []schemas.Example{exampleOf(101)})
	write(a, "document-examples", []string{"survivors"}, []schemas.Example{exampleOf(900)})
	write(a, "vectors", []string{"survivors"},
		[]schemas.Embedding{embeddingOf(id(2) + "/0"), embeddingOf(id(2) + "/1"), embeddingOf(id(1) + "/0")})
	write(a, "pair-vectors", []string{"pairs"}, []schemas.Embedding{embeddingOf(pairOf(3, "", "").ID + "/a")})
	write(a, "counts", []string{"survivors"}, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}})
	write(a, "clean-counts", []string{"sibling"}, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}})
	write(a, "unrelated", nil, documents(2, 5))
	a.reject("rejecting", "documents", documents(2)[0])
	for name, input := range map[string]string{"encoder": "examples", "clean-encoder": "clean-examples", "encoder.train": "examples"} {
		position := `{"source": "cmlm", "epoch": 1, "batch": 3}`
		if name == "encoder.train" {
			position = `{"source": "cmlm", "epoch": 0, "batch": 3}`
		}
		a.file(name+"/training.json", `{"period": "first", "positions": [`+position+`], "inputs": [{"role": "first/cmlm", "xxh3": "`+
			a.checks[input]+`"}]}`)
		if name != "encoder.train" {
			a.file(name+"/config.json", "{}")
			a.file(name+"/model.safetensors", name)
		}
	}
	a.file("copy/init.json", `{"from": "`+encoderHash(t, a.at("encoder"))+`"}`)
	a.file("copy/config.json", "{}")
	const words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n"
	v, err := wordpiece.ReadVocabulary(strings.NewReader(words))
	if err != nil {
		t.Fatal(err)
	}
	sum := xxh3.HashString128(v.Content()).Bytes()
	for _, name := range []string{"vocabulary", "vocabulary-copy"} {
		a.file(name+"/vocab.txt", words)
		a.file(name+"/vocab.json", fmt.Sprintf(`{"stage": "vocab", "input": {"xxh3": "%s"}, "hash": "%x"}`, a.checks["counts"], sum))
	}
	a.flip("flipped")
	a.file("unfinished/_run/plan.json", "{}")
	a.file("damaged/manifest.json", "{")
	a.file("copy/model.safetensors", "encoder")

	list, err := blocklist.ReadPages(strings.NewReader("https://example.org/2/\n"))
	if err != nil {
		t.Fatal(err)
	}
	draft := dataset.Draft{Inputs: []dataset.Input{{Role: "documents", XXH3: a.checks["survivors"]}}}
	to := datasettest.WriteDraft(t, draft, documents(1), nil, documents(3))
	c, err := certificate.Issue(t.Context(),
		certificate.Erasure{Kind: "urls", List: list, From: a.at("survivors"), To: to,
			Search: []string{a.root, a.at("survivors"), a.root + "/"}})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	for _, r := range c.Related {
		if verdicts[filepath.Base(r.Path)] != "" {
			t.Errorf("%s is there twice", r.Path)
		}
		verdicts[filepath.Base(r.Path)] = fmt.Sprintf("%s %s %d", r.Kind, r.Verdict, r.Rows)
	}
	if diff := cmp.Diff(map[string]string{
		"documents": "document has rows 1", "survivors": "document has rows 1",
		"sibling": "document has none 0", "rejecting": "document may have 0",
		"pairs":  "pair has rows 2",
		"others": "pair may have 0", "other-examples": "example may have 0", "flipped": "pair may have 0",
		"flipped-examples": "example may have 0", "clean": "pair has none 0", "examples": "example has rows 1",
		"clean-examples":    "example has none 0",
		"document-examples": "example may have 0", "vectors": "embedding has rows 2", "pair-vectors": "embedding has rows 1",
		"counts": "wordcount may have 0", "clean-counts": "wordcount has none 0", "encoder": "encoder learned of them 0",
		"clean-encoder": "encoder has none 0", "encoder.train": "training may have 0", "copy": "encoder may have 0",
		"vocabulary": "vocabulary may have 0", "vocabulary-copy": "vocabulary may have 0",
		"unfinished": "unreadable dataset may have 0", "damaged": "unreadable dataset may have 0",
	}, verdicts); diff != "" {
		t.Error(diff)
	}
	if c.Rows != 1 || c.Kept != 2 || c.Rewritten != 0 || c.Gone != 1 {
		t.Errorf("%+v", c)
	}
}

// What is made of the dataset that was read is related, wherever that lies, and what names no rows may have some.
func TestRelatedElsewhere(t *testing.T) {
	a := archive{t, t.TempDir(), map[string]string{}}
	write(a, "documents", nil, documents(1, 2))
	elsewhere := archive{t, t.TempDir(), a.checks}
	write(elsewhere, "counts", []string{"documents"}, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}})
	write(elsewhere, "more-counts", []string{"counts"}, []schemas.WordCount{{Word: "b", Language: "eng", Count: 1}})
	list, err := blocklist.ReadPages(strings.NewReader("https://example.org/2\n"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := certificate.Issue(t.Context(), certificate.Erasure{Kind: "urls", List: list, From: a.at("documents"),
		To: datasettest.Write(t, nil, documents(1)), Search: []string{elsewhere.root}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"counts may have", "documents has rows", "more-counts may have"}
	var got []string
	for _, r := range c.Related {
		got = append(got, filepath.Base(r.Path)+" "+r.Verdict)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func encoderHash(t *testing.T, location string) string {
	t.Helper()
	input, err := model.Input(t.Context(), "model", location)
	if err != nil {
		t.Fatal(err)
	}
	return input.XXH3
}

// Nothing is certified while a listed row is there, and a certificate that was edited, is of another dataset or is missing is a fault.
func TestVerify(t *testing.T) {
	list, err := blocklist.ReadPages(strings.NewReader("https://example.org/2\n"))
	if err != nil {
		t.Fatal(err)
	}
	from := datasettest.Write(t, nil, documents(1, 2))
	_, before, err := dataset.Open(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	inputs := []dataset.Input{{Role: "documents", XXH3: before.Check}, {Role: "list", XXH3: dataset.HashString(list.XXH3())}}
	to := datasettest.WriteDraft(t, dataset.Draft{Inputs: inputs}, documents(1))
	e := certificate.Erasure{Kind: "urls", List: list, From: from, To: from}
	if _, err := certificate.Issue(t.Context(), e); err == nil || !strings.Contains(err.Error(), "still has 1 row on") {
		t.Error(err)
	}
	e.To = to
	if _, err := certificate.Issue(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	folder := storage.NewLocal(to)
	m, err := dataset.Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(l *blocklist.List) string {
		_, err := certificate.Verify(t.Context(), folder, m, "urls", l)
		return fmt.Sprint(err)
	}
	// The funnel of datasettest drops nothing, which is one fault that all have.
	const always = "erasure.json: corrupt: 1 rows are gone, the funnel drops 0"
	if got := verify(list); got != always {
		t.Error(got)
	}
	another, _ := blocklist.ReadPages(strings.NewReader("https://example.org/1\n"))
	if got := verify(another); !strings.Contains(got, "another list was erased") {
		t.Error(got)
	}
	good, err := os.ReadFile(filepath.Join(to, dataset.CertificateName))
	if err != nil {
		t.Fatal(err)
	}
	for edit, want := range map[string]string{`"rows": 1,`: "its check is", "": "no such file"} {
		os.Remove(filepath.Join(to, dataset.CertificateName))
		if edit != "" {
			edited := strings.Replace(string(good), edit, `"rows": 0,`, 1)
			if err := os.WriteFile(filepath.Join(to, dataset.CertificateName), []byte(edited), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := verify(nil); !strings.Contains(got, want) || !strings.Contains(got, "corrupt") {
			t.Errorf("%q: %s", edit, got)
		}
	}
	if err := os.WriteFile(filepath.Join(to, dataset.CertificateName), good, 0o666); err != nil {
		t.Fatal(err)
	}
	m.Rows++
	got := verify(nil)
	if !strings.Contains(got, "it is of another dataset") || !strings.Contains(got, "1 of 2 rows are gone, and 2 are left") {
		t.Error(got)
	}
}
