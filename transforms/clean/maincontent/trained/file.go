package trained

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/boost"
)

// A model file is: magic, version, the length of a head and the head in JSON, the weights of
// names, the trees of blocks, the trees of each kind, and the xxh3-128 of all before it.
const (
	magic   = "sentweave main content\n"
	version = 1
	// MaxBytes is the size of the largest file that is read.
	MaxBytes = 16 << 20
	maxHead  = 1 << 16
	maxKinds = 100
)

// head is the part of a file that people may read.
type head struct {
	About
	// Features is the xxh3-128 of the names of the numbers that the trees judge by.
	Features string
}

// featuresHash identifies the numbers that trees judge by.
func featuresHash() string {
	return fmt.Sprintf("%x", xxh3.HashString128(strings.Join(blocks.Names(), "\n")).Bytes())
}

// seal computes the hash of the model.
func (m *Model) seal() error {
	data, err := m.encode()
	m.hash = fmt.Sprintf("%x", xxh3.Hash128(data).Bytes())
	return err
}

// Encode returns the model's file.
func (m *Model) Encode() ([]byte, error) {
	data, err := m.encode()
	if err != nil {
		return nil, err
	}
	sum := xxh3.Hash128(data).Bytes()
	return append(data, sum[:]...), nil
}

func (m *Model) encode() ([]byte, error) {
	text, err := json.Marshal(head{m.About, featuresHash()})
	if err != nil {
		return nil, err
	}
	data := []byte(magic)
	data = binary.LittleEndian.AppendUint32(data, version)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	data = append(data, text...)
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(m.names.Scale))
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(m.names.Bias))
	for _, w := range m.names.Weights {
		data = binary.LittleEndian.AppendUint16(data, uint16(w))
	}
	data = m.blocks.Append(data)
	for _, forest := range m.kinds {
		data = forest.Append(data)
	}
	return data, nil
}

// Decode reads a model's file. Its errors say what is wrong with the file.
func Decode(data []byte) (*Model, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, errors.New("it is not a model of main content: it does not begin with “sentweave main content”")
	}
	if len(rest) < 8+16 {
		return nil, errors.New("it is cut off")
	}
	if v := binary.LittleEndian.Uint32(rest); v != version {
		return nil, fmt.Errorf("it has version %d, and this program reads version %d: train it again with `sentweave maincontent train`", v, version)
	}
	body := data[:len(data)-16]
	sum := xxh3.Hash128(body).Bytes()
	if !bytes.Equal(sum[:], data[len(body):]) {
		return nil, errors.New("it is damaged: its content does not fit the hash at its end")
	}
	m := &Model{hash: fmt.Sprintf("%x", sum)}
	length, rest := int(binary.LittleEndian.Uint32(rest[4:])), rest[8:len(rest)-16]
	if length > maxHead || length > len(rest) {
		return nil, fmt.Errorf("its head has %d bytes", length)
	}
	var h head
	if err := json.Unmarshal(rest[:length], &h); err != nil {
		return nil, fmt.Errorf("its head: %w", err)
	}
	if h.Features != featuresHash() {
		return nil, errors.New("it was trained on other numbers of blocks than this program gives: train it again with `sentweave maincontent train`")
	}
	m.About = h.About
	if len(m.Kinds) > maxKinds {
		return nil, fmt.Errorf("it has %d kinds of pages", len(m.Kinds))
	}
	return m, m.parts(rest[length:])
}

// parts reads what follows the head.
func (m *Model) parts(data []byte) error {
	if len(data) < 8+2*blocks.Buckets {
		return errors.New("it ends within the weights of names")
	}
	m.names = &blocks.Linear{
		Scale: math.Float32frombits(binary.LittleEndian.Uint32(data)), Bias: math.Float32frombits(binary.LittleEndian.Uint32(data[4:])),
		Weights: make([]int16, blocks.Buckets),
	}
	if v := float64(m.names.Scale) + float64(m.names.Bias); math.IsNaN(v) || math.IsInf(v, 0) {
		return errors.New("the weights of names are not finite")
	}
	data = data[8:]
	for i := range m.names.Weights {
		m.names.Weights[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	forest, data, err := boost.Read(data[2*blocks.Buckets:])
	if err != nil {
		return fmt.Errorf("the trees of blocks: %w", err)
	}
	if wanted := len(blocks.Names()) + len(m.Kinds); forest.Features() != wanted {
		return fmt.Errorf("its trees judge by %d numbers, not by %d", forest.Features(), wanted)
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
