package bitext

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/compressed"
)

// input is what a plan finds.
type input struct {
	folders []string
	files   []File
	skip    bool             // files that cannot be read are left out
	closed  map[fileKey]bool // those that are found, and not yet left out
	sources []Source
	listed  []dataset.File // what is in the plan
	notes   []string
}

const archive = ".zip"

func isArchive(name string) bool { return strings.EqualFold(path.Ext(name), archive) }

// find finds the files of a job and what they hold; complete says that all of them are read.
func (c Config) find(ctx context.Context, output string, complete bool) (*input, error) {
	inputs, err := c.list(ctx, output)
	if err == nil {
		limit := int64(sampled)
		if complete {
			limit = everyRecord
		}
		err = inputs.describe(ctx, c, limit)
	}
	if err == nil && complete {
		err = inputs.survey(ctx, c.Shorter)
	}
	if isUnreadable(err) && c.Unreadable.Unreadable != units.UnreadableSkip {
		err = fmt.Errorf("%w; --unreadable=skip leaves out files that cannot be read", err)
	}
	return inputs, err
}

// list finds the files of all inputs, and the corpora that they make.
func (c Config) list(ctx context.Context, output string) (*input, error) {
	inputs := &input{closed: map[fileKey]bool{}, skip: c.Unreadable.Unreadable == units.UnreadableSkip}
	codes, err := c.wanted()
	if err != nil {
		return nil, err
	}
	paths, repeated := map[string]bool{}, ""
	for _, location := range c.Input {
		absolute, err := storage.Absolute(location)
		if err != nil {
			return nil, err
		}
		names, folder, closed, err := c.filesAt(ctx, absolute, output)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", location, err)
		}
		if c.Paths != "" {
			if names, err = c.listed(ctx, names); err != nil {
				return nil, fmt.Errorf("list of paths %s: %w", c.Paths, err)
			}
		}
		// Files of one folder go together, also where they are given one by one.
		i := slices.Index(inputs.folders, folder)
		if i < 0 {
			i, inputs.folders = len(inputs.folders), append(inputs.folders, folder)
		}
		for _, info := range names {
			file := storage.Join(folder, info.Name)
			if paths[file] {
				repeated = file
				continue
			}
			paths[file] = true
			f := File{Input: i, Name: info.Name, Bytes: info.Size}
			leave, err := c.leaves(ctx, folder, info.Name)
			if err != nil {
				return nil, err
			}
			inputs.closed[key(f)] = leave || slices.Contains(closed, info.Name)
			if !isArchive(info.Name) || inputs.closed[key(f)] {
				inputs.files = append(inputs.files, f)
				continue
			}
			members, err := inputs.members(ctx, f)
			if inputs.skips(ctx, f, err) {
				members, err = []File{f}, nil
			}
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", file, err)
			}
			inputs.files = append(inputs.files, members...)
		}
	}
	tatoeba, files, err := takeTatoeba(inputs.files)
	var remaining []string
	if err == nil {
		inputs.sources, remaining, err = group(files, codes, func(side File, counterpart string) string {
			return c.absent(ctx, inputs.folders[side.Input], side, counterpart)
		})
	}
	if err == nil && len(tatoeba) > 0 && len(inputs.sources) > 0 {
		err = fmt.Errorf("%s and %s: Tatoeba's sentences are imported alone; give their folder to one command and the other files to another",
			tatoeba[0].place(), inputs.sources[0].place())
	}
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", strings.Join(c.Input, ", "), err)
	}
	inputs.sources = append(inputs.sources, tatoeba...)
	if err := inputs.checkNames(ctx); err != nil {
		return nil, err
	}
	remaining = inputs.leave("opened", remaining)
	if repeated != "" {
		inputs.notes = append(inputs.notes, "files that are given more than once are read once, such as "+repeated)
	}
	remaining = slices.DeleteFunc(remaining, func(name string) bool { return isCompanion(name) || isAlignment(name, inputs.sources) })
	if len(remaining) > 0 {
		inputs.notes = append(inputs.notes, units.LeftOut(len(remaining), len(inputs.files),
			remaining[0])+": by name of no format, and of no language with another file to go with"+wayToName(remaining))
	}
	if len(inputs.sources) == 0 {
		return nil, fmt.Errorf("no input: %s holds no files that go together, such as Books.de-en.de and Books.de-en.en, or news.eng and news.deu, and none that ends in .tsv, .csv, .jsonl, .tmx or .parquet%s",
			strings.Join(c.Input, ", "), strings.Join(append([]string{""}, inputs.notes...), "; "))
	}
	if len(inputs.sources) > maxSources {
		return nil, fmt.Errorf("the inputs hold %d corpora, more than %d: give them in parts", len(inputs.sources), maxSources)
	}
	return inputs, nil
}

// otherArchives are endings of archives that are not read; .zip is one within another.
var otherArchives = []string{".zip", ".tar", ".tgz", ".tbz", ".txz", ".7z", ".rar"}

