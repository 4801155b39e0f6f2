package distill

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"sentweave/schemas/jsonfile"
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

// split takes vectors apart into meaning and language.
type split struct {
	network
	languages []string
}

// Distilled is what is learned of the vectors of an encoder: a split, or projections.
type Distilled interface {
	// Apply returns a part of vectors, which are in these languages and stay as they are.
	Apply(m neighbors.Matrix, languages []string, part string) (neighbors.Matrix, error)
	// Has returns an error for a part that it has not.
	Has(part string) error
	// Vectors says what the vectors of a part are, in the settings of a result.
	Vectors(part string) string
	// About tells what the settings of a result should: "" for a split, whose part has a setting of its own.
	About() string
	marshal() ([]byte, error)
}

// file is what FileName holds: the weights of each layer, row after row, and its bias, as
// float32 in little endian. Into is the language of projections, whose layers have the names of
// languages.
type file struct {
	Format    int              `json:"format"`
	Dim       int              `json:"dim"`
	Languages []string         `json:"languages"`
	Into      string           `json:"into,omitempty"`
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
func (s *split) marshal() ([]byte, error) {
	return file{Format: format, Dim: s.meaning.weight.Cols, Languages: s.languages}.marshal(s.named())
}

func (f file) marshal(layers map[string]*linear) ([]byte, error) {
	f.Layers = map[string]layer{}
	for name, l := range layers {
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

// Load reads what a folder holds.
func Load(ctx context.Context, folder storage.Folder) (Distilled, error) {
	data, err := storage.ReadFile(ctx, folder, FileName, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read a split of embeddings: %w", err)
	}
	d, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w: make it again with `sentweave distill`", FileName, folder, err)
	}
	return d, nil
}

func parse(data []byte) (Distilled, error) {
	var f file
	if err := jsonfile.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Format != format {
		return nil, fmt.Errorf("format %d, this program reads %d", f.Format, format)
	}
	if f.Dim < 1 || f.Dim > neighbors.MaxDim || f.Into == "" && len(f.Languages) < 2 {
		return nil, fmt.Errorf("%d dimensions and %d languages", f.Dim, len(f.Languages))
	}
	if f.Into != "" {
		return f.projections()
	}
	s := &split{languages: f.Languages}
	for name, l := range s.named() {
		rows := f.Dim
		if name == "identity" {
			rows = len(f.Languages)
		}
		var err error
		if *l, err = f.layer(name, rows); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// layer returns the layer of a name, which has so many rows.
func (f file) layer(name string, rows int) (l linear, err error) {
	weight, err := decode(f.Layers[name].Weight, rows*f.Dim)
	if err == nil {
		l.bias, err = decode(f.Layers[name].Bias, rows)
	}
	if err != nil {
		return l, fmt.Errorf("layer %s: %w", name, err)
	}
	l.weight = blas32.General{Rows: rows, Cols: f.Dim, Stride: f.Dim, Data: weight}
	return l, nil
}

// Parts of a vector.
const (
	partMeaning  = "meaning"
	partLanguage = "language"
)

// Encoder returns e whose vectors are a part of those of e.
func Encoder(d Distilled, e encoder.Encoder, part string) encoder.Encoder {
	return encoder.Mapped(e, e.Name()+", "+d.Vectors(part), func(m neighbors.Matrix, languages []string) (neighbors.Matrix, error) {
		return d.Apply(m, languages, part)
	})
}

// Apply implements Distilled.
func (s *split) Apply(m neighbors.Matrix, languages []string, part string) (neighbors.Matrix, error) {
	l := s.meaning
	if part == partLanguage {
		l = s.language
	}
	if err := fits(m, part, l.weight.Cols); err != nil {
		return m, err
	}
	result := matrix(len(languages), m.Dim)
	input := result
	input.Data = m.Data
	l.apply(input, result)
	return neighbors.Matrix{Data: result.Data, Dim: m.Dim}, nil
}

// Has implements Distilled.
func (s *split) Has(part string) error {
	if part == partMeaning || part == partLanguage {
		return nil
	}
	return fmt.Errorf("a split has no part %q: want %s or %s", part, partMeaning, partLanguage)
}

// Vectors implements Distilled.
func (s *split) Vectors(part string) string { return "distilled, " + part }

// About implements Distilled.
func (s *split) About() string { return "" }

// fits returns an error for vectors of another size than what was learned takes.
func fits(m neighbors.Matrix, what string, dim int) error {
	if m.Dim == dim {
		return nil
	}
	return fmt.Errorf("these are vectors of %d dimensions, %s was learned of %d: give the encoder whose embeddings it was learned from",
		m.Dim, what, dim)
}
