package evaluate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/schemas/yamlfile"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/evaluate/retrieval"
	"sentweave/stages/evaluate/similarity"
	"sentweave/stages/metrics"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// ownTask is a task that a user describes in a YAML file. Files are relative to it.
type ownTask struct {
	Name string `yaml:"name"`
	// Metric is how it is measured: see ownMetrics.
	Metric string `yaml:"metric"`
	// Files are by part, train, dev and test or pool; of retrieval by language, a text a line.
	Files map[string]string `yaml:"files"`
	// Columns are text_a, text_b, score and label, by the names in the first line.
	Columns map[string]string `yaml:"columns"`
	// Language is that of all texts, LanguageB that of second texts, if it is another one.
	Language  string `yaml:"language"`
	LanguageB string `yaml:"language_b"`
	// Quoted says that fields stand between commas and may be quoted; otherwise they stand
	// between tabs, and quotes are text.
	Quoted bool `yaml:"quoted"`
}

// ownMetrics are how a task of one's own is measured, with the columns that each needs.
var ownMetrics = map[string][]string{
	"correlation": {"text_a", "text_b", "score"}, // of scores with cosines
	"classes":     {"text_a", "label"},           // a classifier of texts
	"pairs":       {"text_a", "text_b", "label"}, // a classifier of pairs
	"retrieval":   nil,                           // translations found, in every direction
}

var ownName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// readOwn reads the file of a task.
func readOwn(ctx context.Context, file string) (t ownTask, folder storage.Folder, data []byte, err error) {
	fail := func(err error) (ownTask, storage.Folder, []byte, error) {
		return t, nil, nil, fmt.Errorf("task %s: %w", file, err)
	}
	dir, name, err := storage.Split(file)
	if err != nil {
		return fail(err)
	}
	if folder, err = storage.Locate(dir); err != nil {
		return fail(err)
	}
	if data, err = storage.ReadFile(ctx, folder, name, yamlfile.MaxBytes); err != nil {
		if inside, isFile := os.ReadDir(file); isFile == nil {
			err = folderOfTasks(file, inside)
		} else if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("it does not exist: give --task-files as YAML files")
		}
		return fail(err)
	}
	if err := yamlfile.Decode(file, data, &t); err != nil {
		return t, nil, nil, err // which names the file and the line
	}
	if err := errors.Join(t.canonical(), t.validate()); err != nil {
		return fail(err)
	}
	for _, part := range slices.Sorted(maps.Keys(t.Files)) { // before a message quotes what another user may not show
		if err := storage.Beneath(folder, filepath.ToSlash(t.Files[part])); err != nil {
			return fail(fmt.Errorf("files: %s: %w", part, err))
		}
	}
	return t, folder, data, nil
}

// folderOfTasks is the error for a folder in the place of a file, which names the files in it.
func folderOfTasks(location string, inside []os.DirEntry) error {
	var files []string
	for _, e := range inside {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			files = append(files, filepath.Join(location, e.Name()))
		}
	}
	if len(files) == 0 {
		return errors.New("it is a folder without a YAML file: give the file that describes the task")
	}
	return fmt.Errorf("it is a folder: give the files of the tasks in it, --task-files=%s", strings.Join(files, ","))
}

// canonical makes codes of ISO 639-3 of whatever names languages, such as en; what names none is left to validate.
func (t *ownTask) canonical() error {
	for _, code := range []*string{&t.Language, &t.LanguageB} {
		if parsed, err := language.Parse(*code); err == nil {
			*code = parsed
		}
	}
	if t.Metric != "retrieval" {
		return nil
	}
	files := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t.Files)) {
		code, err := language.Parse(name)
		if err != nil {
			code = name
		}
		if _, twice := files[code]; twice {
			return fmt.Errorf("files: %s occurs there twice, once as %s: keep one of them", code, name)
		}
		files[code] = t.Files[name]
	}
	t.Files = files
	return nil
}

func (t ownTask) validate() error {
	var faults fault.List
	_, exists := find(t.Name)
	faults.Check(ownName.MatchString(t.Name), "name %q: want letters, digits and _ . -", t.Name)
	faults.Check(!exists && t.Name != protocol.GroupAll && t.Name != protocol.GroupXEVAL, "name %q is that of another task", t.Name)
	coded := func(field, code string) {
		if err := language.Check(code); err != nil {
			faults.Addf("%s: %w", field, err)
		}
	}
	columns, ok := ownMetrics[t.Metric]
	metrics := strings.Join(slices.Sorted(maps.Keys(ownMetrics)), ", ")
	if !ok {
		faults.Addf("metric %q: want one of %s", t.Metric, metrics)
		return faults.Err()
	}
	faults.Check(len(t.Files) > 0, "files is empty")
	for _, name := range columns {
		faults.Check(t.Columns[name] != "", "columns: %s is not given, which metric %s needs", name, t.Metric)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Columns)) {
		for _, candidate := range slices.Sorted(maps.Keys(t.Columns)) {
			faults.Check(candidate >= name || t.Columns[name] == "" || t.Columns[candidate] != t.Columns[name],
				"columns: %s and %s are the same column, %s", candidate, name, t.Columns[name])
		}
		faults.Check(slices.Contains(columns, name), "columns: %s has no place in metric %s: it takes %s", name, t.Metric,
			cmp.Or(strings.Join(columns, ", "), "none"))
	}
	for _, part := range slices.Sorted(maps.Keys(t.Files)) {
		switch {
		case t.Metric == "retrieval":
			coded("files, of which retrieval has one for each language", part)
		case t.Metric == "correlation":
			faults.Check(part == "test", "files: %q: want test alone", part)
		default:
			faults.Check(slices.Contains([]string{"train", "dev", "test", senteval.Pool}, part),
				"files: %q: want train, dev and test, or pool", part)
		}
		faults.Check(t.Files[part] != "", "files: %s is empty", part)
		for _, candidate := range slices.Sorted(maps.Keys(t.Files)) {
			faults.Check(candidate >= part || t.Files[part] == "" || filepath.Clean(t.Files[candidate]) != filepath.Clean(t.Files[part]),
				"files: %s and %s are the same file, %s: give each its own", candidate, part, t.Files[part])
		}
		faults.Check(t.Files[part] == "" || filepath.IsLocal(t.Files[part]),
			"files: %s must be a path below the folder of this file, such as data.tsv, and is %s", part, t.Files[part])
	}
	if t.Metric == "retrieval" {
		faults.Check(len(t.Files) >= 2, "files: want at least two languages")
		faults.Check(t.Language == "" && t.LanguageB == "" && !t.Quoted, "language and quoted have no place in metric retrieval")
		return faults.Err()
	}
	if t.Metric != "correlation" {
		_, pool := t.Files[senteval.Pool]
		_, train := t.Files["train"]
		_, test := t.Files["test"]
		faults.Check(pool && len(t.Files) == 1 || !pool && train && test,
			"files: want train and test, with dev or without, or pool alone, which is cut into folds")
	}
	coded("language", t.Language)
	if t.LanguageB != "" {
		coded("language_b", t.LanguageB)
		faults.Check(t.Columns["text_b"] != "", "language_b is given, and there is no column text_b")
	}
	return faults.Err()
}

