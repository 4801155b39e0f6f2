package quality

// c4Policy are the phrases by which C4 recognises English notices (Raffel et al.
// 2020; the list is in the c4 builder of tensorflow_datasets).
var c4Policy = []string{
	"terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies",
}

// c4Sentence returns the reason of the first rule of C4 for lines that text breaks, or "".
func c4Sentence(text string) string {
	if containsFold(text, "javascript") {
		return ReasonJavaScript
	}
	for _, phrase := range c4Policy {
		if containsFold(text, phrase) {
			return ReasonPolicy
		}
	}
	return ""
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
