package filters

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/filters/choice"
)

const (
	reasonFewTerminated     = "few_terminated_lines"
	reasonDuplicateLineText = "duplicate_line_characters"
	reasonShortLines        = "short_lines"
)

// fineWeb applies the three rules on lines that FineWeb adds to those of others (Penedo
// et al. 2024), with their published thresholds. A line is a block: the kept sentences
// of it, with a space between two. Verdicts are those of datatrove 0.10.1, which made
// FineWeb: what lies on a threshold is kept, and a line of 30 characters is short.
var fineWeb = Filter{
	Name:    "fineweb",
	Drops:   "documents of many blocks that are short, repeated, or without a mark at their end",
	Source:  "Penedo et al. 2024",
	Reasons: []string{reasonFewTerminated, reasonShortLines, reasonDuplicateLineText},
	New: func() Rules {
		c := &fineWebConfig{MinTerminated: .12, MaxShort: .67, MaxDuplicate: .1}
		scratch := &sync.Pool{New: func() any { return new(lines) }}
		return Rules{
			Settings: []Setting{
				choice.Threshold("fineweb-min-terminated", "Least share of blocks that end with a mark such as a full stop.",
					&c.MinTerminated),
				choice.Threshold("fineweb-max-short", "Greatest share of blocks of at most 30 characters.", &c.MaxShort),
				choice.Threshold("fineweb-max-duplicate", "Greatest share of characters in blocks that repeat an earlier one.",
					&c.MaxDuplicate),
			},
			Document: func(d *Document, v *Verdict) {
				l := scratch.Get().(*lines)
				defer scratch.Put(l)
				l.read(d)
				_ = v.least("fineweb_terminated", reasonFewTerminated, ratio(l.terminated, l.elements), c.MinTerminated) ||
					v.most("fineweb_short", reasonShortLines, ratio(l.short, l.elements), c.MaxShort) ||
					v.most("fineweb_duplicate", reasonDuplicateLineText, l.characterShare(), c.MaxDuplicate)
			},
		}
	},
}

// fineWebConfig holds the thresholds of fineweb.
type fineWebConfig struct{ MinTerminated, MaxShort, MaxDuplicate float64 }

// shortLine is the most characters of a short line.
const shortLine = 30

// lines are those of a document.
type lines struct {
	duplicates
	terminated, short int

	line []byte
	seen counter
}

func (l *lines) read(d *Document) {
	l.duplicates, l.terminated, l.short = duplicates{}, 0, 0
	l.seen.reset(len(d.Sentences))
	for block := range d.blocks {
		characters := len(block) - 1 // spaces
		l.line = l.line[:0]
		for i, s := range block {
			if i > 0 {
				l.line = append(l.line, ' ')
			}
			l.line = append(l.line, s.Text...)
			characters += s.Characters
		}
		l.add(characters, l.seen.add(xxh3.Hash(l.line)) > 1)
		if characters <= shortLine {
			l.short++
		}
		if last, _ := utf8.DecodeLastRune(l.line); unicode.Is(unicode.Sentence_Terminal, last) || isKhmerEnd(last) {
			l.terminated++
		}
	}
}

// isKhmerEnd tells the marks of Khmer that end sentences in later versions of Unicode.
func isKhmerEnd(r rune) bool { return '។' <= r && r <= '៚' && r != 'ៗ' && r != '៘' }
