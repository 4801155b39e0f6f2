package wordpiece

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
)

func benchmarkEncode(b *testing.B, o Options, patterns ...string) {
	_, v := bertVocabulary(b)
	tokenizer, err := New(v, o)
	if err != nil {
		b.Fatal(err)
	}
	lines, size := corpus(b, patterns...), 0
	for _, line := range lines {
		size += len(line)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	ids := make([]int32, 0, 1<<12)
	for b.Loop() {
		for _, line := range lines {
			ids = tokenizer.Encode(ids[:0], line)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	b.Run("uncased/all", func(b *testing.B) { benchmarkEncode(b, Uncased, "tatoeba/tatoeba.*") })
	b.Run("cased/all", func(b *testing.B) { benchmarkEncode(b, Cased, "tatoeba/tatoeba.*") })
	b.Run("uncased/english", func(b *testing.B) { benchmarkEncode(b, Uncased, "tatoeba/tatoeba.*.eng") })
}

func BenchmarkWords(b *testing.B) {
	lines, size := corpus(b, "tatoeba/tatoeba.*"), 0
	for _, line := range lines {
		size += len(line)
	}
	splitter := NewSplitter(Uncased)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	words := 0
	for b.Loop() {
		for _, line := range lines {
			for word := range splitter.Words(line) {
				words += len(word)
			}
		}
	}
}

// largeVocabulary returns a vocabulary of the size of LaBSE's: the real pieces, and
// random ones of their bigrams.
func largeVocabulary(b *testing.B) []byte {
	const size = 501_153
	_, v := bertVocabulary(b)
	pieces := v.Pieces()
	seen := map[string]bool{}
	for _, piece := range pieces {
		seen[piece] = true
	}
	random := rand.New(rand.NewPCG(5, 6))
	for len(pieces) < size {
		first, second := v.Piece(random.Int32N(int32(v.Size()))), v.Piece(random.Int32N(int32(v.Size())))
		piece := first + strings.TrimPrefix(second, Joiner)
		if len(piece) < 24 && !seen[piece] {
			seen[piece] = true
			pieces = append(pieces, piece)
		}
	}
	return []byte(strings.Join(pieces, "\n") + "\n")
}

func BenchmarkReadVocabulary(b *testing.B) {
	data := largeVocabulary(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := ReadVocabulary(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		a := v.automaton
		memory := len(v.content) + 4*len(v.ends) + 8*len(v.continues) + 16*len(a.nodes) + 4*len(a.lists)
		b.ReportMetric(float64(memory)/float64(v.Size()), "B/piece")
	}
}

func BenchmarkNewSplitter(b *testing.B) {
	for b.Loop() {
		NewSplitter(Uncased)
	}
}

// BenchmarkPeer reports the speed of Hugging Face tokenizers on the same lines, one
// thread, the better of text by text and batch, and that of nanotoken, cold and warm, by CPU time.
func BenchmarkPeer(b *testing.B) {
	path, _ := bertVocabulary(b)
	for _, set := range []struct{ name, pattern string }{{"uncased/all", "tatoeba/tatoeba.*"},
		{"uncased/english", "tatoeba/tatoeba.*.eng"}} {
		lines := corpus(b, set.pattern)
		figures := func(b *testing.B, mode string) (first, second float64) {
			if _, err := fmt.Sscan(string(peer(b, mode, path, Uncased, lines)), &first, &second); err != nil {
				b.Fatal(err)
			}
			return first / 1e6, second / 1e6
		}
		b.Run(set.name, func(b *testing.B) {
			for b.Loop() {
				single, batch := figures(b, "speed")
				b.ReportMetric(max(single, batch), "peer-MB/s")
			}
		})
		b.Run(set.name+"/nanotoken", func(b *testing.B) {
			peertest.Python(b, "nanotoken==0.1.0")
			for b.Loop() {
				cold, warm := figures(b, "nanotoken")
				b.ReportMetric(cold, "cold-MB/s")
				b.ReportMetric(warm, "warm-MB/s")
			}
		})
	}
}
