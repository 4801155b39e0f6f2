package publish

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"sentweave/schemas/language"
)

// tag is how the Hub finds what was published here.
const tag = "sentweave"

// card is a page of Markdown with a front matter, as the Hub reads it.
type card struct{ bytes.Buffer }

func (c *card) head(fields any) error {
	data, err := yaml.MarshalWithOptions(fields, yaml.IndentSequence(true))
	fmt.Fprintf(c, "---\n%s---\n", data)
	return err
}

func (c *card) title(text string)   { fmt.Fprintf(c, "\n# %s\n", escaped(text)) }
func (c *card) section(text string) { fmt.Fprintf(c, "\n## %s\n", escaped(text)) }

func (c *card) paragraph(format string, args ...any) { fmt.Fprintf(c, "\n"+format+"\n", args...) }

func (c *card) code(kind, text string) { fmt.Fprintf(c, "\n```%s\n%s\n```\n", kind, text) }

func (c *card) table(columns []string, rows [][]string) {
	fmt.Fprintf(c, "\n| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		for _, cell := range row {
			fmt.Fprintf(c, "| %s ", escaped(cell))
		}
		c.WriteString("|\n")
	}
}

// escaped is text in Markdown: no part of it is markup.
var escaped = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "&", "&amp;", "[", "\\[", "\n",
	" ").Replace

// title is that of the card of a repository.
func (c Config) title(name string) string { return cmp.Or(c.Title, path.Base(name)) }

// address is what a card calls the repository: its name at the Hub, or what stands for one.
func address(name string) string {
	if !strings.Contains(name, "/") {
		return "OWNER/" + name
	}
	return name
}

// tags are languages as the Hub has them: of two letters where there are such.
func tags(codes []string) (list []string) {
	for _, code := range codes {
		parsed, err := language.BCP47(code)
		if base, _, _ := strings.Cut(parsed, "-"); err == nil && base != "und" && base != "mul" && !slices.Contains(list, base) {
			list = append(list, base)
		}
	}
	slices.Sort(list)
	return list
}

// thousands prints a count with commas.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// byCount returns keys, those of the greatest counts first.
func byCount(counts map[string]int64) []string {
	keys := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	return keys
}
