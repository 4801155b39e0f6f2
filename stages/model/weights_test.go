package model

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/stages/model/safetensors"
)

// part is a file of weights of one number each.
func part(t *testing.T, names ...string) string {
	t.Helper()
	var out bytes.Buffer
	var list []safetensors.Tensor
	for _, name := range names {
		list = append(list, safetensors.Tensor{Name: name, DType: safetensors.F32, Shape: []int64{1}})
	}
	err := safetensors.Write(&out, list, nil,
		func(tensor safetensors.Tensor) ([]byte, error) { return []byte(tensor.Name + "..."), nil })
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestOpenWeights(t *testing.T) {
	const first, second, index = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", WeightsName + indexSuffix
	const torchIndex = TorchWeightsName + indexSuffix
	whole := files{first: part(t, "a", "b"), second: part(t, "c"), index: `{"metadata": {}, "weight_map": {"a": "` + first + `", "b": "` +
		first + `", "c": "` + second + `"}}`}
	for _, test := range []struct {
		name    string
		files   files
		tensors string
		reason  string
	}{
		{"one file", files{WeightsName: part(t, "a", "b")}, "a b", ""},
		{"one file beside an index", whole.with(files{WeightsName: part(t, "d")}), "d", ""},
		{"two parts", whole, "a b c", ""},
		{"none", files{"config.json": "{}"}, "", "no such file"},
		{"an empty file of torch", files{TorchWeightsName: "\n"}, "", "no archive of torch.save"},
		{"a file of torch beside", files{WeightsName: part(t, "a", "b"), TorchWeightsName: "\n"}, "a b", ""},
		{"a part of torch is missing", files{torchIndex: `{"weight_map": {"a": "pytorch_model-00001-of-00002.bin"}}`}, "",
			"names pytorch_model-00001-of-00002.bin, which is not there: fetch the folder again"},
		{"a part of torch outside", files{torchIndex: `{"weight_map": {"a": "../pytorch_model-00001-of-00002.bin"}}`}, "",
			`names the file "../pytorch_model-00001-of-00002.bin"`},
		{"a part is missing", whole.with(files{second: ""}), "", "names " + second + ", which is not there: fetch the folder again"},
		{"a tensor is missing", whole.with(files{second: part(t, "d")}), "", "has c in " + second + ", which does not have it"},
		{"a tensor twice", whole.with(files{second: part(t, "c", "a")}), "", "a is in another part of the weights, too"},
		{"outside", whole.with(files{index: `{"weight_map": {"a": "../` + first + `"}}`}), "", `names the file "../` + first + `"`},
		{"elsewhere", whole.with(files{index: `{"weight_map": {"a": "/etc/passwd"}}`}), "", `names the file "/etc/passwd"`},
		{"no index", whole.with(files{index: "["}), "", "unexpected end of JSON input"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := test.files.stored(t)
			if test.files[second] == "" && len(test.files) > 1 {
				_ = os.Remove(filepath.Join(folder, second))
			}
			w, err := OpenWeights(filepath.Join(folder, WeightsName))
			wantFault(t, err, test.reason)
			if err != nil {
				return
			}
			defer w.Close()
			var names []string
			for _, tensor := range w.Tensors {
				names = append(names, tensor.Name)
				if data, err := w.Read(nil, tensor); err != nil || string(data) != tensor.Name+"..." {
					t.Errorf("%s is %q, error %v", tensor.Name, data, err)
				}
			}
			if got := strings.Join(names, " "); got != test.tensors {
				t.Errorf("tensors %q, want %q", got, test.tensors)
			}
		})
	}
}
