package warc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzReader: whatever a file holds, reading ends, offsets increase and what is read
// twice is the same.
func FuzzReader(f *testing.F) {
	a, b := made("metadata", "X: y\r\n", "aaa"), httpResponse("HTTP/1.1 200 OK\r\nContent-Type: text/html", "<p>x")
	for _, file := range []string{a + b, packed(f, a, b), packed(f, a+b), a[:20] + b, packed(f, a)[:30] + packed(f, b), "filedesc://",
		a + packed(f, b), a + "http://a.example/ 192.0.2.1 20140301000000 text/html 3\naaa\n" + strings.Replace(b, "1.0", "0.18", 1),
		a + "\x00junk\r\n" + b, framed(f, nil, a, b), framed(f, nil, a)[:30] + framed(f, nil, b), skip('Z', "x") + framed(f, nil, a+b),
		skip(']', "\x37\xa4\x30\xec\x01\x00\x00\x00") + framed(f, nil, a)} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		config := DefaultConfig()
		config.MaxHeader, config.MaxBlock, config.VerifyDigests = 1<<10, 1<<12, true
		first := readAll(t, string(file), config)
		if diff := cmp.Diff(first, readAll(t, string(file), config)); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzDamage: records are the same however they are stored. One byte that changes in
// a member costs the record of that member alone; a file that is cut keeps what stood
// before.
func FuzzDamage(f *testing.F) {
	f.Add("aaa", "<p>x</p>", "", uint16(25), byte(0x55))
	f.Add("a\r\n\r\nb", strings.Repeat("x", 3000), "WARC/", uint16(300), byte(1))
	f.Fuzz(func(t *testing.T, a, b, c string, at uint16, change byte) {
		blocks := []string{"0" + a, "1" + b, "2" + c} // no two are equal
		var records, want []string
		for _, block := range blocks {
			if recordLine([]byte("\n"+block)) >= 0 {
				t.Skip() // it would be found inside of what is damaged
			}
			records = append(records, made("metadata", "", block))
			want = append(want, "metadata "+block)
		}
		whole, members := strings.Join(records, ""), packed(t, records...)
		middle := int(at) % len(whole)
		for _, file := range []string{whole, members, framed(t, nil, records...), framed(t, nil, whole),
			packed(t, whole), packed(t, whole[:middle], whole[middle:]),
			records[0] + packed(t, records[1:]...)} {
			if got := told(readAll(t, file, DefaultConfig())); got != strings.Join(want, ", ") {
				t.Fatalf("%q, want %q", got, want)
			}
		}
		if change == 0 {
			return
		}
		position := int(at) % len(members)
		damaged := []byte(members)
		damaged[position] ^= change
		hit, end := 0, 0
		for i := range records {
			if end += len(packed(t, records[i])); position < end {
				hit = i
				break
			}
		}
		got := map[string]bool{}
		for _, s := range readAll(t, string(damaged), DefaultConfig()) {
			if s.Reason == "" {
				got["metadata "+s.Block] = true
			}
		}
		for i, w := range want {
			if i != hit && !got[w] {
				t.Errorf("a changed byte in record %d costs record %d, %q is lost", hit, i, w)
			}
			delete(got, w)
		}
		if len(got) > 0 {
			t.Errorf("records that never were: %v", got)
		}
		for _, file := range []string{whole, members} {
			cut := file[:int(at)%len(file)]
			n := 0
			for _, s := range readAll(t, cut, DefaultConfig()) {
				if s.Reason == "" {
					if told([]seen{s}) != want[n] {
						t.Errorf("%q, want %q", told([]seen{s}), want[n])
					}
					n++
				}
			}
		}
	})
}

// FuzzPage: a response is a page or has a reason, and a page is bounded.
func FuzzPage(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n")
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: " + encoding + "\r\n\r\n" + encoded(f, encoding, "<p>x"))
		f.Add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" +
			encoded(f, "gzip", encoded(f, encoding, "<p>x")))
	}
	var header Header
	header.parse([]byte("Content-Type: application/http\r\n"))
	f.Fuzz(func(t *testing.T, block string) {
		const most = 1 << 16
		record := Record{Type: Response, Header: header, Block: []byte(block)}
		decoder := Decoder{MaxPayload: most}
		page, reason, detail := decoder.Page(record)
		if (reason == "") != (page.Payload != nil) || reason != "" && detail == "" {
			t.Errorf("%q, %q, %q", page.Payload, reason, detail)
		}
		if len(page.Payload) > max(most+1, len(block)) {
			t.Errorf("%d bytes", len(page.Payload))
		}
		if string(record.Block) != block {
			t.Error("the block has changed")
		}
		again, reason2, detail2 := new(Decoder).Page(record)
		if len(page.Payload) <= most && (reason2 != reason || detail2 != detail || string(again.Payload) != string(page.Payload)) {
			t.Errorf("%q %q, then %q %q", reason, detail, reason2, detail2)
		}
	})
}
