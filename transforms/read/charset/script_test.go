package charset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
)

// Each passage is read right where another set of Latin letters is declared, or the right one.
func TestReconsiderLatin(t *testing.T) {
	for said, languages := range map[string]string{
		"windows-1252": "ces est hun lav lit pol ron slk slv tur epo", "windows-1250": "ces dan fra hun tur isl lav",
		"iso-8859-2": "ces hun pol slk slv dan fra tur isl", "windows-1254": "tur deu isl pol lit", "windows-1257": "lit lav est pol",
		"ibm850": "fra deu spa pol tur", "macintosh": "fra deu spa pol tur",
	} {
		for _, p := range passages {
			for set := range strings.FieldsSeq(p.sets) {
				data := encoded(t, set, p.text)
				if !strings.Contains(languages, p.language) || Lookup(said).Contradicts(data) { // which is left to Detect
					continue
				}
				for _, stated := range []string{p.language, "", "eng"} {
					c := Lookup(said).Reconsider(data, stated)
					if got := string(c.Decode(data)); got != string(Lookup(set).Decode(data)) {
						t.Errorf("%s in %s, said to be in %s and %q, is read as %s: %q", p.language, set, said, stated, c.Name(), got)
					}
				}
			}
		}
	}
}

// Marks speak against no declaration, however many there are: other sets have letters for them, such as Ł for £.
func TestReconsiderMarks(t *testing.T) {
	for _, said := range strings.Fields("windows-1252 windows-1250 windows-1254 windows-1257 iso-8859-15 iso-8859-2 macintosh") {
		for text := range strings.SplitSeq("Intel® chips|Word™ files|at 20°C|at 20 °C|costs £5|costs 5 €|€5|«so» it is|from 10–20|"+
			"this — that|and so on…|• a part|home · news|home » news|half ½ cup|1½ cups|20 m² or 5 m³|about ±5|4 × 5|¥500|5¢|§ 5|¶ 5|see† and‡|"+
			"5‰|nº 5|la 1ª|5 µm|x¹ x²|© Smith|it’s „so“|“so” ‘it’ ‚is’|¿so?|¡so!|a¦b|5¬|\u00adso|Zoë|at the café", "|") {
			data, err := Lookup(said).encoding.NewEncoder().Bytes([]byte(strings.Repeat("The price of the boat is "+text+" for you. ", 20)))
			if err != nil {
				continue
			}
			for _, stated := range []string{"", "eng"} {
				if c := Lookup(said).Reconsider(data, stated); c.Name() != said {
					t.Errorf("%q in %s is read as %s: %.70q", text, said, c.Name(), c.Decode(data))
				}
			}
		}
	}
}

// A passage in a set of another script is believed to be in that set, and read right where another set of single bytes is declared.
func TestReconsiderOtherScripts(t *testing.T) {
	declared := []string{"windows-1251", "koi8-r", "iso-8859-5"}
	for _, p := range passages {
		for set := range strings.FieldsSeq(p.sets) {
			data := encoded(t, set, p.text)
			if Lookup(set).wide() != nil || strings.Contains(set, "mac") {
				continue
			}
			for _, said := range append(slices.Clone(declared), set) {
				if c := Lookup(said).Reconsider(data, ""); string(c.Decode(data)) != string(Lookup(set).Decode(data)) {
					t.Errorf("%s in %s, declared as %s, is read as %s: %q", p.language, set, said, c.Name(), c.Decode(data))
				}
			}
		}
	}
}

// Where the evidence is weak the declaration holds.
func TestReconsiderFewCharacters(t *testing.T) {
	for _, c := range []struct{ said, data, want string }{
		{"windows-1252", "caf\xe9", "windows-1252"},
		{"windows-1252", "", "windows-1252"},
		{"windows-1252", "\xc4\xe0", "windows-1252"},          // Да
		{"windows-1252", "\xcc\xce\xd1\xcaB", "windows-1252"}, // МОСК
		{"windows-1252", "\xc9\xc9\xc9\xc9 \xc0\xc0\xc0 \xd6\xc4\xdc", "windows-1252"},
		{"windows-1252", strings.Repeat("\xa9\xae\x99 ", 100), "windows-1252"},
		{"iso-8859-10", string(encoded(t, "koi8-r", "После долгой зимы вода в реке стояла высоко.")), "iso-8859-10"}, // is not weighed
		{"iso-8859-2", string(encoded(t, "koi8-r", "После долгой зимы вода в реке стояла высоко.")), "koi8-r"},
		{"windows-1251", string(encoded(t, "koi8-r", "После долгой зимы вода в реке стояла высоко.")), "koi8-r"},
	} {
		if got := Lookup(c.said).Reconsider([]byte(c.data), ""); got.Name() != c.want {
			t.Errorf("%q, said to be in %s, is in %s, want %s", c.data, c.said, got.Name(), c.want)
		}
	}
}

