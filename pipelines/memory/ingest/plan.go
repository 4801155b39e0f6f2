package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// role of the inputs in the plan.
const role = "memories"

// Formats of files.
const (
	formatTMX     = "tmx"
	formatParquet = "parquet"
	formatJournal = "journal" // answers that an unfinished dataset of translations has got
)

// formatOf returns the format of a file by its name, or "".
func formatOf(name string) (format string, compressed bool) {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, ".tmx"):
		return formatTMX, false
	case strings.HasSuffix(lower, ".tmx.gz"):
		return formatTMX, true
	case strings.HasSuffix(lower, ".parquet"):
		return formatParquet, false
	case dataset.IsJournalEntry(name):
		return formatJournal, false
	}
	return "", false
}

// Plan lists the inputs. A file of TMX is one piece, since XML cannot be read from its
// middle, and so is an entry of a journal; Parquet is cut at row groups.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	l := lister{task: &task{Config: c}, taken: map[string]bool{}}
	for i, location := range c.Input {
		if err := l.add(ctx, i, location, output); err != nil {
			return nil, err
		}
	}
	if l.again != "" {
		l.notes = append(l.notes, "files that are given more than once are read once, such as "+l.again)
	}
	if len(l.files) == 0 {
		return nil, errors.New(strings.Join(
			append([]string{"no input: there is no file to read in " + strings.Join(c.Input, ", ") +
				", such as memory.tmx, memory.tmx.gz or part.parquet"}, l.notes...), "; "))
	}
	b := graph.New(settings)
	files := dataset.ListingInput(role, l.files)
	b.Input(files)
	size := b.UnitBytes(files.Bytes, dataset.LeastOfFiles)
	graph.Write(b, "translations", b.Units(dataset.Pack(l.pieces(size), size)), l.task)
	job, err := b.Job(output, dataset.Draft{Pipeline: "memories", PipelineVersion: Version, Schema: schemas.Translation{}.Schema(),
		Config: c})
	if err != nil {
		return nil, fmt.Errorf("plan memories: %w", err)
	}
	job.Notes = l.notes
	return job, nil
}

// lister collects the files of the inputs.
type lister struct {
	task   *task
	files  []dataset.File
	groups []int64 // row groups of each file of Parquet, -1 of others
	notes  []string
	taken  map[string]bool // the locations of files
	again  string          // the first file that was given before
}

// add adds an input: a file if its name is that of one, else a folder.
func (l *lister) add(ctx context.Context, i int, location, output string) error {
	absolute, err := storage.Absolute(location)
	if err != nil {
		return err
	}
	parent, name, err := storage.Split(absolute)
	if err == nil {
		if format, _ := formatOf(name); format != "" {
			return l.addFile(ctx, i, parent, name)
		}
	}
	if !storage.IsRemote(absolute) {
		if info, err := os.Stat(absolute); err == nil && !info.IsDir() {
			return fmt.Errorf("input %s: want a file whose name ends in .tmx, .tmx.gz or .parquet, or a folder of such files", location)
		}
	}
	return l.addFolder(ctx, i, absolute, output)
}

func (l *lister) addFile(ctx context.Context, i int, parent, name string) error {
	file, _, err := units.OpenFile(ctx, role, storage.Join(parent, name))
	if err != nil {
		return err
	}
	l.task.Folders = append(l.task.Folders, parent)
	return l.take(ctx, i, parent, dataset.File{Name: name, Bytes: file.Bytes, XXH3: file.XXH3})
}

func (l *lister) addFolder(ctx context.Context, i int, location, output string) error {
	folder, err := storage.Locate(location)
	if err != nil {
		return err
	}
	l.task.Folders = append(l.task.Folders, location)
	// A dataset that is being made must not become a part of its own plan.
	prefix := ""
	switch inside, ok := storage.Relative(location, output); {
	case ok && inside == ".":
		return fmt.Errorf("input %s is the folder that the memory goes to: choose another --out", location)
	case ok:
		prefix = inside + "/"
	}
	dangling, err := linksToNothing(ctx, folder)
	if err != nil {
		return err
	}
	closed, example := 0, ""
	var faults fault.List
	files, err := dataset.List(ctx, folder, func(name string) bool {
		format, _ := formatOf(name)
		if format == "" || format != formatJournal && storage.IsHidden(name) || prefix != "" && strings.HasPrefix(name, prefix) ||
			slices.Contains(dangling, name) {
			return false
		}
		leave, err := l.task.Config.Leaves(ctx, folder, name)
		if faults.Add(err); leave {
			closed++
			example = cmp.Or(example, name)
		}
		return !leave
	})
	if err := errors.Join(err, faults.Err()); err != nil {
		return err
	}
	if len(dangling) > 0 {
		left := units.LeftOut(len(dangling), len(dangling)+closed+len(files), dangling[0])
		l.notes = append(l.notes, fmt.Sprintf("%s: %s: a link that leads nowhere", folder, left))
	}
	if closed > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s: %s: cannot be opened", folder, units.LeftOut(closed, closed+len(files), example)))
	}
	skipped, first := 0, ""
	for _, f := range files {
		err := l.take(ctx, i, location, f)
		if errors.Is(err, errColumns) { // such as the rejects of a dataset
			if skipped++; first == "" {
				first = err.Error()
			}
			continue
		}
		if err != nil {
			return err
		}
	}
	if skipped > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s: %s", folder, units.LeftOut(skipped, len(files), first)))
	}
	return nil
}

// linksToNothing lists the links of a folder that lead nowhere and are named as memories are.
func linksToNothing(ctx context.Context, folder storage.Folder) (names []string, err error) {
	for info, err := range folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return nil, fmt.Errorf("list %s: %w", folder, err)
		}
		if format, _ := formatOf(info.Name); format != "" && errors.Is(err, storage.ErrDangling) {
			names = append(names, info.Name)
		}
	}
	return names, nil
}

// take adds a file, once. Its name is in the plan, with the number of its input
// where there are several.
func (l *lister) take(ctx context.Context, i int, location string, f dataset.File) error {
	folder, err := storage.Locate(location)
	if err != nil {
		return err
	}
	name, file := f.Name, storage.Join(location, f.Name)
	if l.taken[file] {
		l.again = cmp.Or(l.again, file)
		return nil
	}
	l.taken[file] = true
	if len(l.task.Config.Input) > 1 {
		f.Name = strconv.Itoa(i) + "/" + name
	}
	if format, _ := formatOf(name); format != formatParquet {
		l.files, l.groups = append(l.files, f), append(l.groups, -1)
		return nil
	}
	table, err := openTable(ctx, folder, name)
	if err != nil {
		return err
	}
	defer table.Close()
	l.files, l.groups = append(l.files, f), append(l.groups, int64(len(table.file.RowGroups())))
	return nil
}

// pieces cuts the files, where they can be, into pieces of about so many bytes.
func (l *lister) pieces(size int64) (pieces []dataset.Piece) {
	for i, f := range l.files {
		groups := l.groups[i]
		if groups < 0 {
			pieces = append(pieces, dataset.Piece{Span: dataset.Span{Name: f.Name, To: f.Bytes}, Weight: f.Bytes})
			continue
		}
		parts := max(1, min(groups, f.Bytes/max(1, size)))
		for p := range parts {
			pieces = append(pieces, dataset.Piece{
				Span:   dataset.Span{Name: f.Name, From: groups * p / parts, To: groups * (p + 1) / parts},
				Weight: f.Bytes*(p+1)/parts - f.Bytes*p/parts,
			})
		}
	}
	return pieces
}
