package detokenize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joiner goes through the tokens of one text.
type joiner struct {
	tokens []string
	style  Style
	out    strings.Builder
	// glue: the next token follows without a space.
	glue                   bool
	doubleOpen, singleOpen bool
}

// join joins tokens, which it changes.
func join(tokens []string, style Style) string {
	j := joiner{tokens: tokens, style: style, glue: true}
	size := 0
	for i, t := range tokens {
		size += len(t) + 1
		tokens[i] = unescape(t, style)
	}
	j.out.Grow(size)
	for i := range tokens {
		j.add(i)
	}
	return j.out.String()
}

// write writes a token that joins the one before it (left), the one after it (right).
func (j *joiner) write(token string, left, right bool) {
	if !j.glue && !left {
		j.out.WriteByte(' ')
	}
	j.out.WriteString(token)
	j.glue = right
}

func (j *joiner) at(i int) string {
	if i < 0 || i >= len(j.tokens) {
		return ""
	}
	return j.tokens[i]
}

func (j *joiner) add(i int) {
	t, previous, next := j.tokens[i], j.at(i-1), j.at(i+1)
	switch t {
	case ".", ",", ":":
		j.write(t, true, insideNumber(t, previous, next) || j.insideName(i) || j.insideAddress(i))
	case "/", "^", "_", "=", "~":
		// Treebank tokenising leaves them where they are, Moses cuts them off.
		joined := j.style == Moses && previous != "" && next != ""
		j.write(t, joined, joined)
	case "@":
		j.write(t, false, j.style == Moses)
	case "’", "”":
		j.write(t, j.style == Moses && previous != "", false)
	case "“":
		j.write(t, false, j.style == Moses)
	case ";", "?", "!", ")", "]", "}", ">", "%", "...", "…":
		j.write(t, true, false)
	case "(", "[", "{", "<":
		// other(s), language(s)
		j.write(t, t == "(" && next == "s" && j.at(i+2) == ")", true)
	case "$", "#", "£", "€":
		j.write(t, false, startsWithDigit(next))
	case "&":
		joined := isShortName(previous) && isShortName(next)
		j.write(t, joined, joined)
	case "``":
		j.write(`"`, false, true)
	case "''":
		j.write(`"`, true, false)
	case `"`:
		j.doubleOpen = !j.doubleOpen
		j.write(t, !j.doubleOpen, j.doubleOpen)
	case "`":
		j.singleOpen = true
		j.write("'", false, true)
	case "'":
		opens := !j.singleOpen && j.opensSingle(i, previous)
		j.singleOpen = opens
		j.write(t, !opens, opens)
	default:
		if j.style == PTBUnquoted {
			if part := wordPart(t, previous); part != "" {
				j.write(part, true, false)
				return
			}
		}
		j.write(t, j.joinsLeft(t, previous, next), joinsRight(t, next))
	}
}

// insideNumber says whether the mark stood inside a number before the text was cut:
// 1,000 or 3:30. The final full stop alone is cut off by both styles, so "1 . 5" is none.
func insideNumber(mark, previous, next string) bool {
	if !endsWithDigit(previous) || !startsWithDigit(next) {
		return false
	}
	digits := 0
	for digits < len(next) && next[digits] >= '0' && next[digits] <= '9' {
		digits++
	}
	return mark == "," && digits == 3 || mark == ":" && digits == 2
}

// insideAddress says whether a colon stands before the two strokes of an address.
func (j *joiner) insideAddress(i int) bool {
	return j.at(i) == ":" && (j.at(i+1) == "/" && j.at(i+2) == "/" || strings.HasPrefix(j.at(i+1), "//"))
}

// insideName says whether a full stop stood inside initials (j . r . r .) or a domain
// (angel . com), as the texts of MR and SUBJ have them.
func (j *joiner) insideName(i int) bool {
	if j.at(i) != "." {
		return false
	}
	previous, next := j.at(i-1), j.at(i+1)
	if isLetter(previous) && isLetter(next) && j.at(i+2) == "." {
		return true
	}
	switch next {
	case "com", "org", "net", "edu":
		return previous != ""
	}
	return false
}

// opensSingle says whether an apostrophe that stands alone opens a quotation. After
// an s it marks the possessive (the parents ' house), unless something must be opened.
func (j *joiner) opensSingle(i int, previous string) bool {
	switch previous {
	case "", ",", ":", ";", "(", "[", "{", "``", `"`, "--", "-":
		return i+1 < len(j.tokens)
	}
	if previous[len(previous)-1]|0x20 == 's' {
		return false
	}
	for _, t := range j.tokens[i+1:] {
		if t == "'" {
			return true
		}
	}
	return false
}

