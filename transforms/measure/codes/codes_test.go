package codes

import (
	"fmt"
	"slices"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

func TestByHand(t *testing.T) {
	var r Ranges
	for _, v := range [][]float32{{0, -10, 7}, {255, 500, 7}} {
		r.Extend(v)
	}
	for _, test := range []struct {
		vector  []float32
		want    string
		outside int
	}{
		{[]float32{0, -10, 7}, "[-128 -128 -128]", 0},
		{[]float32{255, 500, 7}, "[127 127 -128]", 0},
		{[]float32{128.5, 0, 7}, "[0 -123 -128]", 0},
		{[]float32{127.5, 245, 7}, "[-1 -1 -128]", 0},
		{[]float32{300, -12, 8}, "[127 -128 -127]", 3},
	} {
		code, outside := r.Append(nil, test.vector)
		var list []int8
		for _, c := range code {
			list = append(list, int8(c))
		}
		if fmt.Sprint(list) != test.want || outside != test.outside {
			t.Errorf("%v: %v, %d outside, want %s and %d", test.vector, list, outside, test.want, test.outside)
		}
	}
	if got := AppendBits([]byte{9}, []float32{1, -1, 0, 2, 0, 0, 0, 1, 3}); fmt.Sprintf("%08b", got) != "[00001001 10010001 10000000]" {
		t.Errorf("bits %08b", got)
	}
	if got := r.AppendDecoded(nil, []byte{0x80, 0x80, 0x80}); fmt.Sprint(got) != "[0.5 -9 7]" {
		t.Errorf("decoded %v", got)
	}
}

// drawn are unit-like vectors of several directions.
func drawn(n, dim int) neighbors.Matrix {
	draw := random.New(1, 1, "codes", fmt.Sprint(n, dim), 0)
	m := neighbors.Matrix{Data: make([]float32, n*dim), Dim: dim}
	for i := range m.Data {
		m.Data[i] = float32(draw.Float64() + draw.Float64() - 1)
	}
	return m
}

// coded are the codes of int8 and of bits of the rows, and what they say.
func coded(m neighbors.Matrix) (int8s, bits []byte, decoded, signs neighbors.Matrix) {
	var r Ranges
	decoded.Dim, signs.Dim = m.Dim, m.Dim
	for i := range m.Rows() {
		r.Extend(m.Row(i))
	}
	for i := range m.Rows() {
		from := len(int8s)
		int8s, _ = r.Append(int8s, m.Row(i))
		decoded.Data = r.AppendDecoded(decoded.Data, int8s[from:])
		bits = AppendBits(bits, m.Row(i))
		signs.Data = AppendSigns(signs.Data, m.Row(i))
	}
	return int8s, bits, decoded, signs
}

const peer = `
import json, sys
import numpy as np
c = json.load(sys.stdin)
x = np.array(c["vectors"], np.float32).reshape(c["rows"], -1)
low, high = x.min(0), x.max(0)
steps = (high - low) / 255
int8s = (np.clip(np.floor((x - low) / np.where(steps == 0, 1, steps)), 0, 255) - 128).astype(np.int8)
bits = np.packbits(x > 0).reshape(len(x), -1)
try:
    from sentence_transformers.util.quantization import quantize_embeddings
    assert (quantize_embeddings(x, "int8") == int8s).all() and (quantize_embeddings(x, "ubinary") == bits).all()
    library = True
except ImportError:
    library = False
def nearest(s, k):
    np.fill_diagonal(s, -np.inf)
    return [set(row) for row in np.argsort(-s, 1, kind="stable")[:, :k].tolist()]
unit = lambda y: y / np.linalg.norm(y.astype(np.float64), axis=1, keepdims=True)
exact = nearest(unit(x) @ unit(x).T, 10)
def recall(s):
    return [sum(len(a & b) for a, b in zip(exact, nearest(s.copy(), k))) / 10 / len(x) for k in (10, 40)]
middle = unit(low + (int8s.astype(np.float32) + 128.5) * steps)
hamming = -np.unpackbits(bits[:, None] ^ bits[None], axis=2).sum(2).astype(np.float64)
print(json.dumps({"int8": int8s.view(np.uint8).ravel().tolist(), "bits": bits.ravel().tolist(),
    "recalls": recall(middle @ middle.T) + recall(hamming), "library": library}))
`

// Codes and recalls are those of NumPy, and where sentence-transformers is installed, codes are its own.
func TestPeer(t *testing.T) {
	python := peertest.Python(t, "numpy")
	m := drawn(500, 64)
	var want struct {
		Int8, Bits []int
		Recalls    []float64
		Library    bool
	}
	peertest.Answer(t, map[string]any{"vectors": m.Data, "rows": m.Rows()}, &want, python, "-c", peer)
	t.Logf("compared with sentence-transformers: %t; recalls %.3f", want.Library, want.Recalls)
	int8s, bits, decoded, signs := coded(m)
	integers := func(code []byte) (list []int) {
		for _, c := range code {
			list = append(list, int(c))
		}
		return list
	}
	if !slices.Equal(integers(int8s), want.Int8) || !slices.Equal(integers(bits), want.Bits) {
		t.Error("other codes than the peer's")
	}
	var got []float64
	for _, says := range []neighbors.Matrix{decoded, signs} {
		r, err := Measure(t.Context(), m, says)
		if err != nil || r.Queries != 500 || r.Candidates != 500 {
			t.Fatalf("%+v, %v", r, err)
		}
		got = append(got, r.Kept, r.Among)
	}
	for i := range got {
		if d := got[i] - want.Recalls[i]; d > 1e-3 || d < -1e-3 { // float32 rounds some neighbours another way
			t.Errorf("recalls %v, the peer has %v", got, want.Recalls)
		}
	}
}

func TestMeasure(t *testing.T) {
	m := drawn(2500, 16)
	if r, err := Measure(t.Context(), m, m); err != nil || r != (Recall{Queries: 834, Candidates: 2500, Kept: 1, Among: 1}) {
		t.Errorf("of itself %+v, %v", r, err)
	}
	_, _, decoded, signs := coded(m)
	whole, err := Measure(t.Context(), m, decoded)
	few, fewErr := Measure(t.Context(), m, signs)
	if err != nil || fewErr != nil || whole.Kept < .95 || few.Kept > .8 || few.Among <= few.Kept {
		t.Errorf("int8 %+v, bits %+v, %v, %v", whole, few, err, fewErr)
	}
	small := neighbors.Matrix{Data: m.Data[:Among*16], Dim: 16}
	if r, err := Measure(t.Context(), small, small); err != nil || r != (Recall{Candidates: Among}) {
		t.Errorf("of few %+v, %v", r, err)
	}
}
