package bpe

import (
	"encoding/json"
	"fmt"
	"strings"

	"sentweave/schemas/jsonfile"
)

// Names of the files of older folders.
const (
	PiecesName = "vocab.json"
	MergesName = "merges.txt"
)

// Serialize returns the tokenizer.json of the two files of RoBERTa's folders before there was one: the ids of pieces,
// and a merge a line. Special tokens have RoBERTa's names. The prefix says whether a space is put before texts.
func Serialize(pieces, merges []byte, prefix bool) ([]byte, error) {
	ids := map[string]int{}
	if err := jsonfile.Unmarshal(pieces, &ids); err != nil {
		return nil, fmt.Errorf("%s: %w", PiecesName, err)
	}
	lines := strings.Split(strings.ReplaceAll(string(merges), "\r\n", "\n"), "\n")
	if strings.HasPrefix(lines[0], "#version") {
		lines = lines[1:]
	}
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	added := []map[string]any{}
	for _, name := range []string{"<s>", "<pad>", "</s>", "<unk>", "<mask>"} {
		id, ok := ids[name]
		if !ok {
			return nil, fmt.Errorf("%s has no %s, as RoBERTa's has: save the tokenizer as tokenizer.json by transformers", PiecesName, name)
		}
		added = append(added, map[string]any{"id": id, "content": name, "special": true, "lstrip": name == "<mask>", "rstrip": false,
			"single_word": false, "normalized": false})
	}
	return json.Marshal(map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added, "normalizer": nil,
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": true, "use_regex": true},
		"post_processor": map[string]any{"type": "RobertaProcessing", "sep": []any{"</s>", ids["</s>"]}, "cls": []any{"<s>", ids["<s>"]},
			"trim_offsets": true, "add_prefix_space": prefix},
		"decoder": map[string]any{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
		"model": map[string]any{"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": "",
			"end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false, "ignore_merges": false, "vocab": ids, "merges": lines},
	})
}
