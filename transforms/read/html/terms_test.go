package html

import (
	"strings"
	"testing"
)

// The pages are after the examples of CC REL (Abelson et al. 2008), of the TDM Reservation Protocol, of schema.org, of Google's image
// metadata and of pages of WCXB.
func TestRights(t *testing.T) {
	const cc = "https://creativecommons.org/licenses/"
	linked := func(data string) string {
		return `<script type="application/ld+json">` + data + `</script>`
	}
	const by, context = `"license": "` + cc + `by/4.0/"`, `"@context": "https://schema.org", `
	for _, tt := range []struct{ head, body, licenses, optOuts string }{
		{"", "<p>All rights reserved.", "", ""},
		{"", `<p>Under a <a rel="license" href="` + cc + `by/3.0/us/">license</a>.`, "cc-by-3.0-us", ""},
		{`<link rel="license" href="` + cc + `by-sa/4.0/deed.en">`, `<a href="` + cc + `by/2.0/">by another</a>`, "cc-by-sa-4.0", ""},
		{"", `<a class="license" rel="noreferrer license" target="_blank" href="` + cc + `by-nc-nd/4.0/">x</a>`, "cc-by-nc-nd-4.0", ""},
		{"", `<a rel=license href="` + cc + `by/4.0/">a</a> or <a rel=license href=/terms>b</a>`, "cc-by-4.0,other", ""},
		{`<meta name="DC.Rights" content="The license (http://creativecommons.org/licenses/by/2.0/)">`, "a", "cc-by-2.0", ""},
		{`<meta name="dc.rights" content="(c) A license holder">`, "a", "", ""},
		{"", `<footer>Licensed under <a href="` + cc + `by/4.0/">CC BY</a></footer>`, "cc-by-4.0", ""},
		{"", `<figure><figcaption>By B (<a href="` + cc + `by/2.0/">CC BY</a>)</figcaption></figure>`, "", ""},
		{"", `Licences: <a href="` + cc + `by/4.0/">CC BY</a>, <a href="` + cc + `by-sa/4.0/">CC BY-SA</a>`, "", ""},
		{"", `<a href="` + cc + `">All licenses</a>`, "", ""},
		{`<meta name="ROBOTS" content="noai, noimageai">`, "a", "", "noai,noimageai"},
		{`<meta name="robots" content="noindex"><meta name=googlebot content=noarchive>`, "a", "", "noindex"},
		{`<meta name="tdm-reservation" content="1"><meta name="tdm-policy" content="https://a.org/">`, "a", "", "tdm-reservation"},
		{`<meta name="tdm-reservation" content="0">`, "a", "", ""},
		{`<noscript><img src="https://tracker.example/1"></noscript><meta name=robots content=noai>`, "a", "", "noai"},
		{`<iframe src="https://tags.example"></iframe><meta name=tdm-reservation content=1>`, "a", "", "tdm-reservation"},
		{"", `<div><meta name=robots content=noml>a</div>`, "", "noml"},
		{linked(`{` + context + `"@type": "Article", ` + by + `}`), "a", "cc-by-4.0", ""},
		{linked(` [{` + context + `"@type": ["NewsArticle", "Thing"], "license": {"@type": "CreativeWork", "url": "` + cc + `by-sa/3.0"}}]`),
			"a", "cc-by-sa-3.0", ""},
		{linked(`{` + context + `"@graph": [{"@type": "WebSite", "license": "/x"}, {"@type": "schema:WebPage", "license": ["` + cc +
			`by-nd/4.0/", {"@id": "/terms"}], "image": {"@type": "ImageObject", ` + by + `}}]}`), "a", "cc-by-nd-4.0,other", ""},
		{"", linked(`{` + context + `"@type": "WebPage", "mainEntity": {"@type": "http://schema.org/Recipe", ` + by + `}}`), "cc-by-4.0", ""},
		{linked(`{`+context+`"@type": "ImageObject", `+by+`}`) + linked(`{`+context+`"@type": "Dataset", `+by+`}`), "a", "", ""},
		{linked(`{` + context + `"@type": "Article", ` + by + `,}`), `<a rel=license href=` + cc + `by/2.0/>x</a>`, "cc-by-2.0", ""},
		{linked(`{` + context + `"@type": "Article", "license": [["` + cc + `by/4.0/"]], "hasPart": {"@type": "Article", ` + by +
			`}}`), "a", "", ""},
		{linked(`{` + context + `"@graph": [{"@type": "Article", "@id": "#a", "citation": [{"@id": "#b"}], ` +
			`"isPartOf": {"@id": "#page"}}, {"@type": "Article", "@id": "#b", ` + by + `}, ` +
			`{"@type": "WebPage", "@id": "#page", "license": "` + cc + `by-sa/4.0/"}]}`), "a", "cc-by-sa-4.0", ""},
		{linked(`"license schema.org"`) + linked(`{`+context+`"@type": "Article", "license": null}`), "a", "", ""},
		{linked(`{` + context + `"@graph": ` + strings.Repeat("[", 9) + `{"@type": "Article", ` + by + `}` + strings.Repeat("]", 9) + `}`),
			"a", "", ""},
		{linked(`{` + context + `"@type": "Article", ` + by + `, "text": "` + strings.Repeat("x", maxLinkedData) + `"}`), "a", "", ""},
		{"", `<div itemscope itemtype="https://schema.org/Article"><a itemprop="license" href="` + cc + `by/4.0/">x</a></div>`, "cc-by-4.0", ""},
		{"", `<div itemscope itemtype=https://schema.org/BlogPosting><meta itemprop=license content=` + cc + `by/3.0/><figure itemprop=image ` +
			`itemscope itemtype=https://schema.org/ImageObject><link itemprop=license href=` + cc + `by-nc/4.0/></figure></div>`, "cc-by-3.0", ""},
		{"", `<a itemprop=license href=` + cc + `by/4.0/>x</a> <a href=` + cc + `by/3.0/>x</a>`, "", ""},
		{"", `<div itemscope itemtype=https://schema.org/ImageObject><a rel=license itemprop=license href=` + cc + `by/4.0/>x</a></div>`, "", ""},
		{`<link rel=canonical href=https://www.example.com/a>` + linked(`[{`+context+`"@type": "Article", "url": "https://other.org/b", `+
			by+
			`}, {`+context+`"@type": "Article", "url": {"@id": "https://example.com/a"}, "license": "`+cc+`by-nd/4.0/"}]`), "a", "cc-by-nd-4.0", ""},
	} {
		page := "<html><head>" + tt.head + "</head><body>text " + tt.body + "</body></html>"
		for _, attributes := range []map[string]bool{nil, {"class": true}} {
			config := DefaultConfig()
			config.Attributes = attributes
			p, reason, _ := Parse([]byte(page), Origin{}, config)
			if reason != "" {
				t.Fatal(reason)
			}
			if p.Licenses != tt.licenses || p.OptOuts.String() != tt.optOuts {
				t.Errorf("%s: %q and %q, want %q and %q", page, p.Licenses, p.OptOuts, tt.licenses, tt.optOuts)
			}
		}
	}
}
