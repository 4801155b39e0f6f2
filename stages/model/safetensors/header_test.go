package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// build returns a file with a header and that many bytes of data.
func build(header string, data int) []byte {
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(file, header...), make([]byte, data)...)
}

// length returns the length of a header, alone.
func length(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

var malformed = []struct {
	name   string
	file   []byte
	reason string
}{
	{"empty file", nil, "no safetensors file: it is shorter than the length of its header"},
	{"cut length", []byte{2, 0, 0, 0, 0, 0, 0}, "no safetensors file: it is shorter"},
	{"only a length", length(2), "its header has 2 bytes, the file 8"},
	{"header cut", build(`{"a":`, 0)[:10], "its header has 5 bytes, the file 10"},
	{"header longer than the file", append(length(3), "{}"...), "its header has 3 bytes, the file 10"},
	{"header longer than the format's", length(100_000_001), "its header has 100000001 bytes"},
	{"header length that is negative as int64", append(length(1<<63), "{}"...), "its header has 9223372036854775808 bytes"},
	{"header length of all bits", append(length(1<<64-1), "{}"...), "its header has 18446744073709551615 bytes"},
	{"no header", length(0), "it is not a JSON object"},

	{"no JSON", build(`{"a"`, 0), "unexpected end of JSON input"},
	{"pickle", build("\x80\x02}q", 0), "it is not a JSON object"},
	{"array", build(`[]`, 0), "it is not a JSON object"},
	{"null", build(`null`, 0), "it is not a JSON object"},
	{"space before the object", build(` {}`, 0), "it is not a JSON object"},
	{"text after the object", build(`{} {}`, 0), "invalid character '{' after top-level value"},
	{"comma at the end", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},}`, 1), "invalid character '}'"},
	{"no UTF-8", build("{\"\xff\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1), "it is not UTF-8"},

	{"tensor that is a number", build(`{"a":1}`, 0), `tensor "a": it is not a JSON object`},
	{"tensor that is null", build(`{"a":null}`, 0), `tensor "a": it is not a JSON object`},
	{"no type", build(`{"a":{"shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": it has no dtype`},
	{"no shape", build(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, 1), `tensor "a": it has no shape`},
	{"no offsets", build(`{"a":{"dtype":"U8","shape":[1]}}`, 1), `tensor "a": it has no data_offsets`},
	{"name in another case", build(`{"a":{"DType":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": it has no dtype`},
	{"unknown type", build(`{"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}}`, 4), `tensor "a": unknown type "F33"`},
	{"type in another case", build(`{"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}}`, 4), `tensor "a": unknown type "f32"`},
	{"type that is a number", build(`{"a":{"dtype":32,"shape":[1],"data_offsets":[0,4]}}`, 4),
		`tensor "a": dtype: json: cannot unmarshal number`},
	{"shape that is a number", build(`{"a":{"dtype":"U8","shape":1,"data_offsets":[0,1]}}`, 1),
		`tensor "a": shape: json: cannot unmarshal number`},
	{"shape of null", build(`{"a":{"dtype":"U8","shape":null,"data_offsets":[0,1]}}`, 1), `tensor "a": shape is null`},
	{"dimension of null", build(`{"a":{"dtype":"U8","shape":[null],"data_offsets":[0,0]}}`, 0), `tensor "a": shape is null`},
	{"offset of null", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[null,1]}}`, 1), `tensor "a": data_offsets is null`},
	{"fraction of a dimension", build(`{"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}}`, 1),
		`tensor "a": shape: json: cannot unmarshal number 1.5`},
	{"negative dimension", build(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, 1), `tensor "a": shape [-1] is impossible`},
	{"negative dimensions, positive product", build(`{"a":{"dtype":"U8","shape":[-1,-1],"data_offsets":[0,1]}}`, 1),
		`tensor "a": shape [-1 -1] is impossible`},
	// 2^31 × 2^32 × 2 = 2^64, 0 in 64 bits.
	{"shape overflows to 0", build(`{"a":{"dtype":"F16","shape":[2147483648,4294967296],"data_offsets":[0,0]}}`, 0),
		"shape [2147483648 4294967296] is impossible"},
	// (2^62 + 1) × 4 = 2^64 + 4, 4 in 64 bits.
	{"shape overflows to the size", build(`{"a":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}}`, 4),
		"shape [4611686018427387905] is impossible"},
	{"dimension over 64 bits", build(`{"a":{"dtype":"U8","shape":[18446744073709551617],"data_offsets":[0,1]}}`, 1),
		`tensor "a": shape: json: cannot unmarshal number`},

	{"one offset", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, 1), "data_offsets [0] do not lie in the 1 bytes of data"},
	{"three offsets", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}}`, 1), "data_offsets [0 1 1] do not lie"},
	{"negative offset", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}}`, 1), "data_offsets [-1 0] do not lie"},
	{"offsets out of order", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, 1), "data_offsets [1 0] do not lie"},
	{"data cut", build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 7),
		"data_offsets [0 8] do not lie in the 7 bytes of data: is the file cut?"},
	{"fewer bytes than the shape", build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4),
		"4 bytes of data for shape [2] of F32"},
	{"more bytes than the shape", build(`{"a":{"dtype":"BF16","shape":[],"data_offsets":[0,4]}}`, 4),
		"4 bytes of data for shape [] of BF16"},

	{"overlap", build(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 3),
		`the data of tensor "b" overlap others or leave a gap`},
	{"same data", build(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 2),
		`the data of tensor "b" overlap`},
	{"gap", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, 3),
		`the data of tensor "b" overlap others or leave a gap`},
	{"gap at the start", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2),
		`the data of tensor "a" overlap others or leave a gap`},
	{"no elements, within others",
		build(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}}`, 2),
		`the data of tensor "b" overlap`},
	{"bytes after the end", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 4),
		"the file has 3 bytes after its last tensor"},
	{"bytes without a tensor", build(`{}`, 1), "the file has 1 bytes after its last tensor"},

	{"tensor twice", build(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1),
		`header: "a" occurs there twice`},
	{"tensor twice, one escaped", build(
		`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}}`, 1),
		`header: "a" occurs there twice`},
	{"type twice", build(`{"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}}`, 1),
		`tensor "a": "dtype" occurs there twice`},
	{"metadata twice", build(`{"__metadata__":{},"__metadata__":{}}`, 0), `header: "__metadata__" occurs there twice`},
	{"metadata with a text twice", build(`{"__metadata__":{"a":"b","a":"c"}}`, 0), `__metadata__: "a" occurs there twice`},
	{"metadata that is a list", build(`{"__metadata__":["a"]}`, 0), "__metadata__: it is not a JSON object"},
	{"metadata that is null", build(`{"__metadata__":null}`, 0), "__metadata__: it is not a JSON object"},
	{"metadata with a number", build(`{"__metadata__":{"step":1}}`, 0), `__metadata__: "step" is not a text`},
	{"metadata with null", build(`{"__metadata__":{"step":null}}`, 0), `__metadata__: "step" is not a text`},
	{"metadata with an object", build(`{"__metadata__":{"step":{}}}`, 0), `__metadata__: "step" is not a text`},
}

