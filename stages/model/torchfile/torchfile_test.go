package torchfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/model/safetensors"
)

// Tensors that PyTorch saves have the bytes that safetensors has, and nothing that a file asks for is run.
func TestBesidePyTorch(t *testing.T) {
	folder := t.TempDir()
	var hostile []string
	peertest.Answer(t, nil, &hostile, peertest.PyTorch(t), filepath.Join("testdata", "save.py"), folder)
	want, err := safetensors.Open(filepath.Join(folder, "same.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	for _, name := range []string{"new.bin", "protocol4.bin"} {
		got, err := Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		if len(got.Tensors) != len(want.Tensors) {
			t.Errorf("%s has %d tensors, want %d", name, len(got.Tensors), len(want.Tensors))
		}
		for i, tensor := range got.Tensors {
			data, err := got.Read([]byte{1}, tensor)
			if err != nil {
				t.Fatal(err)
			}
			other := want.Tensors[i]
			expected, err := want.Read(nil, other)
			if err != nil {
				t.Fatal(err)
			}
			if tensor.Name != other.Name || tensor.DType != other.DType || len(tensor.Shape)+len(other.Shape) > 0 &&
				!reflect.DeepEqual(tensor.Shape, other.Shape) || !bytes.Equal(data, expected) {
				t.Errorf("%s: %+v, want %+v; equal data: %v", name, tensor, other, bytes.Equal(data, expected))
			}
		}
	}
	for _, name := range hostile {
		if _, err := Open(filepath.Join(folder, name+".bin")); err == nil ||
			!strings.Contains(err.Error(), "it names "+name+", and only tensors are read: nothing of it was run") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "run")); err == nil {
		t.Error("a pickle was run")
	}
	if _, err := Open(filepath.Join(folder, "old.bin")); err == nil || !strings.Contains(err.Error(), "before version 1.6") {
		t.Errorf("old format: error %v", err)
	}
}

