package tmx

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxSample is how much of a text a unit keeps that could not be read.
const maxSample = 500

// elements is the state of a unit that is being read. It is used again for the next.
type elements struct {
	open []string // the names of the elements that have begun
	seg  bool     // a segment is open
	prop bool     // a property of the unit is open
	// codes counts the open elements that hold native codes.
	codes int
	text  []byte // of the open segment or property
	texts int    // bytes of the texts before
}

// unit reads the unit that begins with a token.
func (r *Reader) unit(start token) (Unit, error) {
	u := Unit{Ordinal: r.units, CreationTool: r.header.CreationTool, CreationToolVersion: r.header.CreationToolVersion}
	r.units++
	source, tool, version := r.header.SourceLanguage, "", ""
	err := r.scanner.entities.attributes(start.attributes, func(name, value string) {
		switch name {
		case "tuid":
			u.ID = value
		case "srclang":
			source = value
		case "creationtool":
			tool = value
		case "creationtoolversion":
			version = value
		case "changedate", "changeid":
			u.Changed = true
		}
	})
	if err != nil {
		u.Reason, u.Detail = Malformed, err.Error()
	}
	if start.kind == faultToken {
		u.Reason, u.Detail = start.reason(), string(start.text)
	}
	if tool != "" || version != "" {
		u.CreationTool, u.CreationToolVersion = cmp.Or(tool, u.CreationTool), version
	}
	if source != allLanguages {
		u.Source = r.code(source)
	}
	e := &r.elements
	e.open, e.seg, e.prop, e.codes, e.text, e.texts = append(e.open[:0], "tu"), false, false, 0, e.text[:0], 0
	if start.empty {
		e.open = e.open[:0]
	}
	for position := r.scanner.position; len(e.open) > 0; {
		t, err := r.scanner.next()
		if errors.Is(err, io.EOF) {
			u.Reason, u.Detail = Truncated, "the file ends within the unit"
			r.ended = true
			break
		}
		if err != nil {
			return Unit{}, err
		}
		if u.Reason == "" {
			if u.Reason, u.Detail = r.element(&u, t); u.Reason == "" && r.scanner.position-position > int64(r.config.MaxUnit) {
				u.Reason, u.Detail = TooLarge, fmt.Sprintf("more than %d bytes", r.config.MaxUnit)
				if len(e.open) == 0 {
					break
				}
			}
		}
		if u.Reason != "" && r.past(t) {
			break
		}
	}
	r.finish(&u)
	return u, nil
}

// begins says whether an element begins, be it with a faulty tag.
func (t token) begins(name string) bool {
	return (t.kind == startToken || t.kind == faultToken) && string(t.name) == name
}

// reason is why a unit with the fault is of no use.
func (t token) reason() string {
	if t.large {
		return TooLarge
	}
	return Malformed
}

// past says whether a token shows that a unit which could not be read is over.
func (r *Reader) past(t token) bool {
	name := string(t.name)
	if t.begins("tu") {
		r.pending = &t
		return true
	}
	if t.kind == endToken && (name == "body" || name == "tmx") {
		r.pending = &t
		return true
	}
	return t.kind == endToken && name == "tu"
}

// element reads a token of a unit, and returns what is wrong with it.
func (r *Reader) element(u *Unit, t token) (reason, detail string) {
	e := &r.elements
	switch t.kind {
	case faultToken:
		return t.reason(), string(t.text)
	case textToken, rawToken:
		if !e.seg && !e.prop || e.codes > 0 && !r.config.Codes {
			return "", ""
		}
		var err error
		if e.text, err = r.scanner.entities.appendText(e.text, t.text, t.kind == textToken); err != nil {
			return Malformed, err.Error()
		}
		if e.texts+len(e.text) > r.config.MaxUnit { // as entities may stand for more than their names
			return TooLarge, fmt.Sprintf("texts of more than %d bytes", r.config.MaxUnit)
		}
	case startToken:
		if err := r.start(u, t); err != nil {
			return Malformed, err.Error()
		}
		if len(e.open) > r.config.MaxDepth {
			return TooDeep, fmt.Sprintf("more than %d elements", r.config.MaxDepth)
		}
		if t.empty {
			e.end(u)
		}
	case endToken:
		if last := e.open[len(e.open)-1]; last != string(t.name) {
			return Malformed, fmt.Sprintf("%s begins and %.20s ends", last, t.name)
		}
		e.end(u)
	}
	return "", ""
}

