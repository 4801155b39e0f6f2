package blocks

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// textCounts says what a text consists of.
type textCounts struct {
	// words are runs of letters and digits. In scripts that put no space between words, three ideographs count as two
	// words, and four kana or five other characters (Thai, Lao, Khmer, Burmese) as one: translations of a text are then
	// about as long as it. In the Debian handbook, Chinese has .96 and Japanese 1.03 of the words of English.
	words float64
	// halves are words, too, but with two ideographs or kana as one: models of lines were trained on these.
	halves     float64
	characters int // white space aside
	digits     int
	capital    int // words with a capital at their start
	upper      int // words of two letters or more, all capitals
	commas     int
	ends       int // marks that end sentences, at the end of words
	marks      int // both, and exclamation and question marks anywhere
	separators int // characters that stand between links and the like: | • · › » /
	signs      int // characters of programs: { } ( ) ; = < >
	at         bool
	question   bool
	currency   bool
	endsMark   bool // it ends with a mark that ends sentences, or a closing quote
	endsColon  bool
	lower      bool   // its first character is a small letter
	last       uint32 // hash of the last word
}

// hashedWords is how many words of a text are hashed.
const hashedWords = 120

const (
	hashStart = 2166136261
	hashPrime = 16777619
)

// countText counts what s consists of and appends the hashes of its first words, in small
// letters, to hashes.
func countText(s string, hashes []uint32) (textCounts, []uint32) {
	var t textCounts
	var wide, kana, unspaced, words int
	var hash uint32
	length, capitals := 0, 0 // of the current word
	end := func() {
		if length == 0 {
			return
		}
		words++
		if capitals == length && length > 1 {
			t.upper++
		}
		if len(hashes) < hashedWords {
			hashes = append(hashes, hash)
		}
		t.last, length = hash, 0
	}
	first := true
	previous := ' '
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		letter, small, digit := 'a' <= r && r <= 'z', r, '0' <= r && r <= '9'
		capital := 'A' <= r && r <= 'Z'
		if r >= utf8.RuneSelf {
			letter, digit = unicode.IsLetter(r) || unicode.IsMark(r), unicode.IsNumber(r)
			if letter && isCased(r) {
				small = unicode.ToLower(r)
				capital = small != r
			}
		} else if capital {
			letter, small = true, r|0x20
		}
		if r != ' ' && r != '\n' {
			t.characters++
			if first {
				t.lower, first = letter && !capital && isCased(r), false
			}
		}
		switch {
		case letter || digit:
			if digit {
				t.digits++
			}
			if s := spacing(r); s != spaced {
				end()
				switch s {
				case ideographs:
					wide++
				case syllables:
					kana++
				default:
					unspaced++
				}
				if len(hashes) < hashedWords {
					hashes = append(hashes, uint32(r)*hashPrime)
				}
				t.last = uint32(r) * hashPrime
				break
			}
			if length == 0 {
				hash, capitals = hashStart, 0
				if capital {
					t.capital++
				}
			}
			if capital {
				capitals++
			}
			length++
			hash = (hash ^ uint32(small)) * hashPrime
		default:
			end()
			t.punctuation(r, s[i:])
		}
		previous = r
	}
	end()
	switch previous {
	case '.', '!', '?', '。', '！', '？', '؟', '।', '۔', '។', '”', '"', '»', '」', '…':
		t.endsMark = true
	case ':', '：':
		t.endsColon = true
	}
	t.words = float64(words) + float64(float64(2*wide)/3) + float64(float64(kana)/4) + float64(float64(unspaced)/5)
	t.halves = float64(words) + float64(float64(wide+kana)/2) + float64(float64(unspaced)/5)
	return t, hashes
}

// punctuation counts a character that is not part of a word; rest is behind it.
func (t *textCounts) punctuation(r rune, rest string) {
	switch r {
	case '.', '!', '?', '؟', '।', '۔', '።', '។', '၊', '။':
		t.marks++
		if rest == "" || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '"' || rest[0] == ')' || rest[0] >= utf8.RuneSelf {
			t.ends++
		}
		t.question = t.question || r == '?' || r == '؟'
	case '。', '！', '？':
		t.marks++
		t.ends++
		t.question = t.question || r == '？'
	case ',', '،', '、', '，', '፣':
		t.marks++
		t.commas++
	case '|', '•', '·', '›', '»', '/', '→':
		t.separators++
	case '{', '}', '(', ')', ';', '=', '<', '>':
		t.signs++
	case '#', '@':
		t.at = true
	case '$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '฿', '￥':
		t.currency = true
	}
}

// isCased reports whether characters of its block of Unicode may have capitals, roughly.
func isCased(r rune) bool {
	return r < 0x0590 || r >= 0x10a0 && r < 0x10d0 || r >= 0x1c80 && r < 0x2000
}

type spacingKind uint8

const (
	spaced spacingKind = iota
	ideographs
	syllables // kana
	unspacedLetters
)

// spacing says how words are told apart in the script of a character.
func spacing(r rune) spacingKind {
	switch {
	case r < 0x0e00:
		return spaced
	case r < 0x0f00 || r >= 0x1000 && r < 0x10a0 || r >= 0x1780 && r < 0x1800:
		return unspacedLetters // Thai, Lao; Burmese; Khmer
	case r >= 0x3040 && r < 0x3100:
		return syllables
	case r >= 0x3400 && r < 0xa000 || r >= 0xf900 && r < 0xfb00 || r >= 0x20000 && r < 0x40000:
		return ideographs
	}
	return spaced
}

// set makes a sorted list without repetitions of hashes.
func set(hashes []uint32) []uint32 {
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// common counts what two sets have in common.
func common(a, b []uint32) int {
	n := 0
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] < b[k]:
			i++
		case a[i] > b[k]:
			k++
		default:
			n, i, k = n+1, i+1, k+1
		}
	}
	return n
}

// TextNames are the names of the numbers that AppendText appends.
var TextNames = []string{
	"words", "characters", "characters a word", "ends of sentences", "commas", "marks a character", "ends with a full stop",
	"ends with a colon", "separators", "asks", "share of capitals", "share of words in capitals", "share of digits", "a price",
	"begins with a small letter", "a hash or an at sign", "signs of programs",
}

// AppendText appends to values what s consists of, without regard to where it stands, and to
// hashes those of its first words. It allocates nothing if both have room.
func AppendText(values []float32, hashes []uint32, s string) ([]float32, []uint32) {
	t, hashes := countText(s, hashes)
	words, characters := max(t.halves, .2), float64(max(1, t.characters))
	indicator := func(value bool) float32 {
		if value {
			return 1
		}
		return 0
	}
	return append(values,
		float32(t.halves), float32(characters), float32(characters/words), float32(t.ends), float32(t.commas),
		float32(float64(t.marks)/characters), indicator(t.endsMark), indicator(t.endsColon), float32(t.separators), indicator(t.question),
		float32(float64(t.capital)/words), float32(float64(t.upper)/words), float32(float64(t.digits)/characters), indicator(t.currency),
		indicator(t.lower), indicator(t.at), float32(t.signs),
	), hashes
}
