// Package synonym replaces words of English texts by synonyms of WordNet. It makes the
// augmented view "Synonym" of BSL (Zhang et al. 2021, "Bootstrapped Unsupervised
// Sentence Representation Learning", section 4.4: "we select 30% of words and
// substitute them with similar words according to WordNet"). The other view is the
// text itself.
//
// # How many words
//
// As in the paper, the share is of all words of the text, including function words. If
// fewer words can be replaced, all of those are replaced. With Princeton's files and
// the paper's settings (PaperConfig), these are 28 % of the words of the Debian
// handbook, and in a sample of a hundred two thirds are wrong ("bug" becomes
// "hemipteran", "application" "lotion"). Thresholds make replacements right and rare.
// With MinShare .25 and MinUses 5, 9 % of the words are replaced. With .7 and 5, the
// values of DefaultConfig, 1.4 % are replaced, of which 7 in a hundred are wrong, and
// 12 in a hundred in the sentences of STS-B.
//
// # Which words
//
// The paper replaces words without regard to context and finds that views lose the
// meaning; MinShare 0 does the same. The thresholds decide the following.
//
// There is no tagger. A form is read in all ways that inflection allows ("runs":
// plural of the noun, third person of the verb), each with all senses of that word. A
// sense weighs the number of its uses in the texts that WordNet's authors tagged, plus
// one. A synonym, in the same inflection, is taken only if the senses that have it
// weigh together at least MinShare of all senses, that is, if it is right in that
// share of uses. In the other direction, at least MinShare of the synonym's own uses
// must be meanings that the word can have, so that no rare sense of a common word
// comes in. The part of speech is thus decided together with the sense. A form with
// two common parts of speech is left alone, unless the word before it decides: no
// finite verb follows a determiner, and only a verb follows a modal or a subject such
// as "they". A lexicon without numbers of uses counts all senses as equally frequent,
// and words with many neighbours in it as common. It gives few replacements, and worse
// ones, so use Princeton's files if you can.
//
// A verb must be able to stand in the same sentences, as far as the lexicon tells
// (transitive or not, with an infinitive).
//
// These words are never replaced: function words and number words, names (a capital
// within a sentence), words with characters other than letters (hyphens, digits,
// apostrophes, addresses), single quoted words, neighbours that make one word of the
// lexicon ("hard disk"), and a verb before a particle ("set up"). These are never
// inserted: words of several parts, names, words that have no plural, some slang, rare
// words (MinUses), and other spellings of the same word.
//
// # Form
//
// Plural, third person, past, participle, gerund, comparative and superlative are
// kept, by rules of spelling with tables of irregular words; the exceptions of
// Princeton's files are read too. Lower case, Title and UPPER case are kept. An
// indefinite article before the word changes between "a" and "an" where it must.
//
// # Determinism
//
// The result depends on lexicon, configuration, seed, id and text, by
// transforms/random.
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
