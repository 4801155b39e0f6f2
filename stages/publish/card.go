package publish

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"sentweave/schemas/language"
	"sentweave/stages/publish/hub"
	"sentweave/stages/report/markup"
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

func (c *card) title(text string)   { fmt.Fprintf(c, "\n# %s\n", markup.EscapeMarkdown(text)) }
func (c *card) section(text string) { fmt.Fprintf(c, "\n## %s\n", markup.EscapeMarkdown(text)) }

func (c *card) paragraph(format string, args ...any) { fmt.Fprintf(c, "\n"+format+"\n", args...) }

func (c *card) code(kind, text string) { fmt.Fprintf(c, "\n```%s\n%s\n```\n", kind, text) }

func (c *card) table(columns []string, rows [][]string) {
	fmt.Fprintf(c, "\n| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		for _, cell := range row {
			fmt.Fprintf(c, "| %s ", markup.EscapeMarkdown(cell))
		}
		c.WriteString("|\n")
	}
}

// address is what a card calls the repository: its name at the Hub, or what stands for one.
func address(name string) string {
	switch {
	case strings.Contains(name, "/"):
		return name
	case hub.IsName("OWNER/" + name):
		return "OWNER/" + name
	}
	return "OWNER/NAME" // of a folder whose name no repository may have
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
