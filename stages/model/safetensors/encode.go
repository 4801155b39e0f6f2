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
)

// Write writes tensors, those of large elements first and then in the order of
// their names. Data is asked for the elements of one tensor after another, in
// little endian; what it returns may be used again for the next. Offsets and sizes
// of the tensors are not read. Equal input gives equal bytes. Nothing is written
// of tensors that the format cannot hold.
func Write(w io.Writer, tensors []Tensor, metadata map[string]string, data func(Tensor) ([]byte, error)) error {
	sorted := slices.Clone(tensors)
	// Large elements first align all, as the reference writer does, for readers that
	// map the file.
	slices.SortFunc(sorted, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(b.DType.size(), a.DType.size()), strings.Compare(a.Name, b.Name))
	})
	header := map[string]any{}
	if len(metadata) > 0 {
		header[metadataName] = metadata
	}
	for name, value := range metadata {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return fmt.Errorf("metadata %q is not UTF-8", name)
		}
	}
	offset := int64(0)
	for i, t := range sorted {
		if t.DType.size() == 0 {
			return fmt.Errorf("tensor %q: unknown type %q", t.Name, t.DType)
		}
		if t.Name == metadataName || !utf8.ValidString(t.Name) {
			return fmt.Errorf("tensor %q cannot have this name", t.Name)
		}
		if _, ok := header[t.Name]; ok {
			return fmt.Errorf("tensor %q is given twice", t.Name)
		}
		n, err := bytesOf(t.DType, t.Shape)
		if err == nil && offset > math.MaxInt64-n {
			err = errors.New("the data of all are too large")
		}
		if err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		shape := t.Shape
		if shape == nil {
			shape = []int64{}
		}
		sorted[i].Bytes = n
		header[t.Name] = entry{t.DType, shape, []int64{offset, offset + n}}
		offset += n
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	// Data begin at a multiple of eight, so that readers may map them.
	text = append(text, bytes.Repeat([]byte(" "), (8-len(text)%8)%8)...)
	if len(text) > maxHeader {
		return fmt.Errorf("the header has %d bytes, the format takes %d", len(text), maxHeader)
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text)))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, t := range sorted {
		b, err := data(t)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if int64(len(b)) != t.Bytes {
			return fmt.Errorf("tensor %q: %d bytes for shape %v of %s", t.Name, len(b), t.Shape, t.DType)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}
