package synonym

import (
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/random"
)

// token is what stands between white space, without punctuation around it.
type token struct {
	start, end int
	// plain: letters of ASCII only. word: it has a letter.
	plain, word bool
	casing      casing
	// first: it begins a sentence. quoted: quotation marks stand on both sides.
	first, quoted bool
	// joined: nothing but white space stands between it and the token before.
	joined bool
}

type casing byte

const (
	lower casing = iota
	title
	upper
	mixed
)

// target is a word that can be replaced.
type target struct {
	token int
	list  []string
}

// Replace returns a text with words replaced by synonyms, and their number. Where that
// is 0 the text is returned as it is. The id is the text's: equal texts of different
// ids are replaced in different ways.
func (r *Replacer) Replace(id, text string) (string, int) {
	var tokenBuffer [64]token
	var targetBuffer [32]target
	tokens, words, isUpper := scan(tokenBuffer[:0], text)
	targets := r.targets(targetBuffer[:0], text, tokens, isUpper)
	if len(targets) == 0 {
		return text, 0
	}
	n := min(len(targets), int(r.config.Share*float64(words)+0.5))
	if n == 0 {
		return text, 0
	}
	stream := random.New(Version, r.config.Seed, "synonym", id, 0)
	var chosenBuffer [32]int
	chosen := stream.Sample(chosenBuffer[:0], len(targets), n)
	result := make([]byte, 0, len(text)+len(text)/8+16)
	copied := 0
	for _, c := range chosen {
		t := targets[c]
		source := tokens[t.token]
		replacement := t.list[stream.IntN(len(t.list))]
		if a, ok := article(text, tokens, t.token, replacement); ok {
			result = append(result, text[copied:a.start]...)
			result = append(result, a.text...)
			copied = a.end
		}
		result = append(result, text[copied:source.start]...)
		result = appendCased(result, replacement, source.casing)
		copied = source.end
	}
	return string(append(result, text[copied:]...)), len(chosen)
}

// scan cuts a text into tokens and counts its words. IsUpper says that it has no letter
// in lower case.
func scan(tokens []token, text string) (list []token, words int, isUpper bool) {
	first, joined := true, false
	isUpper = true
	for offset := 0; offset < len(text); {
		start := offset
		for offset < len(text) {
			r, size := utf8.DecodeRuneInString(text[offset:])
			if unicode.IsSpace(r) {
				break
			}
			offset += size
		}
		if offset == start {
			_, size := utf8.DecodeRuneInString(text[offset:])
			offset += size
			continue
		}
		t, ending := trim(text, start, offset)
		t.first = first
		t.joined = joined && t.start == start
		if t.start < t.end {
			describe(&t, text[t.start:t.end])
			if t.word {
				words++
				isUpper = isUpper && t.casing == upper
			}
			tokens = append(tokens, t)
			first = false
		}
		first = first || ending
		joined = t.end == offset
	}
	return tokens, words, isUpper
}

// trim takes the punctuation off what stands between white space, and says whether
// that ends a sentence.
func trim(text string, start, end int) (t token, ending bool) {
	t = token{start: start, end: end}
	opened, closed := false, false
	for t.start < t.end {
		r, size := utf8.DecodeRuneInString(text[t.start:t.end])
		switch r {
		case '"', '\'', '“', '‘', '«', '„', '‹', '»':
			opened = true
		case '(', '[', '¿', '¡', '—', '–':
		default:
			size = 0
		}
		if size == 0 {
			break
		}
		t.start += size
	}
	for t.start < t.end {
		r, size := utf8.DecodeLastRuneInString(text[t.start:t.end])
		switch r {
		case '"', '\'', '”', '’', '»', '›', '“', '«':
			closed = true
		case '.', '!', '?', ':', '…':
			ending = true
		case ')', ']', ',', ';', '—', '–':
		default:
			size = 0
		}
		if size == 0 {
			break
		}
		t.end -= size
	}
	t.quoted = opened && closed
	return t, ending
}

