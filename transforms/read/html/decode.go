package html

import (
	"bytes"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/read/charset"
)

const (
	// sniffed is how much of a page is searched for NUL bytes, and how much before the
	// first byte that is not ASCII the detector of encodings sees.
	sniffed = 1024
	// declared is how much of a page is searched for a declaration of its encoding.
	// The HTML standard asks for 1024 bytes before a page is parsed, and to parse it anew
	// where a declaration comes later. Scripts and styles of megabytes stand before some.
	declared = 1 << 20
	// detected is how much of a page the detector of encodings sees.
	detected = 64 << 10
	// leastConfidence is how sure, of 100, the detector has to be to outweigh
	// windows-1252, the encoding of most pages that declare none.
	leastConfidence = 10
	// leastSigns is how many vowel signs and tones of Thai tell its encoding.
	leastSigns = 8
	utf8Name   = "utf-8"
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
// was in. Undecodable bytes become U+FFFD. The name is "" for binary data. The order
// of evidence: byte order mark, valid UTF-8 beyond chance, HTTP header, meta element,
// XML declaration (before meta in a page that is sent as XML), valid UTF-8, detector,
// windows-1252. A declaration of UTF-8 that most of the bytes contradict counts as none,
// and one of ISO-8859-2 or the like that they contradict as that of the code page of
// Windows (charset.Charset.Of).
func decode(data []byte, contentType string) (text []byte, name string) {
	c := markedEncoding(data)
	if c.Known() {
		return c.Decode(data), c.Name()
	}
	if bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0 {
		return nil, ""
	}
	valid, certain := charset.ValidUTF8(data)
	if certain {
		return data, utf8Name
	}
	c = declaredEncoding(data, contentType)
	if valid && (!c.Known() || c.IsUTF8()) && bytes.Contains(data, japanese) {
		c = charset.Lookup("iso-2022-jp")
	} else if valid && (!c.Known() || c.IsUTF8() || isASCII(data)) {
		return data, utf8Name
	}
	if !c.Known() || c.IsUTF8() && !mostlyUTF8(data) {
		c = detectedEncoding(data)
	}
	c = c.Of(data)
	return c.Decode(data), c.Name()
}

// japanese is the escape with which characters begin in ISO-2022-JP, and which stands in no other text.
var japanese = []byte("\x1b$B")

// isASCII reports whether data is ASCII without an escape, with which ISO-2022-JP
// begins other characters.
func isASCII(data []byte) bool {
	for _, b := range data {
		if b >= utf8.RuneSelf || b == 0x1b {
			return false
		}
	}
	return true
}

// markedEncoding returns the encoding that a byte order mark, or the NUL bytes of a
// first tag in UTF-16, tell.
func markedEncoding(data []byte) charset.Charset {
	for _, m := range []struct{ prefix, name string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
		{"<\x00", "utf-16le"}, {"\x00<", "utf-16be"},
	} {
		if len(data) >= 2 && bytes.HasPrefix(data, []byte(m.prefix)) {
			return charset.Lookup(m.name)
		}
	}
	return charset.Charset{}
}

// declaredEncoding returns the encoding that the HTTP header, a meta element or the
// XML declaration tells, or none.
func declaredEncoding(data []byte, contentType string) charset.Charset {
	media, parameters, err := mime.ParseMediaType(contentType)
	if err == nil {
		if c := charset.Lookup(parameters["charset"]); c.Known() {
			return c
		}
	}
	head := data[:min(len(data), declared)]
	list := []func([]byte) charset.Charset{metaEncoding, xmlEncoding}
	if media == "application/xhtml+xml" {
		slices.Reverse(list)
	}
	for _, declaration := range list {
		c := declaration(head)
		switch {
		case c.IsUTF16():
			return charset.Lookup(utf8Name) // what was read byte by byte does not stand in UTF-16
		case c.Known():
			return c
		}
	}
	return charset.Charset{}
}

// xmlEncoding returns the encoding in an XML declaration, or none.
func xmlEncoding(head []byte) charset.Charset {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return charset.Charset{}
	}
	declaration, _, _ := bytes.Cut(head, []byte("?>"))
	_, value, found := bytes.Cut(declaration, []byte("encoding"))
	value = bytes.TrimLeft(value, " \t\r\n")
	if !found || !bytes.HasPrefix(value, []byte("=")) {
		return charset.Charset{}
	}
	return charset.Lookup(quoted(strings.TrimLeft(string(value[1:min(len(value), 100)]), " \t\r\n")))
}

