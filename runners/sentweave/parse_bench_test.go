package main

import (
	"io"
	"testing"
)

// BenchmarkParse is what each command takes before its verb runs.
func BenchmarkParse(b *testing.B) {
	p := newProgram(io.Discard, io.Discard)
	for b.Loop() {
		if err := p.Check([]string{"dedup", "--documents", "a", "--out", "b"}); err != nil {
			b.Fatal(err)
		}
	}
}