// archive is a file of torch.save.
func archive(t testing.TB, pickle string, members map[string]string) string {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	add := func(name, content string, method uint16) {
		m, err := w.CreateHeader(&zip.FileHeader{Name: "archive/" + name, Method: method})
		if err == nil {
			_, err = m.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("data.pkl", pickle, zip.Store)
	for name, content := range members {
		name, deflated := strings.CutPrefix(name, "deflated ")
		add(name, content, map[bool]uint16{true: zip.Deflate}[deflated])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// text and number are opcodes.
func text(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func number(n int64) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// tensor is a tensor "w" of a storage "0".
func tensor(class string, elements, offset int64, shape, strides []int64) string {
	sizes := func(list []int64) string {
		all := "("
		for _, n := range list {
			all += number(n)
		}
		return all + "t"
	}
	return "\x80\x02}(" + text("w") + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + class + "\n" + text("0") +
		text("cpu") + number(elements) + "tQ" + number(offset) + sizes(shape) + sizes(strides) + "\x89ccollections\nOrderedDict\n)RtRu."
}

func TestFaults(t *testing.T) {
	six := map[string]string{"data/0": strings.Repeat("abcd", 6)}
	plain := tensor("FloatStorage", 6, 0, []int64{2, 3}, []int64{3, 1})
	const huge, outside = 1_000_000_000_000, "does not lie in its storage"
	for _, test := range []struct{ name, file, want string }{
		{"good", archive(t, plain, six), ""},
		{"good, with an order", archive(t, plain, map[string]string{"data/0": six["data/0"], "byteorder": "little"}), ""},
		{"big endian", archive(t, plain, map[string]string{"data/0": six["data/0"], "byteorder": "big"}), "only little is supported"},
		{"no storage", archive(t, plain, nil), `has no storage "0": it is cut`},
		{"compressed", archive(t, plain, map[string]string{"deflated data/0": six["data/0"]}), "is compressed"},
		{"a short storage", archive(t, tensor("FloatStorage", 7, 0, nil, nil), six), "24 bytes, too few for 7 elements"},
		{"wider elements", archive(t, tensor("DoubleStorage", 6, 0, nil, nil), six), "24 bytes, too few for 6 elements"},
		{"a huge storage", archive(t, tensor("LongStorage", 1<<62, 0, nil, nil), six), "too few"},
		{"a negative storage", archive(t, tensor("FloatStorage", -1, 0, nil, nil), six), "too few for -1"},
		{"10^12 elements", archive(t, tensor("FloatStorage", 6, 0, []int64{huge}, []int64{1}), six), outside},
		{"10^12 times one element", archive(t, tensor("FloatStorage", 6, 0, []int64{huge}, []int64{0}), six), outside},
		{"10^24 elements", archive(t, tensor("FloatStorage", 6, 0, []int64{huge, huge}, []int64{1, 1}), six), outside},
		{"a far stride", archive(t, tensor("FloatStorage", 6, 0, []int64{2, 2}, []int64{5, 1}), six), outside},
		{"a stride that overflows", archive(t, tensor("FloatStorage", 6, 0, []int64{3}, []int64{1 << 62}), six), outside},
		{"a negative stride", archive(t, tensor("FloatStorage", 6, 5, []int64{2}, []int64{-1}), six), outside},
		{"a negative offset", archive(t, tensor("FloatStorage", 6, -1, []int64{2}, []int64{1}), six), outside},
		{"an offset outside", archive(t, tensor("FloatStorage", 6, 5, []int64{2}, []int64{1}), six), outside},
		{"a negative size", archive(t, tensor("FloatStorage", 6, 0, []int64{-1, -6}, []int64{1, 1}), six), outside},
		{"other dimensions", archive(t, tensor("FloatStorage", 6, 0, []int64{2}, nil), six), "not a pickle of torch.save"},
		{"a system call", archive(t, "cos\nsystem\n("+text("touch run")+"tR.", six), "it names os.system"},
		{"by another opcode", archive(t, "("+text("touch run")+"ios\nsystem\n.", six), "it names os.system"},
		{"by a name of the stack", archive(t, text("os")+text("system")+"\x93.", six), "it names os.system"},
		{"a class of torch", archive(t, "ctorch.jit\nload\n.", six), "it names torch.jit.load"},
		{"a call of a storage", archive(t, "ctorch\nFloatStorage\n)R.", six), "not a pickle of torch.save"},
		{"an opcode that makes objects", archive(t, "ccollections\nOrderedDict\n)\x81.", six), "opcode 0x81"},
		{"a number", archive(t, "}"+text("w")+"K\x01s.", six), `"w" of data.pkl is not a tensor`},
		{"a list", archive(t, "].", six), "no dict of tensors"},
		{"a cut pickle", archive(t, plain[:40], six), "data.pkl: it is cut"},
		{"an empty stack", archive(t, "R.", six), "not a pickle of torch.save"},
		{"below a mark", archive(t, "}(s.", six), "not a pickle of torch.save"},
		{"a text that is cut", archive(t, "X\xff\xff\xff\xffa.", six), "it is cut"},
		{"a cut archive", archive(t, plain, six)[:100], "no archive of torch.save, or it is cut"},
		{"another format", "version https://git-lfs.github.com/spec/v1\n", "no archive of torch.save"},
		{"the old format", "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "before version 1.6"},
		{"nothing", "", "no archive of torch.save"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pytorch_model.bin")
			if err := os.WriteFile(path, []byte(test.file), 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			if err != nil {
				return
			}
			defer f.Close()
			if data, err := f.Read(nil, f.Tensors[0]); err != nil || string(data) != six["data/0"] {
				t.Errorf("%q, error %v", data, err)
			}
		})
	}
}

// memory is the content of a file.
type memory struct{ *strings.Reader }

func (memory) Close() error { return nil }
func (memory) Name() string { return "memory" }

// FuzzPickle reads pickles of anybody: each gives tensors that can be read, or an error.
func FuzzPickle(f *testing.F) {
	f.Add([]byte(tensor("FloatStorage", 6, 0, []int64{2, 3}, []int64{1, 2})))
	f.Add([]byte(tensor("ByteStorage", 24, 3, []int64{0, 3}, []int64{1, 2})))
	f.Add([]byte("\x80\x04\x95\x08\x00\x00\x00\x00\x00\x00\x00}q\x00(X\x01\x00\x00\x00aNe]\x94h\x00\x85\x86\x87Ja\x00\x00\x00bu."))
	f.Fuzz(func(t *testing.T, pickle []byte) {
		data := memory{strings.NewReader(archive(t, string(pickle), map[string]string{"data/0": strings.Repeat("abcd", 6)}))}
		file := &File{file: data, strides: map[string][]int64{}}
		if file.read(data, data.Size()) != nil {
			return
		}
		for _, tensor := range file.Tensors {
			if data, err := file.Read(nil, tensor); err != nil || len(data) > 8*24 {
				t.Fatalf("%+v: %d bytes, error %v", tensor, len(data), err)
			}
		}
	})
}
