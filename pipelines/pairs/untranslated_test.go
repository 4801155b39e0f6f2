package pairs_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/language"
	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/pairs/parallel"
)

// model returns the identifier's path.
func model(t *testing.T) string {
	path := realdata.Variable(t, "SENTWEAVE_LID176")
	return path
}

// manual is a manual of three pages as translators leave it: one is translated, one in
// part, one not at all. Its paragraphs were written for it.
var manual = map[string]map[string][]string{
	"en": {
		"print": {"To print the document, open the File menu and choose a printer.",
			"The preview shows every page before it is sent to the printer.",
			"Set the number of copies in the lower part of the dialog box."},
		"style": {"A style holds the font and the colour of a paragraph.", "Double-click a style to apply it to the selected text.",
			"Sets the indent from the left margin.", "Line spacing, proportional"},
		"macro": {"A macro is a list of commands that is run at once.", "Returns the name of the active sheet as a string.",
			"Specifies the range of cells that is sorted.", "Opens the dialog with the keyboard shortcuts."},
	},
	"de": {
		"print": {"Öffnen Sie zum Drucken des Dokuments das Menü Datei und wählen Sie einen Drucker.",
			"Die Vorschau zeigt jede Seite, bevor sie an den Drucker geschickt wird.",
			"Geben Sie die Anzahl der Kopien unten im Dialogfenster ein."},
		"style": {"Eine Vorlage enthält die Schrift und die Farbe eines Absatzes.",
			"Doppelklicken Sie auf eine Vorlage, um sie dem markierten Text zuzuweisen.", "Legt den Einzug vom linken Rand fest.",
			"Zeilenabstand, proportional"},
		"macro": {"Ein Makro ist eine Liste von Befehlen, die auf einmal ausgeführt wird.",
			"Gibt den Namen der aktiven Tabelle als Zeichenkette zurück.", "Legt den Bereich der Zellen fest, der sortiert wird.",
			"Öffnet das Dialogfenster mit den Tastenkürzeln."},
	},
	"hi": {
		"print": {"दस्तावेज़ छापने के लिए फ़ाइल मेनू खोलें और एक प्रिंटर चुनें।",
			"पूर्वावलोकन प्रिंटर को भेजे जाने से पहले हर पृष्ठ दिखाता है।", "संवाद पेटी के निचले भाग में प्रतियों की संख्या लिखें।"},
		"style": {"शैली में अनुच्छेद का अक्षर और रंग रहता है।", "Double-click a style to apply it to the selected text.",
			"Sets the indent from the left margin.", "Line spacing, proportional"},
		"macro": {"A macro is a list of commands that is run at once.", "Returns the name of the active sheet as a string.",
			"Specifies the range of cells that is sorted.", "Opens the dialog with the keyboard shortcuts."},
	},
	"dz": { // which the identifier lacks
		"print": {"ཡིག་ཆ་དཔར་བསྐྲུན་འབད་ནིའི་དོན་ལུ་ཡིག་སྣོད་དཀར་ཆག་ཁ་ཕྱེ།",
			"སྔོན་ལྟ་གིས་ཤོག་ལེབ་ག་ར་དཔར་འཕྲུལ་ལུ་མ་གཏང་བའི་ཧེ་མ་སྟོནམ་ཨིན།",
			"Set the number of copies in the lower part of the dialog box."},
		"style": {"A style holds the font and the colour of a paragraph.", "Double-click a style to apply it to the selected text.",
			"Sets the indent from the left margin.", "Line spacing, proportional"},
		"macro": {"A macro is a list of commands that is run at once.", "Returns the name of the active sheet as a string.",
			"Specifies the range of cells that is sorted.", "Opens the dialog with the keyboard shortcuts."},
	},
}

