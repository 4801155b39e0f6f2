// Package pipelinetest makes inputs for tests of pipelines, and runs jobs on them. All
// texts in its corpora were written for it.
package pipelinetest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/storage/storagetest"
)

// Corpus is a folder of HTML pages in several languages, {language}/{page}.html.
type Corpus struct {
	// Pages is the number of ordinary pages, named page-0000 and so on, Paragraphs
	// that of their paragraphs of three sentences.
	Pages, Paragraphs int
	// Languages default to all of the package.
	Languages []string
	// Plain leaves out what Special adds.
	Plain bool
	// Reverse creates the files in reverse order, so that a folder may list them so.
	Reverse bool
	// Canary, if not nil, gives a sentence that is put into a page.
	Canary func(language, page string) string
}

// Layout is the layout of a corpus.
const Layout = "{language}/{page}.html"

// Names of pages with a peculiarity, which stand beside the ordinary ones.
const (
	// Copy is page-0000 once more.
	Copy = "copy"
	// Mismatched has one paragraph more in German than elsewhere.
	Mismatched = "uneven"
	// English is in English in every language.
	English = "english"
	// Code has a preformatted block in its midst.
	Code = "code"
	// Alone has no translation.
	Alone = "alone"
	// Empty has no text.
	Empty = "empty"
)

// Files returns name and content of every file.
func (c Corpus) Files() map[string]string {
	languages := c.Languages
	if languages == nil {
		languages = Languages
	}
	files := map[string]string{}
	for _, language := range languages {
		put := func(page string, seed, paragraphs int, edit func([]string) []string) {
			blocks := make([]string, 0, paragraphs)
			for i := range paragraphs {
				code := language
				if page == English || !c.Plain && i == 2 && seed%3 == 1 { // left untranslated
					code = "eng"
				}
				blocks = append(blocks, "<p>"+paragraph(code, seed*1000+i)+"</p>")
			}
			if edit != nil {
				blocks = edit(blocks)
			}
			if c.Canary != nil {
				if s := c.Canary(language, page); s != "" {
					blocks = append(blocks, "<p>"+s+" "+paragraph(language, seed*1000+999)+"</p>")
				}
			}
			files[language+"/"+page+".html"] = HTML(language, page, blocks)
		}
		for n := range c.Pages {
			put(fmt.Sprintf("page-%04d", n), n, c.Paragraphs, nil)
		}
		if c.Plain {
			continue
		}
		put(Copy, 0, c.Paragraphs, nil)
		put(English, 9001, c.Paragraphs, nil)
		put(Code, 9002, c.Paragraphs, func(blocks []string) []string {
			return slices.Insert(blocks, 1, "<pre>make all\nmake install</pre>")
		})
		put(Mismatched, 9003, c.Paragraphs, func(blocks []string) []string {
			if language == "deu" {
				blocks = slices.Insert(blocks, 1, "<p>"+paragraph("deu", 9_999_000)+"</p>")
			}
			return blocks
		})
		files[language+"/"+Empty+".html"] = "<html><body></body></html>"
	}
	if !c.Plain {
		files[languages[0]+"/"+Alone+".html"] = HTML(
			languages[0], Alone, []string{"<p>" + paragraph(languages[0], 8_000_000) + "</p>", "<p>" + paragraph(languages[0], 8_000_001) +
				"</p>"})
	}
	return files
}

func paragraph(language string, n int) string {
	return Sentence(language, 3*n) + " " + Sentence(language, 3*n+1) + " " + Sentence(language, 3*n+2)
}

// HTML returns a page with a menu above and a footer below its blocks.
func HTML(language, title string, blocks []string) string {
	return fmt.Sprintf(`<!DOCTYPE html><html lang=%q><head><meta charset="utf-8"><title>%s</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/about">About us</a></li></ul></nav>
<main><article><h1>%s</h1>
%s
</article></main><footer><p><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></p></footer></body></html>
`, language, title, title, strings.Join(blocks, "\n"))
}

// Write writes the corpus into a new folder and returns it.
func (c Corpus) Write(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	c.WriteTo(t, root)
	return root
}

// WriteTo writes the corpus into a folder.
func (c Corpus) WriteTo(t testing.TB, root string) {
	t.Helper()
	files := c.Files()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	if c.Reverse {
		slices.Reverse(names)
	}
	for _, name := range names {
		File(t, root, name, files[name])
	}
}

// File writes a file below root.
func File(t testing.TB, root, name, content string) {
	t.Helper()
	storagetest.WriteFiles(t, root, map[string]string{name: content})
}

// Domains writes a list of domains, of which the pages of a corpus have none.
func Domains(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	File(t, root, "domains.txt", "example.org\n")
	return filepath.Join(root, "domains.txt")
}

// Vocabulary writes a vocabulary file that covers the corpora and returns its path.
func Vocabulary(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	File(t, root, "vocab.txt", strings.Join(pieces(), "\n")+"\n")
	return filepath.Join(root, "vocab.txt")
}
