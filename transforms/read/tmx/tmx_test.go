package tmx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"sentweave/schemas/peertest"
)

// readAll returns all units.
func readAll(t testing.TB, from io.Reader, config Config) (units []Unit, header Header) {
	t.Helper()
	r, err := NewReader(from, config)
	if err != nil {
		t.Fatal(err)
	}
	for {
		u, err := r.Next()
		if errors.Is(err, io.EOF) {
			return units, r.header
		}
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, u)
	}
}

// brief writes units as lines: the texts, or the reason.
func brief(units []Unit) (lines []string) {
	for _, u := range units {
		line := u.Reason
		for _, v := range u.Variants {
			line += "|" + v.Language + "=" + v.Text
			if v.Reason != "" {
				line += " (" + v.Reason + ")"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func body(units string) string {
	return `<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd" [<!ENTITY x "<tu>"><!-- ' -->]>
<tmx version="1.4"><header creationtool="T&amp;M" creationtoolversion='2' segtype="sentence" o-tmf="x" adminlang="en" srclang="EN-us" datatype="PlainText"><note>a <tu/> that is none</note></header>
<body>` + units + `</body></tmx>`
}

const good = `<tu><tuv xml:lang="en"><seg>yes</seg></tuv><tuv xml:lang="es"><seg>sí</seg></tuv></tu>`

func TestUnits(t *testing.T) {
	const after = "|eng=yes|spa=sí"
	seg := func(inside string) string { return `<tu><tuv xml:lang="en"><seg>` + inside + `</seg></tuv></tu>` }
	for name, test := range map[string]struct {
		units string
		want  []string
	}{
		"plain": {"", nil},
		"old attribute": {`<tu><tuv lang="EN-GB"><seg>a</seg></tuv><tuv lang="zh_TW"><seg>b</seg></tuv></tu>`,
			[]string{"|eng=a|zho_Hant=b"}},
		"new before old": {`<tu><tuv lang="fr" xml:lang=" en "><seg>a</seg></tuv></tu>`, []string{"|eng=a"}},
		"entities":       {seg(`&lt;b&gt; &amp;amp; &quot;&apos; &#65;&#x42;&#x1F600;`), []string{"|eng=<b> &amp; \"' AB😀"}},
		"forbidden":      {seg("a\x01b&#0;c&#x1f;d\uffffe&#xFFFE;f&#xD800;"), []string{"|eng=a b c d e f "}},
		"line ends":      {seg("a\r\nb\rc\nd&#13;e"), []string{"|eng=a\nb\nc\nd\re"}},
		"cdata":          {seg(`a<![CDATA[<b>&amp;]]]]>c`), []string{"|eng=a<b>&amp;]]c"}},
		"comment":        {seg(`a<!-- </seg> -- -->b<?pi </tu>?>c`), []string{"|eng=abc"}},
		"inline": {seg(`a<bpt i="1">&lt;b></bpt>b<hi type="x">c<ph>{1}<sub>s</sub></ph></hi><ept i="1">&lt;/b></ept><it pos="begin">i</it><ut>u</ut><ph/>d`),
			[]string{"|eng=abcd"}},
		"breaks":         {seg(`a<ph type="lb">\n</ph>b<it type="pb"/>c<ut type="cb"><ph type="lb"/></ut>d`), []string{"|eng=a b c d"}},
		"other elements": {seg(`a<x>b<seg>c</seg></x>d`), []string{"|eng=abcd"}},
		"notes": {`<tu><note>n</note><prop type="x">p</prop><tuv xml:lang="en"><note>m</note><seg>a</seg></tuv></tu>`,
			[]string{"|eng=a"}},
		"second segment": {`<tu><tuv xml:lang="en"><seg>a</seg><seg>b</seg></tuv></tu>`, []string{"|eng=a|eng=b"}},
		"empty":          {seg("") + `<tu><tuv xml:lang="en"><seg/></tuv></tu>`, []string{"|eng=", "|eng="}},
		"> in attribute": {`<tu tuid="a>b"><tuv xml:lang = "en" ><seg >a</seg ></tuv></tu >`, []string{"|eng=a"}},
		"no variant":     {`<tu/><tu></tu><tu><note>n</note></tu>`, []string{NoVariant, NoVariant, NoVariant}},
		"no language": {`<tu><tuv><seg>a</seg></tuv><tuv xml:lang="qq-zz"><seg>b</seg></tuv><tuv xml:lang="de"><note/></tuv></tu>`,
			[]string{"|=a (no_language)|=b (unknown_language)|deu= (no_segment)"}},
		"ampersand": {seg(`AT&T and <b>`) + seg(`a & b; `), []string{Malformed, Malformed}},
		"entity": {seg(`&nbsp;`) + seg(`&x;`) + seg(`&#x110000;`) + seg(`&#;`),
			[]string{Malformed, Malformed, Malformed, Malformed}},
		"less":      {seg(`1 < 2`) + seg(`a<`) + seg(`<3`), []string{Malformed, Malformed, Malformed}},
		"other end": {seg(`a<hi>b</ph>`) + seg(`<hi>a`), []string{Malformed, Malformed}},
		"no end":    {`<tu><tuv xml:lang="en"><seg>a`, []string{Malformed}},
		"attribute": {`<tu tuid="a" x><tuv/></tu>` + `<tu><tuv xml:lang="en><seg>a</seg></tuv></tu>`,
			[]string{Malformed, Malformed}},
		"tag of a unit": {`<tu x="a<b"><tuv/></tu>` + `<tu x="a><tuv/></tu>` + `<tu"x"><tuv/></tu>`,
			[]string{Malformed, Malformed, Malformed}},
		"large tag": {`<tu x="` + strings.Repeat("a", 70_000) + `"><tuv xml:lang="en"><seg>a</seg></tuv></tu>` + `<tu><tuv x="` +
			strings.Repeat("a", 70_000) + `"/></tu>`, []string{TooLarge, TooLarge}},
		"invalid encoding": {seg("caf\xe9"), []string{InvalidEncoding}},
		"too large":        {seg(strings.Repeat("a", 3000)) + seg(strings.Repeat("<hi/>", 500)), []string{TooLarge, TooLarge}},
		"too deep":         {seg(strings.Repeat("<hi>", 30) + strings.Repeat("</hi>", 30)), []string{TooDeep}},
	} {
		config := DefaultConfig()
		config.MaxUnit = 2000
		// Whatever a unit is, the next one is read.
		units, header := readAll(t, iotest.OneByteReader(strings.NewReader(body(test.units+good))), config)
		if diff := cmp.Diff(append(test.want, after), brief(units)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if want := (Header{"T&M", "2", "EN-us"}); header != want {
			t.Errorf("%s: header %v, want %v", name, header, want)
		}
		for i, u := range units {
			if u.Source != "eng" || u.CreationTool != "T&M" || u.Ordinal != int64(i) {
				t.Errorf("%s: unit %+v", name, u)
			}
		}
	}
}

func TestUnitAttributes(t *testing.T) {
	units, _ := readAll(t, strings.NewReader(
		body(`<tu tuid=" &lt;7 " srclang="*all*" creationtool="Hand">`+good[4:]+`<tu srclang="de-AT">`+good[4:]+`<tu srclang="qq">`+
			good[4:])), DefaultConfig())
	if len(units) != 3 || units[0].ID != " <7 " || units[0].Source != "" || units[0].CreationTool != "Hand" ||
		units[0].CreationToolVersion != "" || units[1].Source != "deu" || units[2].Source != "" {
		t.Errorf("%+v", units)
	}
	for _, attributes := range []string{`creationtool="google" creationtoolversion="v3"`,
		`creationtoolversion="v3" creationtool="google"`} {
		units, _ := readAll(t, strings.NewReader(body(`<tu `+attributes+`>`+good[4:])), DefaultConfig())
		if len(units) != 1 || units[0].CreationTool != "google" || units[0].CreationToolVersion != "v3" {
			t.Errorf("%s: %+v", attributes, units)
		}
	}
	units, _ = readAll(t, strings.NewReader(
		body(`<tu changeid="Ann">`+good[4:]+strings.ReplaceAll(good, "<tuv", `<tuv changedate="20261122T000000Z"`)+
			`<tu><prop type="x-a">1 &lt; 2</prop><note>no</note><prop>3<hi/></prop>`+good[4:]+
			`<tu><tuv xml:lang="de"><prop type="x-b">4</prop><seg>a</seg></tuv></tu>`)), DefaultConfig())
	if len(units) != 4 || !units[0].Changed || !units[1].Changed || units[2].Changed ||
		!slices.Equal(units[2].Properties, []Property{{"x-a", "1 < 2"}, {"", "3"}}) || units[3].Properties != nil ||
		units[3].Variants[0].Text != "a" {
		t.Errorf("%+v", units)
	}
}

func TestCodesAreKept(t *testing.T) {
	config := DefaultConfig()
	config.Codes = true
	units, _ := readAll(t, strings.NewReader(
		body(`<tu><tuv xml:lang="en"><seg>a<bpt i="1">&lt;b></bpt>b<ph>{<sub>s</sub>}</ph></seg></tuv></tu>`)), config)
	if diff := cmp.Diff([]string{"|eng=a<b>b{s}"}, brief(units)); diff != "" {
		t.Error(diff)
	}
}

// What is wrong with a file is told by its last unit.
func TestFiles(t *testing.T) {
	for text, want := range map[string][]string{
		"":      {NotTMX},
		"hello": {NotTMX},
		`<?xml version="1.0"?><html><tu/></html>`: {NotTMX},
		"<!DOCTYPE tmx [":                         {NotTMX},
		"<tmx/>":                                  nil,
		"<tmx></tmx><tu/>":                        {NoVariant},
		"<tmx>":                                   {Truncated},
		"<tmx><body>" + good:                      {"|eng=yes|spa=sí", Truncated},
		"<tmx><body>" + good[:len(good)-20]:       {Truncated},
		"<tmx><body>" + good + "<tu><!-- ":        {"|eng=yes|spa=sí", Truncated},
		"<tmx><header x='" + strings.Repeat("a", 70_000) + "'/><body>" + good + "</body></tmx>": {
			"|eng=yes|spa=sí", TooLarge},
		`<?xml version="1.0" encoding="x-nonsense"?><tmx></tmx>`:                                                  {UnknownEncoding},
		"\x00\x00\xfe\xff\x00\x00\x00<":                                                                           {UnknownEncoding},
		`<?xml version="1.0" encoding="utf-16"?><tmx>` + good + `</tmx>`:                                          {"|eng=yes|spa=sí"},
		`<?xml version="1.0" encoding="Shift_JIS"?><tmx><tu><tuv lang="ja"><seg>` + "\xff</seg></tuv></tu></tmx>": {InvalidEncoding},
	} {
		units, _ := readAll(t, strings.NewReader(text), DefaultConfig())
		if diff := cmp.Diff(want, brief(units)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// No text outside of the units is lost without a count.
func TestOutside(t *testing.T) {
	second := "<?xml version='1.0'?>\n<tmx version='1.4'><header srclang='es'/><body><tu><tuv lang='es'><seg>dos</seg></tuv></tu></body></tmx>\n"
	const tuvs = `<tuv xml:lang="en"><seg>one</seg></tuv><tuv xml:lang="es"><seg>uno</seg></tuv>`
	const read = "|eng=yes|spa=sí"
	for text, want := range map[string][]string{
		body(tuvs + `</tu>` + good + tuvs + `</tu>`):                             {Outside, read, Outside},
		body(tuvs + `</tu>` + tuvs + `</tu>` + good):                             {Outside, Outside, read},
		body(`<TU>` + tuvs + `</TU><TU>` + tuvs + `</TU>`):                       {Outside, Outside},
		body("some text" + good + "more <b>of</b> <i>it</i>"):                    {Outside, read, Outside, Outside},
		body(good + "<![CDATA[ x ]]>" + good):                                    {read, Outside, read},
		body(good + "</tu></tuv><note/>" + good):                                 {read, read},
		body(good + " \n\t\u200b\ufeff\x00" + good):                              {read, read},
		body(good) + "trailing text":                                             {read, Outside},
		body(good) + "\x00\x00\n":                                                {read},
		body(good) + "\n\ufeff" + second + second:                                {read, "|spa=dos", "|spa=dos"},
		body(good) + second[:len(second)-8]:                                      {read, "|spa=dos", Truncated},
		body(good) + good:                                                        {read, read},
		"<tmx/>" + second:                                                        {"|spa=dos"},
		"<tmx><header><tu><tuv lang='en'><seg>a</seg></tuv></tu></tmx>" + second: {Outside, "|spa=dos"},
	} {
		units, header := readAll(t, strings.NewReader(text), DefaultConfig())
		if diff := cmp.Diff(want, brief(units)); diff != "" {
			t.Errorf("%.3000q: %s", text, diff)
		}
		for i, u := range units {
			if u.Ordinal != int64(i) {
				t.Errorf("%.3000q: unit %d is number %d", text, i, u.Ordinal)
			}
		}
		if strings.Contains(text, "'es'/>") && header.SourceLanguage != "es" {
			t.Errorf("%.3000q: the header is %v", text, header)
		}
	}
	units, _ := readAll(t, strings.NewReader(body(tuvs+"</tu>")), DefaultConfig())
	if len(units) != 1 || units[0].Sample != "oneuno" {
		t.Errorf("%+v", units)
	}
}

// Entities are what the document type says, as far as they are text.
func TestEntities(t *testing.T) {
	file := func(declarations, segment string) string {
		return `<!DOCTYPE tmx SYSTEM "tmx14.dtd" [` + declarations + `]><tmx><body><tu><tuv lang="en"><seg>` + segment +
			`</seg></tuv></tu></body></tmx>`
	}
	laughs := `<!ENTITY a0 "ha">`
	for i := range 20 {
		laughs += fmt.Sprintf(`<!ENTITY a%d "&a%d;&a%d;&a%d;">`, i+1, i, i, i)
	}
	for text, want := range map[string][]string{
		file(`<!ENTITY nbsp "&#160;"> <!ENTITY co "Acme">`, "Price&nbsp;list of &co; today."): {"|eng=Price\u00a0list of Acme today."},
		file(`<!ENTITY a 'one > "two"'><!-- <!ENTITY b "c"> -->`, "&a;"):                      {`|eng=one > "two"`},
		file(`<!ENTITY a "x"><!ENTITY a "y"><!ENTITY b "&a;&amp;z">`, "&b;"):                  {"|eng=x&z"},
		file(`<!ENTITY a "R &#38;amp; D, 1 &#x26;lt; 2">`, "&a;"):                             {"|eng=R & D, 1 < 2"},
		file(`<!ENTITY a "R &#38; D, &#38;#38;">`, "&a;"):                                     {"|eng=R & D, &#38;"},
		file(`<!ENTITY a "<b>x</b>">`, "&a;"):                                                 {Malformed},
		file(`<!ENTITY a SYSTEM "file:///etc/passwd">`, "&a;"):                                {Malformed},
		file(`<!ENTITY % a "x">`, "&a;"):                                                      {Malformed},
		file(`<!ENTITY a "&b;"><!ENTITY b "x">`, "&a;"):                                       {Malformed},
		file(`<!ENTITY a "`, "&a;"):                                                           {NotTMX},
		file(laughs, "&a3;"):                                                                  {"|eng=" + strings.Repeat("ha", 27)},
		file(laughs, "&a20;"):                                                                 {Malformed},
		file(`<!ENTITY a "`+strings.Repeat("x", 1000)+`">`, strings.Repeat("&a;", 2000)):      {TooLarge},
		file(`<!ENTITY a "x">`, "a") + "<!DOCTYPE tmx []><tmx><body>" + `<tu><tuv lang="en"><seg>&a;</seg></tuv></tu></body></tmx>`: {
			"|eng=a", Malformed},
	} {
		units, _ := readAll(t, strings.NewReader(text), DefaultConfig())
		if diff := cmp.Diff(want, brief(units)); diff != "" {
			t.Errorf("%.300q: %s", text, diff)
		}
	}
}

// What is told of an entity that is not read.
func TestUnreadEntity(t *testing.T) {
	long := strings.Repeat("x", 1025)
	const unread = `the entity "a" is declared, but not as text of at most 1024 bytes in this file`
	for declarations, want := range map[string]string{
		"":                                    `the entity "a" is not known`,
		`<!ENTITY a SYSTEM "a.txt">`:          unread,
		`<!ENTITY a "` + long + `">`:          unread,
		`<!ENTITY a "` + long + long + `">`:   unread,
		`<!ENTITY a "<b/>">`:                  unread,
		`<!ENTITY a "&b;"><!ENTITY b "text">`: unread,
		`<!ENTITY c PUBLIC "c" "c.txt"><!ENTITY b "&c;"><!ENTITY a "&b;">`: unread,
	} {
		text := "<!DOCTYPE tmx [" + declarations + `]><tmx><body><tu><tuv lang="en"><seg>&a;</seg></tuv></tu></body></tmx>`
		units, _ := readAll(t, strings.NewReader(text), DefaultConfig())
		if len(units) != 1 || units[0].Reason != Malformed || units[0].Detail != want {
			t.Errorf("%.60s: %+v, want %s", declarations, units, want)
		}
	}
}

func TestEncodings(t *testing.T) {
	text := strings.Replace(body(good), `<?xml version="1.0"?>`, `<?xml version="1.0" encoding='ENCODING'?>`, 1)
	for name, encode := range map[string]func(string) (string, error){
		"UTF-8":        func(s string) (string, error) { return "\ufeff" + s, nil },
		"UTF-16":       unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String,
		"utf-16be":     unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String,
		"UTF-16LE":     unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String,
		"ISO-8859-1":   charmap.ISO8859_1.NewEncoder().String,
		"windows-1250": charmap.Windows1250.NewEncoder().String,
	} {
		file, err := encode(strings.Replace(text, "ENCODING", name, 1))
		if err != nil {
			t.Fatal(err)
		}
		units, _ := readAll(t, strings.NewReader(file), DefaultConfig())
		if diff := cmp.Diff([]string{"|eng=yes|spa=sí"}, brief(units)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Each of several memories in one file is read in the encoding that it declares, or as UTF-8 where it is that.
func TestEncodingsOfMemories(t *testing.T) {
	memory := func(declared, text string) string {
		return declared + `<tmx version="1.4"><header/><body><tu><tuv xml:lang="de"><seg>` + text +
			`</seg></tuv><tuv xml:lang="en"><seg>x</seg></tuv></tu></body></tmx>` + "\n"
	}
	latin, err := charmap.ISO8859_1.NewEncoder().String(memory(`<?xml version="1.0" encoding="ISO-8859-1"?>`, "Größe"))
	if err != nil {
		t.Fatal(err)
	}
	utf8 := memory(`<?xml version="1.0" encoding="UTF-8"?>`, "Größe")
	undeclared := memory(`<?xml version="1.0"?>`, "Größe")
	long := memory(`<?xml version="1.0" encoding="UTF-8"?>`, strings.Repeat("Größe ", 40_000))
	files := map[string]string{
		"latin then utf8": latin + utf8, "utf8 then latin": utf8 + latin, "and back": latin + utf8 + latin,
		"not declared": latin + undeclared, "neither": undeclared + latin, "long ones": latin + long + latin + long + latin,
	}
	for _, wrong := range []string{"ISO-8859-1", "us-ascii", "windows-1251", "UTF-16", "GBK"} {
		head := `<?xml version="1.0" encoding="` + wrong + `"?><!--` + strings.Repeat("a ", 40_000) + "-->"
		files["utf8 that declares "+wrong] = memory(head, "Größe, die so heißt, und größere Größen") + latin
	}
	for name, file := range files {
		r, err := NewReader(iotest.HalfReader(strings.NewReader(file)), DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		units := 0
		for {
			u, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil || u.Reason == "" && !strings.HasPrefix(u.Variants[0].Text, "Größe") {
				t.Errorf("%s: %v, %+.200v", name, err, u)
			}
			if u.Reason != "" && name != "long ones" {
				t.Errorf("%s: %s", name, u.Reason)
			}
			units++
		}
		if want := strings.Count(file, "<tu>"); units != want {
			t.Errorf("%s: %d units, want %d", name, units, want)
		}
	}
}

// Texts longer than the scanner's window come out whole, in whatever pieces.
func TestLongTexts(t *testing.T) {
	config := DefaultConfig()
	config.MaxUnit = 8 << 20
	for _, piece := range []string{"é", "&amp;", "\r\n", "<![CDATA[", "]", "]]", "a<!-- x -->", "&#128512;", "xy"} {
		for shift := range 7 {
			text, want := strings.Repeat("x", shift)+strings.Repeat(piece, 300_000/len(piece)), ""
			want = strings.NewReplacer("&amp;", "&", "\r\n", "\n", "<!-- x -->", "", "&#128512;", "😀").Replace(text)
			if piece == "<![CDATA[" {
				text, want = strings.Repeat("x", shift)+piece+strings.Repeat("é&]]\r\n", 60_000)+"]]>",
					strings.Repeat("x", shift)+strings.Repeat("é&]]\n", 60_000)
			}
			units, _ := readAll(t, iotest.HalfReader(strings.NewReader(body(`<tu><tuv xml:lang="en"><seg>`+text+`</seg></tuv></tu>`))),
				config)
			if len(units) != 1 || len(units[0].Variants) != 1 || units[0].Variants[0].Text != want {
				t.Fatalf("%q after %d: %d units", piece, shift, len(units))
			}
		}
	}
}

// The end of a CDATA section may come in any piece of the window.
func TestCDATAEnd(t *testing.T) {
	for length := maxToken - 8; length <= maxToken+2; length++ {
		want := strings.Repeat("x", length)
		units, _ := readAll(t, iotest.OneByteReader(
			strings.NewReader(body(`<tu><tuv xml:lang="en"><seg><![CDATA[`+want+`]]></seg></tuv></tu>`+good))), DefaultConfig())
		if len(units) != 2 || len(units[0].Variants) != 1 || units[0].Variants[0].Text != want {
			t.Errorf("%d bytes: %d units", length, len(units))
		}
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	r, err := NewReader(io.MultiReader(strings.NewReader(body(good)[:380]), iotest.ErrReader(broken)), DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err = r.Next(); err != nil {
			break
		}
	}
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if _, err := NewReader(nil, Config{}); err == nil || !strings.Contains(err.Error(), "MaxUnit") ||
		!strings.Contains(err.Error(), "MaxDepth") {
		t.Errorf("error %v", err)
	}
}

var hard = []Unit{
	{ID: "a\"<&>\t\n", Source: "eng", CreationTool: "google", CreationToolVersion: "v3",
		Properties: []Property{{"x-a", " 1 <\n"}, {"x-b", ""}}, Variants: []Variant{
			{Language: "eng", Text: "<b>A & B</b> \"x\" 'y' ]]> \t\n\r\n z"}, {Language: "zho_Hant", Text: "中文 😀 \u0085\u2028\u00a0"}}},
	{Variants: []Variant{{Language: "ara", Text: "\u200fعربي"}, {Language: "srp_Latn", Text: ""}}},
}

// write writes units as a file.
func write(t testing.TB, units []Unit) (file []byte, replaced int64) {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{CreationTool: "sentweave", CreationToolVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range units {
		if err := w.Write(u); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.Replaced()
}

// What is written is read as it was.
func TestWrite(t *testing.T) {
	file, replaced := write(t, hard)
	got, header := readAll(t, bytes.NewReader(file), DefaultConfig())
	if header.SourceLanguage != allLanguages || replaced != 0 {
		t.Errorf("header %v, %d replaced", header, replaced)
	}
	tags := map[string]string{"eng": "en", "zho_Hant": "zh-Hant", "ara": "ar", "srp_Latn": "sr-Latn"}
	for i, want := range hard {
		want.Ordinal = int64(i)
		if want.CreationTool == "" {
			want.CreationTool, want.CreationToolVersion = "sentweave", "1"
		}
		for j := range want.Variants {
			want.Variants[j].Tag = tags[want.Variants[j].Language]
		}
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Error(diff)
		}
	}
	if _, replaced := write(t, []Unit{
		{ID: "\x00", Variants: []Variant{{Language: "eng", Text: "a\x01\x1f\uffff\xff\ufffd"}}}}); replaced != 5 {
		t.Errorf("%d replaced", replaced)
	}
}

func TestWriteRefuses(t *testing.T) {
	if _, err := NewWriter(io.Discard, Header{CreationTool: "x"}); err == nil {
		t.Error("no error without a version")
	}
	w, err := NewWriter(io.Discard, Header{CreationTool: "x", CreationToolVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []Unit{{}, {Reason: Malformed}, {Variants: []Variant{{Language: "english"}}},
		{Source: "?", Variants: []Variant{{Language: "eng"}}}} {
		if err := w.Write(u); err == nil {
			t.Errorf("%+v: no error", u)
		}
	}
}

// rules are those of TMX 1.4b for the elements that are written: its sections 4 and 5.
const rules = `<!ELEMENT tmx (header, body)><!ATTLIST tmx version CDATA #FIXED "1.4">
<!ELEMENT header (note|prop|ude)*><!ELEMENT note (#PCDATA)><!ELEMENT prop (#PCDATA)><!ELEMENT ude EMPTY>
<!ATTLIST header creationtool CDATA #REQUIRED creationtoolversion CDATA #REQUIRED segtype (block|paragraph|sentence|phrase) #REQUIRED
  o-tmf CDATA #REQUIRED adminlang CDATA #REQUIRED srclang CDATA #REQUIRED datatype CDATA #REQUIRED>
<!ELEMENT body (tu*)><!ELEMENT tu ((note|prop)*, tuv+)><!ELEMENT tuv ((note|prop)*, seg)><!ELEMENT seg (#PCDATA)>
<!ATTLIST tu tuid CDATA #IMPLIED creationtool CDATA #IMPLIED creationtoolversion CDATA #IMPLIED srclang CDATA #IMPLIED>
<!ATTLIST prop type CDATA #REQUIRED><!ATTLIST tuv xml:lang CDATA #REQUIRED>`

// Other programs find the file valid, and read the same texts.
func TestWriteForOthers(t *testing.T) {
	folder := t.TempDir()
	file, _ := write(t, hard)
	name, dtd := filepath.Join(folder, "memory.tmx"), filepath.Join(folder, "rules.dtd")
	if err := errors.Join(os.WriteFile(name, file, 0o644), os.WriteFile(dtd, []byte(rules), 0o644)); err != nil {
		t.Fatal(err)
	}
	t.Run("xmllint", func(t *testing.T) {
		if _, err := exec.LookPath("xmllint"); err != nil {
			t.Skip("skipped: xmllint is absent")
		}
		if output, err := exec.Command("xmllint", "--noout", "--nonet", "--dtdvalid", dtd, name).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, output)
		}
	})
	t.Run("python", func(t *testing.T) {
		output := peertest.Output(t, nil, peertest.Python(t), "-c", `
import sys, xml.etree.ElementTree as T
for s in T.parse(sys.argv[1]).iter("seg"): sys.stdout.buffer.write((s.text or "").encode() + b"\0")`, name)
		var want strings.Builder
		for _, u := range hard {
			for _, v := range u.Variants {
				want.WriteString(v.Text + "\x00")
			}
		}
		if diff := cmp.Diff(want.String(), string(output)); diff != "" {
			t.Error(diff)
		}
	})
}