// wayToName says what to do with the first of some names, if it is an archive or a catalogue of messages, and how the language
// of a side that is called src or target is told, if one of the names is.
func wayToName(names []string) string {
	rest, _ := compressed.Cut(names[0])
	extension := strings.ToLower(path.Ext(rest))
	switch {
	case slices.Contains(otherArchives, extension):
		return "; unpack it: of archives only .zip is read, and not one within another"
	case extension == ".po":
		return "; po2tmx of translate-toolkit makes .tmx of it"
	}
	for _, name := range names {
		rest, _ := compressed.Cut(name)
		rest = strings.TrimSuffix(rest, ".txt")
		if word := rest[strings.LastIndexAny(rest, "./")+1:]; slices.Contains(headings, strings.ToLower(word)) {
			return fmt.Sprintf("; %s names no language: rename %s and its other side by their languages, as in %seng", word, name,
				strings.TrimSuffix(rest, word))
		}
	}
	return ""
}

// absent says where the other side of a file is, which is not one of those that are given.
func (c Config) absent(ctx context.Context, folder string, side File, counterpart string) string {
	directory, err := storage.Locate(folder)
	for _, end := range []string{"", ".gz", ".zst", ".xz", ".bz2", ".txt", ".txt.gz", ".txt.zst", ".txt.xz", ".txt.bz2"} {
		if side.Member != "" || err != nil {
			break
		}
		if _, err := directory.Stat(ctx, counterpart+end); err == nil {
			way := "give both, or their folder"
			if c.Paths != "" {
				way = "--paths must name both"
			}
			return fmt.Sprintf("%s is beside it and is not given: %s", counterpart+end, way)
		}
	}
	return fmt.Sprintf("there is no %s beside it, compressed or not", counterpart)
}

// longestList bounds what is read of a list of paths, in bytes.
const longestList = 16 << 20

// listed returns those of the files of an input that the list of paths names.
func (c Config) listed(ctx context.Context, files []storage.Info) (matches []storage.Info, err error) {
	list, err := storage.ReadLocation(ctx, c.Paths, longestList)
	if err != nil {
		return nil, err
	}
	missing := map[string]bool{}
	for line := range strings.Lines(strings.TrimPrefix(string(list), "\ufeff")) {
		if name := strings.TrimSpace(line); name != "" {
			missing[name] = true
		}
	}
	if len(missing) == 0 {
		return nil, errors.New("it names no file")
	}
	for _, f := range files {
		if missing[f.Name] {
			matches = append(matches, f)
			delete(missing, f.Name)
		}
	}
	if n := len(missing); n > 0 {
		are := "1 of the names is"
		if n > 1 {
			are = fmt.Sprintf("%d of the names are", n)
		}
		return nil, fmt.Errorf("%s holds no file %q (%s missing): give names as they are below --input", c.Input[0],
			slices.Min(slices.Collect(maps.Keys(missing))), are)
	}
	return matches, nil
}

// maxSources bounds what travels to workers.
const maxSources = 10_000

// isCompanion says of a file that OPUS puts beside texts.
func isCompanion(name string) bool {
	base := path.Base(name)
	rest, _ := compressed.Cut(base)
	return path.Ext(rest) == ".ids" || strings.HasPrefix(base, "README") || strings.HasPrefix(base, "LICENSE") || base == "SOURCE.txt"
}

// filesAt lists what is at a location: a file alone, or all files of a folder, and which of these cannot be
// opened: links that lead nowhere or to folders, pipes and the like.
func (c Config) filesAt(ctx context.Context, location, output string) (files []storage.Info, folder string, closed []string, err error) {
	codes, _ := c.wanted() // which list checks
	isFormat := func(name string) bool { _, ok := readName(name, codes); return ok || isArchive(name) }
	if parent, name, err := storage.Split(location); err == nil {
		single := false
		if storage.IsRemote(location) {
			single = isFormat(name)
		} else if info, err := os.Stat(location); err == nil {
			single = !info.IsDir()
		}
		if single {
			directory, err := storage.Locate(parent)
			if err != nil {
				return nil, "", nil, err
			}
			info, err := directory.Stat(ctx, name)
			info.Name = name
			return []storage.Info{info}, parent, nil, err
		}
	}
	directory, err := storage.Locate(location)
	if err != nil {
		return nil, "", nil, err
	}
	// A dataset that is being made must not become a part of its own plan.
	prefix := ""
	switch inside, ok := storage.Relative(location, output); {
	case ok && inside == ".":
		return nil, "", nil, errors.New("it is the folder that the pairs go to: choose another --out")
	case ok:
		prefix = inside + "/"
	}
	var faults fault.List
	n := 0
	for info, err := range directory.List(ctx, "") {
		switch {
		case err != nil && info.Name == "":
			return nil, "", nil, err
		case storage.IsHidden(info.Name), prefix != "" && strings.HasPrefix(info.Name, prefix):
		case errors.Is(err, storage.ErrDangling), errors.Is(err, storage.ErrIrregular):
			files, closed = append(files, info), append(closed, info.Name)
		case err != nil && c.Unreadable.Unreadable != units.UnreadableSkip && isFormat(info.Name): // others are left out by their names
			faults.Add(unreadable{err})
		default:
			files = append(files, info)
		}
		n++
	}
	if n == 0 {
		faults.Addf("it does not exist, or holds no file")
	}
	return files, location, closed, faults.Err()
}

