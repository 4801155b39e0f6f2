package senteval

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// Form is how a folder stands for characters beyond ASCII: see the package comment.
type Form string

const (
	// FormUTF8 is UTF-8, which SentEval reads with shim.
	FormUTF8 Form = "utf-8"
	// FormReferences is ASCII with character references, for unchanged loaders and a
	// batcher that calls html.unescape.
	FormReferences Form = "references"
)

func (f Form) validate() error {
	if f != "" && f != FormUTF8 && f != FormReferences {
		return fmt.Errorf("form %q is not %q or %q", f, FormUTF8, FormReferences)
	}
	return nil
}

// Spacing is how texts of scripts without spaces between words are written.
type Spacing string

const (
	// SpacingText leaves texts as they are: SentEval takes a Chinese sentence for one
	// word, and a batcher that joins words by spaces gets the sentence back.
	SpacingText Spacing = "text"
	// SpacingCharacters writes each character of such scripts as a word, for encoders
	// that are bags of words: benchmark.Characters.
	SpacingCharacters Spacing = "characters"
)

func (s Spacing) validate() error {
	if s != "" && s != SpacingText && s != SpacingCharacters {
		return fmt.Errorf("spacing %q is not %q or %q", s, SpacingText, SpacingCharacters)
	}
	return nil
}

// escape writes a clean text in ASCII so that Python's html.unescape gives it back:
// every ampersand and every character beyond ASCII is a reference.
func escape(text string) string {
	plain := true
	for i := 0; i < len(text); i++ {
		plain = plain && text[i] < 0x80 && text[i] != '&'
	}
	if plain {
		return text
	}
	var b strings.Builder
	b.Grow(3 * len(text))
	for _, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r < 0x80:
			b.WriteByte(byte(r))
		default:
			b.WriteString("&#")
			b.WriteString(strconv.Itoa(int(r)))
			b.WriteByte(';')
		}
	}
	return b.String()
}

func unescape(text string) string { return html.UnescapeString(text) }
