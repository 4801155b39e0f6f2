package warc

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Bytes of a file, and what becomes of its records.
func TestReader(t *testing.T) {
	a, b := made("metadata", "", "aaa"), made("resource", "Content-Type: text/plain\r\n", "bbb")
	const both = "metadata aaa, resource bbb"
	const arcOne = "http://a.example/ 192.0.2.1 20140301000000 text/html 3\naaa\n"
	const arcTwo = "http://a.example/a b 192.0.2.1 20140301000000 text/html 200 - - 0 a.arc 5\nb\n\nbb\n"
	gz := func(parts ...string) string { return packed(t, parts...) }
	for _, test := range []struct{ name, file, want string }{
		{"nothing", "", ""},
		{"a byte order mark", "\ufeff" + a + b, both},
		{"blank lines", "\r\n\r\n\n", ""},
		{"plain", a + b, both},
		{"a member each", gz(a, b), both},
		{"one member", gz(a + b), both},
		{"plain, then a member", a + gz(b), both},
		{"a member, then plain", gz(a) + b, both},
		{"members that end anywhere", gz(a[:9], a[9:40], a[40:]+b[:len(b)-6], b[len(b)-6:]), both},
		{"an empty member between", gz(a, "", b), both},
		{"zeros at the end", gz(a, b) + strings.Repeat("\x00", 1000), both},
		{"line ends of other systems", strings.ReplaceAll(a+b, "\r\n", "\n"), both},
		{"no line ends between records", strings.TrimSpace(a) + strings.TrimSpace(b), both},
		{"many line ends between records", a + strings.Repeat("\r\n", 500) + b, both},
		{"version 1.1", strings.ReplaceAll(a+b, "WARC/1.0", "WARC/1.1"), both},
		{"names in other cases", strings.ReplaceAll(strings.ReplaceAll(a+b, "Content-Length", "content-LENGTH"), "WARC-Type", "warc-type"),
			both},
		{"a folded field", strings.Replace(a, "Content-Length: 3", "X: y\r\n z\r\nContent-Length:\r\n\t3", 1) + b, both},
		{"a line without a colon", strings.Replace(a, "Content-Length", "nothing\r\nContent-Length", 1) + b, both},
		{"an empty block", made("metadata", "", "") + b, "metadata , resource bbb"},
		{"a record inside a block", made("metadata", "", "x\r\n\r\n"+a) + b, "metadata x\r\n\r\n" + a + ", resource bbb"},

		{"a page", "<html><p>Not a record.</html>", notWARC},
		{"a page, then records", "<p>x</p>\n" + a + b, notWARC + ", " + both},
		{"bytes behind a record", a + "0123456789\r\n" + b, "metadata aaa, " + notWARC + ", resource bbb"},
		{"NULs and bytes behind a record", a + strings.Repeat("\x00garbage \r\n", 3) + b, "metadata aaa, " + notWARC + ", resource bbb"},
		{"bytes behind the last record", b + a + "0123456789", "resource bbb, metadata aaa, " + notWARC},
		{"bytes behind a record with line ends of other systems", strings.ReplaceAll(a+"0123456789\r\n\r\n"+b, "\r\n", "\n"),
			"metadata aaa, " + notWARC + ", resource bbb"},
		{"bytes in a member after its record", gz(a+"0123456789\r\n", b), "metadata aaa, " + notWARC + ", resource bbb"},
		{"a record in small letters behind one", a + strings.Replace(a, "WARC", "warc", 1) + b, "metadata aaa, " + notWARC +
			", resource bbb"},
		{"a version alone behind a record", a + "WARC/0.9\r\n" + b, "metadata aaa, " + damagedHeader + ", resource bbb"},
		{"a version and a blank line behind a record", a + "WARC/0.9\r\n\r\n" + b, "metadata aaa, " + unsupportedVersion +
			", resource bbb"},
		{"ARC behind a record", a + arcOne + arcTwo + b, "metadata aaa, " + arc + ", " + arc + ", resource bbb"},
		{"ARC in members between records", gz(a, arcOne, arcTwo, b), "metadata aaa, " + arc + ", " + arc + ", resource bbb"},
		{"ARC with a wrong size", a + strings.Replace(arcOne, " 3\n", " 9\n", 1) + b, "metadata aaa, " + arc + ", resource bbb"},
		{"a line end in a block of another length", strings.Replace(a, "aaa", "aaa\n\naaaaaaa", 1) + b,
			"metadata aaa\n\naaaaaaa, resource bbb"},
		{"two bytes too few, as in CC-MAIN-2018-34", strings.Replace(a, "aaa", "aaaxx", 1) + b, both},
		{"ARC", "filedesc://a.arc 127.0.0.1 20140301000000 text/plain 9\n", arc},
		{"ARC in a member", gz("filedesc://a.arc 127.0.0.1 20140301000000 text/plain 9\n", a), arc},
		{"zstd", "\x28\xb5\x2f\xfdxxxxxxxxxxxxxx", damagedZstd},
		{"drafts", strings.Replace(a, "WARC/1.0", "WARC/0.18", 1) + strings.Replace(b, "WARC/1.0", "WARC/0.17", 1) + a,
			both + ", metadata aaa"},
		{"a draft between others", a + strings.Replace(b, "WARC/1.0", "WARC/0.18", 1) + a, both + ", metadata aaa"},
		{"drafts in members", gz(a, strings.Replace(b, "WARC/1.0", "WARC/0.18", 1)), both},
		{"drafts behind damage", "x\r\n" + strings.Replace(a, "WARC/1.0", "WARC/0.18", 1) + gz(a)[:30] + gz(
			strings.Replace(b, "WARC/1.0", "WARC/0.18", 1)), notWARC + ", metadata aaa, " + damagedGzip + ", resource bbb"},
		{"fields without names",
			a + "WARC/0.10 115 response http://a.example/ 20070315152520 urn:uuid:1 text/html\r\n\r\n<p>x</p>\r\n\r\n" + b,
			"metadata aaa, " + unsupportedVersion + ", resource bbb"},
		{"a version to come", strings.Replace(a, "WARC/1.0", "WARC/2.0", 1) + b, unsupportedVersion + ", resource bbb"},
		{"no version", strings.Replace(a, "WARC/1.0", "WARC/x", 1) + b, damagedHeader + ", resource bbb"},
		{"a record that begins in a header", "WARC/1.0\r\nWARC-Type: metadata\r\n" + b, damagedHeader + ", resource bbb"},
		{"no length", strings.Replace(a, "Content-Length", "Length", 1) + b, damagedHeader + ", resource bbb"},
		{"no type", strings.Replace(a, "WARC-Type", "Type", 1) + b, damagedHeader + ", resource bbb"},
		{"a negative length", strings.Replace(a, ": 3", ": -3", 1) + b, damagedHeader + ", resource bbb"},
		{"a length in words", strings.Replace(a, ": 3", ": three", 1) + b, damagedHeader + ", resource bbb"},
		{"a header without an end", "WARC/1.0\r\nX: " + strings.Repeat("x", 70_000) + "\r\n" + b, damagedHeader + ", resource bbb"},
		{"a header at the end", a + "WARC/1.0\r\nWARC-Type: metadata", "metadata aaa, " + truncated},
		{"headers only", "WARC/1.0\r\n\r\nWARC/1.0\r\n\r\n" + a, damagedHeader + ", " + damagedHeader + ", metadata aaa"},

		{"a length that is too large", strings.Replace(a, ": 3", ": 50", 1) + b, both},
		{"a length beyond the file", strings.Replace(a, ": 3", ": 5000", 1) + b, both},
		{"a length beyond all files", strings.Replace(a, ": 3", ": 9000000000000000000", 1) + b, truncated + ", resource bbb"},
		{"a length beyond the member", gz(strings.Replace(a, ": 3", ": 5000", 1), b), both},
		{"a large length beyond the member", gz(strings.Replace(a, ": 3", ": 5000000", 1), b), both},
		{"a length that ends before", strings.Replace(a, "aaa", "aaaaaaaaa", 1) + b, "metadata aaaaaaaaa, resource bbb"},
		{"a length that ends before, with a blank line in the block",
			strings.Replace(a, "aaa", "aaaaaaaaa\r\n\r\nWARC/1.0\r\n\r\na", 1) + b,
			"metadata aaaaaaaaa\r\n\r\nWARC/1.0\r\n\r\na, resource bbb"},
		{"a length that ends before, at the end", b + strings.Replace(a, "aaa", strings.Repeat("a", 200), 1), "resource bbb, metadata " +
			strings.Repeat("a", 200)},
		{"a length of two line ends more, after these were changed", strings.Replace(strings.ReplaceAll(a, "\r\n", "\n"), ": 3", ": 6", 1),
			"metadata aaa"},
		{"a length that ends before, without a blank line", strings.Replace(a, "aaa\r\n\r\n", strings.Repeat("a", 200), 1), wrongLength},
		{"the end is cut off", a + b[:len(b)-5], "metadata aaa, " + truncated},
		{"the last line ends are cut off", a + b[:len(b)-3], both},

		{"half a member at the end", gz(a) + gz(b)[:40], "metadata aaa, " + damagedGzip},
		{"half a member in the midst", gz(a)[:40] + gz(b), damagedGzip + ", resource bbb"},
		{"a member without its checksum", gz(a) + gz(b)[:len(gz(b))-4], "metadata aaa, " + damagedGzip},
		{"another checksum", flip(gz(a), len(gz(a))-6) + gz(b), damagedGzip + ", resource bbb"},
		{"a bad byte in a member, of the name WARC-Type", flip(gz(a), 30) + gz(b), damagedHeader + ", resource bbb"},
		{"a bad first byte", flip(gz(a), 0) + gz(b), notWARC + ", resource bbb"},
		{"a bad method", flip(gz(a), 2) + gz(b), damagedGzip + ", resource bbb"},
		{"a cut member of two records", gz(a + b)[:len(gz(a+b))-9], "metadata aaa, " + damagedGzip},
		{"bytes between members", gz(a) + "\x01\x02\x1f\x8b\x08 no member" + gz(b), "metadata aaa, " + notWARC + ", resource bbb"},
		{"a page in a member", gz("<p>x</p>", b), notWARC + ", resource bbb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := told(readAll(t, test.file, DefaultConfig())); got != test.want {
				t.Errorf("%q\nwant %q", got, test.want)
			}
		})
	}
}

