package synonym

import "strings"

// feature is the inflection of a word.
type feature byte

const (
	base        feature = iota // singular, positive, the verb without ending
	plural                     // of a noun
	thirdPerson                // of a verb: runs
	past                       // ran
	participle                 // run, in "has run"
	gerund                     // running
	comparative                // of an adjective
	superlative
)

// features lists those of a part of speech. Adverbs with -er are too few.
func features(pos byte) []feature {
	switch pos {
	case noun:
		return []feature{base, plural}
	case verb:
		return []feature{base, thirdPerson, past, participle, gerund}
	case adjective:
		return []feature{base, comparative, superlative}
	}
	return []feature{base}
}

// inflector knows the forms of English words: by rules of spelling, tables of what is
// irregular, and the exceptions of a lexicon.
type inflector struct {
	irregular  irregular
	exceptions map[byte]map[string][]string
}

// forms returns all spellings of a form of a word, for reading. The first is the one
// that form makes, where it makes one.
func (f *inflector) forms(word string, pos byte, feature feature) (list []string) {
	if spelling, ok := f.form(word, pos, feature); ok {
		list = append(list, spelling)
	}
	add := func(forms ...string) {
		for _, form := range forms {
			if form != "" && !contains(list, form) {
				list = append(list, form)
			}
		}
	}
	switch {
	case feature == base:
	case pos == noun:
		add(f.irregular.plural[word]...)
		add(f.exceptions[noun][word]...)
		if spelling, ok := f.pluralOf(word); ok && spelling != sibilant(word) && !isOddNoun(word) {
			add(sibilant(word)) // next to an irregular one
		}
	case pos == verb:
		pasts, participles, irregular := f.irregular.verb(word)
		switch feature {
		case past:
			add(pasts...)
		case participle:
			add(participles...)
		}
		for _, form := range f.exceptions[verb][word] {
			isGerund := strings.HasSuffix(form, "ing")
			// Of an irregular verb the tables know which of both a form is.
			if feature != thirdPerson && isGerund == (feature == gerund) && !strings.HasSuffix(form, "s") && (isGerund || !irregular) {
				add(form)
			}
		}
		// British English doubles an l, and others differ in some words: both are read.
		if endsInVowelConsonant(word) && vowelGroups(word) > 1 && feature != thirdPerson {
			for _, stem := range []string{word, word + word[len(word)-1:]} {
				switch {
				case feature == gerund:
					add(stem + "ing")
				case !irregular:
					add(stem + "ed")
				}
			}
		}
	case pos == adjective:
		for _, form := range f.exceptions[adjective][word] {
			if strings.HasSuffix(form, "er") == (feature == comparative) {
				add(form)
			}
		}
	}
	return list
}

// form makes a form of a word, in the spelling of American English; false if it has
// none, or it is not known.
func (f *inflector) form(word string, pos byte, feature feature) (string, bool) {
	switch {
	case feature == base:
		return word, true
	case pos == noun:
		return f.pluralOf(word)
	case pos == verb:
		return f.verbForm(word, feature)
	case pos == adjective:
		return f.compared(word, feature)
	}
	return "", false
}

func (f *inflector) pluralOf(word string) (string, bool) {
	if forms, ok := f.irregular.plural[word]; ok {
		return forms[0], forms[0] != "-"
	}
	if forms := f.exceptions[noun][word]; len(forms) > 0 && !contains(forms, sibilant(word)) {
		return forms[0], len(forms) == 1
	}
	switch {
	case strings.HasSuffix(word, "man") && !regularMan[word]:
		return word[:len(word)-3] + "men", true
	case strings.HasSuffix(word, "sis"):
		return word[:len(word)-2] + "es", true
	case strings.HasSuffix(word, "ics"), strings.HasSuffix(word, "people"):
		return "", false
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us"):
		return "", false // a plural already, or an unknown one
	case nounsInOes[word]:
		return word + "es", true
	}
	return sibilant(word), true
}

// sibilant appends -s by the rules of spelling.
func sibilant(word string) string {
	n := len(word)
	switch {
	case endsInAny(word, "s", "x", "z", "ch", "sh"):
		return word + "es"
	case n > 1 && word[n-1] == 'y' && !isVowel(word[n-2]), strings.HasSuffix(word, "quy"):
		return word[:n-1] + "ies"
	}
	return word + "s"
}

