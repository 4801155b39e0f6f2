package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/language"
	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/langid"
)

func identifier(t *testing.T) *langid.FastText {
	t.Helper()
	m, err := Model()
	if err != nil {
		t.Fatal(err)
	}
	f, err := langid.NewFastText(m)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestModel(t *testing.T) {
	f := identifier(t)
	for text, want := range map[string]string{
		"The rain stopped before we reached the harbour.":                    "eng",
		"Der Regen hörte auf, bevor wir den Hafen erreichten.":               "deu",
		"La pluie s'est arrêtée avant que nous arrivions au port.":           "fra",
		"La lluvia paró antes de que llegáramos al puerto.":                  "spa",
		"Эта книга была написана в прошлом веке, но её читают и сегодня.":    "rus",
		"雨停了，我们才走到港口。":                                                       "zho_Hans",
		"この本は昨日図書館で借りたもので、まだ読んでいません。":                                        "jpn",
		"توقف المطر قبل أن نصل إلى الميناء.":                                 "ara",
		"हम बंदरगाह पहुँचने से पहले बारिश रुक गई।":                           "hin",
		"for (size_t n = 0; n < rows.size(); n++) { total += rows[n].sum; }": language.NoContent,
		"aGVsbG8gd29ybGQgdGhpcyBpcyBub3QgYSBzZW50ZW5jZQ==":                   language.NoContent,
		"12.5 kg | 33 mm | 1,204 Hz | 17 % | 220 V":                          language.NoContent,
		"asdfghj kljhgf qwpoeiru zmxncb":                                     language.NoContent,
		"괜찮아요?":                                                              "kor", // which alone has Hangul
		"안녕하세요":                                                              "kor",
		"Բարեւ":                                                              "hye",
		"12 + 34 = 46 !?":                                                    language.Undetermined,
	} {
		if got, score := f.Identify(text); !language.Matches(got, want) && got != want {
			t.Errorf("%q: %s %.2f, want %s", text, got, score, want)
		}
	}
	if len(File) > 2_500_000 {
		t.Errorf("the file has %d bytes", len(File))
	}
}

// Noise that is not sure is no answer.
func TestUnsureNoise(t *testing.T) {
	f, unsure := identifier(t), 0
	for _, text := range []string{"IPv6 eth0", "URL: www.example.com", "Intel Core i7", "OK (F5)", "JPEG 2000", "MP3-ID3",
		"kB/s", "x86 Linux",
		"HTTP GET", "Alt+F4", "A4 300 dpi", "UTF-8", "PDF/A", "Ctrl-X", "Python 3", "GTK+ 3.0", "C++", "mp4 h264 aac", "tar.gz"} {
		top := f.Top(nil, text, 2)
		want := top[0].Language
		if want == language.NoContent && top[0].Score < .9 {
			want = top[1].Language
			unsure++
		}
		if got, _ := f.Identify(text); got != want {
			t.Errorf("%q: %s of %v", text, got, top)
		}
	}
	if unsure == 0 {
		t.Error("no text is unsurely noise")
	}
}

// Sentences of the Tatoeba test set, which the model has not learned from, are in the language that the set says, and are no noise.
func TestOnTatoeba(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(realdata.Folder(t), "tatoeba", "tatoeba.*-eng.*"))
	if err != nil || len(names) == 0 {
		t.Skip("skipped: the Tatoeba test set is absent")
	}
	f, texts, right, noise := identifier(t), 0, 0, 0
	for _, name := range names {
		code, err := language.Parse(strings.TrimPrefix(filepath.Ext(name), "."))
		if err != nil || !f.Knows(code) {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			got, _ := f.Identify(line)
			texts++
			switch {
			case language.Matches(got, code):
				right++
			case got == language.NoContent:
				noise++
			}
		}
	}
	t.Logf("%d texts, %.4f right, %.5f noise", texts, float64(right)/float64(texts), float64(noise)/float64(texts))
	if float64(right) < .9*float64(texts) || float64(noise) > .002*float64(texts) {
		t.Errorf("of %d texts %d are right, and %d are noise", texts, right, noise)
	}
}

// The model has the languages of LaBSE, less Bosnian, which is Croatian to it, and Hmong, of which its texts have none in Latin letters.
func TestLanguages(t *testing.T) {
	f := identifier(t)
	for _, tag := range strings.Fields(`af am ar as az be bg bn bo bs ca ceb co cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha haw
		he hi hmn hr ht hu hy id ig is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny or pa pl pt ro
		ru rw si sk sl sm sn so sq sr st su sv sw ta te tg th tk tl tr tt ug uk ur uz vi wo xh yi yo zh zu`) {
		code, err := language.Parse(tag)
		if err != nil {
			t.Fatal(err)
		}
		if lacking := tag == "bs" || tag == "hmn"; f.Knows(code) == lacking {
			t.Errorf("%s: the model knows it: %v", tag, f.Knows(code))
		}
	}
}
