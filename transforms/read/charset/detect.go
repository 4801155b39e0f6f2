package charset

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/language"
)

// Detect guesses the character set of a text that is not UTF-8, without markup, from its
// bytes, its words and the language that it is said to be in: ISO 639-3 with an optional script, or "". It never
// returns none: what nothing speaks for is windows-1252, as browsers have it.
//
// Each character set is weighed together with a language that is written in it, by the
// logarithm of the probability that the language has these characters: letters by their frequency, with
// penalties for what no text does (capitals behind small letters, letters of two scripts in a word, symbols within
// words, bytes that mean nothing), and the commonest words of the language for it. Sets of two bytes a character are
// weighed by the rows of their tables, which hold common and rare characters. The language that the
// text is said to be in speaks for its sets, too, but cannot outweigh the letters of a sentence.
//
// The cost is linear in the length of the text; a set costs about a millisecond for 64 KiB.
func Detect(text []byte, stated string) Charset {
	name, _ := detect(text, stated, "")
	return Lookup(name)
}

// Better returns that of the character sets that a text is more probably in, by the weights of
// Detect, or the first where none is better by far. Where the first cannot be weighed, none is better.
func Better(text []byte, stated string, sets []Charset) Charset {
	first := sets[0]
	if len(sets) == 1 {
		return first
	}
	weighed := func(c Charset) float64 {
		name := c.name
		if wide := c.wide(); wide != nil {
			name = wide.name
		}
		_, score := detect(text, stated, name)
		return score
	}
	best, highest := first, weighed(first)
	if math.IsInf(highest, -1) {
		return first
	}
	for _, c := range sets[1:] {
		if score := weighed(c); score > highest+byFar {
			best, highest = c, score
		}
	}
	return best
}

// Weights, as logarithms of probabilities.
const (
	foreignLetter   = -8.   // of the script, but of another language
	foreignScript   = -10.5 // of another script
	meaningless     = -14.  // a control character, or none at all
	perWord         = 1.5   // for each common word in ASCII, up to mostWords of them
	perLetteredWord = 3.    // for each common word with other letters
	mostWords       = 8
	mostEnglish     = 3  // words that speak for English, which is on pages in all languages
	forStated       = 8. // for the language that the text is said to be in
	forEnglish      = 1. // which templates state of pages in all languages
	byFar           = 10.
	joined          = -1.5 // for two neighbours beyond ASCII in Latin script
)

// priors are the weights of sets that are rarer on pages than others with the same letters. The rest have usualPrior.
var priors = map[string]float64{
	"windows-1252": 0, "windows-1250": -.5, "windows-1251": -.5, "windows-1254": -.5, "windows-1257": -2, "iso-8859-13": -3,
	"windows-1258": -3,
	"iso-8859-15":  -2, "iso-8859-16": -4, "iso-8859-3": -5, "iso-8859-4": -5, "iso-8859-14": -5, "macintosh": -5, "x-mac-cyrillic": -4,
	"ibm850": -5, "ibm852": -5, "ibm866": -3, "koi8-u": -1.5,
}

const usualPrior = -1.

// detect returns the best character set and its score: of all, or of the chosen one.
func detect(text []byte, stated string, chosen string) (name string, score float64) {
	name, score = newSample(text).best(stated, func(set *singleByte) bool { return chosen == "" || chosen == set.name })
	for i := range wideSets() {
		wide := &wideSets()[i]
		if weight := wide.weigh(text) + bonus(wide.codes, stated); weight > score && (chosen == "" || chosen == wide.name) {
			name, score = wide.name, weight
		}
	}
	return name, score
}

// best returns the most probable of the chosen sets of single bytes, each in the languages that are usual in it, and its weight.
func (s *sample) best(stated string, chosen func(*singleByte) bool) (name string, score float64) {
	name, score = "windows-1252", math.Inf(-1)
	for i := range tables().sets {
		set := &tables().sets[i]
		if !chosen(set) {
			continue
		}
		if weight := s.weigh(set, stated); weight > score {
			name, score = set.name, weight
		}
	}
	return name, score
}

// weigh returns the weight of a set, in the language usual in it in which the sample is most probable.
func (s *sample) weigh(set *singleByte, stated string) float64 {
	return set.prior + s.mostProbable(set, stated, set.usual, &s.bytes)
}

// weighDeclared returns the weight of a set of Latin letters that the sample is said to be in, whatever its language. Marks speak
// little against the set: a page may have any number of them, and other sets have letters in their places, such as Ł for £.
func (s *sample) weighDeclared(set *singleByte, stated string) float64 {
	letters, marks := s.bytes, 0.
	for b := utf8.RuneSelf; b < len(letters); b++ {
		if set.kinds[b] < accent {
			marks += declaredMark * float64(min(letters[b], mostMarks))
			letters[b] = 0
		}
	}
	return marks + s.mostProbable(set, stated, set.all, &letters)
}

// mostProbable returns the weight of a set in that of the writings in which the sample, of so many of each byte, is most probable.
func (s *sample) mostProbable(set *singleByte, stated string, writings []candidate, bytes *[256]int) float64 {
	best, links, words := math.Inf(-1), s.links(set), s.words(set)
	for _, c := range writings {
		weight := links + words[c.writing]
		for b, n := range bytes[utf8.RuneSelf:] {
			if n > 0 {
				weight += float64(n) * float64(c.letters[b])
			}
		}
		best = max(best, weight+bonus(c.codes, stated))
	}
	return best
}

