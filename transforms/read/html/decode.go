package html

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/read/charset"
	"sentweave/transforms/read/mediatype"
)

const (
	// declared is how much of a page is searched for a declaration of its encoding.
	// The HTML standard asks for 1024 bytes before a page is parsed, and to parse it anew
	// where a declaration comes later. Scripts and styles of megabytes come before some.
	declared = 1 << 20
	utf8Name = "utf-8"
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
// of evidence: byte order mark, the NUL bytes of UTF-16 and UTF-32, UTF-8 beyond chance, the escapes of
// encodings of seven bits, HTTP header, meta element, XML declaration (before meta in a page that is sent as XML),
// detector, windows-1252. A declaration that many of the bytes contradict counts as none, that of ASCII always, and one of
// ISO-8859-2 or the like that they contradict as that of the code page of Windows (charset.Charset.Of). Of two
// declarations that differ the first is right, unless the other one is by far more probable; so is the
// detector's answer, which counts beside declarations that do not fit (charset.Charset.Fits), and where a text is
// by far more probable in another encoding than in the declared one (charset.Charset.Reconsider).
func decode(data []byte, origin Origin) (text []byte, name string) {
	if c := charset.Marked(data); c.IsUTF16Or32() || c.Known() && c.ReadsAsUTF8(data) {
		return c.Decode(data), c.Name()
	} else if c.Known() {
		data = bytes.TrimPrefix(data, []byte("\ufeff")) // which an editor left before a page in another encoding
	}
	head := charset.Sniffed(data)
	if c := charset.OfNULs(head); c.Known() {
		return c.Decode(data), c.Name()
	}
	if charset.HasManyNULs(head) {
		return nil, ""
	}
	list, labels := declaredEncodings(data, origin.ContentType)
	if e := escapedEncoding(data, labels); e.Known() {
		return e.Decode(data), e.Name()
	}
	var first charset.Charset
	if len(list) > 0 {
		first = list[0]
	}
	saysUTF8 := slices.ContainsFunc(list, charset.Charset.IsUTF8)
	if first.ReadsAsUTF8(data) || charset.IsSevenBit(data) || saysUTF8 && utf8.Valid(data) {
		return charset.Lookup(utf8Name).Decode(data), utf8Name
	}
	list = slices.DeleteFunc(list, func(c charset.Charset) bool { return c.Contradicts(data) })
	text, stated := prose(data), pageLanguage(data, origin.Language)
	fits := slices.ContainsFunc(list, func(c charset.Charset) bool { return c.Fits(text) })
	if len(list) > 0 {
		list = append(list, list[0].Siblings()...)
	}
	if !fits {
		list = append(list, charset.Detect(text, stated))
	}
	c := charset.Better(text, stated, list).Reconsider(text, stated).Of(data)
	return c.Decode(data), c.Name()
}

// escapedEncoding returns the encoding of data of seven bits in which escapes begin other characters. Those of ISO-2022 are in
// no other text; those of HZ do, and have to be declared.
func escapedEncoding(data []byte, labels []string) charset.Charset {
	saysHZ := slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, charset.HZ) })
	if saysHZ && bytes.Contains(data, []byte("~{")) && charset.IsSevenBit(data) {
		return charset.Lookup(charset.HZ)
	}
	return charset.Escaped(data)
}

// declaredEncodings returns the encodings that the HTTP header, meta elements and the
// XML declaration tell, the one that counts most first and each once, and all labels. Not among them
// are UTF-16 and UTF-32, since what was read byte by byte is not in it, ASCII, which programs tell that know nothing, and
// the sets of which the standard knows no text.
func declaredEncodings(data []byte, contentType string) (list []charset.Charset, labels []string) {
	types, labels := mediatype.Parse(contentType)
	head := data[:min(len(data), declared)]
	documents := [][]string{metaLabels(head), xmlLabels(head)}
	if slices.Contains(types, "application/xhtml+xml") {
		slices.Reverse(documents)
	}
	labels = append(labels, slices.Concat(documents...)...)
	for _, l := range labels {
		c := charset.Lookup(l)
		if c.IsText() && !c.IsUTF16Or32() && !charset.IsASCII(l) && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list, labels
}

// xmlLabels returns the label of an encoding in an XML declaration, if it has one.
func xmlLabels(head []byte) []string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return nil
	}
	declaration, _, _ := bytes.Cut(head, []byte("?>"))
	_, value, found := bytes.Cut(declaration, []byte("encoding"))
	value = bytes.TrimLeft(value, " \t\r\n")
	if !found || !bytes.HasPrefix(value, []byte("=")) {
		return nil
	}
	return []string{quoted(strings.TrimLeft(string(value[1:min(len(value), 100)]), " \t\r\n"))}
}

// mostLabels is how many labels of meta elements are read.
const mostLabels = 8

// metaLabels returns the labels of encodings in meta elements. What is in comments, scripts and the like does
// not count.
func metaLabels(head []byte) (labels []string) {
	s := scanner{text: head}
	for s.next(); s.token != endOfText && len(labels) < mostLabels; s.next() {
		switch {
		case s.token == startTag && s.name == atom.Meta:
			if l := metaCharset(head[s.start:s.at]); l != "" {
				labels = append(labels, l)
			}
		case s.token == startTag && s.isRaw():
			s.at, _ = s.rawEnd()
		}
	}
	return labels
}

// metaCharset returns the label of an encoding in a meta tag, or "".
func metaCharset(tag []byte) string {
	z := nethtml.NewTokenizer(bytes.NewReader(tag))
	z.Next()
	label, content, pragma := "", "", false
	for next := true; next; {
		var key, value []byte
		key, value, next = z.TagAttr()
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

// quoted returns the value at the start of s: what is in quotes, or a word.
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