func (f *inflector) verbForm(word string, feature feature) (string, bool) {
	n := len(word)
	if n < 2 {
		return "", false
	}
	if feature == thirdPerson {
		if word[n-1] == 'o' && !isVowel(word[n-2]) {
			return word + "es", true
		}
		return sibilant(word), true
	}
	if pasts, participles, ok := f.irregular.verb(word); ok && feature != gerund {
		if feature == past {
			return pasts[0], true
		}
		return participles[0], true
	}
	if forms := f.exceptions[verb][word]; len(forms) > 0 {
		// The list does not say which form is which: only what ends as a regular one
		// does is known.
		want := "ed"
		if feature == gerund {
			want = "ing"
		}
		spelling := ""
		for _, form := range forms {
			if strings.HasSuffix(form, "ing") == (feature == gerund) && !strings.HasSuffix(form, "s") {
				if !strings.HasSuffix(form, want) {
					return "", false
				}
				if regular := regularVerb(word, feature); spelling == "" || form == regular {
					spelling = form
				}
			}
		}
		if spelling != "" {
			return spelling, true
		}
	}
	return regularVerb(word, feature), true
}

// keepsE are verbs that would read as others without their e.
var keepsE = set(`singe tinge swinge binge whinge`)

// regularVerb makes past, participle and gerund by the rules of spelling.
func regularVerb(word string, feature feature) string {
	n := len(word)
	stem := word
	switch {
	case doubles(word):
		stem = word + word[n-1:]
	case strings.HasSuffix(word, "ic"):
		stem = word + "k"
	}
	if feature == gerund {
		switch {
		case strings.HasSuffix(word, "ie"):
			return word[:n-2] + "ying"
		case strings.HasSuffix(word, "e") && !endsInAny(word, "ee", "oe", "ye") && !keepsE[word]:
			return word[:n-1] + "ing"
		}
		return stem + "ing"
	}
	switch {
	case strings.HasSuffix(word, "e"):
		return word + "d"
	case word[n-1] == 'y' && !isVowel(word[n-2]):
		return word[:n-1] + "ied"
	}
	return stem + "ed"
}

// compared makes comparative and superlative of short adjectives; the others take
// "more" and "most", which is another construction.
func (f *inflector) compared(word string, feature feature) (string, bool) {
	n := len(word)
	groups := vowelGroups(word)
	isY := n > 2 && word[n-1] == 'y' && !isVowel(word[n-2])
	if n < 3 || groups > 2 || groups == 2 && !isY || endsInAny(word, "ed", "ing", "st") && groups > 1 || strings.HasSuffix(word, "own") &&
		word != "brown" { // participles, as grown is
		return "", false
	}
	ending := "er"
	if feature == superlative {
		ending = "est"
	}
	switch {
	case isY:
		return word[:n-1] + "i" + ending, true
	case word[n-1] == 'e':
		return word[:n-1] + ending, true
	case doubles(word):
		return word + word[n-1:] + ending, true
	}
	return word + ending, true
}

// doubles says that the last consonant doubles before a vowel.
func doubles(word string) bool {
	if !endsInVowelConsonant(word) {
		return false
	}
	return vowelGroups(word) == 1 || doublingVerbs[word]
}

// endsInVowelConsonant says that a word ends in one vowel and one consonant that can
// double.
func endsInVowelConsonant(word string) bool {
	n := len(word)
	if n < 3 || isVowel(word[n-1]) || strings.IndexByte("wxyh", word[n-1]) >= 0 || !isVowel(word[n-2]) {
		return false
	}
	return !isVowel(word[n-3]) || strings.HasSuffix(word[:n-2], "qu")
}

// vowelGroups counts about the syllables: runs of vowels, y among them after the
// first letter, without a silent e at the end.
func vowelGroups(word string) int {
	groups, inside := 0, false
	for i := 0; i < len(word); i++ {
		vowel := isVowel(word[i]) || word[i] == 'y' && i > 0
		if i > 0 && word[i] == 'u' && word[i-1] == 'q' {
			vowel = false // part of the consonant
		}
		if vowel && !inside {
			groups++
		}
		inside = vowel
	}
	n := len(word)
	if groups > 1 && word[n-1] == 'e' && !isVowel(word[n-2]) && !(word[n-2] == 'l' && n > 2 && !isVowel(word[n-3])) {
		groups--
	}
	return groups
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	}
	return false
}

func endsInAny(word string, endings ...string) bool {
	for _, e := range endings {
		if strings.HasSuffix(word, e) {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
