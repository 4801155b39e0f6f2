// Package vectorcache keeps the vectors that an encoder gives on disk, so that a text is
// encoded once for all tasks and all runs.
//
// # Identity
//
// A folder belongs to an encoder, by the content of its files and its settings. In it a text
// goes by its language and its characters. The first vector of a text is kept and stands for
// it from then on, also where an encoder's last bits depend on what it encodes together.
//
// # Safety
//
// Vectors are added in whole files, after each few thousand texts, so that a killed run goes
// on where it was. Files and rows have check sums: what is damaged is encoded again. Many
// processes may use a folder at once.
//
// The folders lie in the cache of this program, which removes those that were not used for
// longest when it grows too large; see package cache.
//
// # Paid vectors
//
// Vectors that cost money (OpenPaid) are kept after each answer, in a folder that is never removed. A text goes by
// its characters alone, and one process at a time asks for vectors, so that no text is paid for twice.
package vectorcache

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

const (
	// suffix is that of the files.
	suffix = ".vectors"
	// chunk is the number of texts after which vectors are kept.
	chunk = 1024
)

// Encoder is an encoder whose vectors are kept. It must be closed. It is used by one
// goroutine at a time.
type Encoder struct {
	// Observe, if set, is called after each few thousand texts, with the number of those
	// that were encoded and of those that were asked for together.
	Observe func(done, all int)

	name     string
	open     func() (encoder.Encoder, error)
	inner    encoder.Encoder // nil until a text has no vector
	folder   *cache.Folder
	segments []*segment
	places   map[key]place
	damaged  map[key]bool
	files    map[string]bool // of the segments
	paid     bool
}

// Streaming is an encoder that gives vectors as they come. EncodeEach calls keep once for each part of the texts, by their
// indices, one call at a time.
type Streaming interface {
	encoder.Encoder
	EncodeEach(ctx context.Context, texts []encoder.Text, keep func(indices []int, d encoder.Dense) error) error
}

// place is where a vector stands.
type place struct{ segment, row int }

// Open opens the folder of an encoder that the identity names: everything that decides its
// vectors. The encoder itself is opened when a text has no vector yet.
func Open(name, identity string, open func() (encoder.Encoder, error)) (*Encoder, error) {
	folder, err := cache.Entry(identity)
	if err != nil {
		return nil, err
	}
	return loaded(&Encoder{name: name, open: open, folder: folder})
}

// OpenPaid opens the folder of an encoder whose vectors cost money.
func OpenPaid(name, identity string, open func() (Streaming, error)) (*Encoder, error) {
	folder, err := cache.Paid(identity)
	if err != nil {
		return nil, err
	}
	return loaded(&Encoder{name: name, open: func() (encoder.Encoder, error) { return open() }, folder: folder, paid: true})
}

func loaded(e *Encoder) (*Encoder, error) {
	e.places, e.damaged, e.files = map[key]place{}, map[key]bool{}, map[string]bool{}
	if err := e.load(); err != nil {
		return nil, errors.Join(err, e.folder.Close())
	}
	return e, nil
}

// load adds the files that are new in the folder.
func (e *Encoder) load() error {
	files, err := os.ReadDir(e.folder.Path)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), suffix) || e.files[f.Name()] {
			continue
		}
		path := filepath.Join(e.folder.Path, f.Name())
		s, keys, err := openSegment(path)
		if err == nil && len(e.segments) > 0 && s.dim != e.segments[0].dim {
			err = fmt.Errorf("%s has vectors of %d values, others of %d", path, s.dim, e.segments[0].dim)
		}
		if err != nil { // it can be made again
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		e.add(s, keys)
	}
	return nil
}

func (e *Encoder) add(s *segment, keys []key) {
	for row, k := range keys {
		if _, ok := e.places[k]; !ok || e.damaged[k] {
			e.places[k] = place{len(e.segments), row}
		}
	}
	e.segments = append(e.segments, s)
	e.files[filepath.Base(s.path)] = true
}

// Name implements encoder.Encoder.
func (e *Encoder) Name() string { return e.name }

// Close closes the encoder and lets its folder go.
func (e *Encoder) Close() error {
	var errs []error
	if e.inner != nil {
		errs = append(errs, encoder.Close(e.inner))
	}
	return errors.Join(append(errs, e.folder.Close())...)
}

func (e *Encoder) keyOf(t encoder.Text) key {
	if e.paid {
		t.Language = ""
	}
	return xxh3.HashString128(t.Language + "\x00" + t.Text)
}

// Lacking returns a function that says whether a text has no vector yet, the first time that it is asked about the text. It keeps a hash
// of each such text.
func (e *Encoder) Lacking() func(encoder.Text) bool {
	listed := map[key]bool{}
	return func(t encoder.Text) bool {
		k := e.keyOf(t)
		if _, ok := e.places[k]; (ok && !e.damaged[k]) || listed[k] {
			return false
		}
		listed[k] = true
		return true
	}
}

