package text

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// deepest is the nesting at which a JSON value is refused, that of encoding/json.
const deepest = 10_000

// The fields that are extracted, as indexes and bits of sets.
const (
	textField = iota
	idField
	urlField
	dateField
	languageField
	fieldCount
)

// valueKind is the kind of a JSON value.
type valueKind uint8

const (
	absent valueKind = iota
	stringValue
	numberValue
	otherValue
)

// extractor checks the syntax of a JSON value (RFC 8259) and picks fields out of it in
// one pass. It allocates nothing but the strings of the fields.
type extractor struct {
	paths  [fieldCount][]step
	line   []byte
	at     int
	deep   bool // too deep
	kind   [fieldCount]valueKind
	start  [fieldCount]int // of the value in line, inside the quotes of a string
	end    [fieldCount]int
	buffer []byte
}

// step is a name in a path; index is its value as the number of an element, or -1.
type step struct {
	name  string
	index int
}

func (e *extractor) compile(f Fields) {
	for i, path := range [fieldCount]string{f.Text, f.ID, f.URL, f.Date, f.Language} {
		if path == "" {
			continue
		}
		for name := range strings.SplitSeq(path, ".") {
			index, err := strconv.Atoi(name)
			if err != nil || strconv.Itoa(index) != name {
				index = -1
			}
			e.paths[i] = append(e.paths[i], step{name, index})
		}
	}
}

// extract fills in a record from a line.
func (e *extractor) extract(l []byte, record *Record) {
	e.line, e.at, e.deep = l, 0, false
	e.kind = [fieldCount]valueKind{}
	active := uint8(0)
	for i, path := range e.paths {
		if len(path) > 0 {
			active |= 1 << i
		}
	}
	e.spaces()
	ok := e.value(0, active)
	e.spaces()
	switch {
	case !ok || e.at < len(l):
		record.Reason, record.Detail = JSONSyntax, fmt.Sprintf("at byte %d of the line", e.at)
		if e.deep {
			record.Reason, record.Detail = TooDeep, fmt.Sprintf("more than %d objects and lists in each other", deepest)
		}
		if bytes.IndexByte(l, 0) >= 0 {
			record.Reason, record.Detail = Binary, nulBytes
		}
		return
	case e.kind[textField] == absent:
		record.Reason = FieldMissing
	case e.kind[textField] != stringValue:
		record.Reason = FieldNotString
	default:
		record.Text = e.field(textField)
		if strings.TrimSpace(record.Text) == "" {
			record.Reason = Empty
		}
	}
	record.ID, record.URL = e.field(idField), e.field(urlField)
	record.Date, record.Language = e.field(dateField), e.field(languageField)
}

// field returns a string or number that was found, or "".
func (e *extractor) field(i int) string {
	raw := e.line[e.start[i]:e.end[i]]
	switch e.kind[i] {
	case stringValue:
		return string(e.unescape(raw))
	case numberValue:
		return string(raw)
	}
	return ""
}

