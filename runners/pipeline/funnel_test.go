package pipeline

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"sentweave/schemas/dataset"
)

// A funnel goes into the terminal: languages are summed.
func TestFunnelFits(t *testing.T) {
	step := dataset.Step{Name: "filter", Languages: map[string]dataset.Count{}}
	for i := range 12 {
		step.Languages[fmt.Sprintf("l%02d", i)] = dataset.Count{In: 1_000_000, Out: 1_000_000}
	}
	chain := dataset.Chain{Items: "documents", Steps: []dataset.Step{step}}
	for _, width := range []int{50, 60, 80, 100, 0} {
		var funnel strings.Builder
		printChain(&funnel, chain, width)
		for line := range strings.Lines(funnel.String()) {
			if width > 0 && utf8.RuneCountInString(strings.TrimRight(line, "\n")) > width {
				t.Errorf("width %d: %q", width, line)
			}
		}
		if width == 0 == strings.Contains(funnel.String(), "more") || !strings.Contains(funnel.String(), "12,000,000") {
			t.Errorf("width %d:\n%s", width, funnel.String())
		}
	}
	step.Languages[dataset.OthersKey] = dataset.Count{In: 99_000_000, Out: 99_000_000}
	var funnel strings.Builder
	printChain(&funnel, chain, 0)
	if header, _, _ := strings.Cut(funnel.String(), "\n"); !strings.HasSuffix(strings.TrimSpace(header), " "+dataset.OthersKey) {
		t.Errorf("what the manifest sums is among the languages:\n%s", funnel.String())
	}
}

// A table of as many languages and reasons as somebody likes stays a table.
func TestManyReasons(t *testing.T) {
	step := dataset.Step{Name: "filter", Languages: map[string]dataset.Count{}}
	for i := range 2_000 {
		step.Languages[fmt.Sprint("l", i)] = dataset.Count{In: 1, Dropped: map[string]int64{fmt.Sprint("reason", i): 1}}
	}
	var table strings.Builder
	printChain(&table, dataset.Chain{Items: "documents", Steps: []dataset.Step{step, step}}, 80)
	if lines := strings.Count(table.String(), "\n"); lines > 2*maxReasons+10 || strings.Count(table.String(), "1950 more reasons") != 2 {
		t.Errorf("%d lines:\n%.2000s", lines, table.String())
	}
}
