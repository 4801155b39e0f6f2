// Package wordlist finds the words and phrases of lists, such as lists of abuse by language, in texts.
//
// An entry is found where no character of a word is next to it, as in C4 (Raffel et al. 2020) and in datatrove's C4BadWordsFilter: "ass"
// is in "an ass, he said" and not in "class". Characters of words are letters, marks, numbers and the underscore; marks are none in the
// regular expressions of Python, which end a word of Hindi behind each vowel sign. An entry that begins or ends with a letter of a script
// without spaces, such as Han, Kana or Thai, is found beside any character on this side. datatrove goes by the language in the place of
// the script, and so finds the Latin entries of its Japanese list within words.
//
// Case, the forms of Unicode that NFKC makes equal, ’ for ', and the length of white space make no difference; ß is ss. Characters that
// format a text, such as soft hyphens, are passed over. Turkish ı and i are two letters.
//
// # Cost
//
// A list takes 12 bytes of memory a word or symbol of its entries, and twice as much while it is read. Words are known by hashes of 63
// bits: a word of a text is taken for the beginning of another one's entry once in 10^12 to 10^13 words, by a list of a million entries.
// The time for a text is linear in its length, and at worst, where many entries begin with what it repeats, MaxWords times that.
package wordlist

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/language"
	"sentweave/transforms/read/compressed"
)

const (
	// All stands for all languages in the place of a code.
	All = "*"
	// MaxWords is how many words, symbols and spaces an entry may have; a letter of a script without spaces is a word.
	MaxWords = 64
	// maxNodes bounds the words, symbols and spaces of all entries.
	maxNodes = 1 << 23
	maxLine  = 1 << 16
)

// Lists are lists by language. They are safe for concurrent use.
type Lists struct {
	// nodes are the hashes of all beginnings of entries that end with a word or a symbol, in order. The lowest bit is that of a
	// whole entry.
	nodes []uint64
	// first are the places in nodes by the highest bits of hashes.
	first []uint32
	shift int
	seeds map[string]uint64 // by language
}

// Load reads the lists at locations by language, which is ISO 639-3 with an optional script, or All. A list may be compressed, and has an
// entry a line. An error names the location, the line and the reason.
func Load(ctx context.Context, locations map[string]string) (*Lists, error) {
	l := &Lists{seeds: map[string]uint64{}}
	for _, code := range slices.Sorted(maps.Keys(locations)) {
		if err := compressed.Read(ctx, locations[code], func(r io.Reader) error { return l.read(code, r) }); err != nil {
			return nil, err
		}
	}
	l.index()
	return l, nil
}

// read adds the list of a language.
func (l *Lists) read(code string, r io.Reader) error {
	seed := xxh3.HashString(code)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var s Scanner
	n, before := 0, len(l.nodes)
	for lines.Scan() {
		n++
		line := lines.Text()
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if line = strings.TrimSpace(line); line == "" || line == "#" || strings.HasPrefix(line, "# ") {
			continue
		}
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
			return fmt.Errorf("line %d: it is not text in UTF-8: want a word or a phrase a line", n)
		}
		switch s.split(line); {
		case len(s.tokens) > MaxWords:
			return fmt.Errorf("line %d: %.80q has %d words, symbols and spaces: want a word or a phrase a line, of at most %d", n, line,
				len(s.tokens), MaxWords)
		case len(l.nodes)+len(s.tokens) > maxNodes:
			return fmt.Errorf("line %d: there are more than %d words in the entries", n, maxNodes)
		}
		for i := range s.tokens {
			if s.tokens[i].kind == space {
				continue
			}
			node := xxh3.HashSeed(s.through(0, i), seed) &^ 1
			if i == len(s.tokens)-1 {
				node |= 1
			}
			l.nodes = append(l.nodes, node)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("line %d: it has %d bytes or more: want a word or a phrase a line", n+1, maxLine)
	} else if err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	if len(l.nodes) == before {
		return errors.New("it has no words: want a word or a phrase a line")
	}
	l.seeds[code] = seed
	return nil
}

// index puts the nodes in order.
func (l *Lists) index() {
	slices.Sort(l.nodes)
	kept := l.nodes[:0]
	for _, node := range l.nodes {
		if last := len(kept) - 1; last >= 0 && kept[last]|1 == node|1 {
			kept[last] |= node
			continue
		}
		kept = append(kept, node)
	}
	l.nodes = slices.Clip(kept)
	n := max(1, bits.Len(uint(len(l.nodes)))-1)
	l.first, l.shift = make([]uint32, 1<<n+1), 64-n
	place := 0
	for i := range l.first {
		for place < len(l.nodes) && l.nodes[place]>>l.shift < uint64(i) {
			place++
		}
		l.first[i] = uint32(place)
	}
}

// find says whether a hash is that of the beginning of an entry, and of a whole one.
func (l *Lists) find(hash uint64) (begins, complete bool) {
	bucket := hash >> l.shift
	for _, node := range l.nodes[l.first[bucket]:l.first[bucket+1]] {
		if node|1 == hash|1 {
			return true, node&1 == 1
		}
	}
	return false, false
}

// of appends the seeds of the lists for a language: its own, that of the language in any script if it has none, and that of all languages.
func (l *Lists) of(seeds []uint64, code string) []uint64 {
	for _, name := range []string{code, language.Base(code)} {
		if seed, ok := l.seeds[name]; ok {
			seeds = append(seeds, seed)
			break
		}
	}
	if seed, ok := l.seeds[All]; ok {
		seeds = append(seeds, seed)
	}
	return seeds
}
