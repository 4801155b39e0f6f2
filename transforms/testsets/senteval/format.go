package senteval

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas"
	"sentweave/transforms/testsets/benchmark"
)

// ErrPlace marks rows of which a file cannot be made, since one of them is not there, or
// is there twice.
var ErrPlace = errors.New("is missing or occurs twice: rows keep their places, so that labels do")

// shim is a Python module that makes SentEval read FormUTF8: Write puts it into the
// folder as senteval_utf8.py.
//
//go:embed senteval_utf8.py
var shim []byte

// ShimName is the name of the shim in a folder of FormUTF8.
const ShimName = "senteval_utf8.py"

// guideName is the name of the text of Guide.
const guideName = "README.txt"

// Format says how a folder is written.
type Format struct {
	Form    Form
	Spacing Spacing
	// Partial writes files with other numbers of rows than SentEval's.
	Partial bool
}

// Validate returns all faults at once.
func (f Format) Validate() error {
	if f.Form == "" || f.Spacing == "" {
		return fmt.Errorf("form %q and spacing %q must be set", f.Form, f.Spacing)
	}
	return errors.Join(f.Form.validate(), f.Spacing.validate())
}

// Write returns the files of a task, made of all its rows in one language, in any
// order. Texts are cleaned (benchmark.Clean). Labels and scores come from the rows. What
// rows do not keep and SentEval does not read is made up: ids of MRPC and SICK, where rows
// have none, are ordinals, the columns of STS-B before the score its split and ordinal.
//
// A text that is empty in the source too is written as a full stop where SentEval's
// loader would stop at the line: its batchers take that for an empty sentence.
//
// Errors name file and row: a row that is missing, occurs twice, is not of the task or
// not valid; rows of two languages; a text without characters whose original has some;
// unless Partial, another number of rows than SentEval has. Source.Read gives the rows
// back, but for originals and folds, with cleaned texts.
func (w Format) Write(t Task, rows []schemas.Benchmark) (files []benchmark.File, err error) {
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("write %s: %w", t.Name, err)
	}
	byFile, err := t.byFile(rows)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", t.Name, err)
	}
	for _, f := range t.Files {
		names := f.names()
		data := make([]bytes.Buffer, len(names))
		err := w.lines(t, f, byFile[f.Name], func(_ int, lines [][]byte) {
			for i, line := range lines {
				data[i].Write(line)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", t.Name, err)
		}
		for i, name := range names {
			files = append(files, benchmark.File{Name: name, Data: data[i].Bytes()})
		}
	}
	return files, nil
}

// byFile sorts rows into the files of the task, by their ordinals.
func (t Task) byFile(rows []schemas.Benchmark) (map[string][]*schemas.Benchmark, error) {
	byFile := map[string][]*schemas.Benchmark{}
	for i := range rows {
		r := &rows[i]
		listed := slices.ContainsFunc(t.Files, func(f File) bool { return f.Name == r.File })
		switch err := r.Validate(); {
		case err != nil:
			return nil, fmt.Errorf("%s row %d: %w", r.File, r.Row, err)
		case r.Task != t.Name || !listed:
			return nil, fmt.Errorf("row %d of task %q and file %q is not of this task", r.Row, r.Task, r.File)
		case r.LanguageA != rows[0].LanguageA || r.LanguageB != "" && r.LanguageB != rows[0].LanguageA:
			return nil, fmt.Errorf("%s row %d is in %q and %q, others in %q: write a folder for each language",
				r.File, r.Row, r.LanguageA, r.LanguageB, rows[0].LanguageA)
		}
		byFile[r.File] = append(byFile[r.File], r)
	}
	for _, list := range byFile {
		slices.SortStableFunc(list, func(a, b *schemas.Benchmark) int { return int(a.Row) - int(b.Row) })
	}
	return byFile, nil
}

// lines gives the lines of a file and of those that go with it (File.names), with their
// ends: line i of each at a time, from 0, a header first. They are good until visit
// returns. An error comes after the lines before it.
func (w Format) lines(t Task, f File, rows []*schemas.Benchmark, visit func(i int, lines [][]byte)) error {
	writer, gold, header := lineWriter{format: w, task: t, file: f}, 0, 0
	if t.hasHeader() {
		header = 1
		visit(0, [][]byte{[]byte(headers[t.kind] + "\n")})
	}
	for i, r := range rows {
		if int(r.Row) != i {
			return fmt.Errorf("%s: row %d %w", f.Name, min(i, int(r.Row)), ErrPlace)
		}
		lines, err := writer.row(*r)
		if err != nil {
			return fmt.Errorf("%s row %d: %w", f.Name, i, err)
		}
		if !r.Skip {
			gold++
		}
		visit(i+header, lines)
	}
	if len(rows) == 0 {
		return fmt.Errorf("no row of %s", f.Name)
	}
	if gold != f.Rows && !w.Partial {
		return fmt.Errorf("%s has %d rows with gold, SentEval's has %d", f.Name, gold, f.Rows)
	}
	return nil
}

// lineWriter writes rows of one file as lines.
type lineWriter struct {
	format              Format
	task                Task
	file                File
	main, texts, scores bytes.Buffer // one line
}

// text writes a text as one field of one line.
func (w Format) text(text string) string {
	text = benchmark.Clean(text)
	if w.Spacing == SpacingCharacters {
		text = benchmark.Characters(text)
	}
	if w.Form == FormReferences {
		text = escape(text)
	}
	return text
}

// row returns a line of each file, which are good until the next.
func (w *lineWriter) row(r schemas.Benchmark) ([][]byte, error) {
	a, b := w.format.text(r.TextA), w.format.text(r.TextB)
	// A text may be empty where the source's is; one of control characters is none.
	lost := a == "" && benchmark.Clean(r.OriginalA) != "" || b == "" && benchmark.Clean(r.OriginalB) != ""
	filledA, filledB := w.task.fill(r, a, b)
	if lost || filledA != a && r.TextA != "" || filledB != b && r.TextB != "" {
		return nil, errors.New("a text is empty")
	}
	a, b = filledA, filledB
	if !w.task.Pairs() && b != "" {
		return nil, fmt.Errorf("the task has one text, the row has text_b %q", r.TextB)
	}
	label, score, err := w.goldOf(r)
	if err != nil {
		return nil, err
	}
	w.main.Reset()
	w.texts.Reset()
	w.scores.Reset()
	ordinal := r.Row + 1
	switch w.task.kind {
	case kindLines:
		fmt.Fprintf(&w.main, "%s\n", a)
	case kindSST2:
		fmt.Fprintf(&w.main, "%s\t%s\n", a, label)
	case kindSST5, kindTREC:
		fmt.Fprintf(&w.main, "%s %s\n", label, a)
	case kindMRPC:
		fmt.Fprintf(&w.main, "%s\t%s\t%s\t%s\t%s\n", label, w.key(r.KeyA, 2*ordinal-1), w.key(r.KeyB, 2*ordinal), a, b)
	case kindSICK:
		fmt.Fprintf(&w.main, "%s\t%s\t%s\t%s\t%s\n", w.key(r.KeyA, ordinal), a, b, score, strings.ToUpper(label))
	case kindSTSB:
		fmt.Fprintf(&w.main, "%s\t%s\t%s\t%04d\t%s\t%s\t%s\n", w.task.Name, w.file.Split, r.LanguageA, r.Row, score, a, b)
	case kindSTS:
		fmt.Fprintf(&w.main, "%s\t%s\n", a, b)
		fmt.Fprintf(&w.scores, "%s\n", score)
	case kindSNLI:
		if r.Skip {
			label = "-"
		}
		fmt.Fprintf(&w.main, "%s\n", a)
		fmt.Fprintf(&w.texts, "%s\n", b)
		fmt.Fprintf(&w.scores, "%s\n", label)
	}
	lines := [][]byte{w.main.Bytes()}
	if w.file.texts != "" {
		lines = append(lines, w.texts.Bytes())
	}
	if w.file.gold != "" {
		lines = append(lines, w.scores.Bytes())
	}
	return lines, nil
}

// key returns the source's name of a text as one field, or a number in its place.
func (w *lineWriter) key(name string, number int32) string {
	if name = benchmark.Clean(name); name == "" {
		return strconv.Itoa(int(number))
	}
	if w.format.Form == FormReferences {
		name = escape(name)
	}
	return name
}

// goldOf returns what stands for label and score.
func (w *lineWriter) goldOf(r schemas.Benchmark) (label, score string, err error) {
	if r.Skip {
		if w.task.kind != kindSTS && w.task.kind != kindSNLI {
			return "", "", errors.New("the row has no gold, for which the files of this task have no form")
		}
		return "", "", nil
	}
	if w.task.Classes != nil {
		if _, ok := w.task.Class(r.Label); !ok {
			return "", "", fmt.Errorf("label %q is not one of %q", r.Label, w.task.Classes)
		}
		if w.task.kind == kindLines && r.Label != w.file.label {
			return "", "", fmt.Errorf("label %q is in the file of label %q", r.Label, w.file.label)
		}
		if !isPlain(r.Label) {
			return "", "", fmt.Errorf("label %q is not one word of ASCII", r.Label)
		}
	}
	if w.task.High > 0 {
		if r.Target == nil {
			return "", "", errors.New("the row has no score")
		}
		score = number(*r.Target)
	}
	return r.Label, score, nil
}

// Guide returns the files of a folder that are not a task's: README.txt, which says how
// SentEval reads it, and the shim where it is needed.
func (w Format) Guide(languageName string) ([]benchmark.File, error) {
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("write guide: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "SentEval in %s: the files of data/downstream.\n\n", benchmark.Clean(languageName))
	switch w.Form {
	case FormReferences:
		b.WriteString("The files are ASCII: other characters are references such as &#1093;, so that SentEval's loaders,\nwhich read some files as Latin-1, give every row, label and word as it should be. Your batcher must\nundo them in each word, for every task:\n\n    import html\n    batch = [[html.unescape(word) for word in sentence] for sentence in batch]\n")
	default:
		fmt.Fprintf(&b, "The files are UTF-8. SentEval reads MR, CR, SUBJ, MPQA, TREC and SNLI as Latin-1 and would silently\ncut rows in two: import %s before you evaluate. It changes nothing but that.\n",
			strings.TrimSuffix(ShimName, ".py"))
	}
	b.WriteString("\nTexts are as a translator gives them, not tokenised: join the words of a sentence by spaces.\n")
	if w.Spacing == SpacingCharacters {
		b.WriteString("Characters of scripts without spaces are words of their own, and a space of the text is the word U+2581:\nremove all spaces, then replace U+2581 by a space.\n")
	}
	b.WriteString("What SentEval does not read is made up: the genre, file, year and id of STS-B.\nScores are written as numbers: 4.4 where the source has 4.400. A sentence that is empty in the source\nis a full stop where SentEval's loader could not read the line.\n")
	b.WriteString("STS12 to STS16 need NumPy before 1.24: SentEval makes arrays of lists of unequal lengths, which later ones refuse.\n")
	files := []benchmark.File{{Name: guideName, Data: []byte(b.String())}}
	if w.Form == FormUTF8 {
		files = append(files, benchmark.File{Name: ShimName, Data: shim})
	}
	return files, nil
}