// Missing lists the texts that have no vector yet, each once, the short ones first.
func (e *Encoder) Missing(texts iter.Seq[encoder.Text]) []encoder.Text {
	var list []encoder.Text
	lacking := e.Lacking()
	for t := range texts {
		if lacking(t) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b encoder.Text) int {
		return cmp.Or(cmp.Compare(len(a.Text), len(b.Text)), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Language, b.Language))
	})
	return list
}

// TextBytes is what a text takes on the disk, 0 as long as no vector is known.
func (e *Encoder) TextBytes() int64 {
	if len(e.segments) == 0 {
		return 0
	}
	return int64(keySize + 4*e.segments[0].dim + sumSize)
}

// Prepare encodes those of the texts that have no vector yet, and keeps their vectors.
func (e *Encoder) Prepare(ctx context.Context, texts iter.Seq[encoder.Text]) error {
	list := e.Missing(texts)
	count := 0
	for part := range slices.Chunk(list, chunk) {
		encode := e.encode
		if e.paid {
			encode = e.pay
		}
		if err := encode(ctx, part); err != nil {
			return err
		}
		if count += len(part); e.Observe != nil {
			e.Observe(count, len(list))
		}
	}
	return nil
}

// Encode implements encoder.Encoder.
func (e *Encoder) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	for range 2 { // once more if rows were damaged
		if err := e.Prepare(ctx, slices.Values(texts)); err != nil {
			return nil, err
		}
		vectors, complete, err := e.read(texts)
		if err != nil || complete {
			return vectors, err
		}
	}
	return nil, fmt.Errorf("the vectors of %s in %s are damaged again and again: is the disk well?", e.name, e.folder.Path)
}

// read returns the vectors of texts; complete says that no row was damaged.
func (e *Encoder) read(texts []encoder.Text) (vectors encoder.Dense, complete bool, err error) {
	bySegment := make([][]int, len(e.segments))
	for i, t := range texts {
		p, ok := e.places[e.keyOf(t)]
		if !ok {
			return vectors, false, fmt.Errorf("%s gave no vector of %q", e.name, excerpt.Characters(t.Text, 64))
		}
		bySegment[p.segment] = append(bySegment[p.segment], i)
	}
	if len(e.segments) == 0 { // there is no text, and no dimension is known
		return encoder.Dense{Matrix: neighbors.Matrix{Dim: 1}}, true, nil
	}
	dim := e.segments[0].dim
	data := make([]float32, len(texts)*dim)
	buffer := make([]byte, 4*dim+sumSize)
	complete = true
	for index, list := range bySegment {
		if len(list) == 0 {
			continue
		}
		s := e.segments[index]
		file, err := os.Open(s.path)
		if err != nil {
			return vectors, false, err
		}
		for _, i := range list {
			k := e.keyOf(texts[i])
			ok, err := s.read(file, e.places[k].row, data[i*dim:(i+1)*dim], buffer)
			if err != nil {
				return vectors, false, errors.Join(err, file.Close())
			}
			if !ok {
				e.damaged[k], complete = true, false
			}
		}
		if err := file.Close(); err != nil {
			return vectors, false, err
		}
	}
	vectors, err = encoder.NewDense(data, dim)
	return vectors, complete, err
}

// encode encodes texts and keeps their vectors as a file.
func (e *Encoder) encode(ctx context.Context, texts []encoder.Text) error {
	if err := e.opening(); err != nil {
		return err
	}
	dense, err := encoder.EncodeDense(ctx, e.inner, texts)
	if err != nil {
		return err
	}
	return e.keep(ctx, texts, dense)
}

func (e *Encoder) opening() error {
	if e.inner != nil {
		return nil
	}
	inner, err := e.open()
	if err == nil { // else inner may be a pointer that is nil
		e.inner = inner
	}
	return err
}

// keep adds the vectors of texts as a file.
func (e *Encoder) keep(ctx context.Context, texts []encoder.Text, dense encoder.Dense) error {
	if len(e.segments) > 0 && dense.Dim != e.segments[0].dim {
		return fmt.Errorf("%s gives vectors of %d values, and gave some of %d before", e.name, dense.Dim, e.segments[0].dim)
	}
	keys := make([]key, len(texts))
	names := xxh3.New()
	for i, t := range texts {
		for _, x := range dense.Row(i) {
			if x-x != 0 {
				return fmt.Errorf("%s gives %v as a value of the vector of %q: its weights or its settings are wrong", e.name, x,
					excerpt.Characters(t.Text, 64))
			}
		}
		keys[i] = e.keyOf(t)
		b := keys[i].Bytes()
		_, _ = names.Write(b[:]) // a hash takes all
	}
	data := encodeSegment(keys, dense.Matrix)
	if !e.paid {
		if err := cache.MakeRoom(int64(len(data))); err != nil {
			return err
		}
	}
	sum := names.Sum128().Bytes()
	name := hex.EncodeToString(sum[:]) + suffix
	if err := storage.WriteFile(ctx, storage.NewLocal(e.folder.Path), name, data, storage.Replace); err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	s, keys, err := openSegment(filepath.Join(e.folder.Path, name))
	if err != nil {
		return err
	}
	e.add(s, keys)
	for _, k := range keys {
		delete(e.damaged, k)
	}
	return nil
}
