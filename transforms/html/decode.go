package html

import (
	"bytes"
	"mime"
	"unicode/utf8"

	"github.com/gogs/chardet"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

const (
	// sniffed is how much of a page is searched for NUL bytes and for a declaration
	// of the encoding (the HTML standard asks for 1024 bytes of the latter).
	sniffed = 1024
	// certainlyUTF8 is the number of valid multi-byte sequences, with no invalid one,
	// from which a page is UTF-8 whatever it declares. A wrong header is the commonest
	// fault of pages; in the other encodings such bytes are valid UTF-8 by chance with
	// a probability below 0.15 each (GBK, the worst).
	certainlyUTF8 = 8
	// detected is how much of a page the detector of encodings sees.
	detected = 64 << 10
	// leastConfidence is how sure, of 100, the detector has to be to outweigh
	// windows-1252, the encoding of most pages that declare none.
	leastConfidence = 10
)

// signatures are the first bytes of formats that are found under the names of pages.
var signatures = []struct{ name, prefix string }{
	{"PNG image", "\x89PNG\r\n"}, {"GIF image", "GIF8"}, {"JPEG image", "\xff\xd8\xff"},
	{"RIFF media", "RIFF"}, {"PDF", "%PDF-"}, {"PostScript", "%!PS-"}, {"ELF program", "\x7fELF"},
	{"Zip archive", "PK\x03\x04"}, {"gzip archive", "\x1f\x8b"}, {"zstd archive", "\x28\xb5\x2f\xfd"},
	{"bzip2 archive", "BZh9"}, {"xz archive", "\xfd7zXZ"}, {"RAR archive", "Rar!\x1a"},
	{"7z archive", "7z\xbc\xaf"}, {"OLE document", "\xd0\xcf\x11\xe0"}, {"MP3 audio", "ID3"},
	{"Ogg media", "OggS"}, {"Flash", "FWS"}, {"Flash", "CWS"}, {"WebAssembly", "\x00asm"},
	{"Java class", "\xca\xfe\xba\xbe"}, {"Parquet", "PAR1"}, {"WOFF font", "wOF"},
}

// binarySignature names the binary format that data begins as, or returns "".
func binarySignature(data []byte) string {
	for _, s := range signatures {
		if len(data) >= len(s.prefix) && string(data[:len(s.prefix)]) == s.prefix {
			return s.name
		}
	}
	return ""
}

// decode returns data as valid UTF-8 without byte order mark, and the encoding it
// was in. Undecodable bytes become U+FFFD. Charset is "" for binary data. The order
// of evidence: byte order mark, valid UTF-8 beyond chance, HTTP header, meta or XML
// declaration, valid UTF-8, detector, windows-1252. A declaration of UTF-8 that most
// of the bytes contradict counts as none.
func decode(data []byte, contentType string) (text []byte, name string) {
	if e, name := markedEncoding(data); e != nil {
		return transcode(data, e, name)
	}
	if bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0 {
		return nil, ""
	}
	valid := utf8.Valid(data)
	sequences := multibyte(data, certainlyUTF8)
	if valid && sequences == certainlyUTF8 {
		return data, "utf-8"
	}
	e, name := declaredEncoding(data, contentType)
	if valid && (e == nil || name == "utf-8" || sequences == 0 && bytes.IndexByte(data, 0x1b) < 0) {
		return data, "utf-8"
	}
	if e == nil || name == "utf-8" && !mostlyUTF8(data) {
		e, name = detectedEncoding(data)
	}
	return transcode(data, e, name)
}

func transcode(data []byte, e encoding.Encoding, name string) ([]byte, string) {
	if name == "utf-8" {
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		if !utf8.Valid(data) {
			data = bytes.ToValidUTF8(data, []byte("\ufffd"))
		}
		return data, name
	}
	text, err := e.NewDecoder().Bytes(data)
	if err != nil {
		// Decoders replace what they cannot decode; the encodings that the HTML
		// standard forbids are the exception. The page's share of U+FFFD rejects it.
		text = []byte("\ufffd")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return bytes.ToValidUTF8(text, []byte("\ufffd")), name
}

// markedEncoding returns the encoding that a byte order mark, or the NUL bytes of a
// first tag in UTF-16, tell.
func markedEncoding(data []byte) (encoding.Encoding, string) {
	for _, m := range []struct{ prefix, name string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
		{"<\x00", "utf-16le"}, {"\x00<", "utf-16be"},
	} {
		if len(data) >= 2 && bytes.HasPrefix(data, []byte(m.prefix)) {
			return charset.Lookup(m.name)
		}
	}
	return nil, ""
}

// declaredEncoding returns the encoding that the HTTP header, a meta element or the
// XML declaration tells, or nil.
func declaredEncoding(data []byte, contentType string) (encoding.Encoding, string) {
	if _, parameters, err := mime.ParseMediaType(contentType); err == nil {
		if e, name := charset.Lookup(parameters["charset"]); e != nil {
			return e, name
		}
	}
	head := data[:min(len(data), sniffed)]
	if label := xmlEncoding(head); label != "" {
		if e, name := charset.Lookup(label); e != nil {
			return unwide(e, name)
		}
	}
	// DetermineEncoding answers windows-1252 both where that is declared and where
	// nothing is. Only a meta element can declare it.
	e, name, _ := charset.DetermineEncoding(head, "")
	if name == "windows-1252" && !declaresCharset(head) || e == encoding.Nop {
		return nil, ""
	}
	return unwide(e, name)
}

// unwide corrects a declaration that cannot be true: one that was read byte by byte
// does not stand in a page of UTF-16.
func unwide(e encoding.Encoding, name string) (encoding.Encoding, string) {
	if name == "utf-16le" || name == "utf-16be" {
		return charset.Lookup("utf-8")
	}
	return e, name
}

// xmlEncoding returns the encoding in an XML declaration, or "".
func xmlEncoding(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	declaration, _, _ := bytes.Cut(head, []byte("?>"))
	_, value, found := bytes.Cut(declaration, []byte("encoding="))
	if !found || len(value) < 2 {
		return ""
	}
	label, _, found := bytes.Cut(value[1:], value[:1])
	if !found {
		return ""
	}
	return string(label)
}

// declaresCharset reports whether a meta element of head names a character set.
func declaresCharset(head []byte) bool {
	z := nethtml.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			return false
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) != "meta" {
				continue
			}
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if string(key) == "charset" || string(key) == "content" && bytes.Contains(bytes.ToLower(value), []byte("charset")) {
					return true
				}
			}
		}
	}
}

