package charset

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

// wideSet is a character set in which characters have one or two bytes.
type wideSet struct {
	name  string
	codes []string
	// pair is the weight of two bytes, of which the first is not ASCII: by the row of the table
	// that they are in. It is 0 for no character.
	pair func(a, b byte) float64
	// single is the weight of a byte that is a character by itself, or 0.
	single func(b byte) float64
	// weights are those of all pairs, with the commonest characters set apart, by the bytes but
	// for the first bit.
	weights [1 << 15]float32
}

// Weights, as logarithms of probabilities: of a character of a row, where all characters of
// the row are as frequent.
const (
	rareRow    = -12.5
	unusedRow  = -14.5
	symbolRow  = -9.
	kanaRow    = -4.6
	otherKana  = -5.5
	halfWidth  = -8.5
	wideFailed = -25.
	// leastFitting is the mean weight from which on a text fits a set: less than of a text without
	// frequent characters, or in kana of half width.
	leastFitting = -8.
)

var (
	commonHan    = math.Log(.6 / 3600)
	commonBig5   = math.Log(.6 / 5300)
	commonKanji  = math.Log(.3 / 2900)
	commonHangul = math.Log(.55 / 2290)
)

// The commonest characters of texts, and the marks between sentences.
const (
	frequentSimplified  = "，。、：；？！“”（）→·…—《》的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产"
	frequentTraditional = "，。、：；？！「」（）→·…—《》的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產"
	frequentKanji       = "日一人大年国会中本出時事者行見上分生月方後前的学新地部場合間金手自同子今入社長力作高回思内言小立下気理代性定家何度体当全用明通三成戦業要物書東政法対実主関名動私食使品話"
	frequentHangul      = "이다는을의에가고하지로도은기를사한리자시대인서정나어그일해수들과있아부스제전보라여안장관주게구상조동신성비원만공무으경소국용물유방선치오미중적발세실분내까면교문했것니요"
)

var wideSets = sync.OnceValue(func() []wideSet {
	upper := func(b byte) bool { return b >= 0xa1 && b <= 0xfe }
	sets := []wideSet{
		{name: "gb18030", codes: []string{"zho", "cmn", "zho_Hans"}, pair: func(a, b byte) float64 {
			switch {
			case a < 0x81 || a > 0xfe || b < 0x40 || b == 0x7f || b > 0xfe:
				return 0
			case !upper(a) || !upper(b) || a > 0xf7 || a >= 0xaa && a < 0xb0:
				return unusedRow
			case a == 0xa3:
				return symbolRow + 1 // Latin letters and digits of full width
			case a < 0xaa:
				return symbolRow
			case a <= 0xd7:
				return commonHan
			}
			return rareRow
		}},
		{name: "big5", codes: []string{"zho", "cmn", "yue", "zho_Hant"}, pair: func(a, b byte) float64 {
			switch {
			case a < 0x81 || a > 0xfe || b < 0x40 || b > 0x7e && b < 0xa1 || b > 0xfe:
				return 0
			case a >= 0xa1 && a <= 0xa3:
				return symbolRow
			case a >= 0xa4 && a <= 0xc6:
				return commonBig5
			case a >= 0xc9 && a <= 0xf9:
				return rareRow
			}
			return unusedRow
		}},
		{name: "euc-kr", codes: []string{"kor"}, pair: func(a, b byte) float64 {
			switch {
			case a < 0x81 || a > 0xfe || b < 0x41 || b > 0xfe || b > 0x5a && b < 0x61 || b > 0x7a && b < 0x81:
				return 0
			case !upper(a) || !upper(b):
				return rareRow // the syllables that Windows adds
			case a < 0xad:
				return symbolRow
			case a >= 0xb0 && a <= 0xc8:
				return commonHangul
			case a >= 0xca && a <= 0xfd:
				return rareRow
			}
			return unusedRow
		}},
		{name: "euc-jp", codes: []string{"jpn"}, pair: func(a, b byte) float64 {
			switch {
			case a == 0x8e && b >= 0xa1 && b <= 0xdf:
				return symbolRow
			case !upper(a) && a != 0x8f || !upper(b):
				return 0
			case a == 0xa4 && b <= 0xf3:
				return kanaRow
			case a == 0xa5 && b <= 0xf6:
				return otherKana
			case a >= 0xa1 && a <= 0xa8:
				return symbolRow
			case a >= 0xb0 && a <= 0xcf:
				return commonKanji
			case a >= 0xd0 && a <= 0xf4:
				return rareRow
			}
			return unusedRow
		}},
		{name: "shift_jis", codes: []string{"jpn"}, pair: func(a, b byte) float64 {
			switch {
			case b < 0x40 || b == 0x7f || b > 0xfc || a < 0x81 || a > 0xfc || a >= 0xa0 && a < 0xe0:
				return 0
			case a == 0x82 && b >= 0x9f && b <= 0xf1:
				return kanaRow
			case a == 0x83 && b <= 0x96:
				return otherKana
			case a <= 0x84:
				return symbolRow
			case a >= 0x89 && a <= 0x97 || a == 0x88 && b >= 0x9f || a == 0x98 && b <= 0x72:
				return commonKanji
			case a >= 0x98 && a <= 0xea:
				return rareRow
			}
			return unusedRow
		}, single: func(b byte) float64 {
			if b >= 0xa1 && b <= 0xdf {
				return halfWidth
			}
			return 0
		}},
	}
	for i, list := range []string{frequentSimplified, frequentTraditional, frequentHangul + "，。→·…“”‘’", "、。ー「」（）→・…" + frequentKanji,
		"、。ー「」（）→・…" + frequentKanji} {
		s := &sets[i]
		for p := range s.weights {
			s.weights[p] = float32(s.pair(byte(p>>8)|0x80, byte(p)))
		}
		frequent := float32(math.Log(.4 / float64(utf8.RuneCountInString(list))))
		encoder := Lookup(s.name).encoding.NewEncoder()
		for c := range strings.SplitSeq(list, "") {
			if b, err := encoder.Bytes([]byte(c)); err == nil && len(b) == 2 {
				w := &s.weights[int(b[0]&0x7f)<<8|int(b[1])]
				*w = max(*w, frequent)
			}
		}
	}
	return sets
})

