package text

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestParagraphs(t *testing.T) {
	const prose = "It was late in the year and the house stood empty, for the\n" +
		"people who had lived there went south with the birds when\n" +
		"the first frost came, and nobody had told them of the well-\n" +
		"known thaw that so often follows it, nor would they listen.\n"
	joined := strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(prose), "well-\n", "well-"), "\n", " ")
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"nothing", " \n\n\t", nil},
		{"blank lines", "a\n\n  b \n \t\n\n\nc", []string{"a", "b", "c"}},
		{"CRLF", "a\r\n\r\nb", []string{"a", "b"}},
		{"CR", "a\r\rb\rc", []string{"a", "b\nc"}},
		{"CR, CR, LF", "a\r\r\nb\r\r\n\r\r\nc", []string{"a\nb", "c"}},
		{"white space", "a \t\u00a0 b\u3000c\u00ad\ufeffd\x00e", []string{"a b cd e"}},
		{"short lines stay", "Roses are red\nviolets are blue", []string{"Roses are red\nviolets are blue"}},
		{"wrapped lines are joined", prose + "\n" + prose, []string{joined, joined}},
		{"one line a paragraph stays", strings.Repeat("word ", 60) + "\n" + strings.Repeat("text ", 50),
			[]string{strings.TrimSpace(strings.Repeat("word ", 60)) + "\n" + strings.TrimSpace(strings.Repeat("text ", 50))}},
		{"verse among prose stays", prose + prose + prose + "\nThe frost is here,\nthe fuel is dear,\nand woods are sear.",
			[]string{joined + " " + joined + " " + joined, "The frost is here,\nthe fuel is dear,\nand woods are sear."}},
		{"a list among prose stays", prose + "\n- " + prose + "- the well\n2. the thaw",
			[]string{joined, "- " + joined + "\n- the well\n2. the thaw"}},
		{"an indented line begins anew", prose + "    " + prose, []string{joined + "\n" + joined}},
		{"an indented paragraph is joined", "    " + strings.ReplaceAll(strings.TrimSpace(prose), "\n", "\n    "), []string{joined}},
		{"Chinese is joined without spaces", strings.Repeat(strings.Repeat("那年冬天很冷人们都走了", 4)+"\n", 3) + "他们走了。",
			[]string{strings.Repeat("那年冬天很冷人们都走了", 12) + "他们走了。"}},
	} {
		if got := slices.Collect(Paragraphs(c.content)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzParagraphs(f *testing.F) {
	f.Add("a\nb\n\nc")
	f.Add(strings.Repeat("The quick brown fox jumps over the lazy-\ndog and\x00 then\u00a0some\r\n", 4))
	f.Fuzz(func(t *testing.T, content string) {
		letters := 0
		for p := range Paragraphs(content) {
			if p == "" || strings.TrimSpace(p) != p || strings.Contains(p, "  ") || strings.Contains(p, "\n\n") {
				t.Fatalf("%q: paragraph %q is not normal", content, p)
			}
			for _, r := range p {
				if r != '\n' && unicode.IsControl(r) {
					t.Fatalf("%q: control character in %q", content, p)
				}
				if unicode.IsLetter(r) {
					letters++
				}
			}
			if !utf8.ValidString(p) {
				t.Fatalf("%q: %q is not UTF-8", content, p)
			}
		}
		for _, r := range content {
			if unicode.IsLetter(r) {
				letters--
			}
		}
		if letters != 0 {
			t.Fatalf("%q: %+d letters", content, letters)
		}
	})
}

func BenchmarkParagraphs(b *testing.B) {
	content := strings.Repeat(strings.Repeat("It was late in the year and the house stood empty, for the people\n", 6)+"\n", 100)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		for range Paragraphs(content) {
		}
	}
}