func (e *extractor) spaces() {
	for e.at < len(e.line) {
		switch e.line[e.at] {
		case ' ', '\t', '\r', '\n':
			e.at++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (e *extractor) peek() byte {
	if e.at < len(e.line) {
		return e.line[e.at]
	}
	return 0
}

// value reads a value at a depth. Active is the set of fields whose paths lead to it.
// It reports whether the syntax is right.
func (e *extractor) value(depth int, active uint8) bool {
	from, kind, ok := e.at, otherValue, false
	switch c := e.peek(); c {
	case '{':
		e.deep = e.deep || depth >= deepest
		ok = !e.deep && e.object(depth, active)
	case '[':
		e.deep = e.deep || depth >= deepest
		ok = !e.deep && e.array(depth, active)
	case '"':
		kind, ok = stringValue, e.string()
	case 't':
		ok = e.literal("true")
	case 'f':
		ok = e.literal("false")
	case 'n':
		ok = e.literal("null")
	default:
		kind, ok = numberValue, e.number()
	}
	if !ok {
		return false
	}
	for i := 0; active != 0; i, active = i+1, active>>1 {
		if active&1 == 0 || len(e.paths[i]) != depth {
			continue
		}
		e.kind[i], e.start[i], e.end[i] = kind, from, e.at
		if kind == stringValue {
			e.start[i]++
			e.end[i]--
		}
	}
	return true
}

func (e *extractor) object(depth int, active uint8) bool {
	e.at++
	e.spaces()
	if e.peek() == '}' {
		e.at++
		return true
	}
	for {
		from := e.at
		if e.peek() != '"' || !e.string() {
			return false
		}
		matching := uint8(0)
		if active != 0 {
			matching = e.matching(depth, active, e.line[from+1:e.at-1], -1)
		}
		e.spaces()
		if e.peek() != ':' {
			return false
		}
		e.at++
		e.spaces()
		if !e.value(depth+1, matching) {
			return false
		}
		e.spaces()
		switch e.peek() {
		case ',':
			e.at++
			e.spaces()
		case '}':
			e.at++
			return true
		default:
			return false
		}
	}
}

func (e *extractor) array(depth int, active uint8) bool {
	e.at++
	e.spaces()
	if e.peek() == ']' {
		e.at++
		return true
	}
	for i := 0; ; i++ {
		matching := uint8(0)
		if active != 0 {
			matching = e.matching(depth, active, nil, i)
		}
		if !e.value(depth+1, matching) {
			return false
		}
		e.spaces()
		switch e.peek() {
		case ',':
			e.at++
			e.spaces()
		case ']':
			e.at++
			return true
		default:
			return false
		}
	}
}

// matching returns the fields among active whose path goes on with a name, or with an
// index from 0. What an earlier equal name led to is forgotten.
func (e *extractor) matching(depth int, active uint8, raw []byte, index int) uint8 {
	name := raw
	if index < 0 {
		name = e.unescape(raw)
	}
	set := uint8(0)
	for i := range e.paths {
		if active&(1<<i) == 0 || len(e.paths[i]) <= depth {
			continue
		}
		s := e.paths[i][depth]
		if index < 0 && string(name) == s.name || index >= 0 && index == s.index {
			set |= 1 << i
			e.kind[i] = absent
		}
	}
	return set
}

func (e *extractor) literal(word string) bool {
	if len(e.line)-e.at < len(word) || string(e.line[e.at:e.at+len(word)]) != word {
		return false
	}
	e.at += len(word)
	return true
}

// string moves past a string that starts at the next byte.
func (e *extractor) string() bool {
	for i := e.at + 1; i < len(e.line); i++ {
		switch c := e.line[i]; {
		case c == '"':
			e.at = i + 1
			return true
		case c < ' ':
			e.at = i
			return false
		case c == '\\':
			i++
			if i == len(e.line) {
				e.at = i
				return false
			}
			switch e.line[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if hex(e.line[i+1:]) < 0 {
					e.at = i
					return false
				}
				i += 4
			default:
				e.at = i
				return false
			}
		}
	}
	e.at = len(e.line)
	return false
}

func (e *extractor) number() bool {
	if e.peek() == '-' {
		e.at++
	}
	if e.peek() == '0' {
		e.at++
	} else if !e.digits() {
		return false
	}
	if e.peek() == '.' {
		e.at++
		if !e.digits() {
			return false
		}
	}
	if c := e.peek(); c == 'e' || c == 'E' {
		e.at++
		if c := e.peek(); c == '+' || c == '-' {
			e.at++
		}
		return e.digits()
	}
	return true
}

func (e *extractor) digits() bool {
	from := e.at
	for c := e.peek(); '0' <= c && c <= '9'; c = e.peek() {
		e.at++
	}
	return e.at > from
}
