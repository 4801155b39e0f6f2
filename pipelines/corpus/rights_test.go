package corpus_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
)

// TestRights: blocked pages, pages without a licence and those that opt out go, personal data is masked, and bytes do not depend on units
// that run at once.
func TestRights(t *testing.T) {
	root, lists := t.TempDir(), t.TempDir()
	const license = `<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY</a>`
	for i, head := range []string{"", "<meta name=robots content=noai>", `<link rel=canonical href="https://www.blocked.example/x">`} {
		for j, foot := range []string{license, ""} {
			page := "<html lang=en><head>" + head + "</head><body><p>" + prose(0) +
				" Whoever wants to know more may write to jane@web.de or call the office at +49 30 901820.</p>"
			pipelinetest.File(t, root, fmt.Sprintf("%d%d.html", i, j), page+"<p>"+prose(1)+"</p><p>"+foot+"</p></body></html>")
		}
	}
	pipelinetest.File(t, root, "c.jsonl", `{"url": "https://blocked.example/", "text": "`+prose(0)+`"}`+"\n")
	pipelinetest.File(t, lists, "block.txt", "blocked.example\n")
	args := []string{"--input", root, "--main", "none", "--block", filepath.Join(lists, "block.txt"), "--licenses", "cc0,cc-by",
		"--drop-opt-out", "noai", "--mask-pii", "phone,email"}
	location, m := run(t, 1<<12, 1, args...)
	dropped := map[string]int64{}
	for key, n := range pipelinetest.Dropped(m) {
		if strings.HasPrefix(key, "documents ") || strings.HasPrefix(key, "personal ") {
			dropped[key] = n
		}
	}
	want := map[string]int64{"documents rights noai": 2, "documents rights no_license": 1, "documents rights blocked": 2,
		"documents read blocked": 1, "personal mask email": 1, "personal mask phone": 1}
	if diff := cmp.Diff(want, dropped); diff != "" {
		t.Error(diff)
	}
	again, _ := run(t, 1<<12, 3, args...)
	if diff := cmp.Diff(pipelinetest.Digests(t, location), pipelinetest.Digests(t, again)); diff != "" {
		t.Error(diff)
	}
	for list, want := range map[string]string{"a b\n": "line 1", "": "block.txt.gz"} {
		name := map[bool]string{true: "bad.txt", false: "block.txt.gz"}[list != ""]
		if list != "" {
			pipelinetest.File(t, lists, name, list)
		}
		config := pipelinetest.Parse[corpus.Config](t, "--input", root, "--block", filepath.Join(lists, name))
		if err := pipelinetest.Fails(t, config, pipelinetest.Settings(1<<20)); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
