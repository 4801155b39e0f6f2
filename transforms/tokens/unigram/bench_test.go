package unigram

import (
	"fmt"
	"math"
	"os"
	"testing"

	"sentweave/schemas/realdata"
)

func BenchmarkEncode(b *testing.B) {
	_, tokenizer := e5(b)
	lines, size := realdata.Tatoeba(b, math.MaxInt), 0
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

func BenchmarkReadSerialized(b *testing.B) {
	path, _ := e5(b)
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadSerialized(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPeer reports the speed of Hugging Face tokenizers on the same lines, one
// thread, the better of text by text and batch.
func BenchmarkPeer(b *testing.B) {
	path, _ := e5(b)
	lines := realdata.Tatoeba(b, math.MaxInt)
	for b.Loop() {
		var single, batch float64
		if _, err := fmt.Sscan(string(peer(b, "speed", path, lines)), &single, &batch); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(max(single, batch)/1e6, "peer-MB/s")
	}
}
