package pipelinetest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

// inferenceLanguages are those of Inference.
var inferenceLanguages = []string{"eng", "deu", "spa"}

// Inference writes a dataset of a corpus of inference in inferenceLanguages, of so many
// items in each, twelve shards in all, and returns its folder. Every third item entails,
// every tenth has no gold, and of every fifteenth the hypothesis is the premise.
func Inference(t testing.TB, items int) string {
	t.Helper()
	labels := []string{"entailment", "neutral", "contradiction"}
	shards := make([][]schemas.Benchmark, 12)
	for l, language := range inferenceLanguages {
		for i := range items {
			b := schemas.Benchmark{
				ID: schemas.DerivedID("inference", fmt.Sprint(i)), Task: "inference", Split: "train", Row: int32(i),
				File:      "train." + language,
				LanguageA: language, LanguageB: language, TextA: Sentence(language, 31*i), TextB: Sentence(language, 31*i+7),
				Label: labels[i%3],
			}
			if i%10 == 4 {
				b.Label, b.Skip = "", true
			}
			if i%15 == 0 {
				b.TextB = b.TextA
			}
			shard := 4*l + 4*i/items
			shards[shard] = append(shards[shard], b)
		}
	}
	return datasettest.Write(t, nil, shards...)
}

// Synsets writes a table of synsets with words of the English sentences, and returns it.
func Synsets(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	var b strings.Builder
	for i, line := range []string{"v\trepair|mend|fix", "v\tdepict|draw|portray", "n\tstone|rock", "n\tgarden|park", "a\theavy|weighty",
		"a\trusty|corroded", "n\tsailor|mariner", "v\tconceal|hide"} {
		pos, members, _ := strings.Cut(line, "\t")
		fmt.Fprintf(&b, "%d-%s\t%s\tx\t%s\n", i, pos, pos, members)
	}
	File(t, root, "synsets.tsv", b.String())
	return filepath.Join(root, "synsets.tsv")
}
