package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// framed compresses each part into a frame of Zstandard, by a dictionary unless that is nil.
func framed(t testing.TB, dictionary []byte, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		options := []zstd.EOption{zstd.WithEncoderConcurrency(1)}
		if dictionary != nil {
			options = append(options, zstd.WithEncoderDict(dictionary))
		}
		w, err := zstd.NewWriter(&b, options...)
		if err == nil {
			_, err = io.WriteString(w, part)
			err = errors.Join(err, w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// skip returns a skippable frame, whose first byte is from P to _.
func skip(first byte, content string) string {
	return string(first) + "\x2a\x4d\x18" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content
}

// pages are records that a dictionary makes smaller.
func pages(n int) (list []string) {
	for i := range n {
		list = append(list, made("metadata", fmt.Sprintf("WARC-Record-ID: <urn:uuid:%d>\r\n", i*7919),
			strings.Repeat(fmt.Sprintf("The page %d of the site has words that all its pages have. ", i), 4)))
	}
	return list
}

func TestZstandard(t *testing.T) {
	a, b := made("metadata", "", "aaa"), made("resource", "Content-Type: text/plain\r\n", "bbb")
	const both = "metadata aaa, resource bbb"
	zs := func(parts ...string) string { return framed(t, nil, parts...) }
	noise := made("metadata", "", strings.Repeat("\x00", 100<<20)) // larger than records are, and a bomb
	huge := zs("x")[:4] + "\x00\x98" + "\x01\x00\x00"              // a header that tells a window of 512 MiB
	for _, test := range []struct{ name, file, want string }{
		{"a frame each", zs(a, b), both},
		{"one frame", zs(a + b), both},
		{"frames that end anywhere", zs(a[:9], a[9:40], a[40:]+b[:len(b)-6], b[len(b)-6:]), both},
		{"empty frames", zs("", a, "", b, ""), both},
		{"other frames between", zs(a) + skip('P', "\x00\x01\x02") + skip('_', "") + zs(b) + skip('Z', a), both},
		{"other frames in a record, as of pzstd", skip('P', "1234") + zs(a[:9]) + skip('P', "1234") + skip('P', "5") + zs(a[9:]+b[:40]) +
			skip('P', "1234") + zs(b[40:]) + skip('P', "1234") + zs(a), both + ", metadata aaa"},
		{"another frame at the start", skip('Q', "x") + zs(a, b), both},
		{"members of both kinds", zs(a) + packed(t, b) + zs(b) + a, both + ", resource bbb, metadata aaa"},
		{"plain, then a frame", a + zs(b), both},
		{"another checksum", flip(zs(a), len(zs(a))-2) + zs(b), damagedZstd + ", resource bbb"},
		{"a damaged block", flip(zs(a), 20) + zs(b), damagedZstd + ", resource bbb"},
		{"the first bytes of a frame at the end", zs(a) + zs(b)[:4], "metadata aaa, " + damagedZstd},
		{"half a frame at the end", zs(a) + zs(b)[:40], "metadata aaa, " + damagedZstd},
		{"half a frame in the midst", zs(a)[:40] + zs(b), damagedZstd + ", resource bbb"},
		{"bytes between frames", zs(a) + "\x28\xb5\x2f\xfd no frame" + zs(b), "metadata aaa, " + damagedZstd + ", resource bbb"},
		{"another frame without its end", zs(a) + skip('P', "x")[:6], "metadata aaa, " + notWARC},
		{"a bomb", zs(noise, a), damagedZstd + ", metadata aaa"},
		{"a large window", huge + zs(a), damagedZstd + ", metadata aaa"},
		{"no dictionary", skip(']', "no dictionary") + zs(a), damagedZstd},
		{"a dictionary of too many bytes", "]\x2a\x4d\x18\xff\xff\xff\xff" + zs(a), damagedZstd},
		{"a damaged dictionary", skip(']', "\x37\xa4\x30\xec\x01\x00\x00\x00") + zs(a), damagedZstd},
		{"a dictionary that is a bomb", skip(']', zs(strings.Repeat("x", 20<<20))) + zs(a), damagedZstd},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := told(readAll(t, test.file, DefaultConfig())); got != test.want {
				t.Errorf("%.300q\nwant %q", got, test.want)
			}
		})
	}
	// Offsets are those of frames, as an index tells them.
	list := readAll(t, skip('P', "x")+zs(a, b), DefaultConfig())
	if len(list) != 2 || list[0].Offset != 9 || list[1].Offset != int64(9+len(zs(a))) {
		t.Errorf("%+v", list)
	}
}

// The dictionary at the start of a file counts for that file alone.
func TestDictionaryOfTheFile(t *testing.T) {
	records := pages(50)
	var contents [][]byte
	for _, record := range records {
		contents = append(contents, []byte(record))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 40_000, Contents: contents, History: []byte(strings.Join(records[:5], ""))})
	if err != nil {
		t.Fatal(err)
	}
	frames, want := framed(t, dictionary, records...), told(readAll(t, strings.Join(records, ""), DefaultConfig()))
	for name, content := range map[string]string{"plain": string(dictionary), "compressed": framed(t, nil, string(dictionary))} {
		if got := told(readAll(t, skip(']', content)+frames, DefaultConfig())); got != want {
			t.Errorf("%s: %.300q", name, got)
		}
	}
	r, err := NewReader(strings.NewReader(skip(']', string(dictionary))), int64(len(dictionary)+8), DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	_, first := r.Next()
	r.Reset(strings.NewReader(frames), int64(len(frames)))
	if record, err := r.Next(); first != io.EOF || err != nil || record.Reason != damagedZstd {
		t.Errorf("%v; frames of another file: %+v, %v", first, record, err)
	}
}

// What the program zstd compresses, with a dictionary that it has trained, is read as the plain file.
func TestZstandardOfItsProgram(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("skipped: the program zstd is not there")
	}
	folder, records := t.TempDir(), pages(200)
	command := func(args ...string) {
		t.Helper()
		c := exec.Command("zstd", append([]string{"-q", "-f"}, args...)...)
		c.Dir = folder
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("zstd %q: %v: %s", args, err, out)
		}
	}
	content := func(name string) string {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var names []string
	for i, record := range append(records, strings.Join(records, "")) {
		names = append(names, fmt.Sprintf("%03d", i))
		if err := os.WriteFile(filepath.Join(folder, names[i]), []byte(record), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	names, whole := names[:len(records)], names[len(records)]
	command(append([]string{"--train", "--maxdict=8192", "-o", "dictionary"}, names...)...)
	command(append([]string{"-19", "-D", "dictionary"}, names...)...)
	command("dictionary")
	command("--long", whole)
	var frames strings.Builder
	for _, name := range names {
		frames.WriteString(content(name + ".zst"))
	}
	want := told(readAll(t, content(whole), DefaultConfig()))
	for name, file := range map[string]string{"one frame": content(whole + ".zst"),
		"a dictionary":            skip(']', content("dictionary")) + frames.String(),
		"a compressed dictionary": skip(']', content("dictionary.zst")) + frames.String()} {
		if got := told(readAll(t, file, DefaultConfig())); got != want {
			t.Errorf("%s: %.300q", name, got)
		}
	}
}
