package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"sentweave/schemas/jsonfile"
)

const (
	// maxHeader is the longest header that the format's reference reader takes.
	maxHeader = 100_000_000
	// metadataName is the member of the header that is not a tensor.
	metadataName = "__metadata__"
)

type entry struct {
	DType   DType   `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// header reads the header of a file of that size: its tensors in the order of
// their names, and its metadata. What the format forbids is an error, also what
// its reference reader lets pass, such as repeated names: of those every reader
// takes another one.
func header(r io.ReaderAt, size int64) ([]Tensor, map[string]string, error) {
	var length [8]byte
	if err := readAt(r, length[:], 0); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("no safetensors file: it is shorter than the length of its header")
		}
		return nil, nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, nil, fmt.Errorf("no safetensors file, or it is cut: its header has %d bytes, the file %d", n, size)
	}
	header := make([]byte, n)
	if err := readAt(r, header, 8); err != nil {
		return nil, nil, fmt.Errorf("read the header: %w", err)
	}
	data := 8 + int64(n)
	var metadata map[string]string
	var tensors []Tensor
	err := members(header, func(name string, value json.RawMessage) (err error) {
		if name == metadataName {
			if metadata, err = texts(value); err != nil {
				return fmt.Errorf("%s: %w", metadataName, err)
			}
			return nil
		}
		var e entry
		if e, err = parse(value); err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		t, err := e.tensor(name, data, size)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		tensors = append(tensors, t)
		return nil
	})
	if err == nil {
		slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
		err = covered(tensors, data, size)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	return tensors, metadata, nil
}

// readAt fills p. A ReaderAt may report the end of the file together with the
// last bytes.
func readAt(r io.ReaderAt, p []byte, offset int64) error {
	_, err := io.ReadFull(io.NewSectionReader(r, offset, int64(len(p))), p)
	return err
}

// members calls visit for the members of a JSON object, in their order. Decoding
// into a map or a struct would take the last of repeated names, and names in
// another case.
func members(text []byte, visit func(name string, value json.RawMessage) error) error {
	if len(text) == 0 || text[0] != '{' {
		return errors.New("it is not a JSON object")
	}
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	// Of an object, this checks the syntax alone; tokens let some faults pass.
	if err := jsonfile.Unmarshal(text, &struct{}{}); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	visited := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // as all names are, in valid JSON
		if visited[name] {
			return fmt.Errorf("%q occurs there twice", name)
		}
		visited[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := visit(name, value); err != nil {
			return err
		}
	}
	return nil
}

// texts parses the metadata.
func texts(text json.RawMessage) (map[string]string, error) {
	metadata := map[string]string{}
	err := members(text, func(name string, value json.RawMessage) error {
		if value[0] != '"' {
			return fmt.Errorf("%q is not a text", name)
		}
		var s string
		err := jsonfile.Unmarshal(value, &s)
		metadata[name] = s
		return err
	})
	return metadata, err
}

// parse parses the description of a tensor. Members that are not known are left
// out, as by the reference reader.
func parse(text json.RawMessage) (e entry, err error) {
	missing := map[string]any{"dtype": &e.DType, "shape": &e.Shape, "data_offsets": &e.Offsets}
	err = members(text, func(name string, value json.RawMessage) error {
		field, ok := missing[name]
		if !ok {
			return nil
		}
		delete(missing, name)
		if bytes.Contains(value, []byte("null")) { // it would stand for 0
			return fmt.Errorf("%s is null", name)
		}
		if err := jsonfile.Unmarshal(value, field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	for _, name := range []string{"dtype", "shape", "data_offsets"} {
		if _, ok := missing[name]; ok && err == nil {
			err = fmt.Errorf("it has no %s", name)
		}
	}
	return e, err
}

func (e entry) tensor(name string, data, size int64) (Tensor, error) {
	if e.DType.size() == 0 {
		return Tensor{}, fmt.Errorf("unknown type %q", e.DType)
	}
	if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[0] > e.Offsets[1] || e.Offsets[1] > size-data {
		return Tensor{}, fmt.Errorf("data_offsets %v do not lie in the %d bytes of data: is the file cut?", e.Offsets, size-data)
	}
	want, err := bytesOf(e.DType, e.Shape)
	if err != nil {
		return Tensor{}, err
	}
	t := Tensor{Name: name, DType: e.DType, Shape: e.Shape, Offset: data + e.Offsets[0], Bytes: e.Offsets[1] - e.Offsets[0]}
	if t.Bytes != want {
		return Tensor{}, fmt.Errorf("%d bytes of data for shape %v of %s", t.Bytes, e.Shape, e.DType)
	}
	return t, nil
}

// bytesOf returns the bytes of a tensor of a known type.
func bytesOf(d DType, shape []int64) (int64, error) {
	n := d.size()
	for _, size := range shape {
		if size < 0 || size > 0 && n > math.MaxInt64/size {
			return 0, fmt.Errorf("shape %v is impossible", shape)
		}
		n *= size
	}
	return n, nil
}

// covered checks that the tensors, one after another, are the data of the file.
func covered(tensors []Tensor, data, size int64) error {
	sorted := slices.Clone(tensors)
	slices.SortFunc(sorted, func(a, b Tensor) int {
		// A tensor without elements lies before the one that begins where it does.
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Bytes, b.Bytes), strings.Compare(a.Name, b.Name))
	})
	for _, t := range sorted {
		if t.Offset != data {
			return fmt.Errorf("the data of tensor %q overlap others or leave a gap", t.Name)
		}
		data += t.Bytes
	}
	if data != size {
		return fmt.Errorf("the file has %d bytes after its last tensor", size-data)
	}
	return nil
}
