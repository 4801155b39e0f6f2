package trained

import (
	"fmt"
	"strings"
	"testing"
)

// What the markup of an article hides is left out, unless that is most of it, which a script will show.
func TestUnseen(t *testing.T) {
	m, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const hidden = "KEYWORDS Cheap boats, cheap ropes and cheap lamps are what nobody should read of in this text."
	var told []string
	for i := range 6 {
		told = append(told, fmt.Sprintf(
			"<p>On day %d the keeper walked along the wall, looked at the lamps, and wrote the height of the water into his book.</p>",
			i+1))
	}
	text := strings.Join(told, "")
	for markup, want := range map[string]bool{
		"<p>%s</p>":                            true,
		"<p style='visibility: hidden'>%s</p>": false,
		"<p style='color: #fff; display :none!important'>%s</p>":    false,
		"<p><span style='display:none'>%s</span></p>":               false,
		"<div style='display: none'><p>%s</p></div>":                false,
		"<div style='visibility:hidden'><div><p>%s</p></div></div>": false,
		"<p hidden>%s</p>": false,
		"<div style='display:none'><p>%s</p>" + text + text + "</div>": true,
		"<p style='display:none; display:block'>%s</p>":                true,
		"<blockquote style='font-size: 0'>%s</blockquote>":             false,
		"<div style='margin:0;VISIBILITY:COLLAPSE'><p>%s</p><p></div>": false,
	} {
		page := page(t, "<title>The keeper</title><nav><a href=/>Home</a></nav><article><h1>The keeper</h1>"+
			strings.Join(told[:3], "")+fmt.Sprintf(markup, hidden)+strings.Join(told[3:], "")+
			"</article><footer>All rights reserved.</footer>")
		parts, reason, detail := m.Classify(page)
		if reason != "" {
			t.Fatal(markup, reason, detail)
		}
		kept, found := 0, false
		for i, b := range page.Blocks {
			if !parts[i].Kept {
				continue
			}
			kept++
			found = found || strings.Contains(b.Text, "KEYWORDS")
		}
		if found != want || kept < len(told) {
			t.Errorf("%s: %d blocks are kept, the one in question: %v, want %v", markup, kept, found, want)
		}
	}
}
