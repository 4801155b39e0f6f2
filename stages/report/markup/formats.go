package markup

import (
	"bytes"
	"fmt"
	"strings"
)

// EscapeMarkdown returns a text of which no part is markup in Markdown, on one line.
var EscapeMarkdown = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "&", "&amp;",
	"[", "\\[", "\n", " ").Replace

// Markdown writes the tables of a page, each under the title of its section.
func (r Report) Markdown() []byte {
	var buffer bytes.Buffer
	escape := EscapeMarkdown
	fmt.Fprintf(&buffer, "# %s\n", escape(r.Title))
	r.EachTable(func(section string, t Table) {
		fmt.Fprintf(&buffer, "\n## %s", escape(section))
		if t.Caption != "" {
			fmt.Fprintf(&buffer, ": %s", escape(t.Caption))
		}
		buffer.WriteString("\n\n|")
		for _, c := range t.Columns {
			fmt.Fprintf(&buffer, " %s |", escape(c.Name))
		}
		buffer.WriteString("\n|")
		for _, c := range t.Columns {
			if c.Number {
				buffer.WriteString(" ---: |")
			} else {
				buffer.WriteString(" --- |")
			}
		}
		for _, row := range t.Rows {
			buffer.WriteString("\n|")
			for _, c := range row {
				text := escape(c.Text)
				if c.Strong {
					text = "**" + text + "**"
				}
				if c.Detail != "" {
					text += " (" + escape(c.Detail) + ")"
				}
				fmt.Fprintf(&buffer, " %s |", text)
			}
		}
		buffer.WriteString("\n")
		if t.Note != "" {
			fmt.Fprintf(&buffer, "\n%s\n", escape(t.Note))
		}
	})
	return buffer.Bytes()
}

// Latex writes the tables of a page for the packages longtable and booktabs: a table may
// be longer than a page.
func (r Report) Latex() []byte {
	var buffer bytes.Buffer
	escape := strings.NewReplacer(
		"\\", `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`, "~", `\textasciitilde{}`,
		"^", `\textasciicircum{}`, "\n", " ",
		"−", `$-$`, "±", `$\pm$`, "≈", `$\approx$`, "≠", `$\neq$`, "×", `$\times$`, "→", `$\rightarrow$`, "↓", `$\downarrow$`, "∞",
		`$\infty$`, "\u00a0", "~",
	).Replace
	buffer.WriteString("% \\usepackage{booktabs,longtable}\n")
	r.EachTable(func(section string, t Table) {
		buffer.WriteString("\n\\begin{longtable}{")
		for _, c := range t.Columns {
			if c.Number {
				buffer.WriteString("r")
			} else {
				buffer.WriteString("l")
			}
		}
		caption := section
		if t.Caption != "" {
			caption += ": " + t.Caption
		}
		fmt.Fprintf(&buffer, "}\n\\caption{%s}\\\\\n\\toprule\n", escape(caption))
		for i, c := range t.Columns {
			if i > 0 {
				buffer.WriteString(" & ")
			}
			buffer.WriteString(escape(c.Name))
		}
		buffer.WriteString(" \\\\\n\\midrule\n\\endhead\n")
		for _, row := range t.Rows {
			for i, c := range row {
				if i > 0 {
					buffer.WriteString(" & ")
				}
				text := escape(c.Text)
				if c.Strong {
					text = `\textbf{` + text + `}`
				}
				if c.Detail != "" {
					text += ` {\scriptsize ` + escape(c.Detail) + `}`
				}
				buffer.WriteString(text)
			}
			buffer.WriteString(" \\\\\n")
		}
		buffer.WriteString("\\bottomrule\n\\end{longtable}\n")
		if t.Note != "" {
			fmt.Fprintf(&buffer, "\\noindent{\\footnotesize %s}\n", escape(t.Note))
		}
	})
	return buffer.Bytes()
}