// metaEncoding returns the encoding that the first meta element tells that tells a known
// one, or none. What stands in comments, scripts and the like does not count.
func metaEncoding(head []byte) charset.Charset {
	s := scanner{text: head}
	for s.next(); s.token != endOfText; s.next() {
		switch {
		case s.token == startTag && s.name == atom.Meta:
			if c := charset.Lookup(metaCharset(head[s.start:s.at])); c.Known() {
				return c
			}
		case s.token == startTag && s.isRaw():
			s.at, _ = s.rawEnd()
		}
	}
	return charset.Charset{}
}

// metaCharset returns the label of an encoding in a meta tag, or "".
func metaCharset(tag []byte) string {
	z := nethtml.NewTokenizer(bytes.NewReader(tag))
	z.Next()
	label, content, pragma := "", "", false
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "charset":
			label = string(value)
		case "content":
			content = contentCharset(string(value))
		case "http-equiv":
			pragma = strings.EqualFold(strings.TrimSpace(string(value)), "content-type")
		}
	}
	if label == "" && pragma {
		label = content
	}
	return label
}

// contentCharset returns the label in the content of a meta element, such as
// "text/html; charset=utf-8", or "".
func contentCharset(content string) string {
	for rest := strings.ToLower(content); ; {
		var found bool
		if _, rest, found = strings.Cut(rest, "charset"); !found {
			return ""
		}
		rest = strings.TrimLeft(rest, " \t\r\n\f")
		if value, ok := strings.CutPrefix(rest, "="); ok {
			return quoted(strings.TrimLeft(value, " \t\r\n\f"))
		}
	}
}

// quoted returns the value at the start of s: what stands in quotes, or a word.
func quoted(s string) string {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		value, _, _ := strings.Cut(s[1:], s[:1])
		return value
	}
	if i := strings.IndexAny(s, " \t\r\n\f;"); i >= 0 {
		s = s[:i]
	}
	return s
}

// detectedEncoding guesses the encoding from the statistics of the bytes. The
// detector's own order of equal guesses depends on its goroutines: ties go to
// windows-1252, otherwise by name.
func detectedEncoding(data []byte) charset.Charset {
	first := bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
	sample := data[max(0, first-sniffed):]
	sample = sample[:min(len(sample), detected)]
	if isThai(sample) {
		return charset.Lookup("windows-874")
	}
	guesses, _ := chardet.NewHtmlDetector().DetectAll(sample) // its only error: nothing found
	best := charset.Lookup("windows-1252")
	confidence := leastConfidence
	for _, g := range guesses {
		label := g.Charset
		if label == "GB-18030" {
			label = "gb18030"
		}
		c := charset.Lookup(label)
		if !c.Known() || c.IsUTF8() || c.IsUTF16() {
			continue // unknown to browsers, or excluded before
		}
		if g.Confidence > confidence || g.Confidence == confidence && best.Name() != "windows-1252" && (c.Name() < best.Name() || c.Name() == "windows-1252") {
			best, confidence = c, g.Confidence
		}
	}
	return best
}

// isThai reports whether text can be Thai in windows-874, which the detector does not know: nearly all that is not ASCII
// are its letters and signs, each vowel sign and tone stands behind a consonant or another sign, and what stands between
// ASCII characters is long and, unlike characters of two bytes, at times of an odd length.
func isThai(text []byte) bool {
	letters, others, signs, misplaced := 0, 0, 0, 0
	run, runs, odd := 0, 0, 0
	before := byte(' ')
	for _, b := range text {
		switch {
		case b == 0xd1 || b >= 0xd4 && b <= 0xda || b >= 0xe7 && b <= 0xee:
			if signs++; (before <= 0xa0 || before > 0xda) && (before < 0xe7 || before > 0xee) {
				misplaced++
			}
		case b > 0xa0 && b < 0xdb || b > 0xde && b < 0xfc:
			letters++
		case b >= utf8.RuneSelf:
			others++
		}
		if b >= utf8.RuneSelf {
			run++
		} else if run > 0 {
			runs, odd, run = runs+1, odd+run&1, 0
		}
		before = b
	}
	return signs >= leastSigns && letters <= 8*signs && 50*misplaced <= signs && 50*others <= letters && letters+signs >= 6*runs && 5*odd >= runs
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
