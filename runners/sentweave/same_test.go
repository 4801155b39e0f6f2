package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// steps are the datasets of the recipe pages.
var steps = []string{"documents", "heldout", "survivors", "wordcounts", "examples"}

func runPages(t *testing.T, input string, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	all := append([]string{"run", "pages", "--out", out, "--set", "input=" + input, "--set", "layout={language}/{page}.html", "--set",
		"vocabulary-size=300"}, args...)
	if o := sentweave(t, all...); o.code != command.ExitDone {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	return out
}

// articles writes parallel pages of text without much repetition.
func articles(t *testing.T, n int, extra func(i int) string) string {
	t.Helper()
	root := t.TempDir()
	syllables := map[string][]string{
		"en": {"ba", "con", "der", "fil", "gor", "hun", "jas", "kel", "lum", "mer"},
		"es": {"ado", "bri", "cua", "des", "eno", "fra", "gui", "hora", "ima", "jue"},
	}
	for language, parts := range syllables {
		for i := range n {
			var page strings.Builder
			fmt.Fprintf(&page, "<html lang=%s><body><article>", language)
			for k := range 6 {
				page.WriteString("<p>")
				for s := range 3 {
					page.WriteString("The")
					for w := range 9 { // words by number, so that texts differ
						x := i*1000 + k*100 + s*10 + w
						fmt.Fprintf(&page, " %s%s%s", parts[x%10], parts[x/7%10], parts[x/53%10])
					}
					page.WriteString(extra(i))
					page.WriteString(". ")
				}
				page.WriteString("</p>\n")
			}
			page.WriteString("</article></body></html>")
			storagetest.WriteFiles(t, root, map[string]string{fmt.Sprintf("%s/page-%03d.html", language, i): page.String()})
		}
	}
	return root
}

func nothing(int) string { return "" }

// The same plan gives the same bytes, however many units are in flight.
func TestSameBytes(t *testing.T) {
	input := articles(t, 40, nothing)
	t.Setenv("TZ", "Pacific/Kiritimati")
	first := runPages(t, input, "--set", "shard-bytes=16KiB", "--parallelism", "2")
	t.Setenv("TZ", "America/Caracas")
	for _, parallelism := range []string{"1", "7"} {
		old := runtime.GOMAXPROCS(map[string]int{"1": 1, "7": 4}[parallelism])
		second := runPages(t, input, "--set", "shard-bytes=16KiB", "--parallelism", parallelism)
		runtime.GOMAXPROCS(old)
		for _, step := range append(steps, "vocabulary") {
			a, b := digests(t, filepath.Join(first, step)), digests(t, filepath.Join(second, step))
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("parallelism %s, %s:\n%s", parallelism, step, diff)
			}
			if len(a) < 2 {
				t.Errorf("%s holds %d files", step, len(a))
			}
		}
	}
}

// Another size of shards gives the same rows in the same order.
func TestSameRowsInOtherShards(t *testing.T) {
	input := articles(t, 40, nothing)
	fine := runPages(t, input, "--set", "shard-bytes=3KiB")
	coarse := runPages(t, input, "--set", "shard-bytes=1MiB")
	for _, step := range steps {
		a, b := exported(t, filepath.Join(fine, step)), exported(t, filepath.Join(coarse, step))
		if a != b {
			t.Errorf("%s: the rows differ", step)
		}
		if a == "" {
			t.Errorf("%s has no rows", step)
		}
		ma, mb := manifest(t, filepath.Join(fine, step)), manifest(t, filepath.Join(coarse, step))
		if ma.ContentXXH3 != mb.ContentXXH3 {
			t.Errorf("%s: content %s and %s", step, ma.ContentXXH3, mb.ContentXXH3)
		}
		if step == "documents" && len(ma.Shards) <= len(mb.Shards) {
			t.Errorf("%s has %d and %d shards", step, len(ma.Shards), len(mb.Shards))
		}
	}
}

func manifest(t *testing.T, location string) *dataset.Manifest {
	t.Helper()
	m, err := dataset.Verify(t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func exported(t *testing.T, location string) string {
	t.Helper()
	o := sentweave(t, "export", location)
	if o.code != command.ExitDone {
		t.Fatalf("export %s: %s", location, o.stderr)
	}
	return o.stdout
}

// A word that is on held-out pages alone is nowhere in what training sees.
func TestHeldOutPagesLeaveNoTrace(t *testing.T) {
	const canary = "zyxcanary"
	input := articles(t, 48, func(i int) string {
		if i%6 == 0 {
			return " " + canary + " again"
		}
		return ""
	})
	out := runPages(t, input, "--set", "shard-bytes=16KiB")
	if !strings.Contains(exported(t, filepath.Join(out, "heldout")), canary) {
		t.Fatal("the held-out documents do not hold the canary")
	}
	for _, step := range []string{"documents", "survivors", "wordcounts"} {
		if strings.Contains(exported(t, filepath.Join(out, step)), canary) {
			t.Errorf("the canary is in %s", step)
		}
	}
	vocabulary, err := os.ReadFile(filepath.Join(out, "vocabulary", "vocab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(vocabulary), canary) {
		t.Error("the canary is a piece of the vocabulary")
	}
	// Examples hold ids: their text is what the pieces say.
	pieces := strings.Split(string(vocabulary), "\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(exported(t, filepath.Join(out, "examples")), "\n"), "\n") {
		var e struct {
			A []int32 `json:"tokens_a"`
			B []int32 `json:"tokens_b"`
			M []int32 `json:"mask_tokens"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		for _, ids := range [][]int32{e.A, e.B, e.M} {
			text := ""
			for _, id := range ids {
				text += strings.TrimPrefix(pieces[id], "##")
			}
			if strings.Contains(text, canary) {
				t.Fatalf("the canary is in an example: %s", text)
			}
		}
	}
	if n := manifest(t, filepath.Join(out, "examples")).Rows; n == 0 {
		t.Error("there are no examples to look at")
	}
}