// bonus is the weight of the stated language.
func bonus(codes []string, stated string) float64 {
	for _, code := range codes {
		switch {
		case stated == "" || !language.Matches(code, stated):
		case code == "eng":
			return forEnglish
		default:
			return forStated
		}
	}
	return 0
}

// singleByte is a character set of single bytes.
type singleByte struct {
	name  string
	prior float64
	runes [256]rune
	kinds [256]kind
	usual []candidate // the languages that are written in the set
	// all are those, too, whose letters other sets have, where languages in Latin letters are written in the set. A text that is
	// said to be in the set may be in any of them.
	all   []candidate
	latin bool
}

// candidate is a writing in a set.
type candidate struct {
	writing int
	codes   []string
	letters [128]float32 // weights of the bytes from 128
}

// marks are weights of characters that are not letters.
var marks = func() map[rune]float64 {
	m := map[rune]float64{'\u00a0': -2.5}
	for weight, list := range map[float64]string{
		-3: "’“”", -3.5: "–—„«»…", -5: "‘‚·°§©®™•€£\u00ad¿¡،؟؛\u200c\u200d", -6: "½´`¨ªº№", -9.5: "¤¦¬",
	} {
		for _, r := range list {
			m[r] = weight
		}
	}
	return m
}()

const (
	otherMark, boxDrawing = -7.5, -10
	// declaredMark is the weight in a declared set of what is not a letter, each such character mostMarks times at most.
	declaredMark, mostMarks = -1.5, 3
)

// weightOf returns the weight of a character in a writing.
func weightOf(r rune, letters map[rune]float64, script kind) float64 {
	k := kindOf(r)
	switch {
	case k == undefined:
		return meaningless
	case k == accent || k == tone || k >= latinSmall:
		if w, ok := letters[unicode.ToLower(r)]; ok {
			return w
		}
		if k >= latinSmall && k.script() == script {
			return foreignLetter
		}
		return foreignScript
	}
	if w, ok := marks[r]; ok {
		return w
	}
	if r >= 0x2500 && r < 0x25a0 || r >= 0x2200 && r < 0x2400 {
		return boxDrawing
	}
	return otherMark
}

// detecting are the tables that Detect works with.
type detecting struct {
	sets  []singleByte
	words map[string][]uint8 // the numbers of the writings that have a word
	// letters are those of all writings, in small form.
	letters map[rune]bool
}

var tables = sync.OnceValue(func() *detecting {
	t := &detecting{words: map[string][]uint8{}, letters: map[rune]bool{}}
	number := map[string]int{}
	for i, w := range writings {
		for word := range strings.FieldsSeq(w.words) {
			// What is an English word, too, tells nothing of another language.
			if list := t.words[word]; !slices.Contains(list, uint8(i)) && !slices.Contains(list, english) {
				t.words[word] = append(list, uint8(i))
			}
		}
		_, script := lettersOf(w.letters)
		for name := range strings.FieldsSeq(w.sets) {
			n, ok := number[name]
			if !ok {
				n = len(t.sets)
				number[name] = n
				t.sets = append(t.sets, newSingleByte(name))
			}
			t.sets[n].latin = t.sets[n].latin || script == latinSmall.script()
		}
	}
	for i, w := range writings {
		letters, script := lettersOf(w.letters)
		for r := range letters {
			t.letters[r] = true
		}
		for n := range t.sets {
			set := &t.sets[n]
			usual := slices.Contains(strings.Fields(w.sets), set.name)
			if !usual && !(set.latin && script == latinSmall.script()) {
				continue
			}
			c := candidate{writing: i, codes: strings.Fields(w.codes)}
			for b := range c.letters {
				c.letters[b] = float32(weightOf(set.runes[b+utf8.RuneSelf], letters, script))
			}
			set.all = append(set.all, c)
			if usual {
				set.usual = append(set.usual, c)
			}
		}
	}
	return t
})

// set returns the set with a name, or nil.
func (t *detecting) set(name string) *singleByte {
	if i := slices.IndexFunc(t.sets, func(s singleByte) bool { return s.name == name }); i >= 0 {
		return &t.sets[i]
	}
	return nil
}

func newSingleByte(name string) singleByte {
	prior, ok := priors[name]
	if !ok {
		prior = usualPrior
	}
	set := singleByte{name: name, prior: prior}
	c := Lookup(name)
	for b := range set.runes {
		r, _ := utf8.DecodeRune(c.Decode([]byte{byte(b)}))
		set.runes[b], set.kinds[b] = r, kindOf(r)
	}
	return set
}

// lettersOf reads the letters of a writing: the weight of each, and their script.
func lettersOf(list string) (weights map[rune]float64, script kind) {
	weights = map[rune]float64{}
	total, frequency := 0., 1.
	for field := range strings.FieldsSeq(list) {
		r, size := utf8.DecodeRuneInString(field)
		if n, err := strconv.Atoi(field[size:]); err == nil {
			frequency = float64(n)
		}
		r = unicode.ToLower(r)
		weights[r] += frequency
		total += frequency
		if k := kindOf(r); k >= latinSmall {
			script = k.script()
		}
	}
	for r, frequency := range weights {
		weights[r] = math.Log(.9 * frequency / total)
	}
	return weights, script
}
