package torchverbs

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sentweave/runners/torchverbs/cost"
)

// small returns the shape of an encoder of two dimensions.
func small(layers int64) cost.Shape {
	return cost.Shape{Layers: layers, Hidden: 2, Heads: 1, Intermediate: 4, Positions: 128, Pieces: 10}
}

// The room of a copy is that of the encoder that is copied, whatever the flags of a new one say.
func TestRoomOfACopy(t *testing.T) {
	folder := t.TempDir()
	config := `{"model_type":"bert","vocab_size":10,"hidden_size":2,"num_hidden_layers":1,"num_attention_heads":1,"intermediate_size":4,"max_position_embeddings":128}`
	for name, text := range map[string]string{"config.json": config, "vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\ne\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	i := Init{From: folder}
	i.Hidden, i.Layers, i.Heads, i.Intermediate, i.Positions = 768, 12, 12, 3072, 512
	s, ok := i.Shape(cost.Upstream{Pieces: 30522})
	if got := s.Bytes(); !ok || got != 4*338 { // as below
		t.Errorf("%d bytes, %v", got, ok)
	}
	// One on a bag that another step makes has the layers of the flags.
	i.From, i.given = "bag", []string{"size"}
	made := cost.Upstream{Pieces: 30522,
		Shapes: map[string]cost.Shape{"bag": small(0), "whole": small(1)}}
	if s, ok := i.Shape(made); !ok || s != small(12) {
		t.Errorf("%+v, %v", s, ok)
	}
	i.From = "whole"
	if s, ok := i.Shape(made); !ok || s.Layers != 1 {
		t.Errorf("%+v, %v", s, ok)
	}
}

// BERT base and large have 109,482,240 and 335,141,888 parameters with their poolers, which
// are not part of ours (Devlin et al. 2019, as the folders of Hugging Face hold them). The
// operations were worked out by hand.
func TestCosts(t *testing.T) {
	base := cost.Shape{Layers: 12, Hidden: 768, Heads: 12, Intermediate: 3072, Positions: 512, Pieces: 30522}
	large := cost.Shape{Layers: 24, Hidden: 1024, Heads: 16, Intermediate: 4096, Positions: 512, Pieces: 30522}
	for _, test := range []struct {
		shape cost.Shape
		with  int64
	}{{base, 109_482_240}, {large, 335_141_888}} {
		if got, want := test.shape.Parameters(), test.with-test.shape.Hidden*(test.shape.Hidden+1); got != want {
			t.Errorf("%+v has %d parameters, want %d", test.shape, got, want)
		}
	}
	flags := trainFlags(t, "--vocabulary=v", "--examples=e", "--bitext=b", "--preset=cmlm-then-cmlm+br", "--steps=10,20", "--batch=4",
		"--bitext-batch=8", "--accumulate=3", "--tokens=64")
	got := flags.Periods(small(1))
	// A layer: 4·2·3 + 2·2·4 + 4 + 2 + 8 = 54; an encoder: (10 + 128 + 4)·2 + 54 = 338.
	// CMLM, 2·4·64 = 512 tokens: 512·(6·54 + 12·64·2) + 80 words · 6·2·12 = 963,840 operations,
	// and 2·512·(34·2 + 5·64) + 80·10·8 = 403,712 bytes; retrieval, 1,024 tokens: 1,904,640 and 794,624.
	want := []cost.Period{
		{Period: "cmlm", Steps: 10, Tokens: 10 * 3 * 512, Bytes: 16*338 + 403_712, Operations: 30 * 963_840},
		{Period: "cmlm+br", Steps: 20, Tokens: 20 * 3 * 1536, Bytes: 16*338 + 403_712 + 794_624, Operations: 60 * (963_840 + 1_904_640)},
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
	// Kernels keep 2·(7·2 + 2·4) = 44 bytes of a token instead of 2·388, and 4 of a score: 512·44 + 80·10·4 = 25,728.
	flags = trainFlags(t, "--vocabulary=v", "--examples=e", "--preset=cmlm", "--steps=10", "--batch=4", "--tokens=64", "--device=cuda",
		"--precision=bfloat16")
	if got, want := flags.Periods(small(1))[0].Bytes, int64(20*338+25_728); got != want {
		t.Errorf("%d bytes with kernels, want %d", got, want)
	}
	gated := small(1)
	gated.Gated = true
	if got, want := flags.Periods(gated)[0].Bytes, int64(16*338+403_712); got != want {
		t.Errorf("%d bytes of layers without kernels, want %d", got, want)
	}
	// A chunk of 2 texts of one side has 128 tokens: 2·128·388 = 99,328 bytes, beside 16·8·2 of vectors and 52·64 of scores. With one
	// layer, recomputing keeps 4·2 bytes a token more.
	flags = trainFlags(t, "--vocabulary=v", "--bitext=b", "--preset=br", "--steps=10", "--bitext-batch=8", "--tokens=64", "--cache-chunk=2",
		"--recompute")
	got = flags.Periods(small(1))
	want = []cost.Period{{Period: "br", Steps: 10, Tokens: 10 * 1024, Bytes: 16*338 + 99_328 + 256 + 3328 + 4*2*128,
		Operations: got[0].Operations}}
	if ratio := got[0].Operations / (10 * 1_904_640); !slices.Equal(got, want) || math.Abs(ratio-5./3) > 1e-12 {
		t.Errorf("got %+v, %v × the operations, want %+v", got, ratio, want)
	}
}
