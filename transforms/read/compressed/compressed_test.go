package compressed

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// bzip2Streams are what `bzip2` makes of the texts below, by their lengths, in hexadecimal: there is no
// writer in Go.
var bzip2Streams = map[int]string{
	17:                                "425a683931415926535984b1a904000006d1800010400003258440200031003020d03d412d5ad21a8472ef17724538509084b1a904",                                                             // "one line of text\n"
	17_000:                            "425a68393141592653591deee96c001b57d18000104000032584402000902006026aa9a0da4ca90775483ca906ea9077520ca90654837520d54832a41aa90654839520d54839520fc5dc914e1424077bba5b00", // that 1000 times
	leastExpansion + MaxExpansion<<16: "425a68393141592653592b71bb71015f8e400080100008200030804d4642a025a90a80973141592653590486bc810106d7c004801000400008200030cc0529a6aa4a50360294a078bb9229c28482932e5318",   // line feeds
}

func pack(t testing.TB, extension, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch extension {
	case ".gz":
		w = gzip.NewWriter(&out)
	case ".zst":
		w, err = zstd.NewWriter(&out)
	case ".xz":
		w, err = xz.NewWriter(&out)
	case ".bz2":
		stream, err := hex.DecodeString(bzip2Streams[len(text)])
		if err != nil || len(stream) == 0 {
			t.Fatalf("no stream of bzip2 for %d bytes: %v", len(text), err)
		}
		return stream
	}
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unpack(packed []byte, extension string) (string, error) {
	r, err := Open(bytes.NewReader(packed), extension)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

func TestOpen(t *testing.T) {
	text := strings.Repeat("one line of text\n", 1000)
	for _, e := range extensions {
		packed := pack(t, e, text)
		if got, err := unpack(packed, e); err != nil || got != text {
			t.Errorf("%s: %d bytes of %d, %v", e, len(got), len(text), err)
		}
		if got, err := unpack(append(packed, packed...), e); err != nil || got != text+text {
			t.Errorf("%s twice: %d bytes of %d, %v", e, len(got), 2*len(text), err)
		}
		if _, err := unpack(packed[:len(packed)/2], e); err == nil {
			t.Errorf("%s: half of a file is not an error", e)
		}
		if _, err := unpack(packed[:len(packed)-1], e); err == nil {
			t.Errorf("%s: a file without its last byte is not an error", e)
		}
		if _, err := unpack([]byte(text), e); err == nil {
			t.Errorf("%s: a text is not an error", e)
		}
		if _, err := unpack(pack(t, e, strings.Repeat("\n", leastExpansion+MaxExpansion<<16)), e); !errors.Is(err, ErrBomb) {
			t.Errorf("%s: a bomb: %v", e, err)
		}
	}
	if got, err := unpack([]byte(text), ""); err != nil || got != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// The program of XZ Utils writes other headers than the library: sizes in the blocks,
// and dictionaries of any size.
func TestXZ(t *testing.T) {
	program, err := exec.LookPath("xz")
	if err != nil {
		t.Skip("skipped: no program xz")
	}
	text := strings.Repeat("one line of text\n", 100_000)
	for _, c := range []struct {
		options string
		fault   string
	}{
		{"-9", ""},
		{"-T2 --block-size=100000", ""},
		{"--check=sha256 -1", ""},
		{"--lzma2=dict=512MiB", "its dictionary has"},
		{"-T2 --block-size=1MiB --lzma2=dict=512MiB", "its dictionary has"},
	} {
		command := exec.Command(program, append([]string{"-c"}, strings.Fields(c.options)...)...)
		command.Stdin = strings.NewReader(text)
		packed, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.options, err)
		}
		got, err := unpack(packed, ".xz")
		if c.fault == "" && (err != nil || got != text) || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %d bytes, %v", c.options, len(got), err)
		}
	}
}

