package synonym

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// place is what the words before tell of a word's part of speech.
type place byte

const (
	anywhere    place = iota
	nominal           // after a determiner: no finite verb
	finite            // after a subject: a finite verb
	afterModal        // after a modal: the base form of a verb
	auxiliary         // after a form of be or have: a participle or a gerund, of verbs
	placesCount = iota
)

// admits says whether a reading can stand in a place.
func (p place) admits(pos byte, f feature) bool {
	switch p {
	case nominal:
		return pos != verb || f == participle || f == gerund
	case finite:
		return pos == verb && (f == base || f == thirdPerson || f == past)
	case afterModal:
		return pos == verb && f == base
	case auxiliary: // "is teaching" is no noun, though "has time" is one
		return f == participle || f == gerund || pos != verb && (pos != noun || f == plural)
	}
	return true
}

// entry is what may stand for a form, by its place.
type entry struct {
	replacements [placesCount][]string
	// isVerb says that the form can be one of a verb, isName that it is also a name.
	isVerb, isName bool
}

// reading is a way to understand a form.
type reading struct {
	word    string
	pos     byte
	feature feature
}

// table holds the entry of each form that something may stand for, and the hashes of
// neighbours that make one word.
type table struct {
	entries   map[string]*entry
	compounds map[uint64]struct{}
}

// builder makes a table.
type builder struct {
	lexicon   *Lexicon
	config    Config
	inflector inflector
	words     map[string][]sense // plain words
	names     map[string]bool    // in lower case
	readings  map[string][]reading
	barred    map[string]bool // words that replace nothing
	kept      map[string]bool // words that are not replaced
	standsIn  map[string]int  // words of several parts with this one
}

func newTable(l *Lexicon, c Config) *table {
	b := &builder{
		lexicon: l, config: c, inflector: inflector{newIrregular(), l.exceptions},
		words: map[string][]sense{}, names: map[string]bool{}, readings: map[string][]reading{}, standsIn: map[string]int{},
		kept: set(functionWords), barred: set(functionWords, massNouns, unfit),
	}
	t := &table{entries: map[string]*entry{}, compounds: map[uint64]struct{}{}}
	for word, senses := range l.senses {
		switch {
		case isPlain(word):
			b.words[word] = senses
		case strings.Contains(word, " "):
			b.addCompound(t, word, senses)
		}
		if isName(word) {
			b.names[strings.ToLower(word)] = true
		}
	}
	b.read()
	for form := range b.readings {
		if b.kept[form] {
			continue
		}
		if e := b.entryOf(form); e != nil {
			t.entries[form] = e
		}
	}
	return t
}

// read fills in what every form can be.
func (b *builder) read() {
	for word, senses := range b.words {
		var visited [128]bool
		for _, s := range senses {
			pos := b.lexicon.synsets[s.synset].pos
			if visited[pos] {
				continue
			}
			visited[pos] = true
			for _, f := range features(pos) {
				for _, form := range b.inflector.forms(word, pos, f) {
					b.readings[form] = append(b.readings[form], reading{word, pos, f})
				}
			}
		}
	}
	for _, list := range b.readings { // maps have no order
		slices.SortFunc(list, func(x, y reading) int {
			return cmp.Or(strings.Compare(x.word, y.word), cmp.Compare(x.pos, y.pos), cmp.Compare(x.feature, y.feature))
		})
	}
}

// unseen is added to the uses of every sense: one that no tagged text has can occur.
const unseen = 1

// meaning is a sense in an inflection.
type meaning struct {
	synset  int32
	feature feature
}

// weigh calls use for each meaning of a form in a place, with the weight that it has
// among them, and returns the sum.
func (b *builder) weigh(form string, p place, use func(r reading, m meaning, weight float64)) (total float64) {
	list := b.readings[form]
	for _, r := range list {
		if !p.admits(r.pos, r.feature) {
			continue
		}
		// Past and participle of most verbs are spelled alike: they share the uses.
		alike := 0
		for _, variant := range list {
			if variant.word == r.word && variant.pos == r.pos && p.admits(variant.pos, variant.feature) {
				alike++
			}
		}
		for _, s := range b.words[r.word] {
			if b.lexicon.synsets[s.synset].pos != r.pos {
				continue
			}
			weight := float64(s.uses+unseen) / float64(alike)
			total += weight
			use(r, meaning{s.synset, r.feature}, weight)
		}
	}
	return total
}

