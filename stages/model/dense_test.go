package model

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Layers are read as sentence-transformers writes them, with the defaults of its class.
func TestDense(t *testing.T) {
	yes := `{"in_features": 8, "out_features": 5, "bias": true, "activation_function": "torch.nn.modules.activation.Tanh"}`
	for _, test := range []struct {
		name, text string
		want       Dense
		fault      string
	}{
		{"LaBSE's", yes, Dense{"2_Dense", 8, 5, true, Tanh}, ""},
		{"without bias", strings.Replace(yes, "true", "false", 1), Dense{"2_Dense", 8, 5, false, Tanh}, ""},
		{"of version 5", strings.Replace(
			yes, "{", `{"module_input_name": "sentence_embedding", "module_output_name": "sentence_embedding", `, 1),
			Dense{"2_Dense", 8, 5, true, Tanh}, ""},
		{"the defaults", `{"in_features": 8, "out_features": 5}`, Dense{"2_Dense", 8, 5, true, Tanh}, ""},
		{"another size", strings.Replace(yes, "8", "7", 1), Dense{}, "in_features is 7, the vectors before it have 8"},
		{"no size", strings.Replace(yes, "5", "0", 1), Dense{}, "out_features is 0"},
		{"another activation", strings.Replace(yes, "Tanh", "SELU", 1), Dense{},
			`activation_function "torch.nn.modules.activation.SELU" is not supported`},
		{"GELU", strings.Replace(yes, "Tanh", "GELU", 1), Dense{"2_Dense", 8, 5, true, DenseGELU}, ""},
		{"residual", strings.Replace(yes, "{", `{"use_residual": true, `, 1), Dense{}, "without a residual"},
		{"of tokens", strings.Replace(yes, "{", `{"module_input_name": "token_embeddings", `, 1), Dense{}, "without a residual"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := sentence()
			folder["modules.json"] = strings.Replace(modulesJSON, `{"idx": 2, "name": "2", "path": "2_Normalize"`,
				`{"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}, {"idx": 3, "name": "3", "path": "3_Normalize"`,
				1)
			folder["2_Dense/config.json"] = test.text
			f, err := Open(folder.stored(t))
			if test.fault != "" {
				if err == nil || !strings.Contains(err.Error(), test.fault) ||
					!strings.Contains(err.Error(), filepath.Join("2_Dense", "config.json")) {
					t.Errorf("%v, want %q", err, test.fault)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(f.Dense, []Dense{test.want}) || !f.Normalize || f.Dimension() != 5 {
				t.Errorf("%+v, %v", f, err)
			}
		})
	}
}

func TestDenseFaults(t *testing.T) {
	f := settings()
	f.Dense = []Dense{{"", 6, 9, true, Tanh}, {"", 6, 9, true, "x"}}
	if err := f.Validate(); err == nil || !strings.Contains(err.Error(), "Dense layer 1: in_features is 6, the vectors before it have 9") ||
		!strings.Contains(err.Error(), `"x" is not supported`) {
		t.Error(err)
	}
	f.Pooling, f.LensSize = Lens, 6
	if err := f.Validate(); err == nil || !strings.Contains(err.Error(), "Dense layers cannot follow a lens") {
		t.Error(err)
	}
}
