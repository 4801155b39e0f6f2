package safetensors

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// written returns the file that Write makes.
func written(t testing.TB, tensors []Tensor, metadata map[string]string, data func(Tensor) []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, tensors, metadata, func(tensor Tensor) ([]byte, error) { return data(tensor), nil }); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// saved stores a file and opens it.
func saved(t *testing.T, content []byte) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// example are tensors of all types, by name, and their data.
var example = map[string]struct {
	Tensor
	data []byte
}{
	"embeddings.weight":  {Tensor{DType: F32, Shape: []int64{2, 1}}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}}, // 1, -2
	"half":               {Tensor{DType: F16, Shape: []int64{3}}, []byte{0, 0x3c, 1, 0, 0, 0xfc}},             // 1, 2⁻²⁴, -Inf
	"brain":              {Tensor{DType: BF16, Shape: []int64{1, 1, 2}}, []byte{0x80, 0x3f, 0, 0xc0}},         // 1, -2
	"double":             {Tensor{DType: F64}, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},                          // 1
	"id":                 {Tensor{DType: I64, Shape: []int64{1}}, []byte{0xfe, 255, 255, 255, 255, 255, 255, 255}},
	"bytes":              {Tensor{DType: U8, Shape: []int64{3}}, []byte{7, 8, 9}},
	"nothing":            {Tensor{DType: F32, Shape: []int64{0, 5}}, nil},
	"Käse <&> \"\\\n":    {Tensor{DType: U8, Shape: []int64{1}}, []byte{1}},
	"a.bool of no Go":    {Tensor{DType: "BOOL", Shape: []int64{1}}, []byte{1}},
	"of 32 bits":         {Tensor{DType: "I32", Shape: []int64{1}}, []byte{1, 2, 3, 4}},
	"encoder.layer.10.w": {Tensor{DType: F32, Shape: []int64{1}}, []byte{1, 2, 3, 4}},
}

var exampleMetadata = map[string]string{"format": "pt", "note": "ü <b>\"", "": ""}

func exampleTensors() (tensors []Tensor) {
	for name, e := range example {
		e.Name = name
		tensors = append(tensors, e.Tensor)
	}
	return tensors
}

func exampleFile(t testing.TB) []byte {
	return written(t, exampleTensors(), exampleMetadata, func(t Tensor) []byte { return example[t.Name].data })
}

func TestRoundTrip(t *testing.T) {
	content := exampleFile(t)
	for range 5 { // the order of a map is another each time
		if !bytes.Equal(exampleFile(t), content) {
			t.Fatal("equal tensors gave different files")
		}
	}
	f := saved(t, content)
	if len(f.Tensors) != len(example) || len(f.Metadata) != len(exampleMetadata) {
		t.Errorf("%d tensors, metadata %q", len(f.Tensors), f.Metadata)
	}
	for key, want := range exampleMetadata {
		if got, ok := f.Metadata[key]; !ok || got != want {
			t.Errorf("metadata %q is %q, want %q", key, got, want)
		}
	}
	var buffer []byte
	for name, want := range example {
		tensor, ok := f.Find(name)
		if !ok {
			t.Errorf("%q is not found", name)
			continue
		}
		if tensor.Name != name || tensor.DType != want.DType || !slices.Equal(tensor.Shape, want.Shape) {
			t.Errorf("%+v, want %+v", tensor, want)
		}
		if tensor.Offset%tensor.DType.size() != 0 {
			t.Errorf("%q of %s begins at %d: it is not aligned", name, tensor.DType, tensor.Offset)
		}
		var err error
		if buffer, err = f.Read(buffer, tensor); err != nil || !bytes.Equal(buffer, want.data) {
			t.Errorf("%q: data %v, error %v, want %v", name, buffer, err, want.data)
		}
	}
	for _, name := range []string{"", "hal", "half ", "zzz", metadataName} {
		if tensor, ok := f.Find(name); ok {
			t.Errorf("%q is found: %+v", name, tensor)
		}
	}
}

