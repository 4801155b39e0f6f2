package parallel

import (
	"testing"

	"sentweave/schemas"
)

// Self-written paragraphs of a manual in four languages.
var (
	manualEnglish = []string{"The Tools menu opens a list of all commands.", "Figure 12. The Tools menu",
		"Save the file before you close the window."}
	manualGerman = []string{"Das Menü Extras öffnet eine Liste aller Befehle.", "Abbildung 12. Das Menü Extras",
		"Speichern Sie die Datei, bevor Sie das Fenster schließen."}
	manualDanish = []string{"Menuen Værktøjer åbner en liste over alle kommandoer.", "Figur 12. Menuen Værktøjer",
		"Gem filen, før du lukker vinduet."}
	manualChinese = []string{"工具按列表名打列出全部命令。", "插入十二：工具目列之全貌。", "先保存文件，再按鼠右手之上角。"}
	manualFinnish = []string{"Työkalut-valikko avaa luettelon kaikista komennoista.", "Kuva 12. Työkalut-valikko",
		"Tallenna tiedosto, ennen kuin suljet ikkunan."}
)

// A text that is in the pages of two languages is in one of them at most: neither
// of its pairs with a third language may call it by the other one.
func TestLeftInTheOriginal(t *testing.T) {
	scored := func(language string, paragraphs []string, scores ...float32) Page {
		return pageOf(language, paragraphs, func(d *schemas.Document) {
			for i := range d.Sentences {
				d.Sentences[i].LanguageScore = scores[d.Sentences[i].Block]
			}
		})
	}
	in := func(d *schemas.Document) {
		d.Language = "eng"
		d.Sentences[1].Language, d.Sentences[1].LanguageScore = "eng", .3
	}
	tests := []struct {
		name  string
		edit  func(*Config)
		pages []Page
		want  string
	}{
		{
			"left in English, which the identifier did not see", nil,
			[]Page{scored("deu", replaced(manualGerman, 0, manualEnglish[0]), .03, .9, .9), scored("eng", manualEnglish, .4, .9, .9),
				scored("fin", manualFinnish, .9, .9, .9)},
			"deu-eng 0 untranslated, deu-fin 0 wrong_language, eng-fin 0, deu-eng 1, deu-fin 1, eng-fin 1, deu-eng 2, deu-fin 2, eng-fin 2",
		},
		{
			"a caption of which one word is translated", nil,
			[]Page{scored("deu", replaced(manualGerman, 1, "Abbildung 12. The Tools menu"), .9, .6, .9),
				scored("eng", manualEnglish, .9, .9, .9), scored("fin", manualFinnish, .9, .9, .9)},
			"deu-eng 0, deu-fin 0, eng-fin 0, deu-eng 1 untranslated, deu-fin 1 wrong_language, eng-fin 1, deu-eng 2, deu-fin 2, eng-fin 2",
		},
		{
			"the original's is kept though its score is low", nil,
			[]Page{scored("deu", replaced(manualGerman, 1, manualEnglish[1]), .9, .2, .9), scored("eng", manualEnglish, .9, .1, .9),
				scored("fin", manualFinnish, .9, .9, .9)},
			"deu-eng 0, deu-fin 0, eng-fin 0, deu-eng 1 untranslated, deu-fin 1 wrong_language, eng-fin 1, deu-eng 2, deu-fin 2, eng-fin 2",
		},
		{
			"another page in the place of the original", nil,
			[]Page{scored("deu", manualGerman, .9, .9, .9), scored("eng", manualGerman, 0, 0, 0), scored("fin", manualFinnish, .9, .9, .9)},
			"deu-eng 0 untranslated, deu-fin 0, eng-fin 0 wrong_language, deu-eng 1 untranslated, deu-fin 1, eng-fin 1 wrong_language, deu-eng 2 untranslated, deu-fin 2, eng-fin 2 wrong_language",
		},
		{
			"nobody identified languages", nil,
			[]Page{scored("deu", replaced(manualGerman, 0, manualEnglish[0]), 0, 0, 0), scored("eng", manualEnglish, 0, 0, 0),
				scored("fin", replaced(manualFinnish, 1, manualEnglish[1]), 0, 0, 0)},
			"deu-eng 0 untranslated, deu-fin 0 wrong_language, eng-fin 0, deu-eng 1, deu-fin 1 wrong_language, eng-fin 1 untranslated, deu-eng 2, deu-fin 2, eng-fin 2",
		},
		{
			"left in the language of a page that is not there", nil,
			[]Page{scored("dan", replaced(manualDanish, 0, manualEnglish[0]), .02, .9, .9),
				scored("deu", replaced(manualGerman, 0, manualEnglish[0]), .01, .9, .9), scored("fin", manualFinnish, .9, .9, .9)},
			"dan-deu 0 untranslated, dan-fin 0 wrong_language, deu-fin 0 wrong_language, dan-deu 1, dan-fin 1, deu-fin 1, dan-deu 2, dan-fin 2, deu-fin 2",
		},
		{
			"the same in two near languages", nil,
			[]Page{scored("dan", manualDanish, .6, .6, .9), scored("fin", manualFinnish, .9, .9, .9),
				scored("nob", replaced(manualDanish, 0, "Menyen Verktøy åpner en liste over alle kommandoer."), .9, .4, .8)},
			"dan-fin 0, dan-nob 0, fin-nob 0, dan-fin 1, dan-nob 1 untranslated, fin-nob 1, dan-fin 2, dan-nob 2 untranslated, fin-nob 2",
		},
		{
			"related languages have much in common", nil,
			[]Page{
				scored("deu", replaced(manualGerman, 0, manualEnglish[0]), .03, .9, .9), scored("eng", manualEnglish, .1, .9, .9),
				scored("zho_Hans", manualChinese, .9, .9, .9), scored("zho_Hant", manualChinese, .9, .9, .9),
			},
			"deu-eng 0 untranslated, deu-zho_Hans 0 wrong_language, deu-zho_Hant 0 wrong_language, eng-zho_Hans 0, eng-zho_Hant 0, zho_Hans-zho_Hant 0 untranslated, " +
				"deu-eng 1, deu-zho_Hans 1, deu-zho_Hant 1, eng-zho_Hans 1, eng-zho_Hant 1, zho_Hans-zho_Hant 1 untranslated, " +
				"deu-eng 2, deu-zho_Hans 2, deu-zho_Hant 2, eng-zho_Hans 2, eng-zho_Hant 2, zho_Hans-zho_Hant 2 untranslated",
		},
		{
			"the pivot is the original", func(c *Config) { c.Pivot = "dan" },
			[]Page{scored("dan", manualDanish, .1, .9, .9), scored("deu", replaced(manualGerman, 0, manualDanish[0]), .2, .9, .9),
				scored("fin", manualFinnish, .9, .9, .9)},
			"dan-deu 0 untranslated, dan-fin 0, dan-deu 1, dan-fin 1, dan-deu 2, dan-fin 2",
		},
		{
			"the document's language counts, however low its score", nil,
			[]Page{pageOf("deu", replaced(manualGerman, 1, "Figure 13. Tools"), in), pageOf("fin", manualFinnish)},
			"deu-fin 0, deu-fin 1 wrong_language, deu-fin 2",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Result
			joiner(t, tt.edit).Join(&r, "manual", "handbook", tt.pages)
			if got := describe(&r); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestContained(t *testing.T) {
	tests := []struct {
		a, b string
		want float64
	}{
		{"", "disk", 0},
		{"Figure 12. The Tools menu", "Abbildung 12. The Tools menu", 4. / 5},
		{"Server 2.4", "Serveur 2.4", 2. / 3},
		{"save it", "save it before you close the window", 1},
		{"ha ha ha", "ha hm ho", 1. / 3},
	}
	for _, tt := range tests {
		if got := containedOf(tt.a, tt.b); got != tt.want || got != containedOf(tt.b, tt.a) {
			t.Errorf("%q, %q: %v and %v, want %v", tt.a, tt.b, got, containedOf(tt.b, tt.a), tt.want)
		}
	}
}
