//go:build libtorch

package torch

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/objective"
	"sentweave/stages/torch/transformer"
)

// stored is a tensor of a file with its bytes.
type stored struct {
	safetensors.Tensor
	data []byte
}

// bfloat16 is a float32 tensor cut to the upper halves of its numbers.
func (s stored) bfloat16(t testing.TB) stored {
	return s.convert(t, safetensors.BF16, func(x float32) []byte {
		return binary.LittleEndian.AppendUint16(nil, uint16(math.Float32bits(x)>>16))
	})
}

func (s stored) convert(t testing.TB, to safetensors.DType, element func(float32) []byte) stored {
	t.Helper()
	if s.DType != safetensors.F32 {
		t.Fatalf("%s is of type %s", s.Name, s.DType)
	}
	var data []byte
	for i := 0; i < len(s.data); i += 4 {
		data = append(data, element(math.Float32frombits(binary.LittleEndian.Uint32(s.data[i:])))...)
	}
	s.DType, s.data = to, data
	return s
}

// rewrite changes the tensors of a file.
func rewrite(t testing.TB, path string, change func([]stored) []stored) {
	t.Helper()
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []stored
	for _, tensor := range f.Tensors {
		data, err := f.Read(nil, tensor)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, stored{tensor, data})
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	list = change(list)
	data, tensors := map[string][]byte{}, make([]safetensors.Tensor, len(list))
	for i, s := range list {
		data[s.Name], tensors[i] = s.data, s.Tensor
	}
	var out bytes.Buffer
	if err := safetensors.Write(&out, tensors, f.Metadata,
		func(t safetensors.Tensor) ([]byte, error) { return data[t.Name], nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// saved returns the folder of a tiny model of both objectives, and its
// configuration.
func saved(t testing.TB) (string, TrainerConfig) {
	t.Helper()
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	config := TrainerConfig{Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext}, Optimizer: objective.DefaultOptimizer(),
		Seed: 3}
	config.Folder, config.Vocabulary = tiny(t)
	path := t.TempDir()
	if err := newTrainerOf(t, config).Save(path); err != nil {
		t.Fatal(err)
	}
	return path, config
}

func TestBadFolders(t *testing.T) {
	onThread()
	without := func(names ...string) func([]stored) []stored {
		return func(list []stored) []stored {
			return slices.DeleteFunc(list, func(s stored) bool { return slices.Contains(names, s.Name) })
		}
	}
	each := func(name string, change func(stored) stored) func([]stored) []stored {
		return func(list []stored) []stored {
			for i := range list {
				if list[i].Name == name {
					list[i] = change(list[i])
				}
			}
			return list
		}
	}
	file := func(name string, change func([]stored) []stored) func(*testing.T, string) {
		return func(t *testing.T, folder string) { rewrite(t, filepath.Join(folder, name), change) }
	}
	bytesOf := func(name string, change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			path := filepath.Join(folder, name)
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, change(data), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	extra := func(list []stored) []stored {
		s := list[0]
		s.Name = "encoder.layer.2.output.dense.bias"
		return append(list, s)
	}
	long := func(s stored) stored {
		return s.convert(t, safetensors.I64, func(x float32) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(x)) })
	}
	holding := func(x float64) func(stored) stored { // in the place of its first number
		return func(s stored) stored {
			numbers := 0
			return s.convert(t, safetensors.F32, func(y float32) []byte {
				if numbers++; numbers == 1 {
					y = float32(x)
				}
				return binary.LittleEndian.AppendUint32(nil, math.Float32bits(y))
			})
		}
	}
	transposed := func(s stored) stored { slices.Reverse(s.Shape); return s }
	const bias, matrix = "encoder.layer.1.output.dense.bias", "encoder.layer.0.intermediate.dense.weight"
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, string)
		// wanted are parts of the error; encoder and trainer say who reads the file.
		wanted           []string
		encoder, trainer bool
	}{
		{"a tensor is missing", file(model.WeightsName, without(bias)), []string{model.WeightsName, bias + " is missing"}, true, true},
		{"two are missing", file(model.WeightsName, without(bias, matrix)), []string{bias + " is missing", matrix + " is missing"}, true,
			true},
		{"all are missing", file(model.WeightsName, func([]stored) []stored { return nil }), []string{"and 32 more"}, true, true},
		{"another layer", file(model.WeightsName, extra), []string{"encoder.layer.2.output.dense.bias belongs to no part"}, true, true},
		{"another shape", file(model.WeightsName, each(matrix, transposed)), []string{matrix + " has shape [16 32]", "asks for [32 16]"},
			true, true},
		{"another type", file(model.WeightsName, each(bias, long)), []string{bias + " is of type I64, not F64, F32, F16 or BF16"}, true,
			true},
		{"a weight that is NaN", file(model.WeightsName, each(matrix, holding(math.NaN()))),
			[]string{model.WeightsName + ": " + matrix + " holds NaN or infinite numbers"}, true, true},
		{"a weight that is infinite", file(model.WeightsName, each(bias, holding(math.Inf(-1)))), []string{bias + " holds NaN"}, true,
			true},
		{"a cut file", bytesOf(model.WeightsName, func(b []byte) []byte { return b[:len(b)-5] }), []string{model.WeightsName, "cut"}, true,
			true},
		{"a cut header", bytesOf(model.WeightsName, func(b []byte) []byte { return b[:100] }), []string{model.WeightsName}, true, true},
		{"an empty file", bytesOf(model.WeightsName, func([]byte) []byte { return nil }), []string{model.WeightsName}, true, true},
		{"no safetensors", bytesOf(model.WeightsName, func([]byte) []byte { return []byte("version https://example.org/spec/v1\n") }),
			[]string{model.WeightsName}, true, true},
		{"no file", func(t *testing.T, folder string) {
			if err := os.Remove(filepath.Join(folder, model.WeightsName)); err != nil {
				t.Fatal(err)
			}
		}, []string{model.WeightsName, "no such file"}, true, true},
		{"a head is missing", file(headsName, without(transformer.VocabularyBias)),
			[]string{headsName, transformer.VocabularyBias + " is missing"}, false, true},
		{"a moment is missing", file(optimizerName, without(secondPrefix+bias)),
			[]string{optimizerName, secondPrefix + bias + " is missing"}, false, true},
		{"an unknown moment", file(optimizerName, extra), []string{optimizerName, "belongs to no part"}, false, true},
		{"a cut state", bytesOf(optimizerName, func(b []byte) []byte { return b[:len(b)/2] }), []string{optimizerName, "cut"}, false, true},
		{"a state without its step", bytesOf(
			optimizerName, func(b []byte) []byte { return bytes.Replace(b, []byte(`"step"`), []byte(`"stop"`), 1) }),
			[]string{optimizerName, "does not say its step"}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			onThread()
			folder, config := saved(t)
			c.spoil(t, folder)
			opened, err := model.Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			check := func(who string, err error, wanted bool) {
				t.Helper()
				if !wanted {
					if err != nil {
						t.Errorf("%s: %v", who, err)
					}
					return
				}
				if err == nil {
					t.Errorf("%s: no error", who)
					return
				}
				for _, part := range c.wanted {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%s: %q is not in: %v", who, part, err)
					}
				}
			}
			encoder, err := NewEncoder(opened, -1)
			if err == nil {
				encoder.Close()
			}
			check("encoder", err, c.encoder)
			trainer := newTrainerOf(t, config)
			before := parameters(t, trainer)
			err = trainer.Load(folder)
			check("trainer", err, c.trainer)
			if !c.encoder && err != nil {
				return // the weights were good, and are loaded
			}
			for name, want := range before {
				if got := values(t, trainer.network.Weights.Tensors[name]); !slices.Equal(got, want) {
					t.Errorf("%s was changed by a load that went wrong", name)
				}
			}
		})
	}
}

