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

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/storage/workspace"
	"sentweave/stages/objective/joined"
)

// states are the vectors of the tokens of a source's texts, in the order of the dataset. They stand
// in a file that ends with the run, where each text is found at once, and which has each text once; a
// place in memory takes some 50 bytes.
type states struct {
	path   string
	work   *workspace.Workspace
	file   *os.File
	size   int // of a vector
	places map[xxh3.Uint128]int64
	bytes  int64
}

// states reads those of a dataset.
func (r *run) states(ctx context.Context, stored *joined.StoredStates) (_ *states, err error) {
	path, err := r.out.work.Temporary(r.out.runPath("states"))
	if err != nil {
		return nil, wayOut(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, wayOut(err)
	}
	s := &states{path: path, work: r.out.work, file: file, places: map[xxh3.Uint128]int64{}}
	defer func() {
		if err != nil { // a full disk gets its room back
			err = errors.Join(err, s.close())
		}
	}()
	w := bufio.NewWriterSize(s.file, 1<<20)
	for row, err := range stored.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		if err := s.add(w, row); err != nil {
			return nil, err
		}
	}
	return s, wayOut(w.Flush())
}

// add writes the states of a text that is new.
func (s *states) add(w io.Writer, row schemas.State) error {
	size := row.Size()
	if s.size == 0 {
		s.size = size
	}
	if size != s.size {
		return fmt.Errorf("the vectors of the tokens of %s have %d numbers, the first ones have %d", row.ID, size, s.size)
	}
	key := hashTokens(row.Tokens)
	if _, exists := s.places[key]; exists {
		return nil
	}
	s.places[key] = s.bytes
	s.bytes += int64(len(row.Vectors))
	_, err := w.Write(row.Vectors)
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
	offset, ok := s.places[hashTokens(ids)]
	if !ok {
		return fmt.Errorf("a text of %d tokens has no vectors", len(ids)) // a fault of the program
	}
	data := make([]byte, 4*len(dst))
	if _, err := s.file.ReadAt(data, offset); err != nil {
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

func (s *states) close() error { return errors.Join(s.file.Close(), s.work.RemoveAll(s.path)) }
