package text

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/htmlindex"

	"sentweave/transforms/read/charset"
)

// records reads all records of the range [start, end).
func records(t testing.TB, data string, start, end int64, config Config) []Record {
	t.Helper()
	r, err := NewReader(strings.NewReader(data), int64(len(data)), start, end, config)
	if err != nil {
		t.Fatal(err)
	}
	return drain(t, r)
}

func drain(t testing.TB, r *Reader) []Record {
	t.Helper()
	var list []Record
	for {
		record, err := r.Next()
		if err == io.EOF {
			if _, err := r.Next(); err != io.EOF {
				t.Fatalf("after the end: %v", err)
			}
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, record)
	}
}

func small(format Format, longest int) Config {
	c := DefaultConfig(format)
	c.MaxBytes = longest
	return c
}

func TestRecords(t *testing.T) {
	const bom = "\ufeff"
	for _, c := range []struct {
		name   string
		data   string
		config Config
		want   []string // offset+length:text!reason
	}{
		{"no bytes", "", small(WholeFile, 10), nil},
		{"whole file", "a\n\nb\n", small(WholeFile, 10), []string{"0+5:a\n\nb\n!"}},
		{"whole file with a mark", bom + "a", small(WholeFile, 10), []string{"0+4:a!"}},
		{"white space", " \n\n", small(WholeFile, 10), []string{"0+3:!empty"}},
		{"too large", "12345678901", small(WholeFile, 10), []string{"0+11:!too_large"}},
		{"NUL", "a\x00b", small(WholeFile, 10), []string{"0+3:!binary"}},
		{"one NUL of many", strings.Repeat("ab ", 40) + "c\x00d", small(WholeFile, 200),
			[]string{"0+123:" + strings.Repeat("ab ", 40) + "c\x00d!"}},
		{"latin-1", "caf\xe9", small(WholeFile, 10), []string{"0+4:café!"}},
		{"one bad byte", strings.Repeat("é", 150) + "\xe9 ", small(WholeFile, 400),
			[]string{"0+302:" + strings.Repeat("é", 150) + "\ufffd !"}},
		{"half UTF-8", strings.Repeat("é \xe9 ", 5), small(WholeFile, 400),
			[]string{"0+25:" + strings.Repeat("é \ufffd ", 5) + "!invalid_encoding"}},

		{"lines", "a\r\n\n  \nb\nc", small(Lines, 10), []string{"0+1:a!", "7+1:b!", "9+1:c!"}},
		{"lines with a mark", bom + "\n" + "b", small(Lines, 10), []string{"4+1:b!"}},
		{"long line", "12345\n123456\r\n12345\r\n1", small(Lines, 5),
			[]string{"0+5:12345!", "6+6:!line_too_long", "14+5:12345!", "21+1:1!"}},
		{"long blank line", strings.Repeat(" ", 50) + "\na", small(Lines, 5), []string{"51+1:a!"}},

		{"lines that CR ends", "a\rb\r\r \rc\r", small(Lines, 10), []string{"0+1:a!", "2+1:b!", "7+1:c!"}},
		{"lines that CR, CR, LF ends", "a\r\r\nb\r\r\n", small(Lines, 10), []string{"0+1:a!", "4+1:b!"}},
		{"long line that CR ends", "123456\r12345\r1", small(Lines, 5), []string{"0+6:!line_too_long", "7+5:12345!", "13+1:1!"}},
		{"blocks that CR ends", "a\rb\r\r\t\rc\r", small(Blocks, 10), []string{"0+3:a\nb!", "7+1:c!"}},
		{"blocks of CR, CR, LF", "a\r\r\nb\r\r\n\r\r\nc", small(Blocks, 10), []string{"0+5:a\nb!", "11+1:c!"}},
		{"CR in JSON", "{\"text\":\r\"a\"}\r\n{\"text\":\"b\"}\r", small(JSONLines, 20), []string{"0+13:a!", "15+13:b!"}},
		{"blocks", "\na\nb\n\n\t\nc\r\nd\n", small(Blocks, 10), []string{"1+3:a\nb!", "8+4:c\nd!"}},
		{"large block", "a\nb\nc\n\nd", small(Blocks, 4), []string{"0+5:a\nb\n!too_large", "7+1:d!"}},

		{"JSON", "{\"text\":\"a\",\"id\":7}\n\n{\"text\":1}\n{\"t\":\"\"}\n{\"text\":\"b\"\n", small(JSONLines, 50),
			[]string{"0+19:a!", "21+10:!field_not_string", "32+8:!field_missing", "41+11:!json_syntax"}},
		{"long JSON", "{\"text\":\"abcdefghijkl\"}\n{\"text\":\"a\"}", small(JSONLines, 20), []string{"0+23:!line_too_long", "24+12:a!"}},
		{"JSON with empty text", `{"text":" "}`, small(JSONLines, 20), []string{"0+12: !empty"}},
	} {
		var got []string
		for _, r := range records(t, c.data, 0, int64(len(c.data)), c.config) {
			got = append(got, fmt.Sprintf("%d+%d:%s!%s", r.Offset, r.Length, r.Text, r.Reason))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: records %q, want %q", c.name, got, c.want)
		}
	}
}

