package torchverbs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

// Whatever is wrong with one of the datasets, of whichever period and place, is told
// before anything is written, and all of it at once.
func TestTrainChecksEveryDataset(t *testing.T) {
	c := newCorpus(t)
	c.vocabulary = vocabularyWith(t, c.vocabulary, "Word") // fits either case
	c.consecutive = examplesOf(t, c.vocabulary, "--documents", c.documents, "--mode=sentence", "--min-tokens=4", "--max-tokens=24")
	c.bitext = examplesOf(t, c.vocabulary, "--pairs", c.pairs, "--mask=trainer", "--max-tokens=24")
	cased := examplesOf(t, c.vocabulary, "--pairs", c.pairs, "--mask=trainer", "--max-tokens=24", "--cased")
	other := examplesOf(t, vocabularyWith(t, c.vocabulary, "another"), "--pairs", c.pairs, "--mask=trainer", "--max-tokens=24")
	empty := datasettest.Write(t, nil, []schemas.Example{})
	word := strings.Fields(pipelinetest.Sentence("deu", 0))[0]
	var views []schemas.Pair
	for i := range 40 {
		p := schemas.Pair{ID: schemas.DerivedID("view", fmt.Sprint(i)), Kind: schemas.KindView, Origin: "test", LanguageA: "eng",
			LanguageB: "eng", TextA: pipelinetest.Sentence("eng", i), TextB: word}
		if i < 19 {
			p.TextB = pipelinetest.Sentence("eng", 100+i)
		}
		views = append(views, p)
	}
	var alike []schemas.Pair
	for i := range 20 {
		alike = append(alike, schemas.Pair{ID: schemas.DerivedID("nli", fmt.Sprint(i)), Kind: schemas.KindNLI, Origin: "test",
			LanguageA: "eng", LanguageB: "eng", TextA: pipelinetest.Sentence("eng", i), TextB: pipelinetest.Sentence("eng", 100+i),
			Label: "neutral"})
	}
	group := uint64(7)
	var grouped, same []schemas.Pair
	for i := range 20 {
		p := schemas.Pair{ID: schemas.DerivedID("view", "group", fmt.Sprint(i)), Kind: schemas.KindView, Origin: "test", LanguageA: "eng",
			LanguageB: "eng", TextA: pipelinetest.Sentence("eng", i), TextB: pipelinetest.Sentence("eng", 100+i), Group: &group}
		grouped = append(grouped, p)
		p.Group, p.TextA, p.TextB, p.ID = nil, pipelinetest.Sentence("eng", 1), pipelinetest.Sentence("eng", 1),
			schemas.DerivedID("view", "same", fmt.Sprint(i))
		same = append(same, p)
	}
	oneGroup := examplesOf(t, c.vocabulary, "--pairs", datasettest.Write(t, nil, grouped), "--max-tokens=24")
	oneText := examplesOf(t, c.vocabulary, "--pairs", datasettest.Write(t, nil, same), "--max-tokens=24")
	oneClass := examplesOf(t, c.vocabulary, "--pairs", datasettest.Write(t, nil, alike), "--max-tokens=24")
	broken := examplesOf(t, c.vocabulary, "--pairs", datasettest.Write(t, nil, views), "--max-tokens=24")
	absent := filepath.Join(t.TempDir(), "absent")
	tests := []struct {
		name, args string
		want       []string
	}{
		{"the kind of the second", "--preset=br --bitext=" + c.bitext + "," + c.consecutive,
			[]string{"dataset " + c.consecutive + " holds examples of the kind consecutive, bitext takes"}},
		{"the kind of the third of a later period", "--preset=cmlm-then-cmlm+br --examples=" + c.consecutive + " --bitext=" + c.bitext +
			"," + c.bitext + "/," + c.consecutive,
			[]string{"dataset " + c.consecutive + " holds examples of the kind consecutive, bitext takes"}},
		{"one dataset for both", "--preset=cmlm+br --examples=" + c.consecutive + " --bitext=" + c.consecutive,
			[]string{"dataset " + c.consecutive + " holds examples of the kind consecutive, bitext takes"}},
		{"the vocabulary of the second", "--preset=br --bitext=" + c.bitext + "," + other,
			[]string{"dataset " + other + " was made with the vocabulary"}},
		{"the case of the second", "--preset=br --bitext=" + c.bitext + "," + cased,
			[]string{"dataset " + cased + " holds examples of cased text"}},
		{"an empty one", "--preset=br --bitext=" + c.bitext + "," + empty, []string{"dataset " + empty + " is empty"}},
		{"views that are one word", "--preset=bsl --bitext=" + c.bitext + "," + broken,
			[]string{"dataset " + broken + ": the second side of 21 of the first 40 examples is the same, \"" + strings.ToLower(word) +
				"\": look at the pairs"}},
		{"one class", "--preset=nli --bitext=" + oneClass,
			[]string{"dataset " + oneClass + ": all examples have the label neutral, from which nli learns nothing"}},
		{"one group", "--preset=contrastive --bitext=" + oneGroup,
			[]string{"dataset " + oneGroup +
				": all examples are of one group, or of the same texts, so none is a negative of another, from which contrastive learns"}},
		{"one group of bitext", "--preset=br --bitext=" + oneGroup, []string{"dataset " + oneGroup + ": all examples are of one group"}},
		{"one text", "--preset=br --bitext=" + oneText,
			[]string{"dataset " + oneText + ": all examples are of one group, or of the same texts"}},
		{"another schema", "--preset=br --bitext=" + c.bitext + "," + c.pairs, []string{c.pairs, "holds rows of pair v1"}},
		{"all at once", "--preset=cmlm+br --examples=" + c.bitext + " --bitext=" + c.bitext + "," + absent + "," + cased + "," + other +
			"," + c.consecutive, []string{
			"dataset " + c.bitext + " holds examples of the kind bitext, cmlm takes", absent,
			"dataset " + cased + " holds examples of cased text", "dataset " + other + " was made with the vocabulary",
			"dataset " + c.consecutive + " holds examples of the kind consecutive, bitext takes",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			var stderr bytes.Buffer
			p := program()
			p.Stderr = &stderr
			args := append([]string{"train", "--out=" + out, "--vocabulary=" + c.vocabulary, "--layers=1", "--hidden=16", "--heads=2",
				"--positions=48"}, strings.Fields(test.args)...)
			if code := p.ExitCode(t.Context(), p.Execute(t.Context(), args)); code != 1 {
				t.Errorf("exit code %d", code)
			}
			for _, want := range test.want {
				if strings.Count(stderr.String(), want) != 1 {
					t.Errorf("%q does not occur once in\n%s", want, stderr.String())
				}
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("the output was made")
			}
		})
	}
}