// start begins an element.
func (r *Reader) start(u *Unit, t token) error {
	e := &r.elements
	parent, name := e.open[len(e.open)-1], standardName(t.name)
	e.open = append(e.open, name)
	switch {
	case name == "tu":
		return fmt.Errorf("a unit begins within the unit")
	case e.seg && isCode(name):
		e.codes++
		return r.space(t)
	case name == "tuv" && len(e.open) == 2:
		v := Variant{Reason: NoSegment}
		err := r.scanner.entities.attributes(t.attributes, func(name, value string) {
			if name == "xml:lang" || name == "lang" && v.Tag == "" {
				v.Tag = strings.Trim(value, spaces) // an NMTOKEN, as the document type has it
			}
			u.Changed = u.Changed || name == "changedate" || name == "changeid"
		})
		v.Language = r.code(v.Tag)
		u.Variants = append(u.Variants, v)
		return err
	case name == "seg" && parent == "tuv" && len(e.open) == 3:
		e.seg, e.text = true, e.text[:0]
	case name == "prop" && len(e.open) == 2:
		e.prop, e.text = true, e.text[:0]
		var p Property
		err := r.scanner.entities.attributes(t.attributes, func(name, value string) {
			if name == "type" {
				p.Type = value
			}
		})
		u.Properties = append(u.Properties, p)
		return err
	}
	return nil
}

// space stands for a native code that breaks a line, a page or a column.
func (r *Reader) space(t token) error {
	e := &r.elements
	return r.scanner.entities.attributes(t.attributes, func(name, value string) {
		if name == "type" && (value == "lb" || value == "pb" || value == "cb") && e.codes == 1 {
			e.text = append(e.text, ' ')
		}
	})
}

// end ends the last element.
func (e *elements) end(u *Unit) {
	name := e.open[len(e.open)-1]
	e.open = e.open[:len(e.open)-1]
	if (e.seg || e.prop) && (name == "seg" || name == "prop") {
		e.texts += len(e.text)
	}
	switch {
	case e.seg && isCode(name):
		e.codes--
	case e.seg && name == "seg" && len(e.open) == 2:
		e.seg = false
		v := &u.Variants[len(u.Variants)-1]
		if v.Reason != NoSegment { // a further segment
			u.Variants = append(u.Variants, Variant{Tag: v.Tag, Language: v.Language})
			v = &u.Variants[len(u.Variants)-1]
		}
		v.Text, v.Reason = string(e.text), ""
	case e.prop && name == "prop" && len(e.open) == 1:
		e.prop = false
		u.Properties[len(u.Properties)-1].Text = strings.ToValidUTF8(string(e.text), "\ufffd")
	}
}

// finish judges a unit that was read.
func (r *Reader) finish(u *Unit) {
	if u.Reason == "" && len(u.Variants) == 0 {
		u.Reason = NoVariant
	}
	for i := range u.Variants {
		v := &u.Variants[i]
		if u.Reason == "" && (!utf8.ValidString(v.Text) || !r.utf8 && strings.ContainsRune(v.Text, utf8.RuneError)) {
			u.Reason, u.Detail = InvalidEncoding, "in "+v.Tag
		}
		switch {
		case v.Reason != "":
		case v.Tag == "":
			v.Reason = NoLanguage
		case v.Language == "":
			v.Reason = UnknownLanguage
		}
	}
	if u.Reason == "" {
		return
	}
	for _, v := range u.Variants {
		if len(u.Sample) >= maxSample {
			break
		}
		u.Sample += v.Text + "\n"
	}
	u.Sample += string(r.elements.text)
	u.Sample = strings.ToValidUTF8(strings.TrimSpace(u.Sample[:min(len(u.Sample), maxSample)]), "\ufffd")
	u.Variants, u.Properties = nil, nil
}

// isCode says whether an element holds codes of the native format.
func isCode(name string) bool {
	switch name {
	case "bpt", "ept", "it", "ph", "ut":
		return true
	}
	return false
}

// standardName returns a name without an allocation if it is of the standard.
func standardName(name []byte) string {
	switch string(name) {
	case "tu":
		return "tu"
	case "tuv":
		return "tuv"
	case "seg":
		return "seg"
	case "prop":
		return "prop"
	case "note":
		return "note"
	case "bpt":
		return "bpt"
	case "ept":
		return "ept"
	case "it":
		return "it"
	case "ph":
		return "ph"
	case "ut":
		return "ut"
	case "hi":
		return "hi"
	case "sub":
		return "sub"
	}
	return string(name)
}

func trimSpaces(text []byte) []byte { return bytes.Trim(text, spaces) }
