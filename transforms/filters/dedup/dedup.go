// Package dedup computes the keys by which exact duplicates are found: 128-bit hashes
// of texts in a normal form. The caller decides what to do with equal keys, and which
// copy stays.
//
// # Collisions
//
// A key is the XXH3-128 of the normal form. Among n different texts, two share a key
// by chance with a probability of about n²/2^129: 1.5e-19 for ten thousand million
// sentences. XXH3 offers no protection against deliberate collisions.
//
// # Determinism
//
// A key depends on the text and the configuration only. Canonically equivalent texts
// (é as one code point or as two) have one key. Normalisation follows the Unicode
// version of golang.org/x/text.
package dedup

import (
	"fmt"

	"sentweave/schemas"

	"github.com/zeebo/xxh3"
)

// Forms of Unicode normalisation.
const (
	formNFC  = "nfc"  // canonical: é is é
	formNFKC = "nfkc" // compatibility: ﬁ is fi, full-width letters are letters
)

// Config says which texts count as equal. White space never counts: a run of it
// is one space, and none is at the ends.
type Config struct {
	// Form is formNFC (default) or formNFKC.
	Form string
	// Lower makes texts equal that differ in case only.
	Lower bool
	// DropPunctuation makes texts equal that differ in punctuation and symbols
	// only (Unicode P and S). A text of nothing else keeps them.
	DropPunctuation bool
	// DropDigits makes texts equal that differ in digits only: each run of decimal
	// digits counts as one 0, as cc_net does digit by digit.
	DropDigits bool
}

// DefaultConfig returns the conservative key: NFC and white space, nothing else.
func DefaultConfig() Config { return Config{Form: formNFC} }

// LooseConfig returns the key for boilerplate that varies in case, counters and
// decoration: everything is folded.
func LooseConfig() Config {
	return Config{Form: formNFKC, Lower: true, DropPunctuation: true, DropDigits: true}
}

// Validate returns the fault of c, or nil.
func (c Config) Validate() error {
	if c.Form != formNFC && c.Form != formNFKC {
		return fmt.Errorf("form %q: want %q or %q", c.Form, formNFC, formNFKC)
	}
	return nil
}

// Key is the key of a text.
type Key struct{ Hi, Lo uint64 }

// Keyer makes keys. It holds working memory: use one per goroutine. Once that
// has grown to the longest text, keys of texts in ASCII or already in the normal
// form allocate nothing.
type Keyer struct {
	config Config
	normal []byte // the normal form that is hashed
	form   []byte // the text after Unicode normalisation
}

// New returns a keyer, or the fault of the configuration.
func New(c Config) (*Keyer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Keyer{config: c}, nil
}

// end closes a part of a key. It is not a byte of UTF-8 text, so parts cannot run
// into each other.
const end = 0xff

// SentenceKey returns the key of a sentence, in whatever language: where a name or a
// number that is in two languages is not a duplicate, the caller looks at them.
func (k *Keyer) SentenceKey(text string) Key {
	k.normal = k.AppendNormal(k.normal[:0], text)
	return k.sum()
}

// DocumentKey returns the key of a document: its sentences in order. Language,
// address and blocks do not count, so the same text on two pages has one key.
func (k *Keyer) DocumentKey(document schemas.Document) Key { return k.Key(document.Sentences) }

// Key returns the key of sentences in order.
func (k *Keyer) Key(sentences []schemas.Sentence) Key {
	k.normal = k.normal[:0]
	for _, s := range sentences {
		k.normal = append(k.AppendNormal(k.normal, s.Text), end)
	}
	return k.sum()
}

func (k *Keyer) sum() Key {
	sum := xxh3.Hash128(k.normal)
	return Key{sum.Hi, sum.Lo}
}
