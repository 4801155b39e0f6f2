package trained

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/boost"
	"sentweave/transforms/clean/maincontent/modelfile"
)

// format is that of the files: behind the head stand the weights of names, the trees of blocks and the
// trees of each kind.
var format = modelfile.Format{Magic: "sentweave main content\n", What: "a model of main content", Version: 1,
	Train: "sentweave maincontent train"}

const (
	// MaxBytes is the size of the largest file that is read.
	MaxBytes = 16 << 20
	maxKinds = 100
)

// head is the part of a file that people may read.
type head struct {
	Provenance
	// Features is the xxh3-128 of the names of the numbers that the trees judge by.
	Features string
}

// featuresHash identifies the numbers that trees judge by.
func featuresHash() string {
	return fmt.Sprintf("%x", xxh3.HashString128(strings.Join(blocks.Names(), "\n")).Bytes())
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
	body := m.blocks.Append(m.names.Append(nil))
	for _, forest := range m.kinds {
		body = forest.Append(body)
	}
	return format.Seal(head{m.Provenance, featuresHash()}, body)
}

// Decode reads a model's file. Its errors say what is wrong with the file.
func Decode(data []byte) (*Model, error) {
	var h head
	body, err := format.Open(data, &h)
	if err != nil {
		return nil, err
	}
	m := &Model{Provenance: h.Provenance, hash: modelfile.Hash(data)}
	if h.Features != featuresHash() {
		return nil, errors.New("it was trained on other numbers of blocks than this program gives: train it again with `sentweave maincontent train`")
	}
	if len(m.Kinds) > maxKinds {
		return nil, fmt.Errorf("it has %d kinds of pages", len(m.Kinds))
	}
	return m, m.parts(body)
}

// parts reads what follows the head.
func (m *Model) parts(data []byte) error {
	names, data, err := blocks.ReadLinear(data)
	if err != nil {
		return fmt.Errorf("the weights of names: %w", err)
	}
	m.names = names
	forest, data, err := boost.Read(data)
	if err != nil {
		return fmt.Errorf("the trees of blocks: %w", err)
	}
	if expected := len(blocks.Names()) + len(m.Kinds); forest.Features() != expected {
		return fmt.Errorf("its trees judge by %d numbers, not by %d", forest.Features(), expected)
	}
	m.blocks = forest
	for _, kind := range m.Kinds {
		if forest, data, err = boost.Read(data); err != nil {
			return fmt.Errorf("the trees of the kind %q: %w", kind, err)
		}
		if forest.Features() != blocks.PageNumbers() {
			return fmt.Errorf("the trees of the kind %q judge by %d numbers, not by %d", kind, forest.Features(), blocks.PageNumbers())
		}
		m.kinds = append(m.kinds, forest)
	}
	if len(data) > 0 {
		return fmt.Errorf("%d bytes follow its trees", len(data))
	}
	return nil
}
