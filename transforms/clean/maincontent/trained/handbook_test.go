package trained

import (
	"os"
	"path/filepath"
	"testing"
	"unicode"

	"sentweave/schemas/realdata"
	"sentweave/transforms/read/html"
)

// TestHandbook runs over a book in many languages whose pages have equal markup: the
// Debian handbook, package debian-handbook. SENTWEAVE_HANDBOOK names the folder with
// one folder for each language.
func TestHandbook(t *testing.T) {
	root := realdata.Variable(t, "SENTWEAVE_HANDBOOK")
	reference := handbook(t, filepath.Join(root, "en-US"))
	languages, err := filepath.Glob(filepath.Join(root, "*-*"))
	if err != nil || len(languages) < 2 {
		t.Fatalf("no languages in %s: %v", root, err)
	}
	equal, all := 0, 0
	for _, dir := range languages {
		pages := handbook(t, dir)
		var body, kept, same, blocks int
		for name, p := range pages {
			body += p.body
			kept += p.kept
			if r, ok := reference[name]; ok {
				all++
				if r.ordinals == p.ordinals {
					equal++
				}
				for ordinal, main := range p.main {
					if english, ok := r.main[ordinal]; ok {
						blocks++
						if main == english {
							same++
						}
					}
				}
			}
		}
		share := float64(kept) / float64(body)
		agreement := float64(same) / float64(blocks)
		t.Logf("%s: %d pages, %.3f of the body's characters are main, %.4f of %d blocks are judged as in English", filepath.Base(dir),
			len(pages), share, agreement, blocks)
		if agreement < .98 {
			t.Errorf("%s: %.4f of the blocks are judged as in English, want .98", filepath.Base(dir), agreement)
		}
		if share < 0.8 {
			t.Errorf("%s: %.3f of the body is main, want at least 0.8", filepath.Base(dir), share)
		}
	}
	t.Logf("%d of %d pages have as many ordinals as the English page", equal, all)
	if float64(equal) < 0.99*float64(all) {
		t.Errorf("%d of %d pages have as many ordinals as the English page, want 99 %%", equal, all)
	}
}

type handbookPage struct {
	ordinals   int32
	main       map[int32]bool // by ordinal
	body, kept int            // characters of paragraphs and list items without links
}

func handbook(t *testing.T, dir string) map[string]handbookPage {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	classifier := defaultModel(t)
	pages := map[string]handbookPage{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed := page(t, string(data))
		parts, _, _ := classifier.Classify(parsed)
		p := handbookPage{ordinals: parsed.Ordinals, main: map[int32]bool{}}
		for i, b := range parsed.Blocks {
			p.main[b.Ordinal] = parts[i].Kept
			// The book writes its paragraphs as div.
			running := b.Kind == html.Paragraph || b.Kind == html.ListItem || b.Kind == html.Other && len(b.Text) >= 100
			if !running || b.LinkDensity > 0.5 {
				continue
			}
			p.body += characters(b.Text)
			if parts[i].Kept {
				p.kept += characters(b.Text)
			}
		}
		pages[filepath.Base(file)] = p
	}
	return pages
}

// characters counts the characters of a text other than white space.
func characters(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}
