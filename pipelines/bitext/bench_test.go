package bitext_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
)

// BenchmarkImport imports 250,000 lines of two sides on one core: texts of STS-B, most of them two
// or three in a line, so that few lines are equal. It runs without checks, with the look for
// duplicates, and with that for other languages, too.
func BenchmarkImport(b *testing.B) {
	german, _ := stsb(b, "de", "train")
	english, _ := stsb(b, "en", "train")
	random := rand.New(rand.NewPCG(1, 2))
	var sides [2]strings.Builder
	for range 250_000 {
		for n := range 1 + random.IntN(3) {
			if n > 0 {
				sides[0].WriteByte(' ')
				sides[1].WriteByte(' ')
			}
			i := random.IntN(len(german))
			sides[0].WriteString(german[i])
			sides[1].WriteString(english[i])
		}
		number := random.IntN(1_000_000)
		for i := range sides {
			fmt.Fprintf(&sides[i], " (%d)\n", number)
		}
	}
	input := folder(b, map[string]string{"c.de-en.de": sides[0].String(), "c.de-en.en": sides[1].String()})
	model := os.Getenv("SENTWEAVE_LID176")
	for _, c := range []struct {
		checks string
		args   []string
	}{{"none", []string{"--repeated"}}, {"duplicates", nil}, {"languages", []string{"--langid=" + model}}} {
		b.Run(c.checks, func(b *testing.B) {
			if c.checks == "languages" && model == "" {
				b.Skip("skipped: SENTWEAVE_LID176 is not set (the path of lid.176.ftz)")
			}
			b.SetBytes(int64(sides[0].Len() + sides[1].Len()))
			b.ReportAllocs()
			for b.Loop() {
				pipelinetest.Run(b, config(b, append([]string{"--input=" + input}, c.args...)...), pipelinetest.Settings(64<<20),
					pipelinetest.Plain(1))
			}
		})
	}
}
