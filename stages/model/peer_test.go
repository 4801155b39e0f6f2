package model

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/stages/model/safetensors"
	"sentweave/transforms/tokens/wordpiece"
)

// miniLM returns the folder of the published sentence-transformers model
// all-MiniLM-L6-v2.
func miniLM(t *testing.T) *Folder {
	t.Helper()
	path := realdata.Variable(t, "SENTWEAVE_MINILM")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestMiniLM compares with the model's card: 6 layers of 384, mean pooling of at
// most 256 pieces, vectors of unit length.
func TestMiniLM(t *testing.T) {
	f := miniLM(t)
	want := DefaultConfig()
	want.HiddenSize, want.Layers, want.IntermediateSize = 384, 6, 1536
	if f.Config != want {
		t.Errorf("%+v, want %+v", f.Config, want)
	}
	if f.Pooling != Mean || !f.Normalize || f.MaxTokens != 256 || f.Tokenizer != wordpiece.Uncased {
		t.Errorf("pooling %q, normalize %v, %d tokens, tokenizer %+v", f.Pooling, f.Normalize, f.MaxTokens, f.Tokenizer)
	}
	weights, err := safetensors.Open(filepath.Join(f.Path, WeightsName))
	if err != nil {
		t.Fatal(err)
	}
	defer weights.Close()
	// An encoder of L layers has 5 tensors of embeddings, 16 a layer, 2 of the
	// pooler; this file also holds the ids of the positions.
	if n := len(weights.Tensors); n != 5+6*16+2 && n != 5+6*16+2+1 {
		t.Errorf("%d tensors", n)
	}
	words, ok := weights.Find("embeddings.word_embeddings.weight")
	if !ok || !slices.Equal(words.Shape, []int64{30522, 384}) || words.DType != safetensors.F32 {
		t.Errorf("%+v", words)
	}
}

// TestMiniLMIDs compares ids with those of Hugging Face's tokenizers, by the
// model's own tokenizer.json.
func TestMiniLMIDs(t *testing.T) {
	f := miniLM(t)
	interpreter := peertest.Python(t, "tokenizers==0.23.3")
	texts := sharedLines(t)
	var want [][]int32
	peertest.Answer(t, texts, &want, interpreter, "-c", `
import json, sys
from tokenizers import Tokenizer
tokenizer = Tokenizer.from_file(sys.argv[1])
tokenizer.no_padding()
tokenizer.enable_truncation(256)
print(json.dumps([e.ids for e in tokenizer.encode_batch(json.load(sys.stdin))]))
`, filepath.Join(f.Path, "tokenizer.json"))
	s, err := f.Sequencer()
	if err != nil {
		t.Fatal(err)
	}
	cut, differ := 0, 0
	for i, text := range texts {
		got := s.Append(nil, text)
		if len(got) == f.MaxTokens {
			cut++
		}
		if !slices.Equal(got, want[i]) {
			if differ++; differ <= 5 {
				t.Errorf("%.200q: %v, want %v", text, got, want[i])
			}
		}
	}
	if cut == 0 {
		t.Error("no text is long enough to be cut")
	}
	t.Logf("%d texts, %d of them cut, %d differ", len(texts), cut, differ)
}

// sharedLines returns some lines of the test data in several languages, and each
// ten of them as one long text.
func sharedLines(t *testing.T) (texts []string) {
	t.Helper()
	names := []string{"stsb/sts-dev.csv", "stsb_multi_mt/stsb-de-dev.csv", "stsb_multi_mt/stsb-zh-dev.csv", "senteval/rt-polarity.all"}
	data := realdata.Folder(t, names...)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(strings.ToValidUTF8(string(content), "\ufffd"), "\n", 301)
		lines = lines[:min(len(lines), 300)]
		texts = append(texts, lines...)
		for ten := range slices.Chunk(lines, 10) {
			texts = append(texts, strings.Join(ten, " "))
		}
	}
	return texts
}
