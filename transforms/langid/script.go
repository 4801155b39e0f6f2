package langid

import (
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/language"
)

// NoScript is what ByScript returns for a text without a letter (ISO 15924
// "code for undetermined script").
const NoScript = "Zyyy"

// ByScript returns the script (ISO 15924) that most letters of the text belong to
// and the share of the letters that do, in [0, 1]. Scripts that are written
// together count as one: "Jpan" where Han stands with kana, "Kore" where Hangul
// does with or without Han; Han alone is "Hani", since script tables cannot tell
// simplified from traditional (HanScript can). Vowel signs that Unicode lists
// between a script's letters count as letters; digits, punctuation and letters
// of all scripts, such as the Japanese long-vowel mark, do not count. Scripts of
// the past are "Zzzz". Of equal counts the first in scriptCodes wins. A text
// without letters gives NoScript, 0.
func ByScript(text string) (script string, share float64) {
	var counts [len(scriptCodes)]int
	total := countScripts(&counts, text)
	if total == 0 {
		return NoScript, 0
	}
	han, kana, hangul := counts[scriptHani]+counts[scriptBopo], counts[scriptHira]+counts[scriptKana], counts[scriptHang]
	for _, s := range []int{scriptHani, scriptBopo, scriptHira, scriptKana, scriptHang} {
		counts[s] = 0
	}
	best, count := 0, 0
	for s, n := range counts {
		if n > count {
			best, count = s, n
		}
	}
	script = scriptCodes[best]
	switch eastAsian := han + kana + hangul; {
	case eastAsian <= count:
		return script, float64(count) / float64(total)
	case hangul > kana && hangul*kanaShare >= han:
		return "Kore", float64(hangul+han) / float64(total)
	case kana*kanaShare >= han:
		return "Jpan", float64(kana+han) / float64(total)
	default:
		return "Hani", float64(han) / float64(total)
	}
}

// kanaShare is how many Han letters one kana or Hangul letter makes Japanese or
// Korean: running Japanese is half kana, headlines a fifth; Chinese with a
// Japanese name stays Chinese.
const kanaShare = 20

// ScriptSet is a set of scripts that a text may be written in.
type ScriptSet struct{ bits [2]uint64 }

// ScriptsOf returns the scripts of a language (a code of schemas/language): the
// one that the code names, or all in which language.Scripts says it is written.
func ScriptsOf(code string) ScriptSet {
	var set ScriptSet
	for _, script := range language.Scripts(code) {
		switch script {
		case "Jpan":
			set.add(scriptHani, scriptHira, scriptKana)
		case "Kore":
			set.add(scriptHang, scriptHani)
		case "Hans", "Hant":
			set.add(scriptHani, scriptBopo)
		default:
			for s, name := range scriptCodes {
				if name == script {
					set.add(s)
				}
			}
		}
	}
	return set
}

func (s *ScriptSet) add(scripts ...int) {
	for _, n := range scripts {
		s.bits[n/64] |= 1 << (n % 64)
	}
}

func (s *ScriptSet) has(script int) bool { return s.bits[script/64]>>(script%64)&1 == 1 }

// Share returns the share of the text's letters that belong to the set, in
// [0, 1]; 0 for a text without letters. It does not allocate.
func (s ScriptSet) Share(text string) float64 {
	var counts [len(scriptCodes)]int
	total := countScripts(&counts, text)
	if total == 0 {
		return 0
	}
	inside := 0
	for script, n := range counts {
		if n > 0 && s.has(script) {
			inside += n
		}
	}
	return float64(inside) / float64(total)
}

// countScripts counts the letters of each script, others as script 0, and returns
// their number.
func countScripts(counts *[len(scriptCodes)]int, text string) (total int) {
	last := scriptRange{low: 1} // an empty range
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c|0x20 >= 'a' && c|0x20 <= 'z' {
				counts[scriptLatn]++
				total++
			}
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		i += width
		// Neighbours mostly lie in one range: the search is for the others.
		if r < last.low || r > last.high {
			found, ok := findScript(r)
			switch {
			case ok:
				last = found
			case unicode.IsLetter(r) && !unicode.Is(unicode.Common, r):
				counts[0]++
				total++
				continue
			default:
				continue
			}
		}
		counts[last.script]++
		total++
	}
	return total
}

// findScript returns the range that holds r.
func findScript(r rune) (scriptRange, bool) {
	low, high := 0, len(scriptRanges)
	for low < high {
		middle := int(uint(low+high) / 2)
		switch s := scriptRanges[middle]; {
		case r < s.low:
			high = middle
		case r > s.high:
			low = middle + 1
		default:
			return s, true
		}
	}
	return scriptRange{}, false
}
