// Package markup writes a page: one HTML file with tables, curves, bars with intervals and plots, whose tables can be
// written for Markdown and LaTeX, too.
//
// # The page
//
// The file stands alone: it has no fonts, pictures or links to other files. Its one script
// orders and chooses rows of tables, where there are some to choose from; without it, all
// can be read as well.
// It follows the reader's light or dark theme and fits screens from 360 pixels on.
// Drawings are inline SVG whose lengths are shares of the screen's width, so texts
// keep their size when the page is narrow. Whatever a colour shows, a shape or a dash
// shows too.
//
// All content is data: html/template escapes it, and it is set in its own direction,
// so names and texts may hold any character.
//
// # Determinism
//
// The same report gives the same bytes. Nothing here reads a clock or iterates over a
// map in its order.
package markup

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"sentweave/schemas/fault"
)

// Report is one page.
type Report struct {
	Title string
	// Lead is the paragraph under the title.
	Lead string
	// Facts are figures that are above everything else; about six at most.
	Facts    []Fact
	Sections []Section
}

// Fact is a figure with its name.
type Fact struct {
	Name, Value string
	// Note is small print: an interval, a unit.
	Note string
}

// Section is a part of the page with a heading, which the page's contents list.
type Section struct {
	Title  string
	Blocks []Block
}

// Block is what a section is made of: Text, Table, Samples, Judged, Lines, Scatter, Bars, folded or beside.
type Block interface {
	// Validate returns all faults at once.
	Validate() error
	// View returns the name of the template that shows the block, and its data.
	View() (name string, data any)
}

// Text is prose. An empty line ends a paragraph; lines that begin with "- " are
// the items of a list.
type Text struct{ Body string }

// SideBySide shows blocks next to each other, and below each other on narrow screens.
type SideBySide []Block

// Validate returns all faults at once. Values that are not finite are not faults:
// they are shown as such, or left out of drawings, which then say so.
func (r Report) Validate() error {
	var errs fault.List
	errs.Check(r.Title != "", "the report has no title")
	for i, s := range r.Sections {
		errs.Check(s.Title != "", "section %d has no title", i+1)
		for k, b := range s.Blocks {
			if b == nil {
				errs.Addf("section %q: block %d is nil", s.Title, k+1)
			} else if err := b.Validate(); err != nil {
				errs.Addf("section %q: %w", s.Title, err)
			}
		}
	}
	return errs.Err()
}

//go:embed page.html page.css page.js
var files embed.FS

// Write writes the page as UTF-8. Nothing is written of a report that is not
// valid. The page is made in memory: some hundred bytes for a point that is drawn.
func Write(w io.Writer, r Report) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	style, err := files.ReadFile("page.css")
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	page := template.New("page.html")
	page.Funcs(template.FuncMap{"show": func(b Block) (template.HTML, error) {
		name, data := b.View()
		var part bytes.Buffer
		err := page.ExecuteTemplate(&part, name, data)
		return template.HTML(part.String()), err // made by the template, escaped there
	}})
	if _, err := page.ParseFS(files, "page.html"); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	var script []byte
	r.EachTable(func(_ string, t Table) {
		if script == nil && t.ordered() {
			script, err = files.ReadFile("page.js")
		}
	})
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	var buffer bytes.Buffer
	if err := page.Execute(&buffer, struct {
		Report
		Policy string
		Style  template.CSS
		Script template.JS
	}{r, policy(style, script), template.CSS(style), template.JS(script)}); err != nil {
		return fmt.Errorf("write report %q: %w", r.Title, err)
	}
	if _, err := buffer.WriteTo(w); err != nil {
		return fmt.Errorf("write report %q: %w", r.Title, err)
	}
	return nil
}

// policy keeps the browser to the style and the script of the page, if it has one: nothing else runs, and nothing is
// loaded or sent, whatever the data of the page might bring in. It holds for a file, too.
func policy(style, script []byte) string {
	text := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hashed(style)
	if script != nil {
		text += "; script-src " + hashed(script)
	}
	return text
}

// hashed names the text of an element, which begins with a line break in the template, as Content Security Policy does.
func hashed(text []byte) string {
	sum := sha256.Sum256(append([]byte("\n"), text...))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// EachTable calls do with all tables, and the titles of their sections.
func (r Report) EachTable(do func(section string, t Table)) {
	var walk func(section string, blocks []Block)
	walk = func(section string, blocks []Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case Table:
				do(section, b)
			case SideBySide:
				walk(section, b)
			case Folded:
				walk(section, b.Blocks)
			}
		}
	}
	for _, s := range r.Sections {
		walk(s.Title, s.Blocks)
	}
}
