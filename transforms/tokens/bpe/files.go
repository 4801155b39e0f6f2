package bpe

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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
	if err := complete(ids, lines); err != nil {
		return nil, err
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

// unmergedPieces are those that no merge makes: special ones, and what fairseq fills vocabularies up with.
var unmergedPieces = regexp.MustCompile(`^(<.*>|madeupword[0-9]+)$`)

// complete returns an error where merges are missing: all other pieces of several characters come from them.
func complete(ids map[string]int, merges []string) error {
	rest := maps.Clone(ids)
	for _, line := range merges {
		left, right, _ := strings.Cut(line, " ")
		delete(rest, left+right)
	}
	maps.DeleteFunc(rest, func(piece string, _ int) bool {
		return utf8.RuneCountInString(piece) == 1 || unmergedPieces.MatchString(piece)
	})
	if len(rest) == 0 {
		return nil
	}
	first := slices.MinFunc(slices.Collect(maps.Keys(rest)), func(a, b string) int { return ids[a] - ids[b] })
	return fmt.Errorf("%s makes none of %d pieces of %s, of which %q is the first: it is cut, or they do not belong together; fetch the folder again",
		MergesName, len(rest), PiecesName, first)
}
