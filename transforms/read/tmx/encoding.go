package tmx

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// sniffed is how much of a file is searched for the declaration of its encoding.
const sniffed = 1024

// decoded returns the stream as UTF-8 without a byte order mark. The order of
// evidence is that of XML 1.0, appendix F: byte order mark, zeros of UTF-16, then
// what is declared. A declaration of an encoding that is not known is returned.
func decoded(input io.Reader) (stream io.Reader, utf8 bool, unknown string) {
	buffered := bufio.NewReaderSize(input, 64<<10)
	head, _ := buffered.Peek(sniffed) // what is wrong will be wrong again
	for _, m := range []struct{ prefix, name string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe\x00\x00", "utf-32"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
		{"<\x00", "utf-16le"}, {"\x00<", "utf-16be"}, {"\x00\x00", "utf-32"},
	} {
		if !bytes.HasPrefix(head, []byte(m.prefix)) {
			continue
		}
		e, name := charset.Lookup(m.name)
		if e == nil {
			return nil, false, m.name
		}
		if m.prefix[0] >= 0x80 {
			_, _ = buffered.Discard(len(m.prefix))
		}
		return transcoded(buffered, e, name)
	}
	label := declared(head)
	if label == "" {
		return buffered, true, ""
	}
	e, name := charset.Lookup(label)
	if e == nil || e == encoding.Replacement {
		return nil, false, label
	}
	// A declaration that was read byte by byte does not stand in a file of UTF-16.
	if name == "utf-16le" || name == "utf-16be" {
		return buffered, true, ""
	}
	return transcoded(buffered, e, name)
}

func transcoded(input io.Reader, e encoding.Encoding, name string) (stream io.Reader, utf8 bool, unknown string) {
	if name == "utf-8" {
		return input, true, ""
	}
	return e.NewDecoder().Reader(input), false, ""
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
