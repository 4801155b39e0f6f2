package model

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The files of a folder that somebody else made give an encoder whose settings hold
// together, or an error.
func FuzzFolder(f *testing.F) {
	f.Add([]byte(configJSON), []byte(`{"do_lower_case": false, "model_max_length": 1e30}`), []byte(modulesJSON), []byte(meanJSON),
		[]byte(`{"max_seq_length": 6}`), []byte(vocabularyText), []byte{})
	f.Add([]byte(`{"vocab_size": 1e400, "hidden_size": -1}`), []byte(`{"strip_accents": true}`), []byte(`[]`),
		[]byte(`{"pooling_mode": ["mean"]}`), []byte(`{}`), []byte("[UNK]\n"), []byte(`{"model": {"vocab": {"a": 0}}}`))
	f.Add([]byte(`{"model_type": "bert", "vocab_size": 5, "hidden_size": 4, "num_attention_heads": 2}`), []byte(`null`),
		[]byte(`[{"type": "x.Transformer", "path": "../.."}]`), []byte(`[[[[`), []byte(`{"max_seq_length": -1}`),
		[]byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"), []byte(`{`))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, config, tokenizer, modules, pooling, sentence, vocabulary, fast []byte) {
		for name, content := range map[string][]byte{
			"config.json": config, "tokenizer_config.json": tokenizer, "modules.json": modules, "1_Pooling/config.json": pooling,
			"sentence_bert_config.json": sentence, VocabularyName: vocabulary, "tokenizer.json": fast,
		} {
			path := filepath.Join(folder, name)
			if len(content) == 0 {
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
			} else if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		m, err := Open(folder)
		if err != nil {
			return
		}
		if err := m.Config.Validate(); err != nil {
			t.Fatalf("an open folder: %v", err)
		}
		if m.MaxTokens > m.Config.MaxPositions || m.Pooling != "" && !m.Pooling.Known() {
			t.Fatalf("%d tokens of %d, pooling %q", m.MaxTokens, m.Config.MaxPositions, m.Pooling)
		}
		s, err := m.Sequencer()
		if err != nil {
			return
		}
		ids := s.Append(nil, "A b\u0301ab 中 [MASK] \xff 1,000")
		if len(ids) < 2 || len(ids) > m.MaxTokens || ids[0] != s.classify || ids[len(ids)-1] != s.separate {
			t.Fatalf("%d ids of %d: %v", len(ids), m.MaxTokens, ids)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= m.Config.VocabularySize {
				t.Fatalf("id %d of %d", id, m.Config.VocabularySize)
			}
		}
	})
}
