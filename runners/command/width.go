package command

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Width is the number of columns of a terminal, 0 of any other stream, which has no bound.
func Width(w io.Writer) int {
	if IsTerminal(w) {
		return columns(fileOf(w))
	}
	return 0
}

// Wrap breaks a text between words into lines of a width, if it is above 2; a longer word has
// its own. A text without words has no lines.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case width <= 2 || runewidth.StringWidth(line)+1+runewidth.StringWidth(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
