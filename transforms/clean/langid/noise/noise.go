// Package noise makes lines that are in no language, from which an identifier learns to name them so: tables of numbers, code, base64,
// names of products, keys at random, addresses, and texts of which the bytes were read in a wrong character set.
//
// Lines are a pure function of seed, number and words. The label was measured with real noise of other kinds: runners/docs/corpus.md.
package noise

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"sentweave/transforms/random"
)

// version is that of the lines.
const version = 2

// Maker makes lines of noise. Use one per goroutine.
type Maker struct {
	seed  uint64
	texts []string
	words []string
	draw  random.Stream
}

// NewMaker returns a maker whose names in code and whose garbled texts are made of these, which must not be empty.
func NewMaker(seed uint64, texts []string) *Maker {
	m := &Maker{seed: seed}
	for _, text := range texts {
		ascii := true
		for _, r := range text {
			ascii = ascii && r < utf8.RuneSelf
		}
		if !ascii {
			m.texts = append(m.texts, text)
			continue
		}
		for word := range strings.FieldsSeq(text) {
			if word = strings.ToLower(strings.Trim(word, ".,:;!?()\"'")); len(word) > 1 && isLower(word) {
				m.words = append(m.words, word)
			}
		}
	}
	return m
}

func isLower(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
}

// Line returns the line of a number. It may have no letter.
func (m *Maker) Line(number int64) string {
	m.draw = random.New(version, m.seed, "langid noise", "", number)
	kinds := []func() string{m.numbers, m.code, m.garbled, m.encoded, m.products, m.code, m.garbled, m.keys, m.addresses, m.code,
		m.garbled} // code and garbled texts have many forms
	return kinds[int(number)%len(kinds)]()
}

func (m *Maker) one(list []string) string { return list[m.draw.IntN(len(list))] }

// repeated joins from least to most parts.
func (m *Maker) repeated(least, most int, separator string, part func() string) string {
	parts := make([]string, least+m.draw.IntN(most-least+1))
	for i := range parts {
		parts[i] = part()
	}
	return strings.Join(parts, separator)
}

// characters returns from least to most characters of an alphabet.
func (m *Maker) characters(least, most int, alphabet string) string {
	runes := []rune(alphabet)
	return m.repeated(least, most, "", func() string { return string(runes[m.draw.IntN(len(runes))]) })
}

var (
	units      = strings.Fields("kg mm cm m km g mg ml l s ms h kB MB GB Hz kHz MHz V W kW mAh °C % px pt dpi x in ft lb oz")
	marks      = strings.Fields("A B C D E F Q1 Q2 No. #1 n/a NaN $ € £ USD EUR x y z R2 p< α β µ σ")
	endings    = strings.Fields("txt jpg png conf py c h js css xml json pdf zip")
	rowsOfKeys = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm",
		"йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"}
)

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
)

// numbers is a row of a table, with units, dates and times.
func (m *Maker) numbers() string {
	number := func() string {
		n := m.characters(1, 3, digits)
		for m.draw.Bool(.3) {
			n += m.one([]string{",", ".", " ", "'"}) + m.characters(1, 3, digits)
		}
		switch m.draw.IntN(6) {
		case 0:
			return n + m.one([]string{"", " "}) + m.one(units)
		case 1:
			return m.characters(1, 2, digits) + m.one([]string{"/", ".", "-", ":"}) + m.characters(2, 2, digits) +
				m.one([]string{"", "/2019", ".2024", "-11", ":07"})
		case 2:
			return m.one(marks) + " " + n
		case 3:
			return m.one([]string{"-", "+", "±", "~", "<", ">", "="}) + n
		}
		return n
	}
	return m.repeated(3, 14, m.one([]string{" ", " ", " | ", "; ", ", ", " – ", " x "}), number)
}

