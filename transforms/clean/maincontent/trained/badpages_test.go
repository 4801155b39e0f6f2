package trained

import (
	"strings"
	"testing"

	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/read/html"
)

// TestBadPages: what becomes of pages that are made badly, or for another reader. "" is main content, which has to
// hold the text that is wanted.
func TestBadPages(t *testing.T) {
	const prose = "For a hundred and forty years, the lighthouse of Cabo Vela has warned ships of the rocks below it, and in all that time it has been dark for three nights. "
	paragraphs := strings.Repeat("<p>"+prose+prose+"</p>", 4)
	for name, c := range map[string]struct{ page, reason string }{
		"no body": {"<html><head><title>x</title></head></html>", "no_text"},
		"frames alone": {"<html><head><title>x</title></head><frameset cols=2><frame src=a.html><frame src=b.html><noframes>Your browser shows no frames.</noframes></frameset></html>",
			"no_text"},
		"scripts alone": {"<body><div id=root></div><script>document.write('" + prose + "')</script></body>", "no_text"},
		"one text":      {prose + prose + prose, ""},
		"one word":      {"word", "no_main_content"},
		"an image in its address": {"<article>" + paragraphs + `<img src="data:image/png;base64,` +
			strings.Repeat("iVBORw0KGgo", 800_000) + `"></article>`, ""},
		"a larger image": {"<article>" + paragraphs + `<img src="data:image/png;base64,` +
			strings.Repeat("iVBORw0KGgo", 4_600_000) + `"></article>`, "too_large"},
		"linked data that is cut": {`<head><script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"x</script></head><body><article>` + paragraphs + "</article>",
			""},
		"wrong nesting": {"<article><b><p>" + prose + "</b><i>" + prose + "</p></article></i>" + paragraphs +
			"</div></span></table>", ""},
		"several html elements": {"<html><body><nav><a href=/>Home</a></nav></body></html><html><body><article>" + paragraphs +
			"</article></body></html>", ""},
		"AMP": {`<!doctype html><html amp lang=en><head><style amp-boilerplate>body{visibility:hidden}</style></head><body><article>` +
			paragraphs + "<amp-img src=x></amp-img><amp-ad></amp-ad></article></body></html>",
			""},
		"a hidden body": {`<body style="display:none"><script>document.body.style.display=""</script><main><article>` +
			paragraphs + "</article></main></body>", ""},
		"characters that are none": {"<article>" + paragraphs + "<p>caf\xe9 \xff\xfe</p></article>", ""},
	} {
		parsed, reason, detail := html.Parse([]byte(c.page), html.Origin{}, HTML())
		var parts []maincontent.Part
		if reason == "" {
			parts, reason, detail = defaultModel(t).Classify(parsed)
		}
		if reason != c.reason {
			t.Errorf("%s: reason %q (%s), want %q", name, reason, detail, c.reason)
		} else if reason == "" && !strings.Contains(mainText(parsed, parts), strings.TrimSpace(prose)) {
			t.Errorf("%s: main content is %.200q", name, mainText(parsed, parts))
		}
	}
}