// partition reads data in ranges and checks that they give what the whole gives.
func partition(t *testing.T, data string, cuts []int64, config Config, want []Record) {
	t.Helper()
	var got []Record
	start := int64(0)
	for _, end := range append(cuts, int64(len(data))) {
		got = append(got, records(t, data, start, end, config)...)
		start = end
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("format %d, %q cut at %v: records\n%+v\nwant\n%+v", config.Format, data, cuts, got, want)
	}
}

// whole reads data at once, and checks that a stream that comes byte by byte gives the same.
func whole(t *testing.T, data string, config Config) []Record {
	t.Helper()
	want := records(t, data, 0, int64(len(data)), config)
	stream, err := NewStreamReader(iotest.OneByteReader(strings.NewReader(data)), config)
	if err != nil {
		t.Fatal(err)
	}
	if got := drain(t, stream); !reflect.DeepEqual(got, want) {
		t.Fatalf("format %d, %q as a stream: records\n%+v\nwant\n%+v", config.Format, data, got, want)
	}
	return want
}

// TestEveryCut cuts texts at every place, and at every two places.
func TestEveryCut(t *testing.T) {
	for _, data := range []string{
		"a\nbb\n\nccc\r\n\r\n \t\nd\n\n\n", "\n\n\na\n", "\ufeff\n\na\n b", "\ufeffa\n\n\ufeffb", "  a\n  \n\n   \nb   \n  ",
		"abcdefgh\n        \nab\n",
		"a\rbb\r\rccc\r\r\r\nd\r\n\re\r \rf\r", "\r\r\n\r\r\r\r\na\r\r\nb\r\n\r\nc\n\rd\r\r", "\ufeff\r\ra\r \rb",
		"{\"text\":\"a\"}\n{\"text\":\"b\"}\r\n\n{\"text\":\"ccccccccccccc\"}\n",
	} {
		for format := range formats {
			for _, longest := range []int{1, 20, 1000} {
				config := small(format, longest)
				want := whole(t, data, config)
				for i := range len(data) + 1 {
					partition(t, data, []int64{int64(i)}, config, want)
				}
			}
			config := small(format, 5)
			want := whole(t, data, config)
			for i := range len(data) + 1 {
				for j := i; j <= len(data); j++ {
					partition(t, data, []int64{int64(i), int64(j)}, config, want)
				}
			}
		}
	}
}

// TestCutsOfLongText puts cuts and line ends around the sizes of buffers.
func TestCutsOfLongText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var b strings.Builder
		for b.Len() < 3*chunk {
			switch r.IntN(5) {
			case 0:
				b.WriteString("\n\n")
			case 1:
				b.WriteString(strings.Repeat(" ", r.IntN(2000)) + "\n")
			default:
				b.WriteString(strings.Repeat("x", r.IntN(chunk/2)) + "\n")
			}
		}
		data := b.String()
		var cuts []int64
		for at := int64(0); ; {
			at += int64(r.IntN(chunk))
			if at > int64(len(data)) {
				break
			}
			cuts = append(cuts, at)
		}
		for format := range formats {
			config := small(format, []int{1000, chunk, 1 << 20}[r.IntN(3)])
			partition(t, data, cuts, config, whole(t, data, config))
		}
	}
}

