package distill

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

const (
	// FileName is the file of the layers in a folder.
	FileName = "split.json"
	// maxFile bounds what is read of it.
	maxFile = 1 << 30
	// format is raised when the file changes its form.
	format = 1
)

// Split takes vectors apart into meaning and language.
type Split struct {
	network
	languages []string
}

// file is what FileName holds: the weights of each layer, row after row, and its bias, as
// float32 in little endian.
type file struct {
	Format    int              `json:"format"`
	Dim       int              `json:"dim"`
	Languages []string         `json:"languages"`
	Layers    map[string]layer `json:"layers"`
}

type layer struct {
	Weight []byte `json:"weight"`
	Bias   []byte `json:"bias"`
}

// named lists the layers.
func (n *network) named() map[string]*linear {
	return map[string]*linear{"meaning": &n.meaning, "language": &n.language, "identity": &n.identity}
}

// marshal returns the file of the layers.
func (s *Split) marshal() ([]byte, error) {
	f := file{format, s.meaning.weight.Cols, s.languages, map[string]layer{}}
	for name, l := range s.named() {
		f.Layers[name] = layer{encode(l.weight.Data), encode(l.bias)}
	}
	data, err := json.Marshal(f)
	return append(data, '\n'), err
}

func encode(list []float32) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, list) // into memory
	return b.Bytes()
}

func decode(data []byte, n int) ([]float32, error) {
	if len(data) != 4*n {
		return nil, fmt.Errorf("%d bytes for %d numbers", len(data), n)
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if x := float64(list[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("a weight is %v", x)
		}
	}
	return list, nil
}

// Load reads the layers of a folder.
func Load(ctx context.Context, folder storage.Folder) (*Split, error) {
	data, err := storage.ReadFile(ctx, folder, FileName, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read a split of embeddings: %w", err)
	}
	s, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w: make it again with `sentweave distill`", FileName, folder, err)
	}
	return s, nil
}

func parse(data []byte) (*Split, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Format != format {
		return nil, fmt.Errorf("format %d, this program reads %d", f.Format, format)
	}
	if f.Dim < 1 || f.Dim > neighbors.MaxDim || len(f.Languages) < 2 {
		return nil, fmt.Errorf("%d dimensions and %d languages", f.Dim, len(f.Languages))
	}
	s := &Split{languages: f.Languages}
	for name, l := range s.named() {
		rows := f.Dim
		if name == "identity" {
			rows = len(f.Languages)
		}
		weight, err := decode(f.Layers[name].Weight, rows*f.Dim)
		if err != nil {
			return nil, fmt.Errorf("layer %s: %w", name, err)
		}
		if l.bias, err = decode(f.Layers[name].Bias, rows); err != nil {
			return nil, fmt.Errorf("layer %s: %w", name, err)
		}
		l.weight = matrix(rows, f.Dim)
		copy(l.weight.Data, weight)
	}
	return s, nil
}

// Parts of a vector.
const (
	Meaning  = "meaning"
	Language = "language"
)

// Encoder returns e whose vectors are a part of those of e.
func (s *Split) Encoder(e encoder.Encoder, part string) encoder.Encoder {
	if part == Language {
		return &split{e, s.language, part}
	}
	return &split{e, s.meaning, part}
}

type split struct {
	inner encoder.Encoder
	layer linear
	part  string
}

func (s *split) Name() string { return s.inner.Name() + "+" + s.part }

func (s *split) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	v, err := s.inner.Encode(ctx, texts)
	if err != nil || len(texts) == 0 {
		return v, err
	}
	dense, ok := v.(encoder.Dense)
	if !ok {
		return nil, fmt.Errorf("%s gives sparse vectors, which have no %s: choose an encoder with dense ones", s.inner.Name(), s.part)
	}
	if dense.Dim != s.layer.weight.Cols {
		return nil, fmt.Errorf("%s gives vectors of %d dimensions, %s was learned of %d: give the encoder whose embeddings it was learned from", s.inner.Name(), dense.Dim, s.part, s.layer.weight.Cols)
	}
	out := matrix(dense.Len(), dense.Dim)
	in := out
	in.Data = dense.Data
	s.layer.apply(in, out)
	return encoder.Dense{Matrix: neighbors.Matrix{Data: out.Data, Dim: dense.Dim}}, nil
}

// Close closes the encoder below, if that is to be closed.
func (s *split) Close() error {
	if c, ok := s.inner.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