// TestBytes compares with a file that was written by hand, of the format's
// description.
func TestBytes(t *testing.T) {
	tensors := []Tensor{{Name: "b", DType: F16, Shape: []int64{1, 2}}, {Name: "a", DType: U8}, {Name: "c", DType: F32, Shape: []int64{1}}}
	data := map[string][]byte{"a": {1}, "b": {2, 3, 4, 5}, "c": {6, 7, 8, 9}}
	got := written(t, tensors, nil, func(t Tensor) []byte { return data[t.Name] })
	header := `{"a":{"dtype":"U8","shape":[],"data_offsets":[8,9]},"b":{"dtype":"F16","shape":[1,2],"data_offsets":[4,8]},"c":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	header += strings.Repeat(" ", -len(header)&7)
	want := append(length(uint64(len(header))), header...)
	want = append(want, 6, 7, 8, 9, 2, 3, 4, 5, 1)
	if !bytes.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReadReusesBuffer(t *testing.T) {
	f := saved(t, exampleFile(t))
	half, _ := f.Find("half")
	buffer := make([]byte, 3, 6)
	got, err := f.Read(buffer, half)
	if err != nil || &got[0] != &buffer[0] {
		t.Errorf("error %v, the same memory: %v", err, &got[0] == &buffer[0])
	}
	if got, err = f.Read(nil, half); err != nil || !bytes.Equal(got, example["half"].data) {
		t.Errorf("error %v, data %v of no buffer", err, got)
	}
}

func TestOpenFaults(t *testing.T) {
	folder := t.TempDir()
	if f, err := Open(filepath.Join(folder, "none")); f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, error %v, want %v", f, err, fs.ErrNotExist)
	}
	path := filepath.Join(folder, "bad.safetensors")
	if err := os.WriteFile(path, build(`{}`, 1), 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(path); f != nil || err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v, error %v, want one that names the file", f, err)
	}
	if f, err := Open(folder); f != nil || err == nil {
		t.Errorf("a folder: %v, error %v", f, err)
	}

	f := saved(t, exampleFile(t))
	last := slices.MaxFunc(f.Tensors, func(a, b Tensor) int { return int(a.Offset - b.Offset) })
	if err := os.Truncate(f.file.Name(), last.Offset); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(nil, last); err == nil || !strings.Contains(err.Error(), "the file was cut since it was opened") ||
		!strings.Contains(err.Error(), last.Name) {
		t.Errorf("error %v of a file that was cut", err)
	}
}

func TestWriteFaults(t *testing.T) {
	one := []Tensor{{Name: "a", DType: U8, Shape: []int64{1}}}
	fault := errors.New("no data today")
	give := func(data []byte, err error) func(Tensor) ([]byte, error) {
		return func(Tensor) ([]byte, error) { return data, err }
	}
	for _, test := range []struct {
		name     string
		tensors  []Tensor
		metadata map[string]string
		data     func(Tensor) ([]byte, error)
		reason   string
		begun    bool // the header is written already
	}{
		{"unknown type", []Tensor{{Name: "a", DType: "F33"}}, nil, give(nil, nil), `tensor "a": unknown type "F33"`, false},
		{"no type", []Tensor{{Name: "a"}}, nil, give(nil, nil), `tensor "a": unknown type ""`, false},
		{"twice", []Tensor{one[0], {Name: "b", DType: U8}, {Name: "a", DType: F32}}, nil, give(nil, nil), `tensor "a" is given twice`,
			false},
		{"name of the metadata", []Tensor{{Name: "__metadata__", DType: U8}}, exampleMetadata, give([]byte{1}, nil),
			`tensor "__metadata__" cannot have this name`, false},
		{"name that is not UTF-8", []Tensor{{Name: "\xff", DType: U8}}, nil, give([]byte{1}, nil), `tensor "\xff" cannot have this name`,
			false},
		{"metadata that is not UTF-8", one, map[string]string{"a": "\xff"}, give([]byte{1}, nil), `metadata "a" is not UTF-8`, false},
		{"negative dimension", []Tensor{{Name: "a", DType: U8, Shape: []int64{-1, -1}}}, nil, give([]byte{1}, nil),
			`tensor "a": shape [-1 -1] is impossible`, false},
		{"overflow", []Tensor{{Name: "a", DType: F16, Shape: []int64{1 << 31, 1 << 32}}}, nil, give(nil, nil),
			`tensor "a": shape [2147483648 4294967296] is impossible`, false},
		{"overflow of all", []Tensor{{Name: "a", DType: U8, Shape: []int64{math.MaxInt64}}, {Name: "b", DType: U8}}, nil, give(nil, nil),
			`tensor "b": the data of all are too large`, false},
		{"too few bytes", one, nil, give(nil, nil), `tensor "a": 0 bytes for shape [1] of U8`, true},
		{"too many bytes", one, nil, give([]byte{1, 2}, nil), `tensor "a": 2 bytes for shape [1] of U8`, true},
		{"error of the data", one, nil, give(nil, fault), `tensor "a": no data today`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			err := Write(&out, test.tensors, test.metadata, test.data)
			if err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("error %v, want %q", err, test.reason)
			}
			if begun := out.Len() > 0; begun != test.begun {
				t.Errorf("%d bytes were written", out.Len())
			}
		})
	}
	// A writer that fails at every place.
	whole := exampleFile(t)
	for n := 0; n < len(whole); n += 7 {
		err := Write(&full{n}, exampleTensors(), exampleMetadata, func(t Tensor) ([]byte, error) { return example[t.Name].data, nil })
		if !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes: error %v", n, err)
		}
	}
}

var errFull = errors.New("no room")

// full takes some bytes, then none.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return f.room, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestSize(t *testing.T) {
	for d, want := range map[DType]int64{F64: 8, I64: 8, "U64": 8, F32: 4, "I32": 4, "U32": 4, F16: 2, BF16: 2, "I16": 2, "U16": 2,
		U8: 1, "I8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1, "": 0, "f32": 0, "F4": 0} {
		if got := d.size(); got != want {
			t.Errorf("%q has %d bytes, want %d", d, got, want)
		}
	}
}