// name is an identifier of one to three words.
func (m *Maker) name() string {
	if len(m.words) == 0 || m.draw.Bool(.2) {
		return m.characters(1, 4, lower)
	}
	var b strings.Builder
	style := m.draw.IntN(3)
	for i := range 1 + m.draw.IntN(3) {
		word := m.one(m.words)
		switch {
		case i > 0 && style == 0:
			word = "_" + word
		case i > 0 || style == 2:
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
	}
	return b.String()
}

// code is a statement or two of a programming language.
func (m *Maker) code() string {
	value := func() string {
		switch m.draw.IntN(4) {
		case 0:
			return m.characters(1, 3, digits)
		case 1:
			return "\"" + m.name() + "\""
		case 2:
			return m.name() + m.one([]string{".", "->", "::"}) + m.name()
		}
		return m.name()
	}
	call := func() string { return m.name() + "(" + m.repeated(0, 3, ", ", value) + ")" }
	style := func() string {
		return strings.ReplaceAll(m.name(), "_", "-") + ": " +
			m.one([]string{"#" + m.characters(3, 6, digits+"abcdef"), m.characters(1, 3, digits) + m.one(units), m.name()}) + ";"
	}
	statement := func() string {
		switch m.draw.IntN(13) {
		case 0:
			return m.one(strings.Fields("int char void const let var auto bool double uint32_t static public private val")) + " " +
				m.name() + " = " + value() + ";"
		case 1:
			return "if (" + value() + m.one([]string{" == ", " != ", " < ", " && ", " || "}) + value() + ") { " + call() + "; }"
		case 2:
			return "for (" + m.one([]string{"int i", "i", "var i", "size_t n"}) + " = 0; i < " + value() + "; i++) " + call() + ";"
		case 3:
			return m.one([]string{"def ", "func ", "function ", "fn ", "sub ", "void "}) + call() + m.one([]string{":", " {", " -> {"})
		case 4:
			return m.one([]string{"import ", "from ", "#include ", "using ", "require ", "use ", "#define "}) +
				m.repeated(1, 3, m.one([]string{".", "/", "::"}), m.name)
		case 5:
			return "return " + call() + m.one([]string{";", "", " + " + value() + ";"})
		case 6:
			return "<" + m.name() + " " + m.name() + "=\"" + m.name() + "\">" + m.one([]string{"", "</" + m.name() + ">"})
		case 7:
			return m.one([]string{"SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "CREATE TABLE "}) + m.repeated(1, 3, ", ", m.name) +
				m.one([]string{" FROM ", " SET ", " WHERE ", " VALUES "}) + m.name() + m.one([]string{" = ", " > ", " IN "}) + value() + ";"
		case 8:
			return m.one([]string{".", "#", ""}) + m.name() + " { " + m.repeated(1, 2, " ", style) + " }"
		case 9:
			return style()
		case 10:
			return m.one([]string{"const ", "self.", "this.", ""}) + m.name() + " = " +
				m.one([]string{"(" + m.name() + ") => ", "lambda x: ", "await ", "new "}) + call()
		case 11:
			return m.name() + " " + m.one([]string{"*", "&", "[]"}) + m.name() + m.one([]string{";", ",", ");"})
		}
		return m.name() + m.one([]string{" = ", " := ", " += ", "[i] = "}) + call() + m.one([]string{";", ""})
	}
	return m.repeated(1, 3, " ", statement)
}

// encoded is bytes in base64 or hexadecimal digits.
func (m *Maker) encoded() string {
	data := make([]byte, 9+m.draw.IntN(60))
	for i := range data {
		data[i] = byte(m.draw.IntN(256))
	}
	switch m.draw.IntN(3) {
	case 0:
		return hex.EncodeToString(data)
	case 1:
		return base64.RawURLEncoding.EncodeToString(data)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// products are codes of articles, with what may follow them.
func (m *Maker) products() string {
	return m.repeated(1, 5, m.one([]string{" ", ", ", " / ", " | "}), func() string {
		part := m.characters(1, 4, upper) + m.one([]string{"", "-", " ", "/", "."}) + m.characters(1, 5, digits)
		if m.draw.Bool(.5) {
			part += m.one([]string{"", "-", "/", "."}) + m.characters(1, 3, upper+digits)
		}
		return part
	})
}

// keys are letters at random, those of a row of keys, or one that is held down.
func (m *Maker) keys() string {
	return m.repeated(1, 6, " ", func() string {
		row := m.one(rowsOfKeys)
		switch m.draw.IntN(4) {
		case 0:
			return m.characters(4, 14, lower)
		case 1:
			return strings.Repeat(m.characters(1, 3, row), 3+m.draw.IntN(6))
		case 2:
			return m.characters(4, 12, upper+lower+digits+"!#$%&*+-/<=>?@^_~")
		}
		return m.characters(4, 14, row)
	})
}

// addresses are paths and those of the web and of mail.
func (m *Maker) addresses() string {
	host := func() string {
		return m.name() + "." + m.one(strings.Fields("com org net de fr co.uk io ru jp info eu"))
	}
	return strings.ToLower(m.repeated(1, 3, " ", func() string {
		path := m.repeated(1, 4, "/", m.name)
		switch m.draw.IntN(4) {
		case 0:
			return m.one([]string{"https://", "http://www.", "www.", "ftp://"}) + host() + "/" + path +
				m.one([]string{"", ".html", "?id=" + strconv.Itoa(m.draw.IntN(9999)), "/"})
		case 1:
			return m.name() + "@" + host()
		case 2:
			return m.one([]string{"/usr/", "~/", "./", "c:\\", "../"}) + path + "." + m.one(endings)
		}
		return "--" + m.name() + "=" + path
	}))
}

// wrong are character sets in which a text is written, nil for UTF-8, and in which its bytes are read.
var wrong = []struct{ written, read encoding.Encoding }{
	{nil, charmap.Windows1252}, {nil, charmap.Windows1252}, {nil, charmap.ISO8859_1}, {nil, charmap.Windows1251}, {nil, charmap.KOI8R},
	{nil, charmap.Windows1250}, {nil, charmap.CodePage866}, {nil, charmap.CodePage437}, {nil, simplifiedchinese.GBK},
	{charmap.Windows1251, charmap.Windows1252}, {charmap.KOI8R, charmap.Windows1251}, {charmap.Windows1251, charmap.KOI8R},
}

// garbled is a text that was read in a wrong character set, once or, of one in UTF-8, twice.
func (m *Maker) garbled() string {
	if len(m.texts) == 0 {
		return m.keys()
	}
	text, set := m.one(m.texts), wrong[m.draw.IntN(len(wrong))]
	times := 1
	if set.written != nil {
		written, err := set.written.NewEncoder().String(text)
		if err != nil { // it has other characters
			set = wrong[0]
		} else {
			text = written
		}
	} else if m.draw.IntN(5) == 0 {
		times = 2
	}
	for range times {
		text, _ = set.read.NewDecoder().String(text) // these decoders return no error
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}
