package trained

import (
	"os"
	"strings"
	"testing"

	"sentweave/transforms/clean/maincontent/blocks"
)

// TestDefault: the model of the program names its data, and keeps an article and drops what stands around it.
func TestDefault(t *testing.T) {
	m, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if m.Pages < 1000 || m.Licence != "CC-BY-4.0" || !strings.Contains(m.Attribution, "Murrough Foley") {
		t.Errorf("%+v", m.Provenance)
	}
	if info, err := os.Stat("wcxb.model"); err != nil || info.Size() > 2<<20 {
		t.Errorf("the model has more than 2 MiB: %v, %v", info, err)
	}
	p := blocks.Describe(page(t, `<html><head><title>The lighthouse of Cabo Vela - Coast Weekly</title></head><body>
<header class="site-header"><nav class="main-nav"><ul><li><a href="/">Home</a></li><li><a href="/sea">Sea</a></li><li><a href="/land">Land</a></li></ul></nav></header>
<main><article class="post"><h1 class="entry-title">The lighthouse of Cabo Vela</h1>
<div class="entry-content"><p>For a hundred and forty years, the lighthouse of Cabo Vela has warned ships of the rocks below it, and in all that time it has been dark for three nights.</p>
<p>The first of them was in the winter of 1911, when a storm broke the lantern, and the keeper, whose name was Ignacio Bru, rowed out with a lamp to take its place.</p>
<p>He was asked later what he had thought, alone in the boat. “That I should have brought a coat,” he said, and never spoke of it again.</p></div></article></main>
<aside class="sidebar widget"><h3>Most read</h3><ul><li><a href="/1">Ten beaches</a></li><li><a href="/2">A harbour for sale</a></li></ul></aside>
<div class="newsletter-signup"><form><label>Subscribe to our newsletter</label></form></div>
<footer class="site-footer"><p>© Coast Weekly. All rights reserved. <a href="/privacy">Privacy</a></p></footer></body></html>`))
	j := m.Judge(p)
	if j.Kind != "article" {
		t.Errorf("an article is taken for one of the kind %s", j.Kind)
	}
	for i, chosen := range j.Chosen {
		text := p.Text(i)
		prose := strings.HasPrefix(text, "For a hundred") || strings.HasPrefix(text, "The first of") ||
			strings.HasPrefix(text, "He was asked")
		if chosen != prose && text != "The lighthouse of Cabo Vela" {
			t.Errorf("%q is kept: %v", text, chosen)
		}
	}
}
