package train

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/zeebo/xxh3"
)

// FrozenEncoder is what a Model is besides, if an objective wants the vectors of tokens before
// the first step: objective.Objective's States.
type FrozenEncoder interface {
	// States returns the vectors that the encoder gives of the tokens of texts, one after
	// another, without dropout, and changes nothing.
	States(ctx context.Context, texts [][]int32) ([]float32, error)
}

// states are the vectors of the tokens of a source's texts by a frozen encoder. They stand in
// a file that ends with the run, each text once; a place in memory takes some 50 bytes.
type states struct {
	path   string
	disk   *disk
	file   *os.File
	size   int // of a vector
	places map[xxh3.Uint128]int64
	bytes  int64
}

// statesAtOnce is the number of examples whose states are computed together. Their last bits
// depend on what is computed together: the order of the dataset decides that, not where a run
// begins.
const statesAtOnce = 256

// states computes those of the examples of a loader.
func (r *run) states(ctx context.Context, model Model, l *Loader) (_ *states, err error) {
	encoder, ok := model.(FrozenEncoder)
	if !ok {
		return nil, fmt.Errorf("%T gives no vectors of tokens", model) // a fault of the program
	}
	path, err := r.out.disk.scratch(r.out.runPath("states"))
	if err != nil {
		return nil, wayOut(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, wayOut(err)
	}
	s := &states{path: path, disk: r.out.disk, file: file, places: map[xxh3.Uint128]int64{}}
	defer func() {
		if err != nil { // a full disk gets its room back
			err = errors.Join(err, s.close())
		}
	}()
	out := bufio.NewWriterSize(s.file, 1<<20)
	for groups := range slices.Chunk(l.examples.groups, l.config.ShuffleGroups) {
		list, err := l.examples.read(ctx, groups, &l.fit)
		if err != nil {
			return nil, err
		}
		for some := range slices.Chunk(list, statesAtOnce) {
			if err := s.add(ctx, encoder, out, some); err != nil {
				return nil, err
			}
		}
	}
	return s, wayOut(out.Flush())
}

// add computes the states of texts that are new, and writes them.
func (s *states) add(ctx context.Context, encoder FrozenEncoder, out io.Writer, list []example) error {
	var texts [][]int32
	var of []string // their examples
	for _, e := range list {
		for _, ids := range [][]int32{e.A, e.B} {
			key := hashTokens(ids)
			if _, known := s.places[key]; known || len(ids) == 0 {
				continue
			}
			s.places[key] = -1 // until its place is known
			texts, of = append(texts, ids), append(of, e.ID)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	vectors, err := encoder.States(ctx, texts)
	if err != nil {
		return err
	}
	tokens := 0
	for _, ids := range texts {
		tokens += len(ids)
	}
	s.size = len(vectors) / tokens
	data := make([]byte, 0, 4*len(vectors))
	for i, ids := range texts {
		s.places[hashTokens(ids)] = s.bytes + int64(len(data))
		for _, x := range vectors[:len(ids)*s.size] {
			if !finite(float64(x)) {
				return fmt.Errorf("the frozen encoder gives %v for a token of the example %q: its weights are broken", x, of[i])
			}
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		vectors = vectors[len(ids)*s.size:]
	}
	s.bytes += int64(len(data))
	_, err = out.Write(data)
	return wayOut(err)
}

func hashTokens(ids []int32) xxh3.Uint128 {
	data := make([]byte, 0, 512)
	for _, id := range ids {
		data = binary.LittleEndian.AppendUint32(data, uint32(id))
	}
	return xxh3.Hash128(data)
}

// Size implements objective.States.
func (s *states) Size() int { return s.size }

// Read implements objective.States.
func (s *states) Read(dst []float32, ids []int32) error {
	at, ok := s.places[hashTokens(ids)]
	if !ok {
		return fmt.Errorf("there are none of a text of %d tokens", len(ids)) // a fault of the program
	}
	data := make([]byte, 4*len(dst))
	if _, err := s.file.ReadAt(data, at); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return nil
}

// String says how many there are.
func (s *states) String() string {
	return fmt.Sprintf("%d texts, %.1f MiB", len(s.places), float64(s.bytes)/(1<<20))
}

func (s *states) close() error { return errors.Join(s.file.Close(), s.disk.removeAll(s.path)) }