// own returns the tasks of the files of --task-files.
func (c Config) own(ctx context.Context) (list []protocol.Choice, folders map[string]storage.Folder, err error) {
	folders = map[string]storage.Folder{}
	var faults fault.List
	for _, file := range c.TaskFiles {
		t, folder, data, err := readOwn(ctx, file)
		if err != nil {
			faults.Add(err)
			continue
		}
		if _, twice := folders[t.Name]; twice {
			faults.Addf("task %s: another file has the name %q, too", file, t.Name)
			continue
		}
		folders[t.Name] = folder
		list = append(list, protocol.Choice{Task: protocol.Task{
			Name: t.Name, Trains: t.Metric == "classes" || t.Metric == "pairs",
			Read: func(reader *protocol.Input) (protocol.Protocol, error) {
				reader.Hash.Write(data)
				return t.read(reader)
			},
		}})
	}
	return list, folders, faults.Err()
}

func (t ownTask) read(reader *protocol.Input) (protocol.Protocol, error) {
	switch t.Metric {
	case "retrieval":
		var codes []string
		var sides [][]encoder.Text
		for _, code := range slices.Sorted(maps.Keys(t.Files)) {
			lines, err := reader.TextLines(t.Files[code])
			if err != nil {
				return nil, err
			}
			codes, sides = append(codes, code), append(sides, encoder.Texts(code, lines...))
		}
		for i, side := range sides {
			if len(side) != len(sides[0]) && len(reader.Missing) == 0 {
				return nil, fmt.Errorf("%s: %s has %d lines and %s has %d: they are not parallel", reader.Task, t.Files[codes[0]],
					len(sides[0]), t.Files[codes[i]], len(side))
			}
		}
		return retrieval.TranslationsAmong(codes, sides), nil
	case "correlation":
		p := similarity.NewPairs(metrics.SubtaskAll, t.Language, cmp.Or(t.LanguageB, t.Language))
		err := t.rows(reader, "test", func(r schemas.Benchmark, _ int) {
			p.Add(encoder.Text{Text: r.TextA, Language: r.LanguageA}, encoder.Text{Text: r.TextB, Language: r.LanguageB}, *r.Target)
		})
		if gold, same := p.Constant(); err == nil && same {
			err = fmt.Errorf("%s: all gold values of %s are %v: nothing correlates with them", reader.Task, t.Files["test"], gold)
		}
		return p.Protocol(), err
	}
	return classifiers.ReadTable(reader, classifiers.Table{
		Name: t.Name, Language: t.Language, Pairs: t.Metric == "pairs", Files: t.Files,
		Rows: func(part string, use func(r schemas.Benchmark, line int)) error { return t.rows(reader, part, use) },
	})
}

// rows reads the rows of a part that have gold; a line that is not a row is an error.
func (t ownTask) rows(reader *protocol.Input, part string, use func(r schemas.Benchmark, line int)) error {
	text, err := reader.Read(t.Files[part])
	if text == "" { // the file cannot be read, or is missing, of which Fault tells
		return err
	}
	table := benchmark.Table{
		Task: t.Name, Split: part, File: t.Files[part], Header: true, Exact: true, TextA: t.Columns["text_a"], TextB: t.Columns["text_b"],
		Label: t.Columns["label"], Target: t.Columns["score"], LanguageA: t.Language, LanguageB: t.LanguageB,
	}
	if t.Quoted {
		table.Quoted = ','
	}
	gold, skipped := 0, 0
	for r, err := range table.Read(bytes.NewReader([]byte(text))) {
		if err != nil {
			return fmt.Errorf("%s: %w", reader.Task, err)
		}
		if r.Reason != "" {
			return fmt.Errorf("%s: %s line %d: %s", reader.Task, t.Files[part], r.Line, r.Detail)
		}
		if r.Row.Skip {
			skipped++
			continue
		}
		gold++
		use(r.Row, r.Line)
	}
	if gold == 0 {
		return fmt.Errorf("%s: %s has no row with gold", reader.Task, t.Files[part])
	}
	if skipped > 0 {
		reader.Notes = append(reader.Notes, fmt.Sprintf("%s: %d of %d rows of %s have no gold and do not count", reader.Task, skipped,
			gold+skipped, t.Files[part]))
	}
	return nil
}
