package pipelinetest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// Memories writes a folder of translation memories, and returns it: three files of
// TMX, one of them compressed, with English, German and Spanish, and two of Parquet.
// Every ninth unit is malformed, every seventh lacks its German text.
func Memories(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(root, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for f, name := range []string{"a.tmx", "b.tmx", "c.tmx.gz"} {
		var b strings.Builder
		b.WriteString(`<?xml version="1.0"?><tmx version="1.4"><header creationtool="T" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="en" datatype="plaintext"/><body>`)
		for i := range 40 {
			german := Sentence("deu", 100*f+i)
			if i%7 == 3 {
				german = " "
			}
			end := "</tu>\n"
			if i%9 == 4 {
				end = "</tv></tu>\n"
			}
			fmt.Fprintf(&b, "<tu tuid='%d'><tuv xml:lang='en-US'><seg>%s</seg></tuv><tuv xml:lang='de'><seg>%s</seg></tuv><tuv xml:lang='es'><seg>%s\n%d</seg></tuv>%s",
				i, Sentence("eng", 100*f+i), german, strings.ToUpper(german), i, end)
		}
		b.WriteString("</body></tmx>\n")
		data := []byte(b.String())
		if strings.HasSuffix(name, ".gz") {
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			if _, err := z.Write(data); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			data = zipped.Bytes()
		}
		write(name, data)
	}
	type row struct {
		Text        string  `parquet:"text"`
		Translation *string `parquet:"translation"`
		Source      string  `parquet:"source_language,dict"`
		Target      string  `parquet:"target_language,dict"`
		Score       float64 `parquet:"score"`
	}
	for f, name := range []string{"d.parquet", "e.parquet"} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b)
		for i := range 60 {
			german := Sentence("deu", 1000+100*f+i)
			r := row{Text: Sentence("eng", 1000+100*f+i), Translation: &german, Source: "eng", Target: "de"}
			if i%7 == 3 {
				r.Translation = nil
			}
			if _, err := w.Write([]row{r}); err != nil {
				t.Fatal(err)
			}
			if i%20 == 19 {
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		write(name, b.Bytes())
	}
	return root
}
