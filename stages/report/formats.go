package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"sentweave/stages/metrics"
)

// csv writes all figures: a line for each model and figure, whose values have all their
// digits. Several results of a model are one line, as on the page. The last column marks correlations that are undefined and count as 0.
func (r *results) csv() ([]byte, error) {
	var buffer bytes.Buffer
	w := csv.NewWriter(&buffer)
	exact := func(v float64) string {
		if !finite(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	// The writer keeps its first error, which Error returns.
	w.Write([]string{"model", "task", "subtask", "language", "metric", "value", "low", "high", "deviation", "deviation_over", "n", "data_xxh3", "undefined"})
	for _, key := range r.order {
		for _, m := range r.models {
			if f, ok := r.of(m, key); ok {
				w.Write([]string{m.Key, key.task, key.subtask, key.language, key.metric, exact(f.value), exact(f.low), exact(f.high),
					exact(f.deviation), f.over, strconv.FormatInt(f.n, 10), f.data, metrics.UndefinedOf(f.raw)})
			}
		}
	}
	w.Flush()
	return buffer.Bytes(), w.Error()
}

// markdown writes the tables of a page, each under the title of its section.
func (r Report) markdown() []byte {
	var buffer bytes.Buffer
	escape := strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "&", "&amp;", "[", "\\[", "\n", " ").Replace
	fmt.Fprintf(&buffer, "# %s\n", escape(r.Title))
	r.eachTable(func(section string, t Table) {
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

// latex writes the tables of a page for the packages longtable and booktabs: a table may
// be longer than a page.
func (r Report) latex() []byte {
	var buffer bytes.Buffer
	escape := strings.NewReplacer(
		"\\", `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "\n", " ",
		"−", `$-$`, "±", `$\pm$`, "≈", `$\approx$`, "≠", `$\neq$`, "×", `$\times$`, "→", `$\rightarrow$`, "↓", `$\downarrow$`, "∞", `$\infty$`, "\u00a0", "~",
	).Replace
	buffer.WriteString("% \\usepackage{booktabs,longtable}\n")
	r.eachTable(func(section string, t Table) {
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
