package trained

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/read/html"
)

// everyFrame is which pages of WCXB are frames.
const everyFrame = 40

// pairsOf reads the sentences of Tatoeba in a language and in English.
func pairsOf(t *testing.T, language string) (foreign, english []string) {
	t.Helper()
	folder := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba")
	read := func(side string) []string {
		data, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("tatoeba.%s-eng.%s", language, side)))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	return read(language), read("eng")
}

// frame fills a page with other texts: each text of n words gets the sentences with the same numbers that
// have about as many words in English, without the mark at the end where the text has none.
func frame(t *testing.T, source []byte, texts, english []string) *html.Page {
	t.Helper()
	p, reason, _ := html.Parse(source, html.Origin{}, HTML())
	if reason != "" {
		t.Fatal(reason)
	}
	at := 0
	for _, text := range p.Texts {
		words := len(strings.Fields(text.Node.Data))
		var filled []string
		for n := 0; n < words; {
			at = (at + 7) % len(texts)
			if length := len(strings.Fields(english[at])); n == 0 || n+length <= words+2 {
				filled = append(filled, texts[at])
				n += length
			} else {
				break
			}
		}
		s := strings.Join(filled, " ")
		if !strings.ContainsAny(text.Node.Data, ".!?") {
			s = strings.TrimRight(s, ".!?。！？។۔؟")
		}
		text.Node.Data = " " + s + " "
	}
	var b bytes.Buffer
	if err := nethtml.Render(&b, p.Root); err != nil {
		t.Fatal(err)
	}
	config := HTML()
	config.MaxBytes, config.MaxNodes = 1<<30, 1<<30
	filled, reason, detail := html.Parse(b.Bytes(), html.Origin{ContentType: "text/html; charset=utf-8"}, config)
	if reason != "" {
		t.Fatal(reason, detail)
	}
	return filled
}

// TestFrames puts sentences of Tatoeba into pages of WCXB, and the same sentences in English, and
// compares how well the blocks are found that are main content of the page itself.
func TestFrames(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	folder := filepath.Join(realdata.Folder(t, "wcxb"), "wcxb")
	unpack := func(name string) []byte {
		packed, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	type page struct {
		source []byte
		sample *Sample
	}
	var pages []page
	for i, line := range strings.Split(strings.TrimSpace(string(unpack("ground-truth.jsonl.gz"))), "\n") {
		var l struct {
			ID   string `json:"id"`
			Text string `json:"main_content"`
		}
		if i%everyFrame != 0 {
			continue
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		source := unpack("html/" + l.ID + ".html.gz")
		if parsed, reason, _ := html.Parse(source, html.Origin{}, HTML()); reason == "" {
			pages = append(pages, page{source, NewSample(parsed, l.Text, "", "")})
		}
	}
	m := defaultModel(t)
	// The mean over pages of the F1 of words of the page itself, in the blocks that are kept of the one that is filled.
	score := func(texts, english []string) float64 {
		sum, n := 0.0, 0
		for _, p := range pages {
			filled := frame(t, p.source, texts, english)
			if len(filled.Blocks) != p.sample.Page.Len() { // a text without words in it
				continue
			}
			j := m.Judge(blocks.Describe(filled))
			right, kept, wanted := 0.0, 0.0, 0.0
			for i, label := range p.sample.labels {
				words := p.sample.Page.Words(i)
				if wanted += words * float64(label); j.Chosen[i] {
					right += words * float64(label)
					kept += words
				}
			}
			if n++; kept+wanted > 0 {
				sum += 2 * right / (kept + wanted)
			}
		}
		if n < len(pages)*9/10 {
			t.Errorf("%d of %d frames have the blocks of their pages", n, len(pages))
		}
		return sum / float64(n)
	}
	for _, language := range []string{"tha", "khm", "ara", "cmn"} {
		foreign, english := pairsOf(t, language)
		if first := frame(t, []byte("<p>Some six words are in here."), foreign, english).Blocks[0].Text; !strings.Contains(
			first, foreign[7]) {
			t.Errorf("%s: a frame has the text %q, want %q in it", language, first, foreign[7])
		}
		is, want := score(foreign, english), score(english, english)
		t.Logf("%s: F1 %.3f, with the same sentences in English %.3f", language, is, want)
		if is < want-.02 {
			t.Errorf("%s: F1 %.3f, in English %.3f", language, is, want)
		}
	}
}
