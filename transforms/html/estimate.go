package html

import (
	"bytes"

	"github.com/zeebo/xxh3"
	"golang.org/x/net/html/atom"
)

// repairNodes is charged for a misnested formatting element: the adoption agency
// algorithm copies elements up to eight times.
const repairNodes = 16

// attributeBytes is the length of a short attribute. Looking at one costs no more than
// a node.
const attributeBytes = 8

// estimateNodes scans a page and estimates the nodes of its tree; it stops beyond
// limit. The parser itself has no limit, and bad markup makes it multiply elements:
// each formatting element (b, font, i …) that is still open when its paragraph or cell
// ends is created anew in the next one (HTML standard, 13.2.4.3, "reconstruct the
// active formatting elements"), so that 500 open elements and 100,000 tags make 50
// million nodes. The estimate follows the list of active formatting elements in
// simplified form: on pages from the wild it is equal to or somewhat above the true
// number. It allocates next to nothing and costs a few percent of the parser's time.
func estimateNodes(text []byte, limit int) int {
	e := estimator{paragraph: -1}
	s := scanner{text: text}
	for e.nodes <= limit {
		if s.next() {
			e.content() // the text before the tag
		}
		switch s.token {
		case endOfText:
			return e.nodes
		case startTag:
			e.start(s.name, s.attributes)
			// In svg and math the parser does not treat scripts and the like as raw text.
			if e.foreign == 0 && s.skipRawText() {
				e.nodes++
			}
		case endTag:
			e.end(s.name)
		case comment:
			e.nodes++
		}
	}
	return e.nodes
}

// estimator follows what matters of the parser's state.
type estimator struct {
	nodes   int
	open    int // start tags less end tags of other elements
	foreign int // open svg and math elements
	tables  int // open tables
	merged  int // bytes of attributes of html and body tags
	list    []formatting
	// lost is the index in list from which elements may have been closed by the end of
	// something around them, so that the parser creates them anew before the next content.
	lost int
	// paragraph is the index in list from which elements are inside the open p, or -1.
	paragraph int
}

// formatting is an entry of the list of active formatting elements: an element, or,
// with marker set, the start of a table or a cell.
type formatting struct {
	name   atom.Atom
	marker bool
	open   int    // value of estimator.open when it was added
	hash   uint64 // of the attributes
}

// content counts a text or an element, before which the parser reconstructs.
func (e *estimator) content() {
	e.nodes++
	for ; e.lost < len(e.list); e.lost++ {
		if !e.list[e.lost].marker {
			e.nodes++
		}
	}
}

func (e *estimator) start(name atom.Atom, attributes []byte) {
	switch name {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr,
		atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		e.content()
		e.format(name, attributes)
		return
	case atom.Area, atom.Base, atom.Br, atom.Embed, atom.Img, atom.Input, atom.Link,
		atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		e.content()
		return
	case atom.Svg, atom.Math:
		e.content()
		if !bytes.HasSuffix(attributes, []byte("/")) {
			e.foreign++
		}
		return
	}
	e.nodes++
	if e.foreign > 0 && bytes.HasSuffix(attributes, []byte("/")) {
		return // only there a slash closes an element
	}
	e.open++
	switch name {
	case atom.Html, atom.Body:
		// The parser merges the attributes of further tags, each time going through all
		// that it has: 90,000 tags took it minutes.
		e.nodes += e.merged / attributeBytes
		e.merged += len(attributes)
	case atom.Table:
		e.endParagraph()
		e.tables++
		e.list = append(e.list, formatting{name: name, marker: true})
	case atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot:
		e.clearCell()
		e.lost = 0
	case atom.Td, atom.Th, atom.Caption:
		e.clearCell()
		if e.tables > 0 && e.foreign == 0 {
			e.list = append(e.list, formatting{name: atom.Td, marker: true})
		}
		e.lost = 0
	case atom.P:
		e.endParagraph()
		e.paragraph = e.lost // what is created anew will be inside
	case atom.Li, atom.Dt, atom.Dd, atom.Option, atom.Optgroup, atom.Button, atom.Select:
		e.lost = 0 // may end an open one
		e.endParagraph()
	default:
		e.endParagraph()
	}
}

func (e *estimator) end(name atom.Atom) {
	switch name {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr,
		atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		e.unformat(name)
		return
	case atom.Svg, atom.Math:
		e.foreign = max(0, e.foreign-1)
		return
	case atom.Td, atom.Th, atom.Caption, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot:
		e.clearCell()
	case atom.Table:
		e.endTable()
		e.paragraph = 0 // one from before the table may still be open
	case atom.P:
		if e.paragraph < 0 {
			e.nodes++ // alone, it makes an element
		}
		e.endParagraph()
	case atom.Br:
		e.nodes++
		return
	}
	e.open--
	e.lost = 0
}

// endParagraph ends the open p, if there is one, as block elements do. (Inline
// elements do not, but to take them for blocks errs on the safe side.)
func (e *estimator) endParagraph() {
	if e.paragraph >= 0 {
		e.lost = min(e.lost, e.paragraph)
		e.paragraph = -1
	}
}

// format adds a formatting element. At most three equal ones are kept (the
// standard's "Noah's Ark clause"), and one a.
func (e *estimator) format(name atom.Atom, attributes []byte) {
	if name == atom.A || name == atom.Nobr {
		e.unformat(name)
	}
	var hash uint64
	if name != atom.A {
		hash = xxh3.Hash(attributes)
	}
	same, last := 0, -1
	for i := len(e.list) - 1; i >= 0 && !e.list[i].marker; i-- {
		if e.list[i].name == name && e.list[i].hash == hash {
			same, last = same+1, i
		}
	}
	if same >= 3 {
		e.remove(last)
	}
	if e.lost == len(e.list) {
		e.lost++
	}
	e.list = append(e.list, formatting{name: name, open: e.open, hash: hash})
}

// unformat removes the last formatting element of that name since the last marker.
func (e *estimator) unformat(name atom.Atom) {
	for i := len(e.list) - 1; i >= 0 && !e.list[i].marker; i-- {
		if e.list[i].name == name {
			if e.list[i].open != e.open {
				e.nodes += repairNodes
				e.lost = 0
			}
			e.remove(i)
			return
		}
	}
}

func (e *estimator) remove(i int) {
	e.list = append(e.list[:i], e.list[i+1:]...)
	if e.lost > i {
		e.lost--
	}
}

// clearCell removes the formatting elements of the current cell, if there is one.
func (e *estimator) clearCell() {
	for i := len(e.list) - 1; i >= 0; i-- {
		if e.list[i].marker {
			if e.list[i].name == atom.Td {
				e.truncate(i)
			}
			return
		}
	}
}

// endTable removes the formatting elements of the cells of the current table.
func (e *estimator) endTable() {
	for i := len(e.list) - 1; i >= 0; i-- {
		if e.list[i].marker && e.list[i].name == atom.Table {
			e.tables--
			e.truncate(i)
			return
		}
	}
}

func (e *estimator) truncate(i int) {
	e.list = e.list[:i]
	e.lost = min(e.lost, i)
	if e.paragraph > i {
		e.paragraph = i
	}
}
