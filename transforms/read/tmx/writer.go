package tmx

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"sentweave/schemas/language"
)

// Writer writes a memory in TMX 1.4, in UTF-8. It is not safe for concurrent use.
type Writer struct {
	to       *bufio.Writer
	header   Header
	replaced int64
	tags     map[string]string // of codes
}

// NewWriter writes the header of a memory. A source language that is empty stands for
// allLanguages; each unit tells its own.
func NewWriter(output io.Writer, header Header) (*Writer, error) {
	if header.CreationTool == "" || header.CreationToolVersion == "" {
		return nil, errors.New("write TMX: name the creation tool and its version: the standard wants them")
	}
	if header.SourceLanguage == "" {
		header.SourceLanguage = allLanguages
	}
	w := &Writer{to: bufio.NewWriterSize(output, 64<<10), header: header, tags: map[string]string{}}
	w.raw(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<tmx version="1.4">` + "\n  <header")
	w.attribute("creationtool", header.CreationTool)
	w.attribute("creationtoolversion", header.CreationToolVersion)
	w.raw(` segtype="block" o-tmf="sentweave" adminlang="en"`)
	w.attribute("srclang", header.SourceLanguage)
	return w, w.raw(" datatype=\"plaintext\"/>\n  <body>\n")
}

// Write writes a unit: its ID, Source and CreationTool where it has them, its properties,
// and its variants by their Language and Text. Ordinal, Changed and Tag are the reader's.
func (w *Writer) Write(u Unit) error {
	if u.Reason != "" || len(u.Variants) == 0 {
		return fmt.Errorf("write TMX: unit %q has no text: %q", u.ID, u.Reason)
	}
	w.raw("    <tu")
	if u.ID != "" {
		w.attribute("tuid", u.ID)
	}
	if u.CreationTool != "" {
		w.attribute("creationtool", u.CreationTool)
	}
	if u.CreationToolVersion != "" {
		w.attribute("creationtoolversion", u.CreationToolVersion)
	}
	if u.Source != "" {
		tag, err := w.tag(u.Source)
		if err != nil {
			return err
		}
		w.attribute("srclang", tag)
	}
	w.raw(">\n")
	for _, p := range u.Properties {
		w.raw("      <prop")
		w.attribute("type", p.Type)
		w.raw(">")
		w.escape(p.Text, false)
		w.raw("</prop>\n")
	}
	for _, v := range u.Variants {
		tag, err := w.tag(v.Language)
		if err != nil {
			return err
		}
		w.raw("      <tuv")
		w.attribute("xml:lang", tag)
		w.raw("><seg>")
		w.escape(v.Text, false)
		w.raw("</seg></tuv>\n")
	}
	return w.raw("    </tu>\n")
}

// Close ends the memory. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.raw("  </body>\n</tmx>\n")
	return w.to.Flush()
}

// Replaced returns how many characters and bytes were replaced: characters that XML
// 1.0 forbids by spaces, and bytes that are not UTF-8 by U+FFFD.
func (w *Writer) Replaced() int64 { return w.replaced }

func (w *Writer) tag(code string) (string, error) {
	if tag, ok := w.tags[code]; ok {
		return tag, nil
	}
	tag, err := language.BCP47(code)
	if err != nil {
		return "", fmt.Errorf("write TMX: %w", err)
	}
	w.tags[code] = tag
	return tag, nil
}

// raw writes what is XML. An error of the buffer stays, and is that of Close.
func (w *Writer) raw(text string) error {
	_, err := w.to.WriteString(text)
	return err
}

func (w *Writer) attribute(name, value string) {
	w.raw(" " + name + `="`)
	w.escape(value, true)
	w.raw(`"`)
}

// escape writes text. In attributes XML reads white space as spaces, and everywhere
// line ends as line feeds, unless they are written by number.
func (w *Writer) escape(text string, attribute bool) {
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		size, instead := 1, ""
		switch {
		case c == '&':
			instead = "&amp;"
		case c == '<':
			instead = "&lt;"
		case c == '>':
			instead = "&gt;"
		case c == '"' && attribute:
			instead = "&quot;"
		case c == '\r':
			instead = "&#13;"
		case c == '\n' && attribute:
			instead = "&#10;"
		case c == '\t' && attribute:
			instead = "&#9;"
		case c < 0x20 && c != '\n' && c != '\t':
			instead = " "
			w.replaced++
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
				instead = "\ufffd"
				w.replaced++
			} else if forbidden(r) {
				instead = " "
				w.replaced++
			}
		}
		if instead != "" {
			w.raw(text[start:i])
			w.raw(instead)
			start = i + size
		}
		i += size
	}
	w.raw(text[start:])
}