func TestPartlyTranslated(t *testing.T) {
	input := t.TempDir()
	for folder, pages := range manual {
		for page, paragraphs := range pages {
			pipelinetest.File(t, input, folder+"/"+page+".txt", strings.Join(paragraphs, "\n\n"))
		}
	}
	run := func(args ...string) (string, []schemas.Pair) {
		args = append([]string{"--input", input, "--layout", "{language}/{page}.txt", "--langid", model(t), "--min-document-characters",
			"50"}, args...)
		docs, _ := pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, args...), pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
		out, _ := pipelinetest.Run(t, pipelinetest.Parse[pairs.Config](t, "--documents", docs, "--kind", "parallel"),
			pipelinetest.Settings(1), pipelinetest.Plain(2))
		return docs, pipelinetest.Rows[schemas.Pair](t, out)
	}
	docs, rows := run()
	english := map[string]bool{}
	for _, paragraphs := range manual["en"] {
		for _, p := range paragraphs {
			english[p] = true
		}
	}
	found := map[string]int{}
	for _, p := range rows {
		for _, side := range []struct{ code, text string }{{p.LanguageA, p.TextA}, {p.LanguageB, p.TextB}} {
			if side.code != "eng" && english[side.text] {
				t.Errorf("%s: %q", side.code, side.text)
			}
		}
		found[p.LanguageA+"-"+p.LanguageB]++
	}
	want := map[string]int{"deu-eng": 11, "eng-hin": 4, "deu-hin": 4, "dzo-eng": 2, "deu-dzo": 2, "dzo-hin": 2}
	for pair, n := range want {
		if found[pair] != n {
			t.Errorf("%d pairs %s, want %d", found[pair], pair, n)
		}
	}
	conflicts := map[string]int{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, docs) {
		if d.DeclaredLanguage == "" {
			t.Errorf("%s has no declared language", d.Source)
		} else if !language.Matches(d.Language, d.DeclaredLanguage) {
			conflicts[d.DeclaredLanguage+" is "+d.Language]++
		}
	}
	if conflicts["hin is eng"] != 1 || conflicts["dzo is eng"] != 2 || len(conflicts) != 2 {
		t.Errorf("conflicts %v", conflicts)
	}
	// Without the English pages, what was left in English is not taken for anything else.
	_, rows = run("--languages", "deu,hin,dzo")
	for _, p := range rows {
		if english[p.TextA] || english[p.TextB] {
			t.Errorf("%s-%s: %q, %q", p.LanguageA, p.LanguageB, p.TextA, p.TextB)
		}
	}
	if len(rows) < 6 {
		t.Errorf("%d pairs of three languages", len(rows))
	}
}

// sides counts what became of the blocks of a language.
type sides struct{ all, wrong, right, lost int }

