package benchmarks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/detokenize"
	"sentweave/transforms/testsets/nli"
	"sentweave/transforms/testsets/senteval"
)

// The chain of the funnel and its step.
const (
	// chainItems is the lines of test sets that are not headers.
	chainItems = "items"
	stepRead   = "read"

	// reasonOtherLanguage: not one of the wanted languages.
	reasonOtherLanguage = "other_language"
)

// maxFile bounds a file of SentEval, which is read whole.
const maxFile = 1 << 30

// task reads the files of a unit.
type task struct {
	Config config
	// Input is the folder that the names of the units are relative to, absolute.
	Input string
	// Partial is the configuration's, which keeps it from the plan and so from workers.
	Partial bool
	Seed    uint64

	folder storage.Folder
}

// Setup implements graph.Task.
func (t *task) Setup(context.Context) (err error) {
	t.folder, err = storage.Locate(t.Input)
	return err
}

// Chains implements graph.Task.
func (t *task) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainItems, stepRead)}
}

// Write implements graph.Writer.
func (t *task) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Benchmark]) error {
	w := writer{task: t, attempt: attempt}
	var err error
	if t.Config.Format == formatSentEval {
		err = t.sentEval(ctx, unit.Unit, &w)
	} else {
		err = t.file(ctx, unit.Spans[0], &w)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.folder, w.explain(err))
	}
	return nil
}

// writer takes the records of a unit.
type writer struct {
	task    *task
	attempt *dataset.Attempt[schemas.Benchmark]
	// detokenize is nil where texts stay as they are.
	detokenize *detokenize.Config
	// malformed is the first record that is not a row.
	malformed *benchmark.Record
	// held are the rows that wait for their folds.
	held  []schemas.Benchmark
	holds bool
}

// explain adds to an error of the count, or of a line that is not a row, what that line is,
// and the way out.
func (w *writer) explain(err error) error {
	if !errors.Is(err, errCount) {
		return err
	}
	if w.malformed != nil {
		err = fmt.Errorf("%w; the first line that is not a row: %s line %d: %s: %s", err, w.malformed.Row.File, w.malformed.Line,
			w.malformed.Reason, w.malformed.Detail)
	}
	if w.task.Config.Format == formatTable {
		if w.malformed != nil && w.malformed.Reason == benchmark.ReasonFields && w.task.Config.Separator != "quoted-tab" {
			return fmt.Errorf("%w; --separator says what stands between fields, and whether they may be quoted; --partial takes the others",
				err)
		}
		return fmt.Errorf("%w; --partial takes the others", err)
	}
	return fmt.Errorf("%w; give --partial for a part of the published files", err)
}

// errCount marks another number of rows than a file was published with; errLine, as such
// an error, a line that is not a row where all of them should be.
var (
	errCount = errors.New("the number of rows differs")
	errLine  = fmt.Errorf("%w from that of lines", errCount)
)

func (w *writer) add(ctx context.Context, r benchmark.Record) error {
	if r.Reason != "" {
		if w.malformed == nil {
			w.malformed = &r
		}
		return w.reject(r)
	}
	row := r.Row
	if !w.task.Config.wants(row.LanguageA) {
		r.Reason, r.Detail = reasonOtherLanguage, row.LanguageA
		return w.reject(r)
	}
	w.original(&row)
	if w.holds {
		w.held = append(w.held, row)
		return nil
	}
	return w.write(ctx, row)
}

func (w *writer) write(ctx context.Context, row schemas.Benchmark) error {
	if err := w.attempt.Funnel().Keep(chainItems, row.LanguageA, 1); err != nil {
		return err
	}
	return w.attempt.Write(ctx, row)
}

// original records how a row's texts used capitals and, where they were tokenised,
// keeps them beside the text without that.
func (w *writer) original(row *schemas.Benchmark) {
	for _, side := range [2]struct{ text, original, casing *string }{
		{&row.TextA, &row.OriginalA, &row.CasingA}, {&row.TextB, &row.OriginalB, &row.CasingB},
	} {
		if *side.text == "" {
			continue
		}
		*side.casing = string(detokenize.CasingOf(*side.text))
		if w.detokenize != nil {
			*side.original = *side.text
			*side.text, _ = w.detokenize.Text(*side.text)
		}
	}
}

func (w *writer) reject(r benchmark.Record) error {
	code := cmp.Or(r.Row.LanguageA, "und")
	if err := w.attempt.Funnel().Drop(chainItems, code, stepRead, r.Reason, 1); err != nil {
		return err
	}
	if !w.attempt.Rejects().Wants(stepRead, r.Reason, code, r.Row.ID) {
		return nil
	}
	w.attempt.Rejects().Add(schemas.Reject{
		ID: r.Row.ID, Source: r.Row.File, Offset: int64(r.Row.Row), Step: stepRead, Reason: r.Reason, Language: code,
		Detail: strings.ToValidUTF8(fmt.Sprintf("line %d: %s", r.Line, r.Detail), "\ufffd"),
		Sample: dataset.Sample(strings.ToValidUTF8(strings.TrimSpace(r.Row.TextA+" "+r.Row.TextB), "\ufffd")),
	})
	return nil
}

