package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/stages/folders"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// maxFile bounds one file of a folder, which is read whole.
const maxFile = 1 << 30

// languageFolder is one language's folder of SentEval's files.
type languageFolder struct {
	code   string
	folder storage.Folder
	format senteval.Format
}

// openFolders finds the folders of the languages.
func (c Config) openFolders(ctx context.Context) (list []languageFolder, err error) {
	for _, argument := range c.Folders {
		code, location := folderArgument(argument)
		entries := []languageFolder{{code: code}}
		record := ""
		if code == "" {
			record = location
		} else if record, _, err = storage.Split(strings.TrimSuffix(location, "/")); err != nil {
			record = ""
		}
		r, err := readRecord(ctx, record)
		if err != nil {
			return nil, err
		}
		if r != nil && r.Config.Format != folders.FormatSentEval {
			return nil, fmt.Errorf("%s was written for %s: only folders for SentEval are compared; give the dataset that it was made of as --translated",
				location, r.Config.Format)
		}
		if code == "" {
			if entries, err = languagesBelow(ctx, location, r); err != nil {
				return nil, err
			}
		}
		for _, f := range entries {
			root := location
			if code == "" {
				root = storage.Join(location, f.code)
			}
			if f.folder, err = storage.Locate(root); err != nil {
				return nil, err
			}
			f.format = c.formatOf(r, f.code)
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b languageFolder) int { return cmp.Compare(a.code, b.code) })
	for i := 1; i < len(list); i++ {
		if list[i-1].code == list[i].code {
			return nil, fmt.Errorf("folders: %s occurs twice", list[i].code)
		}
	}
	return list, nil
}

// formatOf is how a language's folder is written, by the record r of its export if
// there is one.
func (c Config) formatOf(r *folders.Record, code string) senteval.Format {
	f := senteval.Format{Form: senteval.FormUTF8, Spacing: senteval.SpacingText, Partial: true}
	if r != nil {
		f.Form = senteval.Form(r.Config.Form)
		for _, l := range r.Languages {
			if l.Language == code {
				f.Spacing = senteval.Spacing(l.Spacing)
			}
		}
	}
	if c.Form != "auto" {
		f.Form = senteval.Form(c.Form)
	}
	if c.Spacing != "auto" {
		f.Spacing = senteval.Spacing(c.Spacing)
	}
	return f
}

// readRecord returns the record of an export, nil where there is none.
func readRecord(ctx context.Context, location string) (*folders.Record, error) {
	if location == "" {
		return nil, nil
	}
	folder, err := storage.Locate(location)
	if err != nil {
		return nil, err
	}
	r, err := folders.LoadRecord(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !r.Complete {
		return nil, fmt.Errorf("%s is not complete: run `sentweave folders` again", location)
	}
	return r, err
}

// languagesBelow lists the languages of a folder that holds one for each.
func languagesBelow(ctx context.Context, root string, r *folders.Record) (list []languageFolder, err error) {
	folder, err := storage.Locate(root)
	if err != nil {
		return nil, err
	}
	if r != nil {
		for _, l := range r.Languages {
			list = append(list, languageFolder{code: l.Language})
		}
		return list, refuseOthers(ctx, folder, r)
	}
	listed := map[string]bool{}
	for info, err := range folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return nil, err
		}
		if code, _, nested := strings.Cut(info.Name, "/"); nested && !listed[code] && language.Valid(code) {
			listed[code] = true
			list = append(list, languageFolder{code: code})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no %s, and no folder that is named as a language; give one as LANGUAGE=DIR", root,
			folders.RecordName)
	}
	return list, nil
}

// refuseOthers returns an error for what lies beside the languages of an export.
func refuseOthers(ctx context.Context, folder storage.Folder, r *folders.Record) error {
	for info, err := range folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return err
		}
		first, _, nested := strings.Cut(info.Name, "/")
		ours := nested && slices.ContainsFunc(r.Languages, func(l folders.Language) bool { return l.Language == first })
		if !ours && info.Name != folders.RecordName && !strings.HasPrefix(info.Name, storage.TemporaryFolder) {
			return fmt.Errorf("%s holds %q, of which its %s does not know: move it away, or give the languages to compare as LANGUAGE=DIR",
				folder, info.Name, folders.RecordName)
		}
	}
	return nil
}

// reader reads the files, and keeps the first error of the world, not of a file.
func (f languageFolder) reader(ctx context.Context, broken *error) senteval.ReadFile {
	return func(name string) ([]byte, error) {
		data, err := storage.ReadFile(ctx, f.folder, name, maxFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && *broken == nil {
			*broken = err
		}
		return data, err
	}
}

// check compares a task in the folder with its source and, where there are any, with the
// rows of the dataset that it should be made of.
func (f languageFolder) check(ctx context.Context, c *benchmark.Checker, t senteval.Task, translated *folders.Sets) (
	benchmark.Report, error) {
	var broken error
	reader := f.reader(ctx, &broken)
	lines, err := f.lines(ctx, t, translated, reader)
	if err != nil {
		return benchmark.Report{}, err
	}
	report, err := f.format.Check(c, t, f.code, reader, lines...)
	return report, errors.Join(err, broken, ctx.Err())
}

// lines compares the files with the dataset; its rows are not held after that.
func (f languageFolder) lines(ctx context.Context, t senteval.Task, translated *folders.Sets,
	reader senteval.ReadFile) ([]benchmark.Fault, error) {
	set := folders.Set{Language: f.code, Task: t.Name}
	if translated == nil || translated.Count(set) == 0 {
		return nil, nil
	}
	rows := make([]schemas.Benchmark, 0, translated.Count(set))
	for r, err := range translated.Each(ctx, set) {
		if err != nil {
			return nil, err
		}
		// What is written does not need originals, a fifth of the memory, unless a text is lost.
		if benchmark.Clean(r.TextA) != "" {
			r.OriginalA = ""
		}
		if benchmark.Clean(r.TextB) != "" {
			r.OriginalB = ""
		}
		rows = append(rows, r)
	}
	return f.format.CheckLines(t, f.code, reader, rows), nil
}

// others looks for the shim and, if complete is set, for files that are not of the tasks.
func (f languageFolder) others(ctx context.Context, tasks []senteval.Task, complete bool) ([]benchmark.Fault, error) {
	var present []string
	for info, err := range f.folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return nil, err
		}
		if !strings.HasPrefix(info.Name, storage.TemporaryFolder+"/") {
			present = append(present, info.Name)
		}
	}
	var broken error
	faults := f.format.CheckShim(tasks, f.code, present, f.reader(ctx, &broken))
	if complete {
		faults = append(faults, f.format.Strays(tasks, f.code, present)...)
	}
	return faults, broken
}