// detectedEncoding guesses the encoding from the statistics of the bytes. The
// detector's own order of equal guesses depends on its goroutines: ties go to
// windows-1252, otherwise by name.
func detectedEncoding(data []byte) (encoding.Encoding, string) {
	first := bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
	sample := data[max(0, first-sniffed):]
	sample = sample[:min(len(sample), detected)]
	guesses, _ := chardet.NewHtmlDetector().DetectAll(sample) // its only error: nothing found
	best, name := charset.Lookup("windows-1252")
	confidence := leastConfidence
	for _, g := range guesses {
		label := g.Charset
		if label == "GB-18030" {
			label = "gb18030"
		}
		e, n := charset.Lookup(label)
		if e == nil || n == "utf-8" || n == "utf-16le" || n == "utf-16be" {
			continue // unknown to browsers, or excluded before
		}
		if g.Confidence > confidence || g.Confidence == confidence && name != "windows-1252" && (n < name || n == "windows-1252") {
			best, name, confidence = e, n, g.Confidence
		}
	}
	return best, name
}

// multibyte counts the multi-byte sequences of data, up to limit.
func multibyte(data []byte, limit int) int {
	count := 0
	for _, b := range data {
		if b >= 0xc0 {
			if count++; count == limit {
				break
			}
		}
	}
	return count
}

// mostlyUTF8 reports whether at least four of five sequences that are not ASCII are
// valid UTF-8.
func mostlyUTF8(data []byte) bool {
	valid, invalid := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			invalid++
		} else {
			valid++
		}
		i += size
	}
	return valid >= 4*invalid
}