// joinsLeft says whether a word is the second part of one that was cut.
func (j *joiner) joinsLeft(t, previous, next string) bool {
	if previous == "" {
		return false
	}
	lower := t
	if len(t) <= 4 {
		lower = strings.ToLower(t)
	}
	switch lower {
	case "'s", "'m", "'d", "'ll", "'re", "'ve", "n't", "'n":
		return true
	case "'t":
		return !isVerbOfTis(next)
	case "n": // CR has "does n 't"
		return next == "'t" || next == "'T"
	case "not":
		return strings.EqualFold(previous, "can")
	case "me":
		return strings.EqualFold(previous, "gim") || strings.EqualFold(previous, "lem")
	case "na":
		return strings.EqualFold(previous, "gon") || strings.EqualFold(previous, "wan")
	case "ta":
		return strings.EqualFold(previous, "got")
	}
	// Moses cuts every apostrophe between letters and leaves it with what follows; in
	// the other style such a token opens a quotation.
	if j.style == Moses && len(t) > 1 && (t[0] == '\'' || strings.HasPrefix(t, "’")) {
		r, _ := utf8.DecodeRuneInString(strings.TrimPrefix(strings.TrimPrefix(t, "'"), "’"))
		last, _ := utf8.DecodeLastRuneInString(previous)
		return unicode.IsLetter(r) && unicode.IsLetter(last) || isDecade(t, previous)
	}
	return false
}

// wordPart returns the second part of a word with the apostrophe that it has lost, or
// "" if t stands for itself: "s" and "nt" do not, "t" does but after an n, and what
// may be a word or a name does but after a pronoun.
func wordPart(t, previous string) string {
	if len(t) > 2 || previous == "" {
		return ""
	}
	last, _ := utf8.DecodeLastRuneInString(previous)
	switch lower := strings.ToLower(previous); strings.ToLower(t) {
	case "s":
		if unicode.IsLetter(last) || unicode.IsDigit(last) || last == '.' {
			return "'" + t
		}
	case "nt":
		if unicode.IsLetter(last) {
			return t[:1] + "'" + t[1:]
		}
	case "t":
		if last == 'n' || last == 'N' {
			return "'" + t
		}
	case "m":
		if lower == "i" {
			return "'" + t
		}
	case "d", "ll", "re", "ve":
		switch lower {
		case "i", "you", "he", "she", "it", "we", "they", "who", "that", "there", "what":
			return "'" + t
		}
	}
	return ""
}

// isDecade: Moses cuts 1990's after the number.
func isDecade(t, previous string) bool { return t == "'s" && endsWithDigit(previous) }

func joinsRight(t, next string) bool {
	switch t {
	case "'t", "'T":
		return isVerbOfTis(next)
	case "d'", "D'":
		return strings.EqualFold(next, "ye")
	}
	return false
}

func isVerbOfTis(next string) bool {
	return strings.EqualFold(next, "is") || strings.EqualFold(next, "was")
}

// unescape returns what stands for a character that the style does not leave in texts.
func unescape(t string, style Style) string {
	switch {
	case style != Moses && len(t) == 5 && t[0] == '-' && t[4] == '-':
		switch strings.ToUpper(t[1:4]) {
		case "LRB":
			return "("
		case "RRB":
			return ")"
		case "LSB":
			return "["
		case "RSB":
			return "]"
		case "LCB":
			return "{"
		case "RCB":
			return "}"
		}
	case style != Moses && strings.Contains(t, `\`):
		return treebankEscapes.Replace(t)
	case style == Moses && strings.Contains(t, "&"):
		return mosesEscapes.Replace(t)
	}
	return t
}

var (
	treebankEscapes = strings.NewReplacer(`\/`, "/", `\*`, "*")
	mosesEscapes    = strings.NewReplacer("&apos;", "'", "&quot;", `"`, "&lt;", "<", "&gt;", ">", "&#91;", "[", "&#93;", "]", "&#124;", "|",
		"&amp;", "&")
)

func startsWithDigit(t string) bool {
	return t != "" && (isDigit(t[0]) || len(t) > 1 && t[0] == '.' && isDigit(t[1]))
}
func endsWithDigit(t string) bool { return t != "" && isDigit(t[len(t)-1]) }
func isDigit(c byte) bool         { return c >= '0' && c <= '9' }
func isLetter(t string) bool {
	return len(t) == 1 && (t[0] >= 'a' && t[0] <= 'z' || t[0] >= 'A' && t[0] <= 'Z')
}

// isShortName: letters on both sides of & are one name (AT & T, r & b).
func isShortName(t string) bool { return isLetter(t) || strings.EqualFold(t, "at") }