// weigh returns the logarithm of the probability of what is not ASCII in a text.
func (s *wideSet) weigh(text []byte) (score float64) {
	for i := 0; i < len(text); i++ {
		a := text[i]
		if a < 0x80 {
			continue
		}
		b := byte(' ')
		if i+1 < len(text) {
			b = text[i+1]
		}
		if s.single != nil && s.single(a) != 0 {
			score += s.single(a)
			continue
		}
		w := s.weights[int(a&0x7f)<<8|int(b)]
		if w == 0 {
			score += wideFailed
			continue
		}
		score += float64(w)
		i++
	}
	return score
}

// wide returns what is known of a set of two bytes a character, or nil.
func (c Charset) wide() *wideSet {
	for i := range wideSets() {
		if s := &wideSets()[i]; s.name == c.name || s.name == "gb18030" && c.name == "gbk" {
			return s
		}
	}
	return nil
}

// Siblings returns the other sets of two bytes a character that the languages of c are written in: pages mistake them
// for each other.
func (c Charset) Siblings() (list []Charset) {
	wide := c.wide()
	if wide == nil {
		return nil
	}
	for i := range wideSets() {
		if s := &wideSets()[i]; s != wide && s.codes[0] == wide.codes[0] {
			list = append(list, Lookup(s.name))
		}
	}
	return list
}

// common reports whether all that is not ASCII are characters in common use. Kana of half width do not stand alone.
func (s *wideSet) common(data []byte) bool {
	isSingle := func(i int) bool { return s.single != nil && i >= 0 && i < len(data) && s.single(data[i]) != 0 }
	for i := 0; i < len(data); i++ {
		switch {
		case data[i] < utf8.RuneSelf:
		case isSingle(i):
			if !isSingle(i+1) && !isSingle(i-1) {
				return false
			}
		case i+1 == len(data) || s.pair(data[i], data[i+1]) == 0 || s.pair(data[i], data[i+1]) <= rareRow:
			return false
		default:
			i++
		}
	}
	return true
}
