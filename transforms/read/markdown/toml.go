package markdown

import (
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// Bounds of front matter in TOML. The library takes time in proportion to the depth of each key, which names with dots and tables
// in each other make; within these bounds it takes less than half a second.
const (
	maxTOML      = 32 << 10 // bytes
	maxTOMLDepth = 8        // lists and tables in each other
	maxTOMLDots  = 32       // in a line
)

// parseTOML reads front matter in TOML.
func parseTOML(text string) front {
	var table map[string]any
	if !isShallow(text) {
		return front{}
	}
	if _, err := toml.Decode(text, &table); err != nil {
		return front{}
	}
	return frontOf(table)
}

// isShallow says whether a text is within the bounds. Signs within strings count, too.
func isShallow(text string) bool {
	depth := 0
	for line := range strings.Lines(text) {
		if strings.Count(line, ".") > maxTOMLDots {
			return false
		}
		for _, c := range []byte(line) {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(depth-1, 0)
			}
			if depth > maxTOMLDepth {
				return false
			}
		}
	}
	return len(text) <= maxTOML
}

// dateAsWritten returns a date as the file has it. The library gives dates and times without a zone one that is named after their kind.
func dateAsWritten(t time.Time) string {
	switch t.Location().String() {
	case "date-local":
		return t.Format(time.DateOnly)
	case "datetime-local":
		return t.Format("2006-01-02T15:04:05.999999999")
	case "time-local":
		return ""
	}
	return t.Format(time.RFC3339Nano)
}
