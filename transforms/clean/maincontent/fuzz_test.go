package maincontent

import (
	"testing"

	"sentweave/transforms/read/html"
)

// FuzzClassify: a page has main content or a reason, whatever its markup.
func FuzzClassify(f *testing.F) {
	f.Add([]byte("<article><p>a<b>b</p>c<table><tr>d<td>e</table><a href=x>f<div>g</a></article>"))
	f.Add([]byte("<div class=post>text<span class=banner>x</span>y<ul><li>a<ul><li>b</ul></ul><blockquote>q</blockquote></div>"))
	f.Add([]byte("<div>some text\U000F0001 \x1f that is long enough to be masked, as all texts are that have more than a hundred bytes in all<div>x</div></div>"))
	c := newTrafilatura(f, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		page, reason, _ := html.Parse(data, "", html.DefaultConfig())
		if reason != "" {
			return
		}
		shares, reason, detail := c.Classify(page)
		if reason == extractorFailed {
			t.Skip(detail) // a fault of the library, which is caught
		}
		if (shares == nil) != (reason != "") || reason == "" && len(shares) != len(page.Blocks) {
			t.Fatalf("%d shares of %d blocks with reason %q", len(shares), len(page.Blocks), reason)
		}
		for i, share := range shares {
			if !(share >= 0 && share <= 1) {
				t.Errorf("block %d has the share %v", i, share)
			}
		}
	})
}
