package safetensors

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sentweave/schemas/peertest"
)

// python runs a program with the module safetensors, on a value as JSON, and
// parses what it prints.
func python(t *testing.T, program string, in, out any) {
	t.Helper()
	peertest.Answer(t, in, out, peertest.Python(t, "numpy", "safetensors"), "-c", "import sys, json, base64\n"+program)
}

// peerTensor is a tensor as the programs below print it.
type peerTensor struct {
	DType DType
	Shape []int64
	Data  []byte
}

// TestPeerReads has the Python package read what Write writes.
func TestPeerReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := os.WriteFile(path, exampleFile(t), 0o666); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Metadata map[string]string
		Tensors  map[string]peerTensor
		Values   map[string][]float64
	}
	python(t, `
from safetensors import deserialize, safe_open
path = json.load(sys.stdin)
with open(path, "rb") as f:
    tensors = {name: {"DType": v["dtype"], "Shape": v["shape"], "Data": base64.b64encode(v["data"]).decode()} for name, v in deserialize(f.read())}
with safe_open(path, "numpy") as f:
    metadata = f.metadata()
    values = {name: f.get_tensor(name).astype("float64").ravel().tolist() for name in ("embeddings.weight", "double", "id")}
    values["half"] = f.get_tensor("half")[:2].astype("float64").ravel().tolist()
print(json.dumps({"Metadata": metadata, "Tensors": tensors, "Values": values}))
`, path, &got)
	if len(got.Metadata) != len(exampleMetadata) || len(got.Tensors) != len(example) {
		t.Errorf("%d tensors, metadata %q", len(got.Tensors), got.Metadata)
	}
	for key, want := range exampleMetadata {
		if got.Metadata[key] != want {
			t.Errorf("metadata %q is %q, want %q", key, got.Metadata[key], want)
		}
	}
	for name, want := range example {
		if g := got.Tensors[name]; g.DType != want.DType || !slices.Equal(g.Shape, want.Shape) || !bytes.Equal(g.Data, want.data) {
			t.Errorf("%q: %+v, want %+v", name, g, want)
		}
	}
	for name, want := range map[string][]float64{"embeddings.weight": {1, -2}, "half": {1, 0x1p-24}, "double": {1}, "id": {-2}} {
		if !slices.Equal(got.Values[name], want) {
			t.Errorf("%q: values %v, want %v", name, got.Values[name], want)
		}
	}
}

// TestReadsPeer reads what the Python package writes.
func TestReadsPeer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	var want map[string]peerTensor
	python(t, `
import numpy
from safetensors import serialize_file
from safetensors.numpy import save_file
path = json.load(sys.stdin)
arrays = {
    "z.float32": numpy.arange(6, dtype="<f4").reshape(2, 3), "float16": numpy.array([1, -0.5, 65504], "<f2"),
    "float64": numpy.array(numpy.pi), "int64": numpy.array([[-1], [2**40]]), "uint8": numpy.arange(3, dtype="u1"),
    "bool": numpy.array([True, False]), "empty": numpy.zeros((0, 4), "<f4"), "ü 'name'": numpy.array([7], "<i4"),
}
names = {"float32": "F32", "float16": "F16", "float64": "F64", "int64": "I64", "uint8": "U8", "bool": "BOOL", "int32": "I32"}
save_file(arrays, path, metadata={"format": "np", "ü": "é"})
want = {n: {"DType": names[str(a.dtype)], "Shape": a.shape, "Data": base64.b64encode(a.tobytes()).decode()} for n, a in arrays.items()}
print(json.dumps(want))
`, path, &want)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Metadata) != 2 || f.Metadata["format"] != "np" || f.Metadata["ü"] != "é" {
		t.Errorf("metadata %q", f.Metadata)
	}
	if len(want) != 8 || len(f.Tensors) != len(want) {
		t.Errorf("%d tensors, want %d", len(f.Tensors), len(want))
	}
	for _, tensor := range f.Tensors {
		w, ok := want[tensor.Name]
		got, err := f.Read(nil, tensor)
		if err != nil || !ok || tensor.DType != w.DType || !slices.Equal(tensor.Shape, w.Shape) || !bytes.Equal(got, w.Data) {
			t.Errorf("%+v: error %v, data %v, want %+v", tensor, err, got, w)
		}
	}
}

// TestPeerFaults gives every malformed file to the Python package: what it
// refuses must be refused here.
func TestPeerFaults(t *testing.T) {
	// What it lets pass against the description of the format: a header begins with
	// a brace, names are not repeated, metadata are texts by name.
	stricter := map[string]bool{
		"space before the object": true, "tensor twice": true, "tensor twice, one escaped": true,
		"metadata with a text twice": true, "metadata that is null": true,
	}
	var files []string
	for _, test := range malformed {
		files = append(files, base64.StdEncoding.EncodeToString(test.file))
	}
	for _, test := range wellFormed {
		files = append(files, base64.StdEncoding.EncodeToString(build(test.header, test.data)))
	}
	var accepted []bool
	python(t, `
from safetensors import deserialize
def accepts(file):
    try:
        deserialize(base64.b64decode(file))
        return True
    except Exception:
        return False
print(json.dumps([accepts(file) for file in json.load(sys.stdin)]))
`, files, &accepted)
	if len(accepted) != len(files) {
		t.Fatalf("%d answers for %d files", len(accepted), len(files))
	}
	for i, test := range malformed {
		if stricter[test.name] != accepted[i] {
			t.Errorf("malformed: %s: the Python package accepts it: %v", test.name, accepted[i])
		}
	}
	for i, test := range wellFormed {
		if !accepted[len(malformed)+i] {
			t.Errorf("well formed: %s: the Python package does not accept it", test.name)
		}
	}
}
