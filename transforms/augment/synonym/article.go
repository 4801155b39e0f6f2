package synonym

import "strings"

// soundsAsConsonant are beginnings in a vowel letter that are spoken with a consonant:
// a unit, a European, a one-way street.
var soundsAsConsonant = []string{"uni", "use", "usa", "usu", "uti", "ure", "ura", "uku", "ubi", "eu", "ewe", "one", "once", "ouija"}

// soundsAsVowel are those of words that begin with a vowel all the same.
var soundsAsVowel = []string{"unin", "unim", "unid", "uninh", "hour", "honest", "honor", "honour", "heir"}

// beginsWithVowel says whether a word in lower case takes "an".
func beginsWithVowel(word string) bool {
	for _, start := range soundsAsVowel {
		if strings.HasPrefix(word, start) && !strings.HasPrefix(word, "unidi") {
			return true
		}
	}
	for _, start := range soundsAsConsonant {
		if strings.HasPrefix(word, start) {
			return false
		}
	}
	return word != "" && isVowel(word[0])
}