func flip(s string, i int) string { return s[:i] + string([]byte{s[i] ^ 0x55}) + s[i+1:] }

// Offsets are those of the stored file, and no two records have the same.
func TestOffsets(t *testing.T) {
	a, b := made("metadata", "", strings.Repeat("a", 500)), made("metadata", "", "b")
	first := int64(len(packed(t, a)))
	for _, test := range []struct {
		name, file string
		want       []int64
	}{
		{"plain", a + b + a, []int64{0, int64(len(a)), int64(len(a + b))}},
		{"a member each", packed(t, a, b, a), []int64{0, first, first + int64(len(packed(t, b)))}},
		{"one member", packed(t, a+b+a), []int64{0, 1, 2}},
		{"two in the second", packed(t, a, b+b, a), []int64{0, first, first + 1, first + int64(len(packed(t, b+b)))}},
		{"records in more bytes than they have", packed(t, strings.Repeat(b, 3)) + b,
			[]int64{0, 1, 2, int64(len(packed(t, strings.Repeat(b, 3))))}},
	} {
		var got []int64
		for _, s := range readAll(t, test.file, DefaultConfig()) {
			got = append(got, s.Offset)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// Records of other types are counted and passed over, also where they are large.
func TestTypesAndSizes(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 200_000) // 3.2 MB
	config := DefaultConfig()
	config.Types, config.MaxBlock = []string{Response}, 2<<20
	records := []string{made("metadata", "", large), made(Response, "", "x"), made(Response, "", large), made("Response", "", "y"),
		made("request", "", "z")}
	for name, file := range map[string]string{
		"plain": strings.Join(records, ""), "a member each": packed(t, records...), "one member": packed(t, strings.Join(records, "")),
	} {
		if got, want := told(readAll(t, file, config)), "response x, "+tooLarge+", response y"; got != want {
			t.Errorf("%s: %.300q", name, got)
		}
		r, err := NewReader(strings.NewReader(file), int64(len(file)), config)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = r.Next()
		}
		if diff := cmp.Diff(map[string]int64{"metadata": 1, Response: 3, "request": 1}, r.Counts()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// Where a large block is cut or has another length, the next record is found.
	for _, test := range []struct{ file, want string }{
		{records[0][:1<<20], truncated},
		{packed(t, records[0][:1<<20], records[1]), truncated + ", response x"},
		{strings.Replace(records[0], ": 3200000", ": 3100000", 1) + records[1], wrongLength + ", response x"},
		{strings.Replace(records[0], ": 3200000", ": 3200080", 1) + records[1] + records[1], wrongLength + ", response x, response x"},
		{strings.Replace(records[2], ": 3200000", ": 3200080", 1) + records[1] + records[1], wrongLength + ", response x, response x"},
	} {
		if got := told(readAll(t, test.file, config)); got != test.want {
			t.Errorf("%.300q, want %s", got, test.want)
		}
	}
}

func TestFields(t *testing.T) {
	for _, test := range []struct {
		fields, uri, language string
		date                  string // RFC 3339, "" for unknown
	}{
		{"WARC-Target-URI: http://a.example/x\r\nWARC-Date: 2024-05-18T01:58:10Z\r\nWARC-Identified-Content-Language: spa,cat,eng\r\n",
			"http://a.example/x", "spa,cat,eng", "2024-05-18T01:58:10Z"},
		{"WARC-Target-URI: <http://a.example/x>\r\nWARC-Date: 2024-05-18T01:58:10.123456Z\r\nWARC-Identified-Content-Language: zho\r\n",
			"http://a.example/x", "zho", "2024-05-18T01:58:10.123Z"},
		{"WARC-Target-URI:file:///a b.png\r\nWARC-Date: 2024-05-18T01:58Z\r\n", "file:///a%20b.png", "", "2024-05-18T01:58:00Z"},
		{"WARC-Target-URI:  \xff \r\nWARC-Date: 2024-05\r\n", "\ufffd", "", "2024-05-01T00:00:00Z"},
		{"WARC-Target-URI: <\r\nWARC-Date: 20240518015810\r\n", "<", "", "2024-05-18T01:58:10Z"},
		{"WARC-Date: yesterday\r\n", "", "", ""},
		{"", "", "", ""},
	} {
		file := made("metadata", test.fields, "x")
		r, err := NewReader(strings.NewReader(file), int64(len(file)), DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		record, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		date := int64(0)
		if test.date != "" {
			at, err := time.Parse(time.RFC3339Nano, test.date)
			if err != nil {
				t.Fatal(err)
			}
			date = at.UnixMilli()
		}
		if record.TargetURI() != test.uri || strings.Join(record.Languages(), ",") != test.language || record.Date() != date {
			t.Errorf("%q: %q, %q, %d", test.fields, record.TargetURI(), record.Languages(), record.Date())
		}
	}
}

// What Common Crawl, warcio and Heritrix write: sha1 in base32, in digits, and of
// other algorithms. Values by sha1sum, sha256sum and base32.
func TestDigests(t *testing.T) {
	page := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	const block = "Content-Type: application/http\r\nWARC-Block-Digest: "
	for _, test := range []struct{ kind, fields, block, want string }{
		{"metadata", "WARC-Block-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\n", "abc\n", digestMismatch},
		{"metadata", "WARC-Block-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n", "abc", ""},
		{"metadata", "WARC-Block-Digest: SHA1:vgmt4nsha2awvor6evyxqugcnsonbwe5\r\n", "abc", ""},
		{"metadata", "WARC-Block-Digest: sha1:a9993e364706816aba3e25717850c26c9cd0d89d\r\n", "abc", ""},
		{"metadata", "WARC-Block-Digest: sha1:a9993e364706816aba3e25717850c26c9cd0d89e\r\n", "abc", digestMismatch},
		{"metadata", "WARC-Block-Digest: sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\r\n", "abc", ""},
		{"metadata", "WARC-Block-Digest: sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ae\r\n", "abc",
			digestMismatch},
		{"metadata", "WARC-Block-Digest: blake3:00\r\n", "abc", ""},
		{"metadata", "WARC-Block-Digest: sha1:short\r\n", "abc", ""},
		{Response, "Content-Type: application/http\r\nWARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n", page + "abc", ""},
		{Response, "Content-Type: application/http\r\nWARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n",
			page + "3\r\nabc\r\n0\r\n\r\n", ""},
		{Response, "Content-Type: application/http\r\nWARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n", page + "abd",
			digestMismatch},
		{Response, block + "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n", page + "abc", digestMismatch},
		{Revisit, "WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n", page, ""},
	} {
		config := DefaultConfig()
		config.VerifyDigests = true
		file := made(test.kind, test.fields, test.block)
		if got := readAll(t, file, config); len(got) != 1 || got[0].Reason != test.want {
			t.Errorf("%s %q: %+v", test.fields, test.block, got)
		}
		if got := readAll(t, file, DefaultConfig()); got[0].Reason != "" {
			t.Errorf("%s: verified though nobody asked", test.fields)
		}
	}
}

// failing breaks at a position.
type failing struct {
	strings.Reader
	at int64
}

var errDisk = errors.New("the disk is gone")

func (f *failing) ReadAt(p []byte, offset int64) (int, error) {
	if offset+int64(len(p)) > f.at {
		return 0, errDisk
	}
	return f.Reader.ReadAt(p, offset)
}

// A fault of the storage is an error and never a reason.
func TestStorageFails(t *testing.T) {
	records := strings.Repeat(made("metadata", "", strings.Repeat("no two alike ", 30_000)), 3)
	for name, file := range map[string]string{
		"plain": records, "packed": packed(t, records) + strings.Repeat("\n", 300_000),
		"a member that may go on": packed(t, records[:len(records)/2]) + strings.Repeat("\x1f\x8b\x08", 100_000),
	} {
		for _, at := range []int64{0, 1, 200_000} {
			r, err := NewReader(&failing{*strings.NewReader(file), at}, int64(len(file)), DefaultConfig())
			if err != nil {
				t.Fatal(err)
			}
			for {
				record, err := r.Next()
				if record.Reason != "" {
					t.Errorf("%s at %d: %s", name, at, record.Reason)
				}
				if err != nil {
					if !errors.Is(err, errDisk) {
						t.Errorf("%s at %d: %v", name, at, err)
					}
					break
				}
			}
		}
	}
}

// Memory is that of one record, whatever the file holds and claims.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	const each, most = 1 << 20, 200
	block := made("metadata", "", strings.Repeat("0123456789abcdef", each/16))
	claim := strings.Replace(made(Response, "", "x"), ": 1", ": 16000000", 1)
	for name, file := range map[string]string{
		"many": strings.Repeat(block, most), "one member": packed(t, strings.Repeat(block, most)),
		"claims": strings.Repeat(claim, 20_000), "claims in members": strings.Repeat(packed(t, claim), 20_000),
		"no record": strings.Repeat("x", each*most), "blanks": strings.Repeat("\n", each*most),
		"magic":    strings.Repeat("\x1f\x8b\x08\x00", 1<<20),
		"a header": "WARC/1.0\r\n" + strings.Repeat("x: y\r\n", each*most/6),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := NewReader(strings.NewReader(file), int64(len(file)), DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; err == nil; n++ {
			_, err = r.Next()
		}
		if err != io.EOF {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 128<<20 {
			t.Errorf("%s: %d records, %d MB allocated", name, n, allocated>>20)
		}
	}
}

func ExampleReader() {
	file := made(Warcinfo, "", "software: none") + httpResponse("HTTP/1.1 200 OK\r\nContent-Type: text/html", "<p>Hello.")
	config := DefaultConfig()
	config.Types = []string{Response}
	r, err := NewReader(strings.NewReader(file), int64(len(file)), config)
	if err != nil {
		fmt.Println(err)
		return
	}
	var decoder Decoder
	for {
		record, err := r.Next()
		if err != nil { // io.EOF
			break
		}
		if record.Reason != "" {
			fmt.Println(record.Offset, record.Reason)
			continue
		}
		page, reason, _ := decoder.Page(record)
		fmt.Printf("%d %s %q %q\n", record.Offset, record.TargetURI(), page.Payload, reason)
	}
	// Output: 71 http://a.example/ "<p>Hello." ""
}