// What the program zstd writes with the longest windows is refused with the way out, in the memory of the largest window
// that is allowed; with `--long=27` it is read.
func TestZstdWindows(t *testing.T) {
	text := strings.Repeat("one line of text\n", 10_000)
	frame := func(window int) []byte {
		var out bytes.Buffer
		w, err := zstd.NewWriter(&out, zstd.WithWindowSize(window))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // of a length that the header does not tell
			if _, err = io.WriteString(w, text); err == nil {
				err = w.Flush()
			}
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	small, large := frame(MaxWindow), frame(4*MaxWindow)
	if got, err := unpack(small, ".zst"); err != nil || got != text+text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	// A window of 2 GiB, as of `zstd --long=31`: the header of a frame, and a block of one byte repeated.
	longest := []byte("\x28\xb5\x2f\xfd\x00\xa8\x53\x00\x00x")
	for name, packed := range map[string][]byte{"512 MiB": large, "2 GiB": longest,
		"a second frame": append(slices.Clone(small), longest...)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := unpack(packed, ".zst")
		runtime.ReadMemStats(&after)
		if err == nil || !errors.Is(err, zstd.ErrWindowSizeExceeded) || !strings.Contains(err.Error(), "zstd --long=27") {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 3*MaxWindow {
			t.Errorf("%s: %d bytes of memory", name, used)
		}
	}
}

func TestCut(t *testing.T) {
	for name, want := range map[string][2]string{
		"a.en.gz": {"a.en", ".gz"}, "a.XZ": {"a", ".xz"}, "a.tsv.zst": {"a.tsv", ".zst"}, "a.zip": {"a.zip", ""}, ".gz": {".gz", ""},
		"a.tsv.Bz2": {"a.tsv", ".bz2"},
	} {
		if rest, extension := Cut(name); rest != want[0] || extension != want[1] {
			t.Errorf("%s is %q and %q", name, rest, extension)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for i, e := range extensions {
		f.Add(pack(f, e, "one line of text\n"), uint8(i))
	}
	f.Fuzz(func(t *testing.T, packed []byte, extension uint8) {
		r, err := Open(bytes.NewReader(packed), extensions[int(extension)%len(extensions)])
		if err != nil {
			return
		}
		defer r.Close()
		_, _ = io.Copy(io.Discard, r)
	})
}

// Members of gzip with zeros between and behind them are read as gzip(1) reads them; what is neither zeros nor a
// member is an error.
func TestPaddedGzip(t *testing.T) {
	one, two := string(pack(t, ".gz", "one\n")), string(pack(t, ".gz", "two\n"))
	zeros := strings.Repeat("\x00", 70_000)
	for _, test := range []struct {
		name, packed, want string
		fault              error
		peer               bool
	}{
		{"a member", one, "one\n", nil, true},
		{"two", one + two, "one\ntwo\n", nil, true},
		{"an empty one between", one + string(pack(t, ".gz", "")) + two, "one\ntwo\n", nil, true},
		{"zeros behind", one + two + zeros, "one\ntwo\n", nil, true},
		{"zeros between", one + "\x00\x00\x00" + two, "one\ntwo\n", nil, false}, // gzip(1) warns, and stops
		{"something behind", one + "x", "one\n", errBehind, false},
		{"something behind zeros", one + "\x00\x00x", "one\n", errBehind, false},
		{"a magic number that is cut", one + two[:1], "one\n", io.ErrUnexpectedEOF, false},
		{"a member that is cut", one + two[:len(two)-3], "one\ntwo\n", io.ErrUnexpectedEOF, false},
		{"zeros alone", zeros, "", gzip.ErrHeader, false},
	} {
		got, err := unpack([]byte(test.packed), ".gz")
		if got != test.want || !errors.Is(err, test.fault) {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
		if !test.peer {
			continue
		}
		c := exec.Command("gzip", "-dc")
		c.Stdin = strings.NewReader(test.packed)
		if text, err := c.Output(); err != nil || string(text) != test.want {
			t.Errorf("%s: gzip gives %q, %v", test.name, text, err)
		}
	}
}
