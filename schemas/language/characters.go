package language

import "unicode"

// scriptNames are the names in unicode.Scripts of what ISO 15924 calls otherwise, and
// of the scripts that are used together.
var scriptNames = map[string][]string{
	"Adlm": {"Adlam"}, "Arab": {"Arabic"}, "Armn": {"Armenian"}, "Beng": {"Bengali"}, "Cans": {"Canadian_Aboriginal"}, "Cher": {"Cherokee"},
	"Cyrl": {"Cyrillic"}, "Deva": {"Devanagari"}, "Ethi": {"Ethiopic"}, "Geor": {"Georgian"}, "Grek": {"Greek"}, "Gujr": {"Gujarati"},
	"Guru": {"Gurmukhi"}, "Hang": {"Hangul"}, "Hani": {"Han"}, "Hans": {"Han", "Bopomofo"}, "Hant": {"Han", "Bopomofo"}, "Hebr": {"Hebrew"},
	"Java": {"Javanese"}, "Jpan": {"Han", "Hiragana", "Katakana"}, "Khmr": {"Khmer"}, "Knda": {"Kannada"}, "Kore": {"Hangul", "Han"},
	"Laoo": {"Lao"}, "Latn": {"Latin"}, "Mlym": {"Malayalam"}, "Mong": {"Mongolian"}, "Mtei": {"Meetei_Mayek"}, "Mymr": {"Myanmar"},
	"Nkoo": {"Nko"}, "Olck": {"Ol_Chiki"}, "Orya": {"Oriya"}, "Sinh": {"Sinhala"}, "Sund": {"Sundanese"}, "Syrc": {"Syriac"},
	"Taml": {"Tamil"}, "Telu": {"Telugu"}, "Tfng": {"Tifinagh"}, "Thaa": {"Thaana"}, "Thai": {"Thai"}, "Tibt": {"Tibetan"},
}

// Characters returns those of the scripts that a language is written in, as Scripts has
// them, or nil where one of its scripts is not known here.
func Characters(code string) (tables []*unicode.RangeTable) {
	for _, script := range Scripts(code) {
		names := scriptNames[script]
		if names == nil {
			return nil
		}
		for _, name := range names {
			tables = append(tables, unicode.Scripts[name])
		}
	}
	return tables
}
