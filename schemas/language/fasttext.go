package language

import "strings"

// wikipediaCodes are the labels of lid.176 that are codes of Wikipedia editions
// and mean something else, or nothing, in ISO 639: "als" is Alemannic there and
// Tosk Albanian in ISO 639-3, "eml" is retired for two languages of which the
// larger is taken, "bh" names a group whose edition is Bhojpuri.
var wikipediaCodes = map[string]string{"als": "gsw", "bh": "bho", "eml": "egl"}

// FromFastText returns the code of a label of a language-identification model,
// with or without the prefix "__label__": those of lid.176 (ISO 639-1, or codes
// of Wikipedia editions), and those of models with scripts ("deu_Latn"), in
// which "als" is what ISO 639-3 says.
func FromFastText(label string) (string, error) {
	label = strings.TrimPrefix(label, "__label__")
	if code, ok := wikipediaCodes[label]; ok {
		return code, nil
	}
	return Parse(label)
}

// FastTextLabel returns the label of a language, without the prefix "__label__", that FromFastText reads as the code: the code
// itself, or, where lid.176 means another language by that, the code with its script.
func FastTextLabel(code string) string {
	if read, err := FromFastText(code); err == nil && read == code {
		return code
	}
	return code + "_" + Scripts(code)[0]
}
