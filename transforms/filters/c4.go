package filters

import (
	"strings"

	"sentweave/transforms/clean/characters"
)

const (
	reasonJavaScript   = "javascript"
	reasonPolicy       = "policy"
	reasonLoremIpsum   = "lorem_ipsum"
	reasonCurlyBracket = "curly_bracket"
)

// c4 applies rules of C4 (Raffel et al. 2020, section 2.2) that are made for English: no
// sentence with the word "javascript", none with a phrase of cookie and privacy notices,
// no document with "lorem ipsum" or "{". It is off by default: program text is not a reason
// to lose a manual.
var c4 = Filter{
	Name:    "c4",
	Drops:   "sentences of English notices on cookies or JavaScript, documents with \"{\" or lorem ipsum",
	Source:  "Raffel et al. 2020, section 2.2",
	Reasons: []string{reasonJavaScript, reasonPolicy, reasonLoremIpsum, reasonCurlyBracket},
	New: func() Rules {
		return Rules{Sentence: c4Sentence, Document: c4Document, SentenceReasons: []string{reasonJavaScript, reasonPolicy}}
	},
}

// c4Policy are the phrases by which C4 recognises English notices (Raffel et al.
// 2020; the list is in the c4 builder of tensorflow_datasets).
var c4Policy = []string{
	"terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies",
}

func c4Sentence(text, _ string, _ *characters.Counts) (string, float64) {
	if containsFold(text, "javascript") {
		return reasonJavaScript, 0
	}
	for _, phrase := range c4Policy {
		if containsFold(text, phrase) {
			return reasonPolicy, 0
		}
	}
	return "", 0
}

func c4Document(d *Document, v *Verdict) {
	loremIpsum, curlyBracket := 0, 0
	for _, s := range d.Sentences {
		if containsFold(s.Text, "lorem ipsum") {
			loremIpsum++
			v.drop(reasonLoremIpsum, 0)
		}
		if strings.IndexByte(s.Text, '{') >= 0 {
			curlyBracket++
			v.drop(reasonCurlyBracket, 0)
		}
		if v.decided() {
			return
		}
	}
	v.note("c4_lorem_ipsum", ratio(loremIpsum, len(d.Sentences)))
	v.note("c4_curly_bracket", ratio(curlyBracket, len(d.Sentences)))
}

// containsFold says whether text contains phrase, which is in lower-case ASCII,
// in any case. It does not allocate.
func containsFold(text, phrase string) bool {
	first := phrase[0]
	for i := 0; i+len(phrase) <= len(text); i++ {
		if text[i]|0x20 == first && equalFold(text[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

func equalFold(text, phrase string) bool {
	for i := range len(phrase) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != phrase[i] {
			return false
		}
	}
	return true
}