func TestHeaderFaults(t *testing.T) {
	for _, test := range malformed {
		t.Run(test.name, func(t *testing.T) {
			tensors, metadata, err := header(bytes.NewReader(test.file), int64(len(test.file)))
			if err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("error %v, want %q", err, test.reason)
			}
			if tensors != nil || metadata != nil {
				t.Errorf("%v and %v came with the error", tensors, metadata)
			}
		})
	}
}

// wellFormed are headers that the format allows, though no writer is known to
// make some of them.
var wellFormed = []struct {
	name, header string
	data         int
	want         []Tensor
}{
	{"no tensors", `{}`, 0, nil},
	{"padding", "{}      ", 0, nil},
	{"metadata alone", `{"__metadata__":{"format":"pt"}}`, 0, nil},
	{"number alone", `{"a":{"dtype":"F64","shape":[],"data_offsets":[0,8]}}`, 8, []Tensor{{"a", F64, nil, 0, 8}}},
	{"names in any order, data in another",
		`{"b":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},"a":{"dtype":"BF16","shape":[1],"data_offsets":[4,6]}}`, 6,
		[]Tensor{{"a", BF16, []int64{1}, 4, 2}, {"b", F16, []int64{1, 2}, 0, 4}}},
	{"members that are not known", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"stride":null}}`, 1,
		[]Tensor{{"a", U8, []int64{1}, 0, 1}}},
	{"no elements between others",
		`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"I64","shape":[3,0],"data_offsets":[1,1]},"c":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`,
		2,
		[]Tensor{{"a", U8, []int64{1}, 0, 1}, {"b", I64, []int64{3, 0}, 1, 0}, {"c", U8, []int64{1}, 1, 1}}},
	{"name that is empty", `{"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1, []Tensor{{"", U8, []int64{1}, 0, 1}}},
}

