// Package evaluatetest has what the tests of evaluation and of its tasks share.
package evaluatetest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/transforms/measure/bertscore"
)

// BERTFolder writes an encoder without weights, with two layers and CLS as its pooling.
func BERTFolder(t testing.TB) string {
	t.Helper()
	return storagetest.WriteFiles(t, t.TempDir(), map[string]string{
		"config.json":  `{"model_type":"bert","vocab_size":5,"hidden_size":4,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":8,"max_position_embeddings":16,"hidden_act":"gelu"}`,
		"vocab.txt":    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n",
		"modules.json": `[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`,
		"1_Pooling/config.json": `{"word_embedding_dimension":4,"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false,
			"pooling_mode_max_tokens":false,"pooling_mode_mean_sqrt_len_tokens":false}`,
	})
}

// Points is an encoder that knows the vector of each text.
type Points map[string][]float32

// Name implements encoder.Encoder.
func (Points) Name() string { return "Points" }

// Encode implements encoder.Encoder.
func (p Points) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	var data []float32
	for _, t := range texts {
		if p[t.Text] == nil {
			return nil, fmt.Errorf("no point for %q", t.Text)
		}
		data = append(data, p[t.Text]...)
	}
	return encoder.NewDense(data, len(data)/len(texts))
}

// LetterAngles gives each letter of a text a vector of two numbers, at 10 degrees for each place in the alphabet, between
// marks that lie opposite.
type LetterAngles struct {
	Encoded *int // that were encoded
	Closed  *int
}

// Name names the encoder.
func (LetterAngles) Name() string { return "letters" }

// Close counts.
func (a LetterAngles) Close() error { *a.Closed++; return nil }

// TokenIDs implements encoder.TokenEncoder.
func (LetterAngles) TokenIDs(_ context.Context, texts []encoder.Text) (list [][]int32, err error) {
	for _, t := range texts {
		ids := []int32{21}
		for _, letter := range strings.ReplaceAll(t.Text, " ", "") {
			ids = append(ids, letter-'a')
		}
		list = append(list, append(ids, 22))
	}
	return list, nil
}

// Tokens implements encoder.TokenEncoder.
func (a LetterAngles) Tokens(ctx context.Context, texts []encoder.Text) (list []bertscore.Tokens, err error) {
	*a.Encoded += len(texts)
	all, _ := a.TokenIDs(ctx, texts)
	for _, ids := range all {
		t := bertscore.Tokens{IDs: ids}
		for _, id := range ids {
			t.Vectors = append(t.Vectors, float32(math.Cos(float64(id)*math.Pi/18)), float32(math.Sin(float64(id)*math.Pi/18)))
		}
		list = append(list, t)
	}
	return list, nil
}

// Key tells the figures of one model and task apart.
type Key struct{ Subtask, Language, Metric string }

// Read reads a task as evaluate does, from the folder of the test data. The input needs no more than what the task reads.
func Read(t testing.TB, task protocol.Task, root string, in *protocol.Input) (protocol.Protocol, error) {
	t.Helper()
	folder, err := storage.Locate(root)
	if err != nil {
		t.Fatal(err)
	}
	in.Context, in.Task, in.Folder = t.Context(), task.Name, folder
	p, err := task.Read(in)
	if err == nil {
		err = in.Fault()
	}
	return p, err
}

// Measure returns the figures of an encoder by a protocol.
func Measure(t testing.TB, p protocol.Protocol, e encoder.Encoder) map[Key]schemas.Result {
	t.Helper()
	list, err := p.Measure(t.Context(), e, schemas.Result{}, func(protocol.Part) {})
	if err != nil {
		t.Fatal(err)
	}
	figures := map[Key]schemas.Result{}
	for _, r := range list {
		figures[Key{r.Subtask, r.Language, r.Metric}] = r
	}
	return figures
}
