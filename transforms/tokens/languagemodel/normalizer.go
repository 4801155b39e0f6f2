package languagemodel

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer normalizes texts as CCNet does before it cuts them into pieces (Wenzek et al. 2020): in small letters, without accents and
// control characters, each digit a zero, and marks of punctuation those of ASCII.
type normalizer struct{ lower, decomposed, text []byte }

// asciiMarks are marks of punctuation, and what takes their places.
var asciiMarks = func() map[rune]string {
	marks := map[rune]string{}
	for _, m := range [][2]string{
		{",", "，、"}, {".", "。"}, {". ", "．"}, {"...", "…"}, {":", "：∶"}, {";", "；"}, {"?", "？"}, {"!", "！"}, {"%", "％"}, {"~", "～"},
		{"'", "´’"}, {`"`, "„“”«»「」《》"}, {"-", "–━►"}, {" - ", "—"}, {"(", "（"}, {")", "）"}, {"[", "【"}, {"]", "】"}, {"<", "〈"}, {">", "〉"},
	} {
		for _, mark := range m[1] {
			marks[mark] = m[0]
		}
	}
	return marks
}()

// add normalizes a text and appends it to n.text.
func (n *normalizer) add(text string) {
	n.lower = n.lower[:0]
	letter := false // whether a letter comes before
	for i, r := range text {
		small := unicode.ToLower(r)
		if r == 'Σ' && letter { // at the end of a word
			if next, _ := utf8.DecodeRuneInString(text[i+len("Σ"):]); !unicode.IsLetter(next) {
				small = 'ς'
			}
		}
		n.lower, letter = utf8.AppendRune(n.lower, small), unicode.IsLetter(r)
	}
	n.decomposed = norm.NFD.Append(n.decomposed[:0], n.lower...)
	for rest := n.decomposed; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r < ' ', r >= 0x7f && r < 0xa0, unicode.Is(unicode.Mn, r):
		case unicode.Is(unicode.Nd, r):
			n.text = append(n.text, '0')
		case asciiMarks[r] != "":
			n.text = append(n.text, asciiMarks[r]...)
		default:
			n.text = append(n.text, rest[:size]...)
		}
		rest = rest[size:]
	}
}
