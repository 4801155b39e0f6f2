package bitext_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
)

// BenchmarkImport imports 200,000 lines of two sides on one core, without and with the look
// for duplicates.
func BenchmarkImport(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var sides [2]strings.Builder
	for range 200_000 {
		for i := range sides {
			for range 8 + random.IntN(12) {
				fmt.Fprintf(&sides[i], "word%d ", random.IntN(5000))
			}
			sides[i].WriteByte('\n')
		}
	}
	input := folder(b, map[string]string{"c.de-en.de": sides[0].String(), "c.de-en.en": sides[1].String()})
	for _, args := range [][]string{{"--repeated"}, {}} {
		b.Run(fmt.Sprint("repeated=", len(args) > 0), func(b *testing.B) {
			b.SetBytes(int64(sides[0].Len() + sides[1].Len()))
			b.ReportAllocs()
			for b.Loop() {
				pipelinetest.Run(b, config(b, append([]string{"--input=" + input}, args...)...), pipelinetest.Settings(64<<20), pipelinetest.Plain(1))
			}
		})
	}
}
