package maincontent

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/lines"
	"sentweave/transforms/clean/maincontent/reference"
	"sentweave/transforms/clean/sentences"
)

func TestBare(t *testing.T) {
	ctx := context.Background()
	bare := load(t, labelledFolder(t, 40)).Bare()
	c := lines.Config()
	c.Trees, c.MinRows, c.Rate = 20, 5, .3
	s, err := bare.Evaluate(ctx, c, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	table := bare.Table(append([]System{s}, bare.Others()...))
	if all := table[0].All; all.Pages != 41 || math.Abs(all.F1-40./41) > 1e-9 {
		t.Errorf("by folds: %+v, want a perfect score of all pages but the one without text", all)
	}
	if all := table[1].All; all.Recall < .97 || all.Precision > .9 {
		t.Errorf("all lines: %+v", all)
	}
	m, err := bare.Train(ctx, -1, lines.Provenance{Data: "made up"}, c)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model")
	if err := WriteModel(ctx, file, m); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadLines(ctx, file); err != nil || got.Hash() != m.Hash() {
		t.Fatal(got, err)
	}
	if _, err := ReadModel(ctx, file); err == nil || !strings.Contains(err.Error(), "not a model of main content") {
		t.Error(err)
	}
	if s, err := bare.Score(ctx, m); err != nil || bare.Rows(s)[0].F1 < .9 {
		t.Error(s, err)
	}
}

// TestJusText: worked out by hand from the rules in jusText's documentation.
func TestJusText(t *testing.T) {
	long, middle, short := strings.Repeat("long text ", 25), strings.Repeat("some text ", 10), "short"
	for _, test := range []struct {
		texts []string
		want  []bool
	}{
		{[]string{long}, []bool{true}},
		{[]string{short, long, short, long, short}, []bool{false, true, true, true, false}},
		{[]string{middle}, []bool{false}},
		{[]string{long, middle}, []bool{true, true}},
		{[]string{short, middle, long}, []bool{false, true, true}},
		{[]string{long, short, middle, "© " + long}, []bool{true, true, true, false}}, // short beside a nearly good line
		{[]string{long, "© " + long}, []bool{true, false}},
	} {
		if got := jusText(test.texts); !slices.Equal(got, test.want) {
			t.Errorf("%.20q: %v, want %v", test.texts, got, test.want)
		}
	}
}

// wcxb is a folder with every nth page of WCXB.
func wcxb(t testing.TB, n int) string {
	t.Helper()
	from, to := filepath.Join(realdata.Folder(t, "wcxb"), "wcxb"), t.TempDir()
	f, err := os.Open(filepath.Join(from, "ground-truth.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<24)
	for i := 0; scanner.Scan(); i++ {
		var l labelled
		if i%n > 0 {
			continue
		}
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("html", l.ID+".html.gz")
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(to, "html"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
		list.Write(scanner.Bytes())
		list.WriteByte('\n')
	}
	write(t, filepath.Join(to, "ground-truth.jsonl"), list.String())
	return to
}

// TestScripts: in the frames of real pages the same share of texts of other scripts is kept as of
// English ones. Each line of main content is replaced by sentences of Tatoeba of the same length in words, as
// package blocks counts them. Some languages have few sentences, and repetition counts: English has no more then.
// The differences were .020 for Thai, .027 for Chinese, .017 for Khmer and .038 for Amharic.
func TestScripts(t *testing.T) {
	bare := load(t, wcxb(t, 12)).Bare()
	m, err := lines.Default()
	if err != nil {
		t.Fatal(err)
	}
	english := sentencesOf(t, "tatoeba.deu-eng.eng")
	var labels [][]float32 // of the pages
	for i, texts := range bare.texts {
		of, _ := reference.Labels(bare.Pages[i].Reference, texts)
		labels = append(labels, of)
	}
	languages := []string{"tha", "amh", "cmn", "khm"}
	if testing.Short() {
		languages = languages[:2]
	}
	for _, language := range languages {
		list := sentencesOf(t, "tatoeba."+language+"-eng."+language)
		n := min(len(list), len(english))
		got, want := share(bare, labels, m, list[:n]), share(bare, labels, m, english[:n])
		t.Logf("%s: %.4f of the words of main content are kept, and of English %.4f", language, got, want)
		if got < want-.05 {
			t.Errorf("%s: %.4f of the words of main content are kept, and of English %.4f", language, got, want)
		}
	}
}

// sentencesOf are the lines of a file of Tatoeba.
func sentencesOf(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(realdata.Folder(t, "tatoeba/"+name), "tatoeba", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// share is how much of main content is kept, by words and then by pages, if its lines are sentences of a list.
func share(bare *Bare, labels [][]float32, m *lines.Model, list []string) float64 {
	next := 0
	words := func(s string) float64 {
		values, _ := blocks.AppendText(nil, nil, s)
		return float64(values[0])
	}
	lengths := make([]float64, len(list))
	for i, text := range list {
		lengths[i] = words(text)
	}
	sum, pages := 0.0, 0.0
	for i, texts := range bare.texts {
		filled := slices.Clone(texts)
		for k, label := range labels[i] {
			if label < .5 {
				continue
			}
			text, n, wanted := list[next%len(list)], lengths[next%len(list)], words(texts[k])
			for next++; n < wanted; next++ {
				text += " " + list[next%len(list)]
				n += lengths[next%len(list)]
			}
			filled[k] = text
		}
		kept, all := 0.0, 0.0
		for k, chosen := range m.Judge(lines.Describe(filled)).Chosen {
			if labels[i][k] >= .5 {
				all += words(filled[k])
				if chosen {
					kept += words(filled[k])
				}
			}
		}
		if all > 0 {
			sum, pages = sum+kept/all, pages+1
		}
	}
	return sum / pages
}

// BenchmarkLines measures how many lines, and sentences in them, the model of the program judges in a second.
func BenchmarkLines(b *testing.B) {
	bare := load(b, wcxb(b, 12)).Bare()
	m, err := lines.Default()
	if err != nil {
		b.Fatal(err)
	}
	count, inside := 0, 0
	for _, texts := range bare.texts {
		count += len(texts)
		for _, text := range texts {
			for range sentences.New("eng").All(text) {
				inside++
			}
		}
	}
	for b.Loop() {
		for _, texts := range bare.texts {
			m.ClassifyLines(texts)
		}
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(count)/seconds, "lines/s")
	b.ReportMetric(float64(inside)/seconds, "sentences/s")
}
