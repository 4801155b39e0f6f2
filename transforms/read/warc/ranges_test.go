package warc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/realdata"
)

// lowest is a source that remembers its first byte that was read.
type lowest struct {
	strings.Reader
	from int64
}

func (s *lowest) ReadAt(p []byte, offset int64) (int, error) {
	s.from = min(s.from, offset)
	return s.Reader.ReadAt(p, offset)
}

// readRanges reads a file in ranges that end at cuts and at the file's end, and returns the records of each.
func readRanges(t testing.TB, file string, cuts ...int64) (ranges [][]seen, err error) {
	t.Helper()
	config, size := DefaultConfig(), int64(len(file))
	r, err := NewReader(strings.NewReader(""), 0, config)
	if err != nil {
		t.Fatal(err)
	}
	from := int64(0)
	for _, to := range append(cuts, size) {
		source := &lowest{*strings.NewReader(file), size}
		r.ResetRange(source, size, from, to)
		list, err := readOn(t, r, config, len(file))
		if err != nil {
			return nil, err
		}
		if source.from < from {
			t.Errorf("range %d to %d: byte %d is read", from, to, source.from)
		}
		ranges, from = append(ranges, list), to
	}
	return ranges, nil
}

// noise is what gzip stores as it is.
func noise(random *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return string(b)
}

// Archives, and how many of ten ranges have records. Those of all ranges are the records of the file.
func TestRanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var records []string
	for i := range 300 {
		records = append(records, made(Resource, fmt.Sprint("WARC-Target-URI: file:///", i, "\r\n"), noise(random, 4000)))
	}
	whole := packed(t, records...)
	nested := made(Response, "", whole[:1_000_000])
	half := len(packed(t, records[:150]...)) + 100
	text := strings.Join(records, "")
	var blocks []string // as bgzip makes them
	for block := range slices.Chunk([]byte(text), 60_000) {
		blocks = append(blocks, string(block))
	}
	for name, test := range map[string]struct {
		file   string
		ranges int
		fails  bool
	}{
		"members":                 {whole, 10, false},
		"one member":              {packed(t, text), 1, false},
		"members of many records": {packed(t, strings.Join(records[:99], ""), strings.Join(records[99:], "")), 2, false},
		"an archive in a record": {packed(t, records[0], nested, nested, records[1]) + whole[:300_000] +
			packed(t, records[2]), 4, false},
		"an archive in all":         {packed(t, nested), 1, false},
		"blocks":                    {packed(t, blocks...), 1, false},
		"padded":                    {packed(t, records[:9]...) + "\n\n" + whole, 10, false},
		"damaged":                   {whole[:half] + "x" + whole[half+1:], 9, false},
		"cut":                       {whole[:len(whole)-99], 9, false},
		"plain":                     {text, 1, false},
		"an archive in a plain one": {packed(t, records[0]) + nested + packed(t, records[1]), 0, true},
		"frames":                    {framed(t, nil, records...), 1, false},
		"frames and members":        {framed(t, nil, records[0]) + whole, 10, false},
		"ARC":                       {packed(t, "filedesc://x") + strings.Repeat("\n", 200_000), 1, false},
		"ARC and WARC":              {packed(t, "filedesc://x") + whole, 0, true},
		"no record":                 {strings.Repeat("\x1f\x8b\x08\x00", 20_000), 1, false},
		"more records than bytes": {packed(t, strings.Repeat(made("metadata", "", ""), 100_000)) + whole[:200_000],
			0, true},
	} {
		t.Run(name, func(t *testing.T) {
			var cuts []int64
			for i := range int64(9) {
				cuts = append(cuts, int64(len(test.file))*(i+1)/10)
			}
			ranges, err := readRanges(t, test.file, cuts...)
			if test.fails != errors.Is(err, ErrOverlap) || err != nil && !test.fails {
				t.Fatal(err)
			}
			if test.fails {
				return
			}
			if diff := cmp.Diff(readAll(t, test.file, DefaultConfig()), slices.Concat(ranges...)); diff != "" {
				t.Errorf("%.2000s", diff)
			}
			if n := len(slices.DeleteFunc(ranges, func(r []seen) bool { return len(r) == 0 })); n != test.ranges {
				t.Errorf("%d ranges have records", n)
			}
		})
	}
}

// Real files are cut within each of their records.
func TestRangesOfRealFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Folder(t, "warc"), "warc", "*arc*.gz*"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var cuts []int64
		for at := 200; at < len(file); at += 200 {
			cuts = append(cuts, int64(at))
		}
		ranges, err := readRanges(t, string(file), cuts...)
		if diff := cmp.Diff(readAll(t, string(file), DefaultConfig()), slices.Concat(ranges...)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// FuzzRanges: the records of ranges are those of the file, wherever it is cut and damaged, and however its records are compressed.
func FuzzRanges(f *testing.F) {
	for seed := range uint64(15) {
		f.Add(seed, uint8(seed%3), uint8(seed%5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, changes, kinds uint8) {
		random := rand.New(rand.NewPCG(seed, 0))
		var records []string
		for range random.IntN(60) {
			block := strings.Repeat("text ", random.IntN(100))
			switch random.IntN(8) {
			case 0, 1:
				block = noise(random, random.IntN(20_000))
			case 2:
				if len(records) > 0 { // an archive
					inner := packed(t, records[random.IntN(len(records)):]...)
					block = inner[:random.IntN(len(inner)+1)]
				}
			}
			records = append(records, made("metadata", "", block))
		}
		var parts []string
		for len(records) > 0 {
			n := 1
			if kinds > 2 {
				n += random.IntN(min(3, len(records)))
			}
			member := packed(t, strings.Join(records[:n], ""))
			switch k := random.IntN(40); {
			case kinds < 2:
			case k == 0:
				member = framed(t, nil, records[:n]...)
			case k == 1:
				member += "\r\n"
			case k == 2:
				middle := random.IntN(len(records[0]))
				member = packed(t, records[0][:middle], records[0][middle:]+strings.Join(records[1:n], ""))
			}
			parts, records = append(parts, member), records[n:]
		}
		file := []byte(strings.Join(parts, ""))
		if len(file) == 0 {
			return
		}
		for range changes {
			file[random.IntN(len(file))] ^= byte(1 + random.IntN(255))
		}
		if changes > 3 {
			file = file[:random.IntN(len(file)+1)]
		}
		var cuts []int64
		for range random.IntN(30) {
			cuts = append(cuts, 1+random.Int64N(int64(len(file))+1)-1)
		}
		slices.Sort(cuts)
		if cuts = slices.Compact(cuts); len(cuts) > 0 && cuts[0] == 0 {
			cuts = cuts[1:]
		}
		ranges, err := readRanges(t, string(file), cuts...)
		if errors.Is(err, ErrOverlap) && changes > 0 && kinds > 2 { // records show in a damaged member of several
			t.Skip("overlap: ", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(readAll(t, string(file), DefaultConfig()), slices.Concat(ranges...)); diff != "" {
			t.Errorf("%.2000s", diff)
		}
	})
}

// A fault of the storage ends a range, too.
func TestRangeFails(t *testing.T) {
	file := packed(t, made("metadata", "", noise(rand.New(rand.NewPCG(1, 1)), 500_000)), made("metadata", "", "x"))
	r, err := NewReader(strings.NewReader(""), 0, DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int64{0, 300_000} {
		r.ResetRange(&failing{*strings.NewReader(file), 400_000}, int64(len(file)), from, from+300_000)
		if _, err := r.Next(); !errors.Is(err, errDisk) {
			t.Errorf("from %d: %v", from, err)
		}
	}
}