// parameters returns copies of all of them.
func parameters(t testing.TB, trainer *Trainer) map[string][]float32 {
	t.Helper()
	copies := map[string][]float32{}
	for _, name := range trainer.network.Weights.Names {
		copies[name] = values(t, trainer.network.Weights.Tensors[name])
	}
	return copies
}

// Weights of 16 bits load as the numbers that they stand for, under the names of
// old files, beside tensors that nothing reads.
func TestWeightsOfOtherFiles(t *testing.T) {
	onThread()
	folder, config := saved(t)
	want := parameters(t, newTrainerOf(t, config))
	path := filepath.Join(folder, model.WeightsName)
	old := func(list []stored) []stored {
		for i := range list {
			stem, isNorm := strings.CutSuffix(list[i].Name, "LayerNorm.weight")
			if isNorm {
				list[i].Name = stem + "LayerNorm.gamma"
			}
			list[i].Name = "bert." + strings.Replace(list[i].Name, "LayerNorm.bias", "LayerNorm.beta", 1)
		}
		pooler, ids := list[0], list[0]
		pooler.Name, ids.Name = "bert.pooler.dense.weight", "bert.embeddings.position_ids"
		return append(list, pooler, ids)
	}
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func([]stored) []stored
		// rounded is the number that is stored for another.
		rounded func(float32) float32
	}{
		{"old names", old, func(x float32) float32 { return x }},
		{"bfloat16", func(list []stored) []stored {
			for i := range list {
				list[i] = list[i].bfloat16(t)
			}
			return list
		}, func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ 0xffff) }},
		{"float16", func(list []stored) []stored {
			for i := range list {
				list[i] = list[i].convert(t, safetensors.F16,
					func(x float32) []byte { return binary.LittleEndian.AppendUint16(nil, half(x)) })
			}
			return list
		}, func(x float32) float32 { return fromHalf(half(x)) }},
		{"float64", func(list []stored) []stored {
			for i := range list {
				list[i] = list[i].convert(t, safetensors.F64,
					func(x float32) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(x))) })
			}
			return list
		}, func(x float32) float32 { return x }},
		{"of two types", func(list []stored) []stored {
			list[0] = list[0].bfloat16(t)
			return list
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			onThread()
			if err := os.WriteFile(path, original, 0o666); err != nil {
				t.Fatal(err)
			}
			rewrite(t, path, c.change)
			opened, err := model.Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			encoder, err := NewEncoder(opened, -1)
			if err != nil {
				t.Fatal(err)
			}
			encoder.Close()
			if c.rounded == nil {
				return
			}
			// Those of an encoder may be in the order of a processor.
			weights, err := transformer.Load(opened.WeightsPath(), transformer.Shapes(opened.Config), false)
			if err != nil {
				t.Fatal(err)
			}
			defer weights.Free()
			for _, name := range weights.Names {
				got := values(t, weights.Tensors[name])
				for i, x := range want[name] {
					if got[i] != c.rounded(x) {
						t.Fatalf("%s: %v became %v, want %v", name, x, got[i], c.rounded(x))
					}
				}
			}
		})
	}
}

// half is the number's upper bits as float16 (IEEE 754 binary16), rounded to zero.
// Numbers below the least normal one become zero.
func half(x float32) uint16 {
	bits := math.Float32bits(x)
	sign, exponent, fraction := uint16(bits>>16&0x8000), int(bits>>23&0xff)-127, uint16(bits>>13&0x3ff)
	if exponent < -14 {
		return sign
	}
	return sign | uint16(exponent+15)<<10 | fraction
}

// fromHalf is a normal float16 or zero as float32: (−1)^s 2^(e−15) (1 + f/1024).
func fromHalf(h uint16) float32 {
	sign := float32(1)
	if h&0x8000 != 0 {
		sign = -1
	}
	if h&0x7fff == 0 {
		return 0 * sign
	}
	return sign * float32(math.Ldexp(1+float64(h&0x3ff)/1024, int(h>>10&0x1f)-15))
}
