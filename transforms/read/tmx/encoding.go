package tmx

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"regexp"
	"strings"

	whatwg "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"sentweave/transforms/read/charset"
)

// sniffed is how much of a file is searched for the declaration of its encoding.
const sniffed = 1024

// window is how much of a memory is looked at for UTF-8 that declares another encoding.
const window = 1 << 20

// lookup returns the encoding of the memory at the head of a stream with its name: the one that it declares, or UTF-8 where
// its first mebibyte reads as that; nil for a label that is not known.
func lookup(raw *bufio.Reader, label string) (encoding.Encoding, string) {
	e, name := whatwg.Lookup(label)
	if e == nil || e == encoding.Replacement {
		return nil, ""
	}
	memory, _ := raw.Peek(window) // what is wrong will be wrong again
	if end := nextMemory.FindIndex(memory); end != nil {
		memory = memory[:end[0]]
	}
	// A declaration that was read byte by byte is not in a memory of UTF-16.
	if strings.HasPrefix(name, "utf-16") || name != "utf-8" && charset.Lookup(label).ReadsAsUTF8(memory) {
		return whatwg.Lookup("utf-8")
	}
	return e, name
}

// decoded returns the stream as UTF-8 without a byte order mark. The order of
// evidence is that of XML 1.0, appendix F: byte order mark, zeros of UTF-16, then
// what is declared, unless the bytes are UTF-8. A declaration of an encoding that is not known is returned.
func decoded(input io.Reader) (stream io.Reader, utf8 bool, unknown string) {
	buffered := bufio.NewReaderSize(input, window)
	head, _ := buffered.Peek(sniffed) // what is wrong will be wrong again
	for _, m := range []struct{ prefix, name string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe\x00\x00", "utf-32"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
		{"<\x00", "utf-16le"}, {"\x00<", "utf-16be"}, {"\x00\x00", "utf-32"},
	} {
		if !bytes.HasPrefix(head, []byte(m.prefix)) {
			continue
		}
		e, name := whatwg.Lookup(m.name)
		if e == nil {
			return nil, false, m.name
		}
		if m.prefix[0] >= 0x80 {
			_, _ = buffered.Discard(len(m.prefix))
		}
		return transcoded(buffered, e, name), name == "utf-8", ""
	}
	label := declared(head)
	if label == "" {
		return &joined{raw: buffered, memory: &memoryReader{raw: buffered}, utf8: true}, true, ""
	}
	e, name := lookup(buffered, label)
	if e == nil {
		return nil, false, label
	}
	utf8 = name == "utf-8"
	return &joined{raw: buffered, memory: transcoded(&memoryReader{raw: buffered}, e, name), utf8: utf8}, utf8, ""
}

// joined reads memories that stand one behind another in a stream, each in the encoding that it declares, as UTF-8.
type joined struct {
	raw    *bufio.Reader
	memory io.Reader
	// utf8 says that what is not UTF-8 is handed on as it is: so the first memory is read.
	utf8 bool
}

// Read implements io.Reader. A memory without a declaration that is known is in UTF-8, as XML has it.
func (j *joined) Read(p []byte) (int, error) {
	for {
		n, err := j.memory.Read(p)
		if n > 0 || err != io.EOF {
			return n, err
		}
		head, err := j.raw.Peek(sniffed)
		if len(head) == 0 {
			return 0, err
		}
		next := &memoryReader{raw: j.raw}
		e, name := lookup(j.raw, cmp.Or(declared(head), "utf-8"))
		if e == nil {
			e, name = whatwg.Lookup("utf-8")
		}
		if j.memory = next; name != "utf-8" || !j.utf8 {
			j.memory = e.NewDecoder().Reader(next)
		}
	}
}

// nextMemory is the end of a memory and the declaration of the next one.
var nextMemory = regexp.MustCompile(`</tmx>[ \t\r\n]*(<\?xml[ \t\r\n])`)

// longestGap is how many bytes may stand between two memories.
const longestGap = 4096

// memoryReader reads the bytes of one memory: up to the declaration of the next one.
type memoryReader struct {
	raw  *bufio.Reader
	left int  // bytes that are the memory's own for certain
	last bool // the next memory begins behind them
}

// Read implements io.Reader.
func (m *memoryReader) Read(p []byte) (int, error) {
	if m.left == 0 {
		window, err := m.raw.Peek(m.raw.Size())
		switch found := nextMemory.FindSubmatchIndex(window); {
		case m.last:
			return 0, io.EOF
		case len(window) == 0:
			return 0, err
		case found != nil:
			m.left, m.last = found[2], true
		case err == nil:
			m.left = len(window) - longestGap // the rest may hold the beginning of what is looked for
		default:
			m.left = len(window)
		}
	}
	n, err := m.raw.Read(p[:min(m.left, len(p))])
	m.left -= n
	return n, err
}

// transcoded hands UTF-8 on as it is.
func transcoded(input io.Reader, e encoding.Encoding, name string) io.Reader {
	if name == "utf-8" {
		return input
	}
	return e.NewDecoder().Reader(input)
}

// declared returns the encoding in an XML declaration, or "".
func declared(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	declaration, _, _ := bytes.Cut(head[len("<?xml"):], []byte("?>"))
	for declaration = bytes.TrimLeft(declaration, spaces); len(declaration) > 0; {
		name, value, rest, ok := attribute(declaration)
		if !ok {
			return ""
		}
		if string(name) == "encoding" {
			return string(value)
		}
		declaration = rest
	}
	return ""
}
