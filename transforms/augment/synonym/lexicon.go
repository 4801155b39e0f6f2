package synonym

import (
	"strings"
)

// Parts of speech, by the letters of WordNet's files. Satellite adjectives, "s"
// there, are adjectives.
const (
	noun      = byte('n')
	verb      = byte('v')
	adjective = byte('a')
	adverb    = byte('r')
)

// Lexicon is a wordnet: sets of words that share a meaning. It is made by
// ReadSynsets or ReadPrinceton and is only read afterwards, by any number of
// goroutines.
type Lexicon struct {
	synsets []synset
	// senses lists, for a word as it is written, the synsets that it stands in.
	senses map[string][]sense
	// exceptions are irregular forms by part of speech and base form; nil where the
	// source has none.
	exceptions map[byte]map[string][]string
	// counted says that some sense has a number of uses.
	counted bool
}

type synset struct {
	pos byte
	// members are written with spaces between their words.
	members []member
}

type member struct {
	word string
	// bound says that an adjective stands in some places of a sentence only.
	bound bool
	// frames are the sentences that a verb can stand in, a bit for each of WordNet's; 0
	// if unknown.
	frames uint64
}

type sense struct {
	synset int32
	// uses is the number of times that texts tagged by hand use the word in this sense.
	uses int32
}

// Synsets returns the number of synsets.
func (l *Lexicon) Synsets() int { return len(l.synsets) }

// Words returns the number of different words, those of several parts counted.
func (l *Lexicon) Words() int { return len(l.senses) }

// Counted says whether the source tells how often senses are used.
func (l *Lexicon) Counted() bool { return l.counted }

// add appends a synset and returns its number. The senses of its members are added
// by the caller.
func (l *Lexicon) add(s synset) int32 {
	l.synsets = append(l.synsets, s)
	return int32(len(l.synsets) - 1)
}

// addSense says that a word has a sense.
func (l *Lexicon) addSense(word string, s sense) {
	if l.senses == nil {
		l.senses = map[string][]sense{}
	}
	l.senses[word] = append(l.senses[word], s)
	l.counted = l.counted || s.uses > 0
}

// isPlain says that a word has lower-case letters of ASCII only: no name, no
// abbreviation with full stops, nothing of several parts.
func isPlain(word string) bool {
	if len(word) == 0 || len(word) > maxWord {
		return false
	}
	for i := 0; i < len(word); i++ {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// maxWord is the longest word that is looked up, in letters.
const maxWord = 32

// partOf reads a letter for a part of speech.
func partOf(letter string) (byte, bool) {
	switch letter {
	case "n", "v", "a", "r":
		return letter[0], true
	case "s":
		return adjective, true
	}
	return 0, false
}

// isName says that a word is written with a capital.
func isName(word string) bool { return word != strings.ToLower(word) }
