package pipelinetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Bitext writes a folder of files that are aligned by lines, and returns it: six corpora of
// English with German or Spanish, and one of all three. Of each, some lines stand in another
// one, some are empty, and some equal their translation.
func Bitext(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	write := func(name string, lines []string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for c := range 7 {
		texts := map[string][]string{}
		for i := range 60 {
			for _, language := range []string{"eng", "deu", "spa"} {
				text := Sentence(language, 50*c+i)
				switch {
				case i%13 == 5 && language != "eng":
					text = ""
				case i%17 == 6:
					text = Sentence("eng", 50*c+i)
				}
				texts[language] = append(texts[language], text)
			}
		}
		switch {
		case c == 6:
			for _, language := range []string{"eng", "deu", "spa"} {
				write("all."+language, texts[language])
			}
		case c%2 == 0:
			write(fmt.Sprintf("corpus%d.de-en.de", c), texts["deu"])
			write(fmt.Sprintf("corpus%d.de-en.en", c), texts["eng"])
		default:
			write(fmt.Sprintf("corpus%d.en-es.en", c), texts["eng"])
			write(fmt.Sprintf("corpus%d.en-es.es", c), texts["spa"])
		}
	}
	return root
}

// Tatoeba writes a folder of so many of Tatoeba's sentences, in three languages, and the
// links between them, and returns it. Some links name sentences that are not there, and some
// pairs stand there twice.
func Tatoeba(t testing.TB, sentences int) string {
	t.Helper()
	root := t.TempDir()
	var texts, links strings.Builder
	languages := []string{"eng", "deu", "spa"}
	for i := range sentences {
		fmt.Fprintf(&texts, "%d\t%s\t%s\n", i, languages[i%3], Sentence(languages[i%3], i/3%(sentences/4)))
		partner := i - i%3 + (i+1)%3
		if i%11 == 3 {
			partner += sentences
		}
		fmt.Fprintf(&links, "%d\t%d\n%d\t%d\n", i, partner, partner, i)
	}
	File(t, root, "sentences.csv", texts.String())
	File(t, root, "links.csv", links.String())
	return root
}
