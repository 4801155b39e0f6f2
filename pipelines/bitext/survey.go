package bitext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/lineending"
)

// markEvery is the number of lines between two marks: offsets at which files are cut.
const markEvery = 4096

// surveyors read at once; those of .xz take up to a dictionary each.
const surveyors = 4

// survey reads every file once: for its hash and, of files of lines, their number, with marks where
// they can be cut. What cannot be read to its end is left out where that is asked for.
func (inputs *input) survey(ctx context.Context, shorter bool) error {
	type task struct {
		file   *File
		source *Source
	}
	var tasks []task
	hashes := map[fileKey]dataset.File{}
	var order []File
	for i := range inputs.sources {
		s := &inputs.sources[i]
		for k := range s.Files {
			f := &s.Files[k]
			if s.Format != formatTMX && s.Format != formatParquet && (f.plain() || s.texts == nil) {
				tasks = append(tasks, task{f, s})
			}
			container := File{Input: f.Input, Name: f.Name}
			if _, ok := hashes[key(container)]; !ok {
				hashes[key(container)] = dataset.File{}
				order = append(order, container)
			}
		}
	}
	var mutex sync.Mutex
	lines := map[*File]int64{}
	group, groupContext := errgroup.WithContext(ctx)
	group.SetLimit(surveyors)
	for _, t := range tasks {
		group.Go(func() error {
			c, err := inputs.count(groupContext, *t.file)
			mutex.Lock()
			defer mutex.Unlock()
			if inputs.skips(groupContext, *t.file, err) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("read %s: %w", t.file.path(), err)
			}
			lines[t.file], t.file.marks, t.file.expanded = c.lines, c.marks, c.bytes
			if t.file.plain() {
				container := File{Input: t.file.Input, Name: t.file.Name}
				hashes[key(container)] = inputs.listedAs(container, t.file.Bytes, c.hash)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, f := range order {
		if hashes[key(f)].Name == "" && !inputs.closed[key(f)] {
			bytes, hash, err := inputs.hash(ctx, f)
			if inputs.skips(ctx, f, err) {
				continue
			}
			if err != nil {
				return fmt.Errorf("read %s: %w", f.Name, err)
			}
			hashes[key(f)] = inputs.listedAs(f, bytes, hash)
		}
	}
	if inputs.leave("read", nil); len(inputs.sources) == 0 {
		return fmt.Errorf("no input can be read; %s", strings.Join(inputs.notes, "; "))
	}
	planned := map[fileKey]bool{}
	for _, s := range inputs.sources {
		for _, f := range s.Files {
			planned[fileKey{f.Input, f.Name}] = true
		}
	}
	for _, f := range order {
		if planned[key(f)] {
			inputs.listed = append(inputs.listed, hashes[key(f)])
		}
	}
	var faults fault.List
	for i := range inputs.sources {
		s := &inputs.sources[i]
		if len(s.Files[0].marks) == 0 { // describe has counted it
			continue
		}
		longest := int64(0)
		s.lines = math.MaxInt64
		var told []string
		for k := range s.Files {
			n := lines[&s.Files[k]]
			s.lines, longest = min(s.lines, n), max(longest, n)
			noun := "lines"
			if n == 1 {
				noun = "line"
			}
			told = append(told, fmt.Sprintf("%s has %d %s", s.Files[k].path(), n, noun))
		}
		switch {
		case s.lines == 0 && (longest == 0 || shorter):
			faults.Addf("%s: there is no pair to read; give the right files, or leave these out by --paths", strings.Join(told, ", "))
		case s.lines != longest && !shorter:
			way := "give the right files"
			if s.lines > 0 {
				way += ", or --shorter to end with the shortest"
			}
			faults.Addf("%s: line n of one must translate line n of the others; %s", strings.Join(told, ", "), way)
		}
	}
	return faults.Err()
}

// fileKey tells files apart.
type fileKey struct {
	input int
	name  string
}

func key(f File) fileKey { return fileKey{f.Input, f.path()} }

// listedAs is how a file is in the plan: with the number of its folder where there are
// several.
func (inputs *input) listedAs(f File, bytes int64, hash uint64) dataset.File {
	name := f.Name
	if len(inputs.folders) > 1 {
		name = strconv.Itoa(f.Input) + "/" + name
	}
	return dataset.File{Name: name, Bytes: bytes, XXH3: hash}
}

// hash reads a file as it lies there.
func (inputs *input) hash(ctx context.Context, f File) (bytes int64, hash uint64, err error) {
	object, err := inputs.object(ctx, f)
	if err != nil {
		return 0, 0, err
	}
	defer object.Close()
	h := xxh3.New()
	if bytes, err = io.CopyBuffer(h, io.NewSectionReader(object, 0, object.Size()), make([]byte, buffer)); err != nil {
		err = unreadable{err}
	}
	return bytes, h.Sum64(), err
}

var errUTF16 = errors.New("it begins as UTF-16 does, and texts must be UTF-8: `iconv -f UTF-16 -t UTF-8` converts it")

// notText returns an error for the beginning of a file that is not text in UTF-8: of UTF-16, or of what is compressed without a name
// that says so.
func notText(head []byte) error {
	if isUTF16(head) {
		return errUTF16
	}
	return compressed.Unnamed(head)
}

// isUTF16 says of the beginning of a file that it has UTF-16's byte order mark, or two characters
// of UTF-16 that are ASCII.
func isUTF16(head []byte) bool {
	if len(head) >= 4 && (head[0] == 0) != (head[1] == 0) && (head[0] == 0) == (head[2] == 0) && (head[1] == 0) == (head[3] == 0) {
		return true
	}
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// counted is what a file holds: the hash and bytes of its content as it is decompressed, and its
// lines.
type counted struct {
	hash         uint64
	lines, bytes int64
	marks        []int64
}

func (inputs *input) count(ctx context.Context, f File) (c counted, err error) {
	folder, err := storage.Locate(inputs.folders[f.Input])
	if err != nil {
		return c, err
	}
	stream, err := f.open(ctx, folder, 0, f.Bytes)
	if err != nil {
		return c, err
	}
	defer stream.Close()
	h := xxh3.New()
	chunk := make([]byte, buffer)
	c.marks = []int64{0}
	ended := true
	var ends lineending.Counter
	for {
		n, err := stream.Read(chunk)
		part := chunk[:n]
		h.Write(part)
		if c.bytes == 0 {
			if err := notText(part); err != nil {
				return c, err
			}
		}
		if ends.Write(part); n > 0 {
			ended = part[n-1] == '\n'
		}
		if f.plain() {
			for offset := 0; offset < n; {
				// Whole stretches without a mark are counted at once.
				rest := part[offset:]
				missing := markEvery - c.lines%markEvery
				if fewer := int64(bytes.Count(rest, []byte{'\n'})); fewer < missing {
					c.lines += fewer
					break
				}
				for ; missing > 0; missing-- {
					offset += bytes.IndexByte(part[offset:], '\n') + 1
				}
				c.lines += markEvery - c.lines%markEvery
				c.marks = append(c.marks, c.bytes+int64(offset))
			}
		} else {
			c.lines += int64(bytes.Count(part, []byte{'\n'}))
		}
		c.bytes += int64(n)
		switch {
		case err == io.EOF:
			if !ended {
				c.lines++
			}
			c.hash = h.Sum64()
			return c, ends.Err()
		case err != nil:
			return c, err
		case ctx.Err() != nil:
			return c, ctx.Err()
		}
	}
}

// pieces cuts the sources. A segment is a span of lines of the source, whose name is the
// source's number, followed by the span of each of its files; of Parquet the spans are row
// groups. All spans of a segment land in one unit.
func (inputs *input) pieces(shardBytes int64) (pieces []dataset.Piece) {
	for i := range inputs.sources {
		s := &inputs.sources[i]
		segment := func(first, last int64, spans []dataset.Span, weight int64) {
			// Neighbouring segments have different groups, so that units can part them.
			group := strconv.Itoa(i) + "/" + strconv.FormatInt(first, 10)
			pieces = append(pieces, dataset.Piece{Span: dataset.Span{Name: strconv.Itoa(i), From: first, To: last}, Group: group})
			for k, span := range spans {
				w := int64(0)
				if k == 0 {
					w = weight
				}
				pieces = append(pieces, dataset.Piece{Span: span, Weight: w, Group: group})
			}
		}
		if s.Format == formatParquet {
			groups, size := s.lines, s.bytes()
			parts := max(1, min(groups, size/max(1, shardBytes)))
			for p := range parts {
				from, to := groups*p/parts, groups*(p+1)/parts
				segment(from, to, []dataset.Span{{Name: s.Files[0].path(), From: from, To: to}}, size*(p+1)/parts-size*p/parts)
			}
			continue
		}
		// A mark may lie within a quoted value, and lines do not count the records.
		uncut := s.Format == formatCSV || s.Table != nil && s.Table.Comma != 0 || s.Elements ||
			slices.ContainsFunc(s.Files, func(f File) bool { return len(f.marks) == 0 || !f.plain() })
		last := 0
		spans := func(to int) (list []dataset.Span, weight int64) {
			for _, f := range s.Files {
				from, end := int64(0), f.Bytes
				if last > 0 {
					from = f.marks[last]
				}
				if to >= 0 {
					end = f.marks[to]
				}
				list = append(list, dataset.Span{Name: f.path(), From: from, To: end})
				weight += end - from
			}
			return list, weight
		}
		if !uncut {
			for mark := 1; int64(mark)*markEvery < s.lines; mark++ {
				if list, weight := spans(mark); weight >= shardBytes {
					segment(int64(last)*markEvery, int64(mark)*markEvery, list, weight)
					last = mark
				}
			}
		}
		list, weight := spans(-1)
		segment(int64(last)*markEvery, max(s.lines, int64(last)*markEvery), list, weight)
	}
	return pieces
}