// sentEval reads a task of SentEval.
func (t *task) sentEval(ctx context.Context, unit dataset.Unit, w *writer) error {
	name := unit.Spans[0].Name
	tasks := senteval.Tasks()
	i := slices.IndexFunc(tasks, func(k senteval.Task) bool { return slices.Contains(k.FileNames(), name) })
	if i < 0 {
		return fmt.Errorf("%s is not a file of SentEval", name)
	}
	k := tasks[i]
	if t.Config.detokenizes() && k.Style != detokenize.None {
		w.detokenize = &detokenize.Config{Style: k.Style, Truecase: k.Lowered}
	}
	w.holds = t.Config.Folds > 0 && k.Files[0].Split == senteval.Pool
	sizes := map[string]int64{}
	for _, span := range unit.Spans {
		sizes[span.Name] = span.To
	}
	load := func(name string) ([]byte, error) {
		data, err := storage.ReadFile(ctx, t.folder, name, maxFile)
		if err == nil && int64(len(data)) != sizes[name] {
			err = changed(name, int64(len(data)), sizes[name])
		}
		return data, err
	}
	gold := map[string]int{}
	source := t.Config.source()
	source.KeepEmpty = t.Partial
	for r, err := range source.Read(k, load) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if r.Reason == "" && !r.Row.Skip {
			gold[r.Row.File]++
		}
		if err := w.add(ctx, r); err != nil {
			return err
		}
	}
	if !t.Partial {
		for _, f := range k.Files {
			if gold[f.Name] != f.Rows {
				return fmt.Errorf("task %s: %w: %s has %d rows with gold, SentEval's has %d", k.Name, errCount, f.Name, gold[f.Name],
					f.Rows)
			}
		}
		if w.malformed != nil { // the rows after it would not be at their places
			return fmt.Errorf("task %s: %w", k.Name, errLine)
		}
	}
	if !w.holds {
		return nil
	}
	if err := senteval.AssignFolds(t.Seed, t.Config.Folds, w.held); err != nil {
		return err
	}
	for _, row := range w.held {
		if err := w.write(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

func changed(name string, size, planned int64) error {
	return fmt.Errorf("%s has %d bytes, and had %d when the job was planned; `sentweave benchmarks` with --overwrite makes the dataset anew",
		name, size, planned)
}

// file reads a table, or a file of JSON lines.
func (t *task) file(ctx context.Context, span dataset.Span, w *writer) error {
	object, err := t.folder.Open(ctx, span.Name)
	if err != nil {
		return err
	}
	defer object.Close()
	if object.Size() != span.To {
		return changed(span.Name, object.Size(), span.To)
	}
	if t.Config.Format == formatTable && t.Config.Tokenized != string(detokenize.None) {
		w.detokenize = &detokenize.Config{Style: detokenize.Style(t.Config.Tokenized), Truecase: true}
	}
	_, extension := compressed.Cut(span.Name)
	content, err := compressed.Open(io.NewSectionReader(object, 0, object.Size()), extension)
	if err != nil {
		return fmt.Errorf("read %s: %w", span.Name, err)
	}
	defer content.Close()
	records, want, err := t.Config.records(span.Name, content)
	if err != nil {
		return err
	}
	n, gold, languages := 0, map[string]int{}, map[string]bool{} // of each language
	for r, err := range records {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if n++; r.Reason == "" && !r.Row.Skip {
			gold[r.Row.LanguageA]++
		}
		if r.Reason == "" {
			languages[r.Row.LanguageA] = true
		}
		if err := w.add(ctx, r); err != nil {
			return err
		}
	}
	if err := t.Config.lacks(languages); err != nil {
		return fmt.Errorf("%s has no row %w", span.Name, err)
	}
	if n == 0 && t.Config.Format == formatTable {
		return fmt.Errorf("%s has no row but its header: leave it out of --files", span.Name)
	}
	if t.Partial {
		return nil
	}
	if err := want.count(span.Name, n, gold); err != nil {
		return err
	}
	if w.malformed != nil {
		return fmt.Errorf("%s: %w", span.Name, errLine)
	}
	return nil
}

// records reads a file, and says how many rows it was published with.
func (c config) records(name string, r io.Reader) (iter.Seq2[benchmark.Record, error], set, error) {
	if c.Format == formatTable {
		columns, err := c.columns()
		return c.table(name, columns).Read(r), set{}, err
	}
	s, ok := c.published(name)
	if !ok {
		return nil, s, fmt.Errorf("%s is not a file of %s", name, c.Format)
	}
	// Files of one corpus have names of their own, so that ids do not depend on the
	// folder that somebody has put them into.
	base := path.Base(name)
	switch c.Format {
	case formatXNLI:
		return nli.XNLI(s.split, base, 0).Read(r), s, nil
	case formatXNLIMT:
		return nli.XNLITranslated(s.language, s.split, base, 0).Read(r), s, nil
	case formatPAWSX:
		return nli.PAWSX(s.language, s.split, tagOf(s.language)+"/"+base, 0).Read(r), s, nil
	}
	if strings.HasSuffix(base, ".jsonl") {
		return nli.ReadJSONL(r, c.Format, s.split, base, 0), s, nil
	}
	return nli.Corpus(c.Format, s.split, base, 0).Read(r), s, nil
}

// tagOf is the name of a language's folder in PAWS-X.
func tagOf(code string) string {
	tag, err := language.BCP47(code)
	if err != nil {
		return code
	}
	return tag
}