func FuzzPartition(f *testing.F) {
	f.Add("a\n\nb\r\n \n\xef\xbb\xbfc", uint16(3), uint16(5), uint16(7), byte(2))
	f.Add("\xef\xbb\xbf  \n{\"text\":\"a\"}\n", uint16(1), uint16(20), uint16(3), byte(3))
	f.Add("\xef\xbb\xbf  \n{\"text\":\"a\"}\n", uint16(1), uint16(20), uint16(3), byte(2))
	f.Add("a\rb\r\r\nc\r\r\r\nd\r", uint16(4), uint16(9), uint16(3), byte(2))
	f.Add("\xef\xbb\xbfa\nb\n", uint16(1), uint16(2), uint16(3), byte(1))
	f.Fuzz(func(t *testing.T, data string, a, b, longest uint16, format byte) {
		if len(data) == 0 {
			return
		}
		i, j := int64(a)%int64(len(data)+1), int64(b)%int64(len(data)+1)
		config := small(Format(format)%formats, int(longest)+1)
		partition(t, data, []int64{min(i, j), max(i, j)}, config, whole(t, data, config))
	})
}

// longStream is a line of n letters and a last line.
func longStream(n int64) io.Reader {
	return io.MultiReader(io.LimitReader(letters{}, n), strings.NewReader("\n{\"text\":\"last\"}\n"))
}

type letters struct{}

