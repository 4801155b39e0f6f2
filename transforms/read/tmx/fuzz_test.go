package tmx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// segments returns the texts of the segments as encoding/xml reads them; ok is
// false where the file is not XML for it.
func segments(file []byte) (texts []string, ok bool) {
	type variant struct {
		Seg []struct {
			Inner string `xml:",chardata"`
		} `xml:"seg"`
	}
	var tmx struct {
		XMLName xml.Name `xml:"tmx"`
		Body    []struct {
			Units []struct {
				Variants []variant `xml:"tuv"`
			} `xml:"tu"`
		} `xml:"body"`
	}
	d := xml.NewDecoder(bytes.NewReader(file))
	if err := d.Decode(&tmx); err != nil {
		return nil, false
	}
	for _, b := range tmx.Body {
		for _, u := range b.Units {
			for _, v := range u.Variants {
				for _, seg := range v.Seg {
					texts = append(texts, seg.Inner)
				}
			}
		}
	}
	return texts, true
}

// Whatever the bytes are, reading ends without an error, and what it gives can be
// written and read again. Where the standard library reads the file, too, both
// read the same segments.
func FuzzRead(f *testing.F) {
	for _, s := range []string{good, `<tu><tuv><seg>a<hi>b</hi>&amp;<![CDATA[x]]></seg></tuv></tu>`, `<tu tuid='1'/><tu><seg></tu>`,
		"<tu><tuv xml:lang='de'><seg>\r\n&#65;</seg></tuv></tu>"} {
		f.Add([]byte(body(s)))
		f.Add([]byte("<tmx><body>" + s + "</body></tmx>"))
	}
	f.Add([]byte("<tmx><body><tu changeid='x'><prop type='&lt;'>\xff&amp;<![CDATA[<]]></prop><prop/><tuv xml:lang='de'><seg>0</seg></tuv></tu>"))
	f.Add([]byte("<tmx>000000<tu><A><tuv><seg>0</seg>"))
	f.Add([]byte("\xff\xfe<\x00t\x00m\x00x\x00>\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		units, _ := readAll(t, bytes.NewReader(data), DefaultConfig())
		again, _ := readAll(t, io.MultiReader(bytes.NewReader(data[:len(data)/2]), bytes.NewReader(data[len(data)/2:])), DefaultConfig())
		if len(again) != len(units) {
			t.Fatalf("%d units, and %d in pieces", len(units), len(again))
		}
		var texts, writable []Unit
		for _, u := range units {
			if u.Reason != "" && len(u.Variants) > 0 || u.Reason == "" && len(u.Variants) == 0 || !utf8.ValidString(u.Sample) ||
				len(u.Sample) > 3*maxSample {
				t.Fatalf("unit %+v", u)
			}
			for _, v := range u.Variants {
				if !utf8.ValidString(v.Text) || strings.ContainsFunc(v.Text, forbidden) ||
					(v.Language == "") != (v.Reason == NoLanguage || v.Reason == UnknownLanguage || v.Reason == NoSegment &&
						v.Language == "") {
					t.Fatalf("variant %+v", v)
				}
				if v.Reason == "" {
					writable = append(writable, Unit{ID: u.ID, Source: u.Source, Properties: u.Properties, Variants: []Variant{v}})
				}
			}
			texts = append(texts, u)
		}
		file, replaced := write(t, writable)
		back, _ := readAll(t, bytes.NewReader(file), Config{MaxUnit: 1 << 24, MaxDepth: 32})
		if len(back) != len(writable) || replaced != 0 {
			t.Fatalf("%d units came back of %d, %d replaced", len(back), len(writable), replaced)
		}
		for i, u := range back {
			if u.Reason != "" || u.ID != writable[i].ID || u.Source != writable[i].Source ||
				!slices.Equal(u.Properties, writable[i].Properties) || u.Variants[0].Text != writable[i].Variants[0].Text ||
				u.Variants[0].Language != writable[i].Variants[0].Language {
				t.Fatalf("%+v came back as %+v", writable[i], u)
			}
		}
		compare(t, data, texts)
	})
}

// compare compares plain files with the standard library: elsewhere it is more
// tolerant, knows no other encodings, or reads elements apart that are read through here.
func compare(t *testing.T, data []byte, units []Unit) {
	if !bytes.HasPrefix(data, []byte("<tmx>")) || bytes.ContainsAny(data, "?!:\x00") || !utf8.Valid(data) {
		return
	}
	for _, u := range units {
		if u.Reason != "" && u.Reason != NoVariant && u.Reason != Outside {
			return
		}
	}
	want, ok := segments(data)
	if !ok {
		return
	}
	var got []string
	for _, u := range units {
		for _, v := range u.Variants {
			if v.Reason != NoSegment {
				got = append(got, v.Text)
			}
		}
	}
	inline := func(name string) bool { return bytes.Contains(data, []byte("<"+name)) }
	for _, name := range []string{"hi", "sub", "bpt", "ept", "it", "ph", "ut"} {
		if inline(name) {
			return
		}
	}
	if len(want) != len(got) {
		return // units elsewhere than in the body, or elements within segments
	}
	for i := range want {
		if len(want[i]) == len(got[i]) && want[i] != got[i] {
			t.Fatalf("segment %d: %q, encoding/xml reads %q", i, got[i], want[i])
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add("a <b> & \"c\"\r\n\t\x00\xff", "id")
	f.Fuzz(func(t *testing.T, text, id string) {
		file, _ := write(t, []Unit{{ID: id, Variants: []Variant{{Language: "eng", Text: text}}}})
		var want struct {
			Unit struct {
				ID  string `xml:"tuid,attr"`
				Seg string `xml:"tuv>seg"`
			} `xml:"body>tu"`
		}
		if err := xml.Unmarshal(file, &want); err != nil {
			t.Fatal(err)
		}
		units, _ := readAll(t, bytes.NewReader(file), Config{MaxUnit: 1 << 24, MaxDepth: 8})
		if len(units) != 1 || units[0].ID != want.Unit.ID || units[0].Variants[0].Text != want.Unit.Seg {
			t.Fatalf("%q: %+v, encoding/xml reads %q", text, units, want.Unit.Seg)
		}
		if !strings.ContainsFunc(text, forbidden) && utf8.ValidString(text) && want.Unit.Seg != text {
			t.Fatalf("%q came back as %q", text, want.Unit.Seg)
		}
	})
}

// memory is a file of units, of about a million bytes.
func memory(b *testing.B) []byte {
	var units []Unit
	for range 4000 {
		units = append(units, Unit{ID: "1", Source: "eng", Variants: []Variant{
			{Language: "eng", Text: "The committee adopted its report on the budget & the accounts of the past year."},
			{Language: "spa", Text: "La comisión aprobó su informe sobre el presupuesto y las cuentas del año pasado."},
		}})
	}
	file, _ := write(b, units)
	return file
}

func BenchmarkRead(b *testing.B) {
	file := memory(b)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(file), DefaultConfig())
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadByEncodingXML(b *testing.B) {
	file := memory(b)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		d := xml.NewDecoder(bytes.NewReader(file))
		var err error
		for err == nil {
			_, err = d.RawToken()
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	file := memory(b)
	units, _ := readAll(b, bytes.NewReader(file), DefaultConfig())
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		w, err := NewWriter(io.Discard, Header{CreationTool: "x", CreationToolVersion: "1"})
		if err != nil {
			b.Fatal(err)
		}
		for _, u := range units {
			if err := w.Write(u); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