// members lists the files of an archive.
func (inputs *input) members(ctx context.Context, f File) ([]File, error) {
	object, err := inputs.object(ctx, f)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	z, err := openArchive(object)
	if err != nil {
		return nil, err
	}
	var list []File
	for _, m := range z.File {
		if m.FileInfo().IsDir() {
			continue
		}
		if storage.CheckName(m.Name) != nil {
			return nil, fmt.Errorf("its file %.200q has a path that leads out of the archive", m.Name)
		}
		if storage.IsHidden(m.Name) { // as in folders; macOS has such files in __MACOSX
			continue
		}
		if m.Flags&1 != 0 {
			return nil, unreadable{fmt.Errorf("its file %.200q is encrypted", m.Name)}
		}
		member := File{Input: f.Input, Name: f.Name, Member: m.Name, Bytes: int64(m.CompressedSize64)}
		if n, ok := readName(m.Name, nil); ok && n.format == formatParquet {
			return nil, fmt.Errorf("its file %.200q is Parquet, which is not read out of archives: unpack it", m.Name)
		}
		list = append(list, member)
	}
	return list, nil
}

// openArchive reads the list of an archive.
func openArchive(object storage.Object) (*zip.Reader, error) {
	z, err := zip.NewReader(object, object.Size())
	if err != nil {
		return nil, unreadable{err}
	}
	if len(z.File) > maxSources {
		return nil, fmt.Errorf("it holds %d files, more than %d", len(z.File), maxSources)
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	return z, nil
}

func (inputs *input) object(ctx context.Context, f File) (storage.Object, error) {
	folder, err := storage.Locate(inputs.folders[f.Input])
	if err != nil {
		return nil, err
	}
	object, err := folder.Open(ctx, f.Name)
	if err != nil {
		return nil, unreadable{err}
	}
	return object, nil
}

// buffer is how much of a file is read at once, which over a network costs a request.
const buffer = 1 << 20

// open returns the bytes of a file from a byte on, decompressed; from is 0 for those that
// are compressed. A size other than the planned one is an error.
func (f File) open(ctx context.Context, folder storage.Folder, from, to int64) (io.ReadCloser, error) {
	object, err := folder.Open(ctx, f.Name)
	if err != nil {
		return nil, unreadable{err}
	}
	stream, err := f.content(object, from, to)
	if err != nil {
		object.Close()
		if !errors.Is(err, errChanged) {
			err = unreadable{err}
		}
		return nil, err
	}
	return &closing{stream, object}, nil
}

var errChanged = errors.New("it has changed since the job was planned; `sentweave pairs` with --overwrite makes the dataset anew")

func (f File) content(object storage.Object, from, to int64) (io.ReadCloser, error) {
	var raw io.Reader
	size := object.Size()
	if f.Member == "" {
		raw = bufio.NewReaderSize(io.NewSectionReader(object, from, to-from), buffer)
	} else {
		z, err := openArchive(object)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(z.File, func(m *zip.File) bool { return m.Name == f.Member })
		if i < 0 {
			return nil, errChanged
		}
		size = int64(z.File[i].CompressedSize64)
		member, err := z.File[i].Open()
		if err != nil {
			return nil, err
		}
		raw = &limited{from: member, most: max(leastExpanded, compressed.MaxExpansion*size)}
	}
	if size != f.Bytes {
		return nil, errChanged
	}
	_, extension := compressed.Cut(f.path())
	return compressed.Open(raw, extension)
}

// leastExpanded is what any member of an archive may give.
const leastExpanded = 64 << 20

// limited ends a member of an archive that gives too much.
type limited struct {
	from io.Reader
	most int64
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.most -= int64(n); l.most < 0 {
		return 0, compressed.ErrBomb
	}
	return n, err
}

// closing closes a stream and the object that it is read from.
type closing struct {
	io.ReadCloser
	object storage.Object
}

// Read implements io.Reader.
func (c *closing) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = unreadable{err}
	}
	return n, err
}

// Close implements io.Closer.
func (c *closing) Close() error { return errors.Join(c.ReadCloser.Close(), c.object.Close()) }

// plain says whether ranges of the file can be read apart.
func (f File) plain() bool {
	_, extension := compressed.Cut(f.Name)
	return f.Member == "" && extension == ""
}
