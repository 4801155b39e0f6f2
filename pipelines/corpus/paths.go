package corpus

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/compressed"
)

const (
	// longestPath is the longest line of a list of paths, in bytes: object stores
	// allow 1024.
	longestPath = 4096
	// longestList is the bytes of all names of a list, which are kept; a list of a whole
	// crawl has 12 MB.
	longestList = 256 << 20
	// faultsTold is how many bad lines of a list are told at once.
	faultsTold = 5
	// requests are in flight at once when sizes are asked for.
	requests = 32
	// fewFiles is the number of wanted files of a folder below which each is asked for
	// alone, and not by a listing of the folder.
	fewFiles = 8
)

// RolePaths is the role among the plan's inputs of files that a list names. Their
// hash covers names and sizes, and of web servers the ETag or the time of the last change, not content.
const RolePaths = "paths"

// listed are the names of a list of paths, with the number of the line of each.
type listed map[string]int

// faults collects what is wrong with a list, line by line.
type faults struct {
	errs []error
	n    int
}

func (f *faults) add(line int, format string, args ...any) {
	if f.n++; f.n <= faultsTold {
		f.errs = append(f.errs, fmt.Errorf("line %d: "+format, append([]any{line}, args...)...))
	}
}

// error returns the faults of the list at a location, nil if there is none.
func (f *faults) error(location string) error {
	if f.n == 0 {
		return nil
	}
	if f.n > faultsTold {
		f.errs = append(f.errs, fmt.Errorf("and %d lines more", f.n-faultsTold))
	}
	return fmt.Errorf("list of paths %s: %w", location, errors.Join(f.errs...))
}

// readPaths reads the list of paths. All bad lines are told with their numbers.
func (c Config) readPaths(ctx context.Context, prefix string) (listed, error) {
	object, err := storage.OpenFile(ctx, c.Paths)
	if err != nil {
		return nil, fmt.Errorf("open list of paths: %w", err)
	}
	defer object.Close()
	buffered := bufio.NewReaderSize(io.NewSectionReader(object, 0, object.Size()), 256<<10)
	var reader io.Reader = buffered
	if start, _ := buffered.Peek(2); bytes.Equal(start, []byte{0x1f, 0x8b}) {
		if reader, err = gzip.NewReader(buffered); err != nil {
			return nil, fmt.Errorf("list of paths %s: decompress: %w", c.Paths, err)
		}
	}
	names, bad := listed{}, faults{}
	lines := bufio.NewScanner(reader)
	lines.Buffer(make([]byte, 0, longestPath), longestPath)
	number, size := 0, 0
	for lines.Scan() {
		number++
		if size += len(lines.Bytes()); size > longestList {
			return nil, fmt.Errorf("list of paths %s: line %d: the names up to here have more than %d bytes; give it in parts", c.Paths,
				number, longestList)
		}
		name := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if name == "" {
			continue
		}
		switch first, repeated := names[name]; {
		case repeated:
			bad.add(number, "%q is in line %d already", name, first)
		case c.pathFault(name) != "":
			bad.add(number, "%.200q: %s", name, c.pathFault(name))
		case prefix != "" && strings.HasPrefix(name, prefix):
			bad.add(number, "%q lies in the output folder", name)
		default:
			names[name] = number
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		bad.add(number+1, "it is longer than %d bytes: the list has one name a line", longestPath)
	} else if err != nil {
		return nil, fmt.Errorf("list of paths %s: line %d: %w", c.Paths, number+1, err)
	}
	if err := bad.error(c.Paths); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("list of paths %s names no file", c.Paths)
	}
	return names, nil
}

// pathFault says why a line of a list names no file that can be read, or "".
func (c Config) pathFault(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "the name is not UTF-8"
	case strings.Contains(name, "://"):
		return "it is an address: give names as they are below --input"
	case strings.HasPrefix(name, "/"):
		return "it is an absolute path: give names as they are below --input"
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "it leads out of the folder --input"
	case storage.CheckName(name) != nil:
		return fmt.Sprintf("it is not a plain name: write %.200q", path.Clean(name))
	}
	if c.Format != formatAuto {
		return ""
	}
	if match, _ := formatOf(name); match == nil {
		if instead := unread(name); instead != "" {
			return instead
		}
		return fmt.Sprintf("its ending is not one of %s, which %s may follow; give --format for other files", strings.Join(extensions(), " "),
			compressed.Endings)
	}
	return ""
}

// measure asks for the sizes of the taken files and reads none of them.
func (l *listing) measure(ctx context.Context) ([]dataset.File, error) {
	folders := map[string][]string{}
	for name := range l.taken {
		dir := path.Dir(name)
		folders[dir] = append(folders[dir], name)
	}
	var mutex sync.Mutex
	var files []dataset.File
	bad := map[string]error{}
	report := func(info storage.Info, err error) {
		mutex.Lock()
		defer mutex.Unlock()
		if err != nil {
			bad[info.Name] = err
			return
		}
		file := dataset.File{Name: info.Name, Bytes: info.Size}
		if storage.IsAddress(l.folder.String()) && info.Version != "" { // which a server tells of the content, not of a copy
			file.XXH3 = xxh3.HashString(info.Version)
		}
		files = append(files, file)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(requests)
	for _, names := range folders {
		slices.Sort(names)
		if len(names) >= fewFiles && !storage.IsAddress(l.folder.String()) {
			group.Go(func() error { return sizesListed(groupCtx, l.folder, names, report) })
			continue
		}
		for _, name := range names {
			group.Go(func() error {
				info, err := l.folder.Stat(groupCtx, name)
				if err != nil && (groupCtx.Err() != nil || errors.Is(err, storage.ErrUnavailable)) {
					return err // nobody waits for it again and again
				}
				info.Name = name
				report(info, err)
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("list %s: %w", l.folder, err)
	}
	if len(bad) == 0 {
		return files, nil
	}
	told := faults{}
	for _, name := range slices.SortedFunc(maps.Keys(bad), func(a, b string) int { return l.lines[a] - l.lines[b] }) {
		if errors.Is(bad[name], fs.ErrNotExist) {
			told.add(l.lines[name], "%s holds no file %q", l.folder, name)
		} else {
			told.add(l.lines[name], "%w", bad[name])
		}
	}
	return nil, told.error(l.config.Paths)
}

// sizesListed finds the sizes of names of one folder, which are sorted, by listing
// what begins as they all do.
func sizesListed(ctx context.Context, folder storage.Folder, names []string, report func(storage.Info, error)) error {
	first, last := names[0], names[len(names)-1]
	common := 0
	for common < len(first) && common < len(last) && first[common] == last[common] {
		common++
	}
	missing := map[string]bool{}
	for _, name := range names {
		missing[name] = true
	}
	for info, err := range folder.List(ctx, first[:common]) {
		if err != nil && info.Name == "" {
			return err
		}
		if missing[info.Name] {
			report(info, err)
			delete(missing, info.Name)
		}
		if len(missing) == 0 || info.Name > last {
			break
		}
	}
	for name := range missing {
		report(storage.Info{Name: name}, fs.ErrNotExist)
	}
	return nil
}
