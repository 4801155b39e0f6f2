package vectorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
)

// npy returns a matrix of NumPy.
func npy(version byte, descr, order, shape string, numbers any) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	b := append([]byte(npyMagic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	}
	b = append(b, text...)
	byteOrder := binary.ByteOrder(binary.LittleEndian)
	if descr[0] == '>' {
		byteOrder = binary.BigEndian
	}
	var data bytes.Buffer
	if err := binary.Write(&data, byteOrder, numbers); err != nil {
		panic(err)
	}
	return append(b, data.Bytes()...)
}

func npz(arrays map[string][]byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range arrays {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// damaged returns an archive whose checksum is another one than that of its only file.
func damaged(archive []byte) []byte {
	b := bytes.Clone(archive)
	b[bytes.Index(b, []byte("PK\x01\x02"))+16]++
	return b
}

// read returns what a file holds: "id: numbers; …".
func read(name string, data []byte, o Options) (string, error) {
	v, err := Open(name, bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		return "", err
	}
	var rows []string
	for r, err := range v.All() {
		if err != nil {
			return "", err
		}
		row := strings.Trim(fmt.Sprint(r.Vector), "[]")
		if r.ID != "" {
			row = r.ID + ": " + row
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "; "), nil
}

func TestRead(t *testing.T) {
	four := []float32{1, -2.5, 3, 4}
	well := "1 -2.5; 3 4"
	matrix := npy(1, "<f4", "False", "(2, 2)", four)
	for name, test := range map[string]struct {
		file string
		data []byte
		o    Options
		want string
	}{
		"float32":      {"a.npy", matrix, Options{}, well},
		"version 2":    {"a.npy", npy(2, "<f4", "False", "(2, 2)", four), Options{}, well},
		"version 3":    {"A.NPY", npy(3, "<f4", "False", "(2,2)", four), Options{}, well},
		"most to less": {"a.npy", npy(1, ">f4", "False", "(2, 2)", four), Options{}, well},
		"float64":      {"a.npy", npy(1, "<f8", "False", "(2, 2)", []float64{1, -2.5, 3, 4}), Options{}, well},
		"float16":      {"a.npy", npy(1, "<f2", "False", "(2, 2)", []uint16{0x3c00, 0xc100, 0x4200, 0x4400}), Options{}, well},
		"small halves": {"a.npy", npy(1, ">f2", "False", "(1, 3)", []uint16{1, 0x8000, 0x03ff}), Options{},
			"5.9604645e-08 -0 6.097555e-05"},
		"a column":   {"a.npy", npy(1, "<f4", "True", "(4, 1)", four), Options{}, "1; -2.5; 3; 4"},
		"no vector":  {"a.npy", npy(1, "<f4", "False", "(0, 2)", []float32{}), Options{}, ""},
		"an archive": {"a.npz", npz(map[string][]byte{"arr_0.npy": matrix}), Options{}, well},
		"one of two": {"a.npz", npz(map[string][]byte{"x.npy": nil, "y.npy": matrix}), Options{Column: "y"}, well},
		"lines":      {"a.jsonl", []byte("{\"vector\":[1,-2.5]}\n\n{\"embedding\":[3,4e0],\"text\":\"null\"}\n"), Options{}, well},
		"lists":      {"a.ndjson", []byte("[1,-2.5]\n[3,4]"), Options{}, well},
		"ids": {"a.jsonl", []byte(`{"v":[1,2],"key":"x"}` + "\n" + `{"v":[3,4],"key":17}`), Options{Column: "v", IDs: "key"},
			"x: 1 2; 17: 3 4"},
	} {
		if got, err := read(test.file, test.data, test.o); err != nil || got != test.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	four := []float32{1, -2.5, 3, 4}
	matrix := npy(1, "<f4", "False", "(2, 2)", four)
	two := map[string][]byte{"x.npy": matrix, "y.npy": matrix}
	one := func(descr, order, shape string) []byte { return npy(1, descr, order, shape, four) }
	for want, test := range map[string]struct {
		file string
		data []byte
		o    Options
	}{
		"ends with none of .npy":               {"a.bin", matrix, Options{}},
		"the first bytes are others":           {"a.npy", []byte("PK\x03\x04"), Options{}},
		"version 4.0":                          {"a.npy", npy(4, "<f4", "False", "(2, 2)", four), Options{}},
		"ends within its header":               {"a.npy", matrix[:20], Options{}},
		"its header has 4294967295 bytes":      {"a.npy", []byte(npyMagic + "\x02\x00\xff\xff\xff\xff"), Options{}},
		"it has 80 bytes, and its header says": {"a.npy", append(matrix[:len(matrix):len(matrix)], 0), Options{}},
		"and its header says 8000000079":       {"a.npy", one("<f4", "False", "(1000000000, 2)"), Options{}},
		"its shape is (4,)":                    {"a.npy", one("<f4", "False", "(4,)"), Options{}},
		"its shape is (2, 0)":                  {"a.npy", one("<f4", "False", "(2, 0)"), Options{}},
		"its shape is (9999999999999999999":    {"a.npy", one("<f4", "False", "(9999999999999999999, 2)"), Options{}},
		"save numpy.ascontiguousarray":         {"a.npy", one("<f4", "True", "(2, 2)"), Options{}},
		`its numbers are "|u1"`:                {"a.npy", one("|u1", "False", "(4, 4)"), Options{}},
		`its numbers are "O"`:                  {"a.npy", npy(1, "O", "False", "(2, 2)", four), Options{}},
		"not a dictionary of descr":            {"a.npy", []byte(strings.Replace(string(matrix), "'shape'", "'shapf'", 1)), Options{}},
		"row 1: the number 0 of the vector is NaN": {"a.npy", npy(1, "<f4", "False", "(2, 2)",
			[]float32{1, 2, float32(math.NaN()), 4}), Options{}},
		"row 0: the number 1 of the vector is +Inf":            {"a.npy", npy(1, "<f8", "False", "(1, 2)", []float64{1, 1e300}), Options{}},
		"has no columns and no ids":                            {"a.npy", matrix, Options{IDs: "id"}},
		"it has the arrays":                                    {"a.npz", npz(two), Options{}},
		"the array has 79 bytes":                               {"a.npz", npz(map[string][]byte{"x.npy": matrix[:79]}), Options{}},
		"the array is damaged: zip: checksum error":            {"a.npz", damaged(npz(map[string][]byte{"x.npy": matrix})), Options{}},
		"not an archive of NumPy":                              {"a.npz", matrix, Options{}},
		"row 1: the vector has 1 numbers, the first one has 2": {"a.jsonl", []byte("[1,2]\n[1]"), Options{}},
		"row 0: the vector has 0 numbers":                      {"a.jsonl", []byte("[]"), Options{}},
		"row 0: a number of the vector is null":                {"a.jsonl", []byte("[1,null]"), Options{}},
		"row 1: the vector is not a list":                      {"a.jsonl", []byte("[1]\n[1e99]"), Options{}},
		"row 0: the line is not a JSON object":                 {"a.jsonl", []byte("NaN"), Options{}},
		`row 0: it has no field of ["v"]`:                      {"a.jsonl", []byte(`{"vector":[1]}`), Options{Column: "v"}},
		"row 1: it has no id as id": {"a.jsonl",
			[]byte(`{"vector":[1],"id":"x"}` + "\n" + `{"vector":[1]}`), Options{IDs: "id"}},
		"row 0: the line has more than 8 MiB": {"a.jsonl", bytes.Repeat([]byte(" "), 9<<20), Options{}},
		"Parquet":                             {"a.parquet", matrix, Options{}},
	} {
		want = strings.ReplaceAll(want, "80 bytes", fmt.Sprint(len(matrix)+1, " bytes"))
		if got, err := read(test.file, test.data, test.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q: %q, %v", want, got, err)
		}
	}
}

// Half-precision numbers are those of the definition.
func TestHalf(t *testing.T) {
	for b := range 1 << 16 {
		exponent, x := b>>10&0x1f, 0.
		switch {
		case exponent == 0:
			x = math.Ldexp(float64(b&0x3ff), -24)
		case exponent < 31:
			x = math.Ldexp(float64(b&0x3ff|0x400), exponent-25)
		case b&0x3ff == 0:
			x = math.Inf(1)
		default:
			x = math.NaN()
		}
		if b>>15 == 1 {
			x = math.Copysign(x, -1)
		}
		if got := half(uint16(b)); math.Float32bits(got) != math.Float32bits(float32(x)) && x == x || (got != got) != (x != x) {
			t.Fatalf("%#x is %v, want %v", b, got, x)
		}
	}
}

// What NumPy and pyarrow write is read as they have it.
func TestPeers(t *testing.T) {
	python := peertest.Python(t, "numpy", "pyarrow")
	folder := t.TempDir()
	peertest.Output(t, nil, python, "-c", `
import numpy, os, pyarrow, pyarrow.parquet, sys
os.chdir(sys.argv[1])
x = numpy.random.default_rng(7).normal(size=(1000, 24))
x.astype("<f4").tofile("want")
x = x.astype("f4")
numpy.save("f4.npy", x); numpy.save("f8.npy", x.astype(">f8"))
for version in (2, 3):
    with open(f"v{version}.npy", "wb") as f:
        numpy.lib.format.write_array(f, x, version=(version, 0))
numpy.savez("plain.npz", x); numpy.savez_compressed("small.npz", ids=numpy.arange(9), x=x)
half = x.astype("f2"); numpy.save("half.npy", half); half.astype("<f4").tofile("wanthalf")
ids = [f"id{i}" for i in range(len(x))]
for name, kind in {"f4": pyarrow.float32(), "f8": pyarrow.float64()}.items():
    for size in (-1, 24):
        table = pyarrow.table({"id": ids, "vector": pyarrow.array([list(map(float, r)) for r in x], pyarrow.list_(kind, size)), "n": list(range(len(x)))})
        pyarrow.parquet.write_table(table, f"{name}{size}.parquet", row_group_size=300)
`, folder)
	numbers := func(name string) []float32 {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		list := make([]float32, len(data)/4)
		_, err = binary.Decode(data, binary.LittleEndian, list)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for name, o := range map[string]Options{"f4.npy": {}, "f8.npy": {}, "v2.npy": {}, "v3.npy": {}, "half.npy": {}, "plain.npz": {},
		"small.npz": {Column: "x"}, "f4-1.parquet": {IDs: "id"}, "f424.parquet": {IDs: "n"}, "f8-1.parquet": {Column: "vector"},
		"f824.parquet": {}} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		want := numbers("want")
		if name == "half.npy" {
			want = numbers("wanthalf")
		}
		v, err := Open(name, bytes.NewReader(data), int64(len(data)), o)
		if err != nil || v.Rows != 1000 {
			t.Errorf("%s: %d rows, %v", name, v.Rows, err)
			continue
		}
		row := 0
		for r, err := range v.All() {
			id := map[string]string{"": "", "id": fmt.Sprint("id", row), "n": fmt.Sprint(row)}[o.IDs]
			if err != nil || r.ID != id || !slices.Equal(r.Vector, want[24*row:][:24]) {
				t.Fatalf("%s: row %d is %v, %v", name, row, r, err)
			}
			row++
		}
		if row != 1000 {
			t.Errorf("%s: %d rows", name, row)
		}
	}
}

// No file panics or takes memory that is not its own, and what is read is sound.
func FuzzRead(f *testing.F) {
	f.Add(uint8(0), npy(1, "<f4", "False", "(2, 2)", []float32{1, 2, 3, 4}))
	f.Add(uint8(0), npy(3, ">f2", "True", "(1, 2)", []uint16{1, 2}))
	f.Add(uint8(0), npy(2, "<f8", "False", "(1000000000000, 65536)", []float64{1}))
	f.Add(uint8(1), npz(map[string][]byte{"x.npy": npy(1, "<f4", "False", "(1, 1)", []float32{1})}))
	f.Add(uint8(2), []byte("{\"vector\":[1,2],\"id\":3}\n[4,5]"))
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		name := []string{"a.npy", "a.npz", "a.jsonl"}[kind%3]
		v, err := Open(name, bytes.NewReader(data), int64(len(data)), Options{})
		if err != nil {
			return
		}
		rows := int64(0)
		for r, err := range v.All() {
			if err != nil {
				return
			}
			if rows++; len(r.Vector) == 0 || slices.ContainsFunc(r.Vector, func(x float32) bool { return x-x != 0 }) {
				t.Fatalf("row %d is %v", rows, r.Vector)
			}
		}
		if v.Rows >= 0 && rows != v.Rows {
			t.Fatalf("%d rows of %d", rows, v.Rows)
		}
	})
}