func (letters) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// TestLongLineInBoundedMemory skips a line of 200 MB.
func TestLongLineInBoundedMemory(t *testing.T) {
	const size = 200 << 20
	r, err := NewStreamReader(longStream(size), small(JSONLines, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := drain(t, r)
	runtime.ReadMemStats(&after)
	want := []Record{
		{Offset: 0, Length: size, Reason: LineTooLong, Detail: fmt.Sprintf("%d bytes", size)},
		{Offset: size + 1, Length: 15, Text: "last"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("records %+v, want %+v", got, want)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("allocated %d bytes, want at most 8 MiB", grown)
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken disk")
	r, err := NewStreamReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), DefaultConfig(Lines))
	if err != nil {
		t.Fatal(err)
	}
	if record, err := r.Next(); err != nil || record.Text != "a" {
		t.Fatalf("first record %+v, %v", record, err)
	}
	if _, err := r.Next(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "byte 3") {
		t.Errorf("error %v, want the disk's, with the offset", err)
	}
	if _, err := NewReader(failing{}, 100, 5, 10, DefaultConfig(Blocks)); err == nil {
		t.Error("NewReader did not report that it cannot read")
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("broken disk") }

func TestValidate(t *testing.T) {
	for format := range formats {
		if err := DefaultConfig(format).Validate(); err != nil {
			t.Error(err)
		}
	}
	if err := (Config{Format: JSONLines}).Validate(); err == nil || !strings.Contains(err.Error(), "MaxBytes") ||
		!strings.Contains(err.Error(), "Fields.Text") {
		t.Errorf("Validate() = %v, want both faults", err)
	}
	if _, err := NewReader(strings.NewReader(""), 0, 5, 3, DefaultConfig(Lines)); err == nil {
		t.Error("a range that ends before it starts was accepted")
	}
}

// TestAllocations: a line of plain text costs its string, a line of JSON those of its
// fields.
func TestAllocations(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		line   string
		config Config
		most   float64
	}{
		{"some words in a line\n", DefaultConfig(Lines), 1},
		{`{"id":"7","text":"some \"words\" \u00e9","nested":{"text":[1,2,{"a":null}]}}` + "\n", DefaultConfig(JSONLines), 2},
	} {
		data := []byte(strings.Repeat(c.line, n))
		allocations := testing.AllocsPerRun(5, func() {
			r, err := NewReader(bytes.NewReader(data), int64(len(data)), 0, int64(len(data)), c.config)
			if err != nil {
				t.Fatal(err)
			}
			for {
				if _, err := r.Next(); err != nil {
					break
				}
			}
		})
		if each := allocations / n; each > c.most+0.05 {
			t.Errorf("%.2f allocations a line of %q, want %v", each, c.line, c.most)
		}
	}
}

func benchmark(b *testing.B, line string, config Config) {
	data := []byte(strings.Repeat(line, 10_000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), 0, int64(len(data)), config)
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
}

func BenchmarkLines(b *testing.B) {
	benchmark(b, strings.Repeat("some words in a line ", 20)+"\n", DefaultConfig(Lines))
}

func BenchmarkJSONLines(b *testing.B) {
	benchmark(b, `{"id":"7","url":"http://page.invalid/","text":"`+strings.Repeat("some words in a line ", 20)+`","n":[1,2,3]}`+"\n",
		DefaultConfig(JSONLines))
}

// TestPlain compares Plain with a file of the same bytes that is said to be in UTF-8.
func TestPlain(t *testing.T) {
	for _, file := range []string{"", " \n", "a\nb", "\xef\xbb\xbfa", "\xef\xbb\xbf", "a\x00b", "caf\xe9", strings.Repeat("long ", 100) +
		"\xe9"} {
		got := Plain([]byte(file))
		want, err := Record{Reason: Empty, Detail: "0 bytes"}, error(nil)
		if file != "" {
			want, err = read(t, file, WholeFile)
		}
		if err != nil || got != want {
			t.Errorf("%q: %+v, want %+v (%v)", file, got, want, err)
		}
	}
}

// read returns the first record of a file.
func read(t *testing.T, file string, format Format) (Record, error) {
	t.Helper()
	config := DefaultConfig(format)
	config.Charset = charset.Lookup("utf-8")
	r, err := NewStreamReader(strings.NewReader(file), config)
	if err != nil {
		t.Fatal(err)
	}
	return r.Next()
}

// TestCharset reads the same texts in several character sets, whole and in lines.
func TestCharset(t *testing.T) {
	russian, polish := "Зима была долгой, и река замёрзла.", "Zażółć gęślą jaźń, a potem idź."
	encode := func(label, text string) string {
		e, err := htmlindex.Get(label)
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name, label, file string
		format            Format
		want              []string // texts, or reasons
	}{
		{"KOI8-R whole", "koi8-r", encode("koi8-r", russian), WholeFile, []string{russian}},
		{"KOI8-R unsaid", "", encode("koi8-r", russian), WholeFile, []string{russian}},
		{"KOI8-R unsaid in lines", "", encode("koi8-r", russian), Lines, []string{InvalidEncoding}},
		{"windows-1250 unsaid", "", encode("windows-1250", polish), WholeFile, []string{polish}},
		{"lines", "KOI8-R", encode("koi8-r", russian+"\n\n"+russian), Lines, []string{russian, russian}},
		{"blocks", "koi8-r", encode("koi8-r", russian+"\n"+russian+"\n\nа"), Blocks, []string{russian + "\n" + russian, "а"}},
		{"ISO-8859-2", "latin2", encode("iso-8859-2", polish), WholeFile, []string{polish}},
		{"windows-1250 as ISO-8859-2", "iso-8859-2", encode("windows-1250", polish), WholeFile, []string{InvalidEncoding}},
		{"windows-1250", "cp1250", encode("windows-1250", polish), WholeFile, []string{polish}},
		{"UTF-8 among others", "koi8-r", russian, WholeFile, []string{russian}},
		{"UTF-8 said", "utf-8", encode("koi8-r", russian), WholeFile, []string{InvalidEncoding}},
		{"UTF-16", "utf-16le", "\xff\xfe" + encode("utf-16le", russian), WholeFile, []string{russian}},
		{"UTF-16 unsaid", "", "\xff\xfe" + encode("utf-16le", russian), WholeFile, []string{russian}},
		{"UTF-16 without a mark", "", encode("utf-16be", "Fish and chips.\n"+polish), WholeFile, []string{"Fish and chips.\n" + polish}},
		{"UTF-16 in lines", "", "\xff\xfe" + encode("utf-16le", russian), Lines, []string{Binary}},
		{"UTF-16 that is marked against what is said", "koi8-r", "\xff\xfe" + encode("utf-16le", russian), WholeFile, []string{russian}},
		{"ISO-2022-JP", "", encode("iso-2022-jp", "これは日本語の文章です。"), WholeFile, []string{"これは日本語の文章です。"}},
		{"binary", "", "PK\x03\x04\x00\x00\x00\x08\x00!\x00abcdef", WholeFile, []string{Binary}},
		{"JSON", "koi8-r", encode("koi8-r", `{"text":"`+russian+`"}`+"\n"+`{"text":"\u0417"}`), JSONLines, []string{russian, "З"}},
		{"Shift JIS", "shift_jis", encode("shift_jis", "能力\nソース\n"), Lines, []string{"能力", "ソース"}}, // with the byte of "\\"
	} {
		t.Run(c.name, func(t *testing.T) {
			config := DefaultConfig(c.format)
			config.Charset = charset.Lookup(c.label)
			r, err := NewStreamReader(strings.NewReader(c.file), config)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for {
				record, err := r.Next()
				if err != nil {
					break
				}
				got = append(got, cmp.Or(record.Reason, record.Text))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	config := DefaultConfig(Lines)
	config.Charset = charset.Lookup("utf-16be")
	if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "utf-16be") {
		t.Errorf("lines of UTF-16: %v", err)
	}
}