// vocabularyWith has one piece more.
func vocabularyWith(t *testing.T, path, piece string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "vocab.txt", string(content)+piece+"\n")
}

// A language whose script the vocabulary does not have is told, whatever is beside it; a few emoji are not.
func TestTrainNotesUnknownTokens(t *testing.T) {
	c := newCorpus(t)
	noted := func(text string) string {
		var list []schemas.Pair
		for i := range 40 {
			p := schemas.Pair{ID: schemas.DerivedID("foreign", fmt.Sprint(i)), Kind: schemas.KindBitext, Origin: "test", LanguageA: "eng",
				LanguageB: "ell", TextA: pipelinetest.Sentence("eng", i), TextB: pipelinetest.Sentence("deu", i)}
			if i >= 20 {
				p.TextB = text + fmt.Sprint(" ", i)
			}
			list = append(list, p)
		}
		var stderr bytes.Buffer
		p := program()
		p.Stderr = &stderr
		examples := examplesOf(t, c.vocabulary, "--pairs", datasettest.Write(t, nil, list), "--max-tokens=24")
		p.ExitCode(t.Context(), p.Execute(
			t.Context(), []string{"train", "--out=" + filepath.Join(t.TempDir(), "out"), "--vocabulary=" + c.vocabulary, "--layers=1",
				"--hidden=16", "--heads=2", "--positions=48", "--preset=br", "--bitext=" + examples, "--bitext-batch=4", "--steps=1"}))
		return stderr.String()
	}
	const note = " % of the tokens of ell are [UNK], since the vocabulary has no pieces for their words; little is learned from them"
	if got := noted("Ένα κείμενο με άλλα γράμματα και όχι με αυτά που έμαθε"); strings.Count(got, note) != 1 ||
		strings.Contains(got, "tokens of eng") {
		t.Error(got)
	}
	if got := noted(pipelinetest.Sentence("deu", 7) + " 🎉"); strings.Contains(got, "[UNK]") {
		t.Error(got)
	}
}
