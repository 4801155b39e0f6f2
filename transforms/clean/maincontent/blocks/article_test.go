package blocks

import (
	"strings"
	"testing"
)

// TestFindArticle: what the rules take of pages, a digit for each block.
func TestFindArticle(t *testing.T) {
	prose := strings.Repeat("These are some of the words of an article about nothing in particular. ", 3)
	p, link := "<p>"+prose+"</p>", "<p><a href=1>"+prose+"</a></p>"
	for name, c := range map[string]struct{ page, want string }{
		"a name":                {"<div class=top>" + p + "</div><div class=post-content>" + p + p + "</div><div>" + p + "</div>", "0110"},
		"a stated text":         {"<div itemprop=articleBody>" + p + p + "</div>" + p, "110"},
		"a name before a tag":   {"<article>" + p + p + "</article><div class=articleBody>" + p + p + "</div>", "0011"},
		"a tag":                 {p + "<article>" + p + p + "</article>", "011"},
		"the first of articles": {"<article>" + p + p + "</article><article>" + p + p + "</article>", "1100"},
		"main":                  {p + "<main>" + p + p + "</main>", "011"},
		"nothing says where":    {"<div>" + p + "</div><div>" + p + p + "</div>", "111"},
		"too short to be it":    {"<article><p>A few words.</p></article><div>" + p + p + "</div>", "111"},
		"links":                 {"<article>" + p + p + link + "</article>", "110"},
		"comments":              {"<article>" + p + p + "<div class=comments><p>" + prose + "</p></div></article>", "110"},
		"a sidebar":             {"<article>" + p + p + p + "<div class=sidebar>" + p + "</div></article>", "1110"},
		"a word for all parts":  {"<article>" + strings.Repeat("<div class=site-widget>"+p+"</div>", 4) + "</article>", "1111"},
		"hidden":                {"<article>" + p + p + p + "<div hidden>" + p + "</div></article>", "1110"},
		"a hidden body":         {"<div style=display:none>" + p + p + p + "</div>", "111"},
	} {
		page := describe(t, "<body>"+c.page)
		got := ""
		for _, taken := range page.article.taken.blocks {
			got += string("01"[int(taken)])
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