// describe says what a token is made of.
func describe(t *token, core string) {
	lowers, uppers := 0, 0
	t.plain = len(core) <= maxWord
	for i := 0; i < len(core); i++ {
		switch c := core[i]; {
		case c >= 'a' && c <= 'z':
			lowers++
		case c >= 'A' && c <= 'Z':
			uppers++
		case c >= utf8.RuneSelf:
			t.plain, t.word = false, true
		default:
			t.plain = false
		}
	}
	t.word = t.word || lowers+uppers > 0
	switch {
	case uppers == 0 && lowers > 0:
		t.casing = lower
	case lowers == 0 && uppers > 0:
		t.casing = upper
	case uppers == 1 && core[0] >= 'A' && core[0] <= 'Z':
		t.casing = title
	default:
		t.casing = mixed
	}
}

// targets finds the words that can be replaced.
func (r *Replacer) targets(targets []target, text string, tokens []token, isUpper bool) []target {
	var wordBuffer, previousBuffer, nextBuffer [maxWord]byte
	for i, t := range tokens {
		switch {
		case !t.plain || t.quoted || t.casing == mixed || t.end-t.start < 3:
			continue
		case t.casing == upper && !isUpper, t.casing == title && !t.first:
			continue // an abbreviation, a name
		}
		word := toLower(wordBuffer[:0], text[t.start:t.end])
		e := r.table.entries[string(word)]
		if e == nil || e.isName && t.casing != lower {
			continue
		}
		p := anywhere
		if i > 0 && t.joined && !t.first {
			if previous := tokens[i-1]; previous.end-previous.start <= maxWord {
				previousWord := toLower(previousBuffer[:0], text[previous.start:previous.end])
				p = r.places[string(previousWord)]
				if previous.plain && r.isCompound(previousWord, word) {
					continue
				}
			}
		}
		if i+1 < len(tokens) && tokens[i+1].joined && !tokens[i+1].first && tokens[i+1].plain {
			next := tokens[i+1]
			nextWord := toLower(nextBuffer[:0], text[next.start:next.end])
			if e.isVerb && r.after[string(nextWord)] || r.isCompound(word, nextWord) {
				continue
			}
		}
		if list := e.replacements[p]; len(list) > 0 {
			targets = append(targets, target{i, list})
		}
	}
	return targets
}

func (r *Replacer) isCompound(a, b []byte) bool {
	var buffer [2*maxWord + 1]byte
	_, ok := r.table.compounds[neighboursIn(append(buffer[:0], a...), b)]
	return ok
}

func toLower(dst []byte, word string) []byte {
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func appendCased(dst []byte, word string, c casing) []byte {
	n := len(dst)
	dst = append(dst, word...)
	capitals := len(word)
	switch c {
	case lower:
		capitals = 0
	case title:
		capitals = 1
	}
	for i := n; i < n+capitals; i++ {
		dst[i] -= 'a' - 'A'
	}
	return dst
}

// change is an article to write anew.
type change struct {
	start, end int
	text       string
}

// article returns the change of the indefinite article before a token that its
// replacement makes necessary. An article that did not fit before is no article of
// this word, or a matter of taste, and is left.
func article(text string, tokens []token, index int, replacement string) (change, bool) {
	if index == 0 || !tokens[index].joined {
		return change{}, false
	}
	t := tokens[index-1]
	spelling := text[t.start:t.end]
	var buffer [maxWord]byte
	vowelBefore := beginsWithVowel(string(toLower(buffer[:0], text[tokens[index].start:tokens[index].end])))
	vowelAfter := beginsWithVowel(replacement)
	if vowelBefore == vowelAfter {
		return change{}, false
	}
	for _, a := range [...]struct {
		from, to string
		vowel    bool
	}{{"a", "an", false}, {"A", "An", false}, {"an", "a", true}, {"An", "A", true}, {"AN", "A", true}} {
		if spelling == a.from && vowelBefore == a.vowel {
			if a.from == "A" && tokens[index].casing == upper {
				a.to = "AN"
			}
			return change{t.start, t.end, a.to}, true
		}
	}
	return change{}, false
}
