package bitext

import (
	"bytes"
	"strconv"
)

// Sentence reads a line of the sentences that Tatoeba publishes: number, language and
// text between tabs, and columns behind them that are not looked at. The text is trimmed.
// A line that cannot be read has a reason.
func Sentence(line []byte) (id uint64, tag string, text []byte, reason string) {
	number, rest, ok := bytes.Cut(line, []byte{'\t'})
	code, rest, hasText := bytes.Cut(rest, []byte{'\t'})
	text, _, _ = bytes.Cut(rest, []byte{'\t'})
	id, err := strconv.ParseUint(string(number), 10, 64)
	switch {
	case !ok || !hasText:
		return 0, "", nil, Columns
	case err != nil:
		return 0, "", nil, Number
	}
	var r Record
	r.begin(1)
	if r.text(0, text); r.Reason != "" {
		return 0, "", nil, r.Reason
	}
	return id, string(code), r.Texts[0], ""
}

// Link reads a line of the links that Tatoeba publishes: the numbers of two sentences that
// translate each other, between a tab.
func Link(line []byte) (a, b uint64, reason string) {
	x, y, ok := bytes.Cut(line, []byte{'\t'})
	a, errA := strconv.ParseUint(string(x), 10, 64)
	b, errB := strconv.ParseUint(string(y), 10, 64)
	switch {
	case !ok:
		return 0, 0, Columns
	case errA != nil || errB != nil:
		return 0, 0, Number
	}
	return a, b, ""
}
