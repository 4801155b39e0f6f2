package trained

import (
	"path/filepath"
	"testing"

	"sentweave/schemas/realdata"
	"sentweave/transforms/read/html"
)

// mostAllocations is how many a block that is kept may take, those of the parser aside.
const mostAllocations = 2

// TestAllocationsOfABlock counts what it takes to judge real pages that are parsed.
func TestAllocationsOfABlock(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	m := defaultModel(t)
	kept, allocations, seen := 0, 0.0, 0
	for _, data := range realdata.Pages(t, 1, filepath.Join(realdata.Folder(t, "wcxb"), "wcxb")) {
		if seen++; seen%(4*everyPage) != 0 {
			continue
		}
		page, reason, _ := html.Parse(data, html.Origin{}, HTML())
		if reason != "" {
			continue
		}
		parts, _, _ := m.Classify(page)
		for _, p := range parts {
			if p.Kept {
				kept++
			}
		}
		allocations += testing.AllocsPerRun(2, func() { m.Classify(page) })
	}
	perBlock := allocations / float64(kept)
	t.Logf("%.1f allocations for each of %d blocks", perBlock, kept)
	if perBlock > mostAllocations {
		t.Errorf("%.1f allocations for each of %d blocks that are kept, want %d at most", perBlock, kept, mostAllocations)
	}
}