// entryOf finds what may stand for a form, nil if nothing may.
func (b *builder) entryOf(form string) *entry {
	e := &entry{isName: b.names[form]}
	replaceable := false
	for p := range place(placesCount) {
		e.replacements[p] = b.replacements(form, p)
		replaceable = replaceable || len(e.replacements[p]) > 0
	}
	if !replaceable {
		return nil
	}
	for _, r := range b.readings[form] {
		e.isVerb = e.isVerb || r.pos == verb
	}
	return e
}

func (b *builder) replacements(form string, p place) []string {
	meanings := map[int32]bool{}
	type candidate struct {
		weight float64
		uses   int
	}
	covers := map[string]candidate{}
	total := b.weigh(form, p, func(r reading, m meaning, weight float64) {
		meanings[m.synset] = true
		members := b.lexicon.synsets[m.synset].members
		frames := framesOf(members, r.word)
		for _, synonym := range members {
			if synonym.bound || frames&^synonym.frames != 0 || synonym.word == r.word || b.words[synonym.word] == nil ||
				b.barred[synonym.word] || isVariant(r.word, synonym.word) || r.pos == noun && isOddNoun(synonym.word) {
				continue
			}
			if inflected, ok := b.inflector.form(synonym.word, r.pos, m.feature); ok && inflected != form {
				c := covers[inflected]
				covers[inflected] = candidate{c.weight + weight, max(c.uses, b.uses(synonym.word, r.pos))}
			}
		}
	})
	var list []string
	for cover, c := range covers {
		if c.weight < b.config.MinShare*total || c.uses < b.config.MinUses || b.barred[cover] || len(cover) < 3 || b.names[cover] {
			continue
		}
		// And back: the other word must mean, mostly, what this one can mean.
		shared := 0.0
		reverseTotal := b.weigh(cover, p, func(_ reading, m meaning, weight float64) {
			if meanings[m.synset] {
				shared += weight
			}
		})
		if shared >= b.config.MinShare*reverseTotal {
			list = append(list, cover)
		}
	}
	slices.Sort(list)
	return list
}

// framesOf returns the frames of a member.
func framesOf(members []member, word string) uint64 {
	for _, m := range members {
		if m.word == word {
			return m.frames
		}
	}
	return 0
}

// uses returns how common a word is: its uses as this part of speech. Where the lexicon
// does not count them, it is the number of its senses but one, and of the words of
// several parts that have it.
func (b *builder) uses(word string, pos byte) (n int) {
	if !b.lexicon.counted {
		n = b.standsIn[word] - 1
	}
	for _, s := range b.words[word] {
		if b.lexicon.synsets[s.synset].pos == pos {
			n += int(s.uses)
			if !b.lexicon.counted {
				n++
			}
		}
	}
	return n
}

// isOddNoun says that a noun has a number that is not known from its form, or is one of
// a verb, which takes other words beside it.
func isOddNoun(word string) bool {
	return strings.HasSuffix(word, "ing") || strings.HasSuffix(word, "s") && !endsInAny(word, "ss", "us", "sis")
}

// isVariant says that two words are spellings of one, or nearly: they differ in one
// letter (disk, disc), in two after four equal ones (connection, connexion), or by an
// ending (program, programme).
func isVariant(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	start := 0
	for start < len(a) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	different := len(b) - start - end
	return different <= 1 || different <= 2 && start >= 4
}

// addCompound notes which neighbours make one word: those of a word of several parts,
// also inflected.
func (b *builder) addCompound(t *table, word string, senses []sense) {
	parts := strings.Fields(strings.ToLower(word))
	for _, part := range parts {
		b.standsIn[part]++
	}
	for i := range parts[1:] {
		t.compounds[neighbours(parts[i], parts[i+1])] = struct{}{}
	}
	for _, s := range senses {
		switch pos := b.lexicon.synsets[s.synset].pos; pos {
		case noun: // its last part is inflected
			last := parts[len(parts)-1]
			for _, form := range b.inflector.forms(last, noun, plural) {
				t.compounds[neighbours(parts[len(parts)-2], form)] = struct{}{}
			}
		case verb: // its first
			for _, f := range features(verb) {
				for _, form := range b.inflector.forms(parts[0], verb, f) {
					t.compounds[neighbours(form, parts[1])] = struct{}{}
				}
			}
		}
	}
}

// neighbours is the hash of two words that follow each other.
func neighbours(a, b string) uint64 {
	var buffer [2*maxWord + 1]byte
	return neighboursIn(append(buffer[:0], a...), b)
}

func neighboursIn[B []byte | string](joined []byte, b B) uint64 {
	return xxh3.Hash(append(append(joined, ' '), b...))
}