// tatoebaPassages are the sentences of a language in passages of five that a set can write, in this set.
func tatoebaPassages(t *testing.T, file string, set Charset) (list [][]byte) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for lines := range slices.Chunk(strings.Split(strings.TrimSpace(string(content)), "\n"), 5) {
		text := strings.Join(lines, " ")
		data, err := set.encoding.NewEncoder().Bytes([]byte(text))
		if err == nil && string(set.Decode(data)) == text && !IsSevenBit(data) {
			list = append(list, data)
		}
	}
	return list
}

// TestDeclaredStays: a passage in a language that a set of another script writes is not taken to be in another set than the one
// declared. Two passages of a language in Latin letters are, into which single Cyrillic letters strayed.
func TestDeclaredStays(t *testing.T) {
	folder := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba")
	files, err := filepath.Glob(filepath.Join(folder, "tatoeba.*-eng.*"))
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, set := range []string{"windows-1251", "koi8-r", "koi8-u", "iso-8859-5", "windows-1253", "iso-8859-7", "windows-1255"} {
		declared, passages := Lookup(set), 0
		for _, file := range files {
			for _, data := range tatoebaPassages(t, file, declared) {
				if declared.readsAsLatin(data) {
					continue
				}
				passages++
				if c := declared.Reconsider(data, ""); string(c.Decode(data)) != string(declared.Decode(data)) {
					t.Logf("%s in %s: read as %s: %q", filepath.Base(file), set, c.Name(), declared.Decode(data))
					changed++
				}
			}
		}
		t.Logf("%s: %d passages", set, passages)
		if passages < 100 {
			t.Errorf("%d passages in %s", passages, set)
		}
	}
	if changed > 2 {
		t.Errorf("%d passages are read in another set than the one that they are in", changed)
	}
}

// TestLatinStaysLatin: of the passages in the languages that windows-1252 writes two are taken for others, both in Kapampangan, and of
// passages in other scripts that are said to be in windows-1252 nearly all are read right.
func TestLatinStaysLatin(t *testing.T) {
	folder := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba")
	western := Lookup("windows-1252")
	files, err := filepath.Glob(filepath.Join(folder, "tatoeba.*-eng.*"))
	if err != nil {
		t.Fatal(err)
	}
	languages, passages, changed := 0, 0, 0
	for _, file := range files {
		list := tatoebaPassages(t, file, western)
		if len(list) > 0 {
			languages++
		}
		for _, data := range list {
			passages++
			for _, stated := range []string{"", "eng"} {
				if c := western.Reconsider(data, stated); c != western {
					changed++
					t.Logf("%s: read as %s: %q", filepath.Base(file), c.Name(), western.Decode(data))
				}
			}
		}
	}
	if passages < 5000 || languages < 50 || changed > 4 {
		t.Errorf("%d passages in %d languages, of which %d are read in another set", passages, languages, changed)
	}
	for language, sets := range map[string]string{
		"rus": "windows-1251 koi8-r ibm866 iso-8859-5", "ukr": "windows-1251 koi8-u", "bul": "windows-1251",
		"ell": "windows-1253 iso-8859-7",
		"heb": "windows-1255", "ara": "windows-1256", "cmn": "gbk", "jpn": "shift_jis euc-jp", "kor": "euc-kr", "tha": "windows-874",
	} {
		for set := range strings.FieldsSeq(sets) {
			list, right := tatoebaPassages(t, filepath.Join(folder, "tatoeba."+language+"-eng."+language), Lookup(set)), 0
			for _, data := range list {
				c := western.Reconsider(data, "")
				if western.Contradicts(data) ||
					string(c.Decode(data)) == string(Lookup(set).Decode(data)) { // what contradicts is left to Detect
					right++
				}
			}
			t.Logf("%s in %s: %d of %d", language, set, right, len(list))
			if len(list) == 0 || right*100 < len(list)*95 {
				t.Errorf("%s in %s: %d of %d are read right", language, set, right, len(list))
			}
		}
	}
}