// On real manuals that are translated in part, fewer than .5 % of the sides are wrong,
// and fewer than 2 % of the right ones are lost. Wrong is a side that has the words of
// the English block, or four in five of them. The right ones are sides of the pairs
// with English that are made without an identifier, which is asked here of whole blocks.
func TestManuals(t *testing.T) {
	root := realdata.Variable(t, "SENTWEAVE_MANUALS")
	identifier, err := langid.OpenFastText(model(t))
	if err != nil {
		t.Fatal(err)
	}
	manuals, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, manual := range manuals {
		t.Run(manual.Name(), func(t *testing.T) {
			counts := judge(t, identifier, filepath.Join(root, manual.Name()))
			var all sides
			for _, code := range slices.Sorted(maps.Keys(counts)) {
				c := counts[code]
				t.Logf("%-9s%7d sides, %4d wrong (%.2f %%)%7d right, %4d lost (%.2f %%)", code, c.all, c.wrong, percent(c.wrong, c.all),
					c.right, c.lost, percent(c.lost, c.right))
				all = sides{all.all + c.all, all.wrong + c.wrong, all.right + c.right, all.lost + c.lost}
			}
			t.Logf("%-9s%7d sides, %4d wrong (%.2f %%)%7d right, %4d lost (%.2f %%)", "all", all.all, all.wrong,
				percent(all.wrong, all.all), all.right, all.lost, percent(all.lost, all.right))
			if percent(all.wrong, all.all) >= .5 || percent(all.lost, all.right) >= 2 || all.right == 0 {
				t.Error("too many are wrong, or lost")
			}
		})
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// place is a block of a manual in a language. The group is that of its page and block.
type place struct {
	group    uint64
	language string
}

// judge joins a manual with and without the identifier and counts the sides.
func judge(t *testing.T, identifier *langid.FastText, manual string) map[string]*sides {
	join := func(args ...string) (string, []schemas.Pair) {
		docs, _ := pipelinetest.Run(t,
			pipelinetest.Parse[corpus.Config](t, append([]string{"--input", manual, "--layout", pipelinetest.Layout}, args...)...),
			pipelinetest.Settings(8<<20), pipelinetest.Plain(2))
		out, _ := pipelinetest.Run(t, pipelinetest.Parse[pairs.Config](t, "--documents", docs, "--kind", "parallel"),
			pipelinetest.Settings(8<<20), pipelinetest.Plain(2))
		return docs, pipelinetest.Rows[schemas.Pair](t, out)
	}
	docs, candidates := join()
	_, rows := join("--langid", model(t))

	// Pages that are in English's place and are in another language are none.
	english := map[uint64]string{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, docs) {
		folder, page, _ := strings.Cut(strings.TrimSuffix(d.Source, ".html"), "/")
		if code, err := language.Parse(folder); err != nil || code != "eng" {
			continue
		}
		for _, s := range d.Sentences {
			group := parallel.Group(page, s.Block)
			english[group] = strings.TrimSpace(english[group] + " " + s.Text)
		}
	}
	for group, text := range english {
		if code, score := identifier.Identify(text); code != "eng" && score >= .5 {
			delete(english, group)
		}
	}
	counts := map[string]*sides{}
	of := func(code string) *sides {
		if counts[code] == nil {
			counts[code] = &sides{}
		}
		return counts[code]
	}
	joined := map[place]bool{}
	each(rows, func(p schemas.Pair, code, text string) {
		c := of(code)
		c.all++
		if original, ok := english[*p.Group]; ok && untranslated(text, original) {
			c.wrong++
		}
		if p.LanguageA == "eng" || p.LanguageB == "eng" {
			joined[place{*p.Group, code}] = true
		}
	})
	each(candidates, func(p schemas.Pair, code, text string) {
		original, ok := english[*p.Group]
		if p.LanguageA != "eng" && p.LanguageB != "eng" || !ok || untranslated(text, original) || !translated(identifier, text, code) {
			return
		}
		c := of(code)
		c.right++
		if !joined[place{*p.Group, code}] {
			c.lost++
		}
	})
	return counts
}

// each calls use for every side that is not English.
func each(rows []schemas.Pair, use func(p schemas.Pair, code, text string)) {
	for _, p := range rows {
		if p.LanguageA != "eng" {
			use(p, p.LanguageA, p.TextA)
		}
		if p.LanguageB != "eng" {
			use(p, p.LanguageB, p.TextB)
		}
	}
}

// untranslated says whether four in five words of a text, numbers among them, stand
// in the original.
func untranslated(text, original string) bool {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	}
	left := map[string]int{}
	for _, w := range words(original) {
		left[w]++
	}
	both, all := 0, words(text)
	for _, w := range all {
		if left[w] > 0 {
			left[w]--
			both++
		}
	}
	return len(all) > 0 && 10*both >= 8*len(all)
}

// translated says whether a text is more probably in the language than in English.
func translated(identifier *langid.FastText, text, code string) bool {
	own, english := float32(0), float32(0)
	for _, g := range identifier.Top(nil, text, 1000) {
		if language.Matches(g.Language, code) {
			own += g.Score
		}
		if g.Language == "eng" {
			english = g.Score
		}
	}
	return own > 2*english || !identifier.Knows(code) && english < .3
}