func TestHeader(t *testing.T) {
	for _, test := range wellFormed {
		t.Run(test.name, func(t *testing.T) {
			file := build(test.header, test.data)
			got, _, err := header(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(test.want)
			for i := range want {
				want[i].Offset += 8 + int64(len(test.header)) // those of the table begin with the data
			}
			if !slices.EqualFunc(got, want, same) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func same(a, b Tensor) bool {
	return a.Name == b.Name && a.DType == b.DType && slices.Equal(a.Shape, b.Shape) && a.Offset == b.Offset && a.Bytes == b.Bytes
}

// bounded fails the test where more is read than there is, and reports the end of
// the file with the last bytes, as a ReaderAt may.
type bounded struct {
	t    testing.TB
	file []byte
}

func (b bounded) ReadAt(p []byte, offset int64) (int, error) {
	if len(p) > max(8, len(b.file)) {
		b.t.Errorf("%d bytes are read of a file of %d", len(p), len(b.file))
	}
	if offset > int64(len(b.file)) {
		return 0, io.EOF
	}
	n := copy(p, b.file[offset:])
	if int(offset)+n == len(b.file) {
		return n, io.EOF
	}
	return n, nil
}

// FuzzHeader checks what Open promises of a file that is accepted.
func FuzzHeader(f *testing.F) {
	for _, test := range malformed {
		f.Add(test.file)
	}
	for _, test := range wellFormed {
		f.Add(build(test.header, test.data))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		tensors, metadata, err := header(bounded{t, file}, int64(len(file)))
		if err != nil {
			if tensors != nil || metadata != nil {
				t.Error("there is a result with the error")
			}
			return
		}
		owner := make([]int, len(file)) // 0: of no tensor
		for i, tensor := range tensors {
			if i > 0 && tensor.Name <= tensors[i-1].Name {
				t.Errorf("%q comes after %q", tensor.Name, tensors[i-1].Name)
			}
			n := tensor.DType.size()
			for _, d := range tensor.Shape {
				n *= d
			}
			if n != tensor.Bytes || tensor.DType.size() == 0 {
				t.Errorf("%+v should have %d bytes", tensor, n)
			}
			for at := tensor.Offset; at < tensor.Offset+tensor.Bytes; at++ {
				if owner[at] != 0 {
					t.Fatalf("byte %d belongs to %q and to %q", at, tensors[owner[at]-1].Name, tensor.Name)
				}
				owner[at] = i + 1
			}
		}
		data := 8 + int(binary.LittleEndian.Uint64(file))
		if i := slices.IndexFunc(owner[:data], func(i int) bool { return i != 0 }); i >= 0 {
			t.Errorf("byte %d of the header belongs to %q", i, tensors[owner[i]-1].Name)
		}
		if i := slices.Index(owner[data:], 0); i >= 0 {
			t.Errorf("byte %d of the data belongs to no tensor", i)
		}
		// What is read can be written, and reads the same.
		again := written(t, tensors, metadata, func(tensor Tensor) []byte { return file[tensor.Offset : tensor.Offset+tensor.Bytes] })
		rereadTensors, rereadMetadata, err := header(bytes.NewReader(again), int64(len(again)))
		if err != nil || len(rereadTensors) != len(tensors) || len(rereadMetadata) != len(metadata) {
			t.Fatalf("%v: written as %v, %v", err, rereadTensors, rereadMetadata)
		}
		for i, r := range rereadTensors {
			o := tensors[i]
			if r.Name != o.Name || r.DType != o.DType || !slices.Equal(r.Shape, o.Shape) ||
				!bytes.Equal(again[r.Offset:r.Offset+r.Bytes], file[o.Offset:o.Offset+o.Bytes]) {
				t.Errorf("%+v was written as %+v", o, r)
			}
		}
	})
}

func TestHeaderReadFault(t *testing.T) {
	fault := errors.New("the disk is on fire")
	if _, _, err := header(faulty{fault}, 100); !errors.Is(err, fault) {
		t.Errorf("error %v, want %v", err, fault)
	}
	file := build(`{"__metadata__":{"a":"b"}}`, 0)
	_, metadata, err := header(bounded{t, file}, int64(len(file)))
	if err != nil || metadata["a"] != "b" {
		t.Errorf("metadata %v, error %v of a reader that reports the end with the last bytes", metadata, err)
	}
	// The file is shorter than it is said to be.
	if _, _, err := header(bytes.NewReader(file[:20]), int64(len(file))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

type faulty struct{ err error }

func (f faulty) ReadAt(p []byte, _ int64) (int, error) { return iotest.ErrReader(f.err).Read(p) }
