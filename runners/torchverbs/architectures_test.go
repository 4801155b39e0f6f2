//go:build libtorch

package torchverbs

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// byteLevel writes a tokenizer.json of byte-level BPE whose pieces are the 256 bytes and some pairs of letters.
func byteLevel(t *testing.T) string {
	t.Helper()
	ids := map[string]int{"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4}
	others := 256
	for c := range 256 { // GPT-2 writes bytes that are no visible characters by those from 256 on
		r := rune(c)
		if c < '!' || c > '~' && c < '¡' || c == '\u00ad' {
			r = rune(others)
			others++
		}
		ids[string(r)] = len(ids)
	}
	merges := []string{}
	for _, pair := range []string{"t h", "i n", "e r", "a n", "o n", "Ġ t", "e n"} {
		merges = append(merges, pair)
		var a, b string
		fmt.Sscan(pair, &a, &b)
		ids[a+b] = len(ids)
	}
	added := []map[string]any{}
	for _, name := range []string{"<s>", "<pad>", "</s>", "<unk>", "<mask>"} {
		added = append(added, map[string]any{"id": ids[name], "content": name, "special": true})
	}
	data, err := json.Marshal(map[string]any{"normalizer": nil, "added_tokens": added,
		"pre_tokenizer":  map[string]any{"type": "ByteLevel", "add_prefix_space": false},
		"post_processor": map[string]any{"type": "RobertaProcessing", "sep": []any{"</s>", 2}, "cls": []any{"<s>", 0}},
		"model":          map[string]any{"type": "BPE", "vocab": ids, "merges": merges}})
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "tokenizer.json", string(data))
}

// A training of each architecture, with the tokenizer of its kind, survives kills. SENTWEAVE_KILLS is how many there are of each of
// encoders as large as BERT base.
func TestArchitecturesKilled(t *testing.T) {
	attempts, steps, size := 1, 120, []string{"--layers=2", "--hidden=64", "--intermediate=128"}
	if kills, err := strconv.Atoi(os.Getenv("SENTWEAVE_KILLS")); err == nil {
		attempts, steps, size = kills/4, 20, []string{"--layers=12", "--hidden=768", "--heads=12", "--intermediate=3072", "--batch=2"}
	} else if testing.Short() {
		t.Skip("skipped: trainings of each architecture take seconds")
	}
	words := newCorpus(t)
	of := func(vocabulary string) corpus {
		examples := examplesOf(t, vocabulary, "--documents", words.documents, "--mode=sentence", "--min-tokens=4", "--max-tokens=40")
		return corpus{vocabulary: vocabulary, consecutive: examples}
	}
	pieces := strings.Split(read(t, words.vocabulary), "\n")
	pieces[0], pieces[1] = pieces[1], pieces[0] // MPNet wants padding second
	second, bytes := of(file(t, "vocab.txt", strings.Join(pieces, "\n"))), of(byteLevel(t))
	for name, c := range map[string]corpus{"bert": words, "distilbert": words, "mpnet": second, "roberta": bytes, "modernbert": bytes} {
		t.Run(name, func(t *testing.T) {
			survivesAttempts(t, attempts, steps, func(out string) []string {
				return with(c.cmlm(out, "--architecture="+name, fmt.Sprint("--steps=", steps), "--log-every=2",
					"--checkpoint-every=3"), size...)
			})
		})
	}
}
