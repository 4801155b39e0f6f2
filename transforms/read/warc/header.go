package warc

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// Header holds the named fields of a record, or of an HTTP response, in their order.
type Header struct {
	lines  []byte
	fields []field
}

// field is where name and value of a field are in the lines.
type field struct{ name, value place }

type place struct{ from, to int }

// Get returns the value of the first field of that name, "" if there is none. Names
// differ in case without meaning.
func (h Header) Get(name string) string { return string(h.get(name)) }

func (h Header) get(name string) []byte {
	for _, f := range h.fields {
		if f.name.to-f.name.from == len(name) && equalFold(h.lines[f.name.from:f.name.to], name) {
			return h.lines[f.value.from:f.value.to]
		}
	}
	return nil
}

// all returns the values of all fields of that name, joined by commas, as one line may have them.
func (h Header) all(name string) string { return strings.Join(h.values(name), ", ") }

// values returns the values of all fields of that name.
func (h Header) values(name string) (values []string) {
	for _, f := range h.fields {
		if f.name.to-f.name.from == len(name) && equalFold(h.lines[f.name.from:f.name.to], name) {
			values = append(values, string(h.lines[f.value.from:f.value.to]))
		}
	}
	return values
}

// equalFold compares ASCII without case; both have the same length.
func equalFold(a []byte, b string) bool {
	for i, c := range a {
		d := b[i]
		if c != d && (c|0x20 != d|0x20 || c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// parse reads the lines of a header after its first. Lines without a colon are passed
// over, as browsers do. A line that begins with white space goes on with the value
// before it; the line end between them is overwritten.
func (h *Header) parse(lines []byte) {
	h.lines, h.fields = lines, h.fields[:0]
	for start := 0; start < len(lines); {
		end := len(lines)
		if i := bytes.IndexByte(lines[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		trimmed := h.trim(place{start, end})
		if n := len(h.fields); n > 0 && (lines[start] == ' ' || lines[start] == '\t') {
			h.fold(&h.fields[n-1].value, trimmed)
		} else if i := bytes.IndexByte(lines[start:end], ':'); i > 0 {
			h.fields = append(h.fields, field{h.trim(place{start, start + i}), h.trim(place{start + i + 1, end})})
		}
		start = end
	}
}

// fold adds a line to a value that comes before it.
func (h *Header) fold(value *place, line place) {
	if line.from == line.to {
		return
	}
	if value.from == value.to {
		*value = line
		return
	}
	for i := value.to; i < line.from; i++ {
		h.lines[i] = ' '
	}
	value.to = line.to
}

// trim moves the ends of a place past white space.
func (h *Header) trim(p place) place {
	for p.from < p.to && isSpace(h.lines[p.from]) {
		p.from++
	}
	for p.from < p.to && isSpace(h.lines[p.to-1]) {
		p.to--
	}
	return p
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// headerEnd returns the length of a header with the blank line that ends it, and
// that of its first line; false if it has no end in b.
func headerEnd(b []byte) (first, end int, ok bool) {
	for start := 0; ; {
		i := bytes.IndexByte(b[start:], '\n')
		if i < 0 {
			return first, 0, false
		}
		line := b[start : start+i]
		start += i + 1
		if first == 0 {
			first = start
		} else if len(line) == 0 || len(line) == 1 && line[0] == '\r' {
			return first, start, true
		}
	}
}

// TargetURI returns the address of the page, without the angle brackets that some
// programs put around it, with spaces as %20, and as valid UTF-8.
func (r Record) TargetURI() string {
	uri := bytes.TrimSpace(r.Header.get("WARC-Target-URI"))
	if len(uri) >= 2 && uri[0] == '<' && uri[len(uri)-1] == '>' {
		uri = bytes.TrimSpace(uri[1 : len(uri)-1])
	}
	s := string(uri)
	if strings.IndexByte(s, ' ') >= 0 {
		s = strings.ReplaceAll(s, " ", "%20")
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	return s
}

// dates are the forms of WARC-Date: that of version 1.0, the shorter ones that 1.1
// adds, and that of ARC, which is in converted files. Fractions of a second are
// taken by all.
var dates = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15Z07:00", "2006-01-02", "2006-01", "2006", "20060102150405"}

// Date returns the time of capture in milliseconds since 1970, 0 if it is unknown.
func (r Record) Date() int64 {
	date := r.Header.Get("WARC-Date")
	for _, layout := range dates {
		if t, err := time.Parse(layout, date); err == nil {
			return t.UnixMilli()
		}
	}
	return 0
}

// Languages returns the languages that Common Crawl identified in the text of a WET
// record, as ISO 639-3: the compact language detector's opinion, best first, and
// without scores.
func (r Record) Languages() []string {
	return strings.FieldsFunc(r.Header.Get("WARC-Identified-Content-Language"), func(c rune) bool { return c == ',' || c == ' ' })
}
