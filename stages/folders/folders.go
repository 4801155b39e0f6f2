package folders

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// lockName is locked while folders are written.
const lockName = storage.TemporaryFolder + "/lock"

// Options say how the stage runs; they do not change what it makes.
type Options struct {
	Overwrite bool
	// Observe is called before each language is written.
	Observe func(languageCode string)
}

// Run writes the folders at output. Existed says that they were there already. Rows that
// make no folder of the wanted format are an error that names the first of them.
func Run(ctx context.Context, output string, c Config, o Options) (r *Record, existed bool, err error) {
	folder, sets, r, err := c.request(ctx, output)
	if err != nil {
		return nil, false, err
	}
	if err := c.fits(ctx, sets); err != nil {
		return nil, false, err
	}
	previous, existed, err := r.present(ctx, folder, o.Overwrite)
	if err != nil || existed {
		return previous, existed, err
	}
	unlock, err := lock(ctx, folder)
	if err != nil {
		return nil, false, err
	}
	defer func() { unlock(err) }()
	previous, existed, err = r.present(ctx, folder, o.Overwrite) // another process may have done it
	if err != nil {
		return nil, false, err
	}
	if existed {
		return previous, true, storage.Sweep(ctx, folder)
	}
	if previous != nil {
		if err = previous.remove(ctx, folder); err != nil {
			return nil, false, err
		}
	}
	if err := r.write(ctx, folder); err != nil { // so that what an interrupted run leaves is known as ours
		return nil, false, err
	}
	w := writer{record: r, folder: folder}
	for i := range r.Languages {
		if o.Observe != nil {
			o.Observe(r.Languages[i].Language)
		}
		if err := w.language(ctx, c, sets, &r.Languages[i]); err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(r.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	r.Complete = true
	if err := r.write(ctx, folder); err != nil {
		return nil, false, err
	}
	return r, false, storage.Sweep(ctx, folder)
}

// request opens the folder at output and the benchmarks, and returns the record of what is asked for.
func (c Config) request(ctx context.Context, output string) (folder storage.Folder, sets *Sets, r *Record, err error) {
	if err = c.Validate(); err != nil {
		return nil, nil, nil, err
	}
	if folder, err = storage.Locate(output); err != nil {
		return nil, nil, nil, err
	}
	if sets, err = Open(ctx, c.Benchmarks...); err != nil {
		return nil, nil, nil, err
	}
	r = &Record{Record: dataset.Record[Config]{Stage: "folders", Version: Version, Config: c.semantic()}, Inputs: sets.Inputs("benchmarks")}
	for _, code := range sets.Languages() {
		l := Language{Language: code}
		if c.Format == FormatSentEval {
			l.Spacing = string(c.senteval(code).Spacing)
		}
		r.Languages = append(r.Languages, l)
	}
	return folder, sets, r, nil
}

// Standing returns what Run would find in the folder at output, or the error with which it would refuse that
// without Overwrite.
func Standing(ctx context.Context, output string, c Config) (dataset.Fate, error) {
	folder, _, r, err := c.request(ctx, output)
	if err != nil {
		return dataset.Fresh, err
	}
	_, existed, err := r.present(ctx, folder, false)
	if existed {
		return dataset.Complete, nil
	}
	return dataset.Fresh, err
}

// lock keeps other processes out of a folder on a disk, which write the same names and
// sweep when they have done. A bucket has no locks, and its objects come whole.
func lock(ctx context.Context, folder storage.Folder) (unlock func(error), err error) {
	local, ok := folder.(*storage.Local)
	if !ok {
		return func(error) {}, nil
	}
	release, err := local.Lock(ctx, lockName)
	if err != nil {
		return nil, err
	}
	return func(err error) {
		if err != nil { // what was begun stays, without the lock
			_ = storage.Sweep(context.WithoutCancel(ctx), folder)
		}
		release()
	}, nil
}

// fits returns an error for tasks that the format has no place for, before anything is written.
func (c Config) fits(ctx context.Context, sets *Sets) error {
	if c.Format != FormatSentEval {
		return nil
	}
	for _, set := range sets.All() {
		task, ok := senteval.TaskByName(set.Task)
		if !ok {
			return fmt.Errorf("the task %s is not from SentEval; --format %s writes any task", set.Task, FormatHuggingFace)
		}
		for row, err := range sets.Each(ctx, set) {
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(task.Files, func(f senteval.File) bool { return f.Name == row.File }) {
				return fmt.Errorf("the task %s has the file %s, which is not from SentEval; --format %s writes any file", set.Task, row.File,
					FormatHuggingFace)
			}
			break // a task has the files of one maker
		}
	}
	return nil
}

// writer writes the files of languages and lists them.
type writer struct {
	record *Record
	folder storage.Folder
}

func (w *writer) language(ctx context.Context, c Config, sets *Sets, l *Language) error {
	var maker interface {
		task(rows []schemas.Benchmark) ([]benchmark.File, error)
		last() ([]benchmark.File, error)
	}
	name := language.Name(l.Language)
	switch c.Format {
	case FormatHuggingFace:
		hub, err := benchmark.NewHub(c.card(name), l.Language)
		if err != nil {
			return err
		}
		maker = hubMaker{hub}
	default:
		maker = sentEvalMaker{c.senteval(l.Language), name}
	}
	for _, task := range sets.Tasks(l.Language) {
		rows, err := sets.Rows(ctx, Set{l.Language, task})
		if err != nil {
			return err
		}
		sortRows(rows)
		files, err := maker.task(rows)
		if err != nil {
			return fmt.Errorf("language %s: %w", l.Language, err)
		}
		if err := w.write(ctx, l.Language, files); err != nil {
			return err
		}
		l.Tasks = append(l.Tasks, Task{task, len(rows)})
	}
	files, err := maker.last()
	if err != nil {
		return err
	}
	return w.write(ctx, l.Language, files)
}

func (w *writer) write(ctx context.Context, languageCode string, files []benchmark.File) error {
	for _, f := range files {
		name := languageCode + "/" + f.Name
		if err := storage.WriteFile(ctx, w.folder, name, f.Data, storage.Replace); err != nil {
			return err
		}
		w.record.Files = append(w.record.Files, File{name, int64(len(f.Data)), dataset.HashString(xxh3.Hash(f.Data))})
	}
	return nil
}

type sentEvalMaker struct {
	format senteval.Format
	name   string
}

func (m sentEvalMaker) task(rows []schemas.Benchmark) ([]benchmark.File, error) {
	t, _ := senteval.TaskByName(rows[0].Task) // Config.fits has found it
	files, err := m.format.Write(t, rows)
	if errors.Is(err, senteval.ErrPlace) {
		return nil, fmt.Errorf("%w; a line that `sentweave benchmarks` has rejected is missing: mend it, or take it out of the source's file, and make the benchmarks and their translation again, for which the translation memory has the other texts; or --format %s, whose rows have numbers",
			err, FormatHuggingFace)
	}
	if err != nil && !m.format.Partial {
		partial := m.format
		partial.Partial = true
		if _, fault := partial.Write(t, rows); fault == nil {
			err = fmt.Errorf("%w; --partial writes a part of SentEval", err)
		}
	}
	return files, err
}

func (m sentEvalMaker) last() ([]benchmark.File, error) { return m.format.Guide(m.name) }

type hubMaker struct{ hub *benchmark.Hub }

func (m hubMaker) task(rows []schemas.Benchmark) ([]benchmark.File, error) { return m.hub.Task(rows) }

func (m hubMaker) last() ([]benchmark.File, error) { return []benchmark.File{m.hub.Card()}, nil }
