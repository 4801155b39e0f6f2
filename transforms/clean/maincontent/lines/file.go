package lines

import (
	_ "embed" // the model
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/boost"
	"sentweave/transforms/clean/maincontent/modelfile"
)

// format is that of the files: behind the head stand the weights of runs of characters and the trees.
var format = modelfile.Format{Magic: "sentweave main lines\n", What: "a model of lines", Version: 1,
	Train: "sentweave maincontent train --bare"}

// MaxBytes is the size of the largest file that is read.
const MaxBytes = 16 << 20

// head is the part of a file that people may read.
type head struct {
	Provenance
	// Features is the xxh3-128 of the names of the numbers that the trees judge by.
	Features string
}

// featuresHash identifies the numbers that trees judge by.
func featuresHash() string {
	return fmt.Sprintf("%x", xxh3.HashString128(strings.Join(Names(), "\n")).Bytes())
}

// seal computes the hash of the model.
func (m *Model) seal() error {
	data, err := m.Encode()
	if err == nil {
		m.hash = modelfile.Hash(data)
	}
	return err
}

// Encode returns the model's file.
func (m *Model) Encode() ([]byte, error) {
	return format.Seal(head{m.Provenance, featuresHash()}, m.forest.Append(m.characters.Append(nil)))
}

// Decode reads a model's file. Its errors say what is wrong with the file.
func Decode(data []byte) (*Model, error) {
	var h head
	body, err := format.Open(data, &h)
	if err != nil {
		return nil, err
	}
	if h.Features != featuresHash() {
		return nil, errors.New("it was trained on other numbers of lines than this program gives: train it again with `sentweave maincontent train --bare`")
	}
	m := &Model{Provenance: h.Provenance, hash: modelfile.Hash(data)}
	if m.characters, body, err = blocks.ReadLinear(body); err != nil {
		return nil, fmt.Errorf("the weights of characters: %w", err)
	}
	if m.forest, body, err = boost.Read(body); err != nil {
		return nil, fmt.Errorf("its trees: %w", err)
	}
	if expected := len(Names()); m.forest.Features() != expected {
		return nil, fmt.Errorf("its trees judge by %d numbers, not by %d", m.forest.Features(), expected)
	}
	if len(body) > 0 {
		return nil, fmt.Errorf("%d bytes follow its trees", len(body))
	}
	return m, nil
}

// wcxb is the model that `make maincontent` trains on the development split of the Web Content
// Extraction Benchmark, (c) 2026 Murrough Foley, CC BY 4.0. Its record says so, too (About).
//
//go:embed wcxb.model
var wcxb []byte

// Default returns the model that comes with the program.
var Default = sync.OnceValues(func() (*Model, error) {
	m, err := Decode(wcxb)
	if err != nil {
		return nil, fmt.Errorf("read the model of lines of the program: %w", err)
	}
	return m, nil
})
