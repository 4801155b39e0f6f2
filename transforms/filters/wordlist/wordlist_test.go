package wordlist

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// lists reads lists by language.
func lists(t testing.TB, texts map[string]string) (*Lists, error) {
	t.Helper()
	folder, locations := t.TempDir(), map[string]string{}
	for code, text := range texts {
		locations[code] = filepath.Join(folder, fmt.Sprintf("%x.txt", code))
		if err := os.WriteFile(locations[code], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load(t.Context(), locations)
}

func TestScanner(t *testing.T) {
	l, err := lists(t, map[string]string{
		"eng": "\ufeffass\r\nA$$\n\n bad  word \nbad word list\nnew\tline\n#tag\nl'été\nΣοφός\n🖕\ne\u0301cole\nsm\n", "jpn": "グロ\n女の子\nスーパ\nsm\n",
		"hin": "कमल\n", "tha": "กัญ\n", "zho": "性\n", "zho_Hant": "性別\n", "tur": "sik\n",
		"deu": "# a comment\n#\nScheiße\nfine\nwär's\n", All: "everywhere\nbad word everywhere\n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		language, text string
		listed, words  int
		first          string
	}{
		{"eng", "An ass, he said; ASS!", 2, 5, "ass"},
		{"eng", "A class of asses, as_s, ass2, 2ass, ass_", 0, 8, ""},
		{"eng", "ass-hole", 1, 2, "ass"},
		{"eng", "such a$$ talk, (a$$)", 2, 4, "a$$"},
		{"eng", "a$$b, xa$$, a$ $", 0, 4, ""},
		{"eng", "a bad \n word list and a bad word", 2, 8, "bad word list"},
		{"eng", "bad bad word everywhere", 1, 4, "bad word everywhere"},
		{"eng", "bad-word, new line, no #tag, x#tag", 2, 8, "new line"},
		{"eng", "De L'ÉTÉ a L'e\u0301te\u0301: l'été2", 2, 8, "l'été"},
		{"eng", "Ο ΣΟΦΟΣ, Σοφός", 1, 3, "σοφόσ"}, // of which the first lacks its accent
		{"eng", "École ou ecole", 1, 3, "école"},
		{"eng", "🖕🖕", 2, 0, "🖕"},
		{"deu", "SCHEISSE, ﬁne; ｆi\u00adne # Wär’s ein comment?", 4, 7, "scheisse"},
		{"jpn", "ｸﾞﾛい", 1, 3, "グロ"},
		{"eng", "", 0, 0, ""},
		{"jpn", "この女の子はグロい", 2, 9, "女の子"},
		{"jpn", "スーパーsmart sm", 2, 6, "スーパ"}, // datatrove allows sm, since it is in smart
		{"hin", "कमल कमला", 1, 2, "कमल"},     // Python's \b is in front of the vowel sign
		{"tha", "ซื้อกัญชา", 1, 9, "กัญ"},
		{"zho", "abc性别", 1, 3, "性"},
		{"zho_Hans", "性别", 1, 2, "性"},
		{"zho_Hant", "性, 性別", 1, 3, "性別"},
		{"tur", "sık sık, SIK, Sik", 2, 4, "sik"},
		{"fra", "Everywhere an ass", 1, 3, "everywhere"},
	} {
		s := NewScanner(l)
		for range 2 { // the second time, nothing of the first is left
			if !s.Reset(tt.language) {
				t.Fatal("no list")
			}
			s.Add(tt.text)
		}
		if s.Listed != tt.listed || s.Words != tt.words || s.First() != tt.first {
			t.Errorf("%s %q: %d of %d words, first %q; want %d of %d, %q", tt.language, tt.text, s.Listed, s.Words, s.First(), tt.listed,
				tt.words, tt.first)
		}
	}
	if l, err = lists(t, map[string]string{"eng": "a\n"}); err != nil || NewScanner(l).Reset("fra") || NewScanner(nil) != nil {
		t.Error("a list is for another language", err)
	}
}

func TestRefused(t *testing.T) {
	long := strings.Repeat("a ", MaxWords/2-1)
	for list, want := range map[string]string{
		"": "it has no words", "\n \n": "it has no words", "a\nb\xff\n": "line 2: it is not text in UTF-8", "a\x00b": "line 1: it is not",
		long + "b": "64", long + "b c": "line 1", "a\n" + strings.Repeat("x", maxLine): "line 2: it has 65536 bytes",
	} {
		_, err := lists(t, map[string]string{"eng": list})
		if fits := want == "64"; fits != (err == nil) || !fits && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", list, err, want)
		}
	}
	if _, err := Load(t.Context(), map[string]string{"eng": filepath.Join(t.TempDir(), "none.txt.gz")}); err == nil {
		t.Error("a list that is not there was read")
	}
}

// An entry that is taken is found in itself, whatever is around it.
func FuzzLists(f *testing.F) {
	for _, entry := range []string{"bad word", "a$$", "グロー", "กัญ", "e\u0301", "\u0301", "ー", "\u00a0x\t\ty"} {
		f.Add(entry, "and so on")
	}
	f.Fuzz(func(t *testing.T, entry, text string) {
		l := &Lists{seeds: map[string]uint64{}}
		if l.read("eng", strings.NewReader(entry)) != nil || !utf8.ValidString(text) {
			return
		}
		l.index()
		s := NewScanner(l)
		s.Reset("eng")
		for line := range strings.Lines(strings.TrimPrefix(entry, "\ufeff")) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			before := s.Listed
			s.Add(text + " \n" + line + " \n" + text)
			if s.Listed == before {
				t.Errorf("%q is not found", line)
			}
		}
	})
}

// Lists of a million phrases, and text that is half of listed words.
func BenchmarkScanner(b *testing.B) {
	var list strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&list, "word%d phrase%d\n", i, i%1000)
	}
	l := &Lists{seeds: map[string]uint64{}}
	if err := l.read("eng", strings.NewReader(list.String())); err != nil {
		b.Fatal(err)
	}
	l.index()
	text := strings.Repeat("The river word77 rose in the word99 phrase99 night, and by morning the lower road was gone. ", 10)
	s := NewScanner(l)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Reset("eng")
		s.Add(text)
	}
}
