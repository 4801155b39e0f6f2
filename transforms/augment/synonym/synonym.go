// Package synonym replaces words of English texts by synonyms of WordNet: the
// augmented view "Synonym" of BSL (Zhang et al. 2021, "Bootstrapped Unsupervised
// Sentence Representation Learning", section 4.4: "we select 30% of words and
// substitute them with similar words according to WordNet"), with the text itself as
// the other view.
//
// # How many words
//
// The share is one of all words of the text, function words counted, as the paper
// says. If fewer words can be replaced, all these are: with Princeton's files 28 % of
// the words of the Debian handbook at the paper's settings, PaperConfig. Of a hundred
// of these two thirds are wrong ("bug" becomes "hemipteran", "application" "lotion").
// Thresholds make replacements right and rare: with MinShare .25 and MinUses 5 9 % of
// the words are replaced; with .7 and 5, which DefaultConfig has, 1.4 %, of which 7 of a
// hundred are wrong, and 12 in the sentences of STS-B.
//
// # Which words
//
// The paper replaces without regard to context and finds that views lose the meaning;
// so does MinShare 0. What follows is what the thresholds decide.
//
// There is no tagger. A form is read in all ways that inflection allows ("runs": plural
// of the noun, third person of the verb), each with all senses of that word; each
// sense weighs the number of its uses in the texts that WordNet's authors tagged, plus
// one. A synonym, in the same inflection, is taken only if the senses that have it
// weigh together at least MinShare of all: if it is right in that share of uses. The
// other way round the synonym must mean, in MinShare of its own uses, what the word
// can mean, so that no rare sense of a common word comes in. Part of speech is so
// decided together with the sense: a form of which two parts are common is left alone,
// unless the word before it decides: no finite verb follows a determiner, nothing else
// a modal or a subject such as "they". A lexicon without numbers of uses takes all
// senses as equally frequent, and words with many neighbours in it as common: it
// leaves few words, and worse ones. Take Princeton's files where they are to be had.
//
// A verb must be able to stand in the same sentences, as far as the lexicon tells
// (transitive or not, with an infinitive).
//
// Never touched: function words and number words, names (a capital within a
// sentence), what has anything but letters (hyphens, digits, apostrophes, addresses),
// single quoted words, neighbours that make one word of the lexicon ("hard disk"),
// and a verb before a particle ("set up"). Never inserted: words of several parts,
// names, words that have no plural, some words of slang, rare words (MinUses), and other
// spellings of the same word.
//
// # Form
//
// Plural, third person, past, participle, gerund, comparative and superlative are kept,
// by rules of spelling with tables of irregular words; the exceptions of Princeton's
// files are read too. Lower case, Title and UPPER case are kept. An indefinite article
// before the word is changed between "a" and "an" where it must be.
//
// # What decides the result
//
// Lexicon, configuration, seed, id and text, by transforms/random.
package synonym

import (
	"fmt"
	"math"

	"sentweave/schemas/fault"
)

// Version of the method: raised when the same input gives another text.
const Version = 2

// Language is the only language whose inflection is known.
const Language = "eng"

// Config is the configuration of a Replacer.
type Config struct {
	// Seed decides which words are replaced, and by which synonym.
	Seed uint64
	// Share is the share of a text's words to replace, in (0, 1].
	Share float64
	// MinShare is the least share of the uses of a word in which a replacement means
	// the same, in [0, 1]; 0 takes every synonym of every sense, as the paper does.
	MinShare float64
	// MinUses is the least number of uses of a replacement in the tagged texts of a
	// lexicon that counts them; in another one, of its senses and of the words of
	// several parts that have it, less one.
	MinUses int
}

// DefaultConfig returns the strict settings: a synonym means the same in seven of ten
// uses of the word and of its own, and is no rare word.
func DefaultConfig() Config { return Config{Share: 0.3, MinShare: 0.7, MinUses: 5} }

// PaperConfig returns the settings of BSL: the share of words, without thresholds.
func PaperConfig() Config { return Config{Share: 0.3} }

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Share > 0 && c.Share <= 1 && !math.IsNaN(c.Share), "share %v: want more than 0 and at most 1", c.Share)
	errs.Check(c.MinShare >= 0 && c.MinShare <= 1, "min-share %v: want 0 to 1", c.MinShare)
	errs.Check(c.MinUses >= 0 && c.MinUses <= math.MaxInt32, "min-uses %d: want 0 or more", c.MinUses)
	return errs.Err()
}

// Replacer replaces words by synonyms. It may be used by many goroutines at once.
type Replacer struct {
	config Config
	table  *table
	places map[string]place // of the word that follows
	after  map[string]bool  // particles
}

// New makes a Replacer of a lexicon, which is not needed afterwards. It takes about a
// second for WordNet, and some 30 MB.
func New(l *Lexicon, c Config) (*Replacer, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("synonym: %w", err)
	}
	r := &Replacer{config: c, table: newTable(l, c), places: map[string]place{}, after: set(particles)}
	for p, list := range map[place]string{nominal: determiners, finite: subjects, afterModal: modals, auxiliary: auxiliaries} {
		for word := range set(list) {
			r.places[word] = p
		}
	}
	return r, nil
}

// Forms returns the number of forms that can be replaced in some place.
func (r *Replacer) Forms() int { return len(r.table.entries) }

// Synonyms returns what may stand for a form in lower case, wherever it stands, in
// the order of their letters.
func (r *Replacer) Synonyms(form string) []string {
	e := r.table.entries[form]
	if e == nil {
		return nil
	}
	return append([]string(nil), e.replacements[anywhere]...)
}
