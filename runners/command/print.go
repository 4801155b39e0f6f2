package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/spelling"
)

// Count prints an integer with its thousands apart.
func Count(n int64) string { return spelling.Thousands(n) }

// Counted is a number with the noun that it counts: 1 shard, 2 shards.
func Counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Size prints bytes with a decimal unit.
func Size(bytes int64) string {
	value, unit := float64(bytes), "B"
	for _, u := range []string{"kB", "MB", "GB", "TB", "PB"} {
		if value < 1000 {
			break
		}
		value, unit = value/1000, u
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}

// Round rounds a duration as a reader wants it.
func Round(d time.Duration) time.Duration {
	if d > 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(100 * time.Millisecond)
}

// IsTerminal says whether a person looks at a stream.
func IsTerminal(w io.Writer) bool {
	file := fileOf(w)
	if file == nil || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// PrintJSON prints a value with indents.
func PrintJSON(w io.Writer, value any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return err
	}
	_, err := io.Copy(w, &b)
	return err
}

// OneLine returns a text whose white space is single spaces, so that it keeps a table in shape.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Shorten returns the beginning of a text in one line.
func Shorten(text string) string { return excerpt.Characters(OneLine(text), 90) }

// OrDash returns a text, or a dash in the place of none.
func OrDash(text string) string { return cmp.Or(text, "-") }

// Stamp is a time for people, in their own zone.
func Stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
