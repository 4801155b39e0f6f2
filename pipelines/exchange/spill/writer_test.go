package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestBucketsInTurnGiveTheSortedRecords(t *testing.T) {
	for name, records := range datasets(5_000) {
		for _, layout := range layouts(records) {
			t.Run(fmt.Sprintf("%s/%s/%d/%d", name, layout.Order, layout.Buckets, len(layout.Splits)), func(t *testing.T) {
				want := inOrder(layout.Order, records)
				file, refs := write(t, layout, Options{}, records)
				var got []Record
				last := -1
				for i, s := range open(t, file, layout) {
					if s.Ref() != refs[i] {
						t.Fatalf("the reader's ref is %+v, the writer's %+v", s.Ref(), refs[i])
					}
					bucket := s.Ref().Bucket
					if bucket <= last {
						t.Fatalf("bucket %d follows bucket %d", bucket, last)
					}
					last = bucket
					part := collect(t, s.Records())
					if int64(len(part)) != s.Ref().Records {
						t.Fatalf("bucket %d has %d records, its ref says %d", bucket, len(part), s.Ref().Records)
					}
					for _, r := range part {
						if b := layout.Bucket(r.Key); b != bucket {
							t.Fatalf("key %q of bucket %d lies in bucket %d", r.Key, b, bucket)
						}
					}
					got = append(got, part...)
				}
				requireEqual(t, got, want)
				if !slices.IsSortedFunc(got, layout.Compare) {
					t.Fatal("Layout.Compare disagrees with the order of the file")
				}
				requireEqual(t, collect(t, Merge(open(t, file, layout), Options{})), want)
			})
		}
	}
}

// TestByKeyIsTheOrderOfSort compares with the sort program.
func TestByKeyIsTheOrderOfSort(t *testing.T) {
	program, err := exec.LookPath("sort")
	if err != nil {
		t.Skip("skipped: the program sort is absent")
	}
	r := rand.New(rand.NewPCG(5, 6))
	var records []Record
	var lines bytes.Buffer
	for range 20_000 {
		key := []byte(strings.TrimRight(strings.Map(func(c rune) rune { return max(c, ' ') }, string(text(r, 14))), "\n"))
		records = append(records, Record{Key: key})
		lines.Write(append(key, '\n'))
	}
	command := exec.Command(program)
	command.Env, command.Stdin = []string{"LC_ALL=C"}, &lines
	want, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	layout := Layout{Order: ByKey, Buckets: 5}
	file, _ := write(t, layout, Options{}, records)
	var got bytes.Buffer
	for _, s := range open(t, file, layout) {
		for record, err := range s.Records() {
			if err != nil {
				t.Fatal(err)
			}
			got.Write(record.Key)
			got.WriteByte('\n')
		}
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Fatal("the order is not that of LC_ALL=C sort")
	}
}

// temporary counts the files that are opened and checks that all are closed.
func temporary(t testing.TB, opened *int) func() (File, error) {
	open := TemporaryFiles(t.TempDir())
	left := 0
	t.Cleanup(func() {
		if left != 0 {
			t.Errorf("%d temporary files were left open", left)
		}
	})
	return func() (File, error) {
		f, err := open()
		*opened++
		left++
		return closing{f, func() { left-- }}, err
	}
}

type closing struct {
	File
	done func()
}

func (c closing) Close() error {
	c.done()
	return c.File.Close()
}

func TestSameBytesInAnyOrderOfAddAndAnyMemory(t *testing.T) {
	n := 150_000
	if testing.Short() {
		n = 60_000
	}
	for name, records := range datasets(n) {
		if len(records) < n || testing.Short() && name != "texts" && name != "hashes" {
			continue
		}
		for _, order := range []Order{ByHash, ByKey} {
			for _, combine := range []string{"", "longest"} {
				t.Run(fmt.Sprintf("%s/%s/%s", name, order, combine), func(t *testing.T) {
					layout := Layout{Order: order, Buckets: 13}
					options := Options{}
					if combine != "" {
						options.Combine = longest
					}
					want, wantRefs := write(t, layout, options, records)
					shuffled := slices.Clone(records)
					random := rand.New(rand.NewPCG(8, 9))
					for _, memory := range []int64{minMemory, 5 << 20, 64 << 20} {
						random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
						opened := 0
						options.Memory, options.Temporary = memory, temporary(t, &opened)
						got, refs := write(t, layout, options, shuffled)
						if !bytes.Equal(got, want) || !slices.Equal(refs, wantRefs) {
							t.Fatalf("with a memory of %d the file differs", memory)
						}
						if memory == minMemory && combine == "" && opened != 1 {
							t.Fatalf("%d temporary files were opened, want 1: the records should not fit", opened)
						}
					}
				})
			}
		}
	}
}

func TestSizesOfRecords(t *testing.T) {
	layout := Layout{Order: ByKey, Buckets: 3}
	var records []Record
	for i, size := range []int{0, 1, 127, 128, 16_384, blockSize - recordCost - 4, blockSize - recordCost - 3, blockSize, 1 << 20, 3 << 20,
		maxRecord - 4} {
		key := binary.BigEndian.AppendUint32(nil, uint32(i)<<26)
		records = append(records,
			Record{Key: key, Value: bytes.Repeat([]byte{'v'}, size)},
			Record{Key: append(key, bytes.Repeat([]byte{'k'}, size)...)},
			Record{Key: key, Value: []byte("x")})
	}
	want := inOrder(ByKey, records)
	base, _ := write(t, layout, Options{Memory: 1 << 30}, records)
	for _, memory := range []int64{minMemory, 0} {
		opened := 0
		file, _ := write(t, layout, Options{Memory: memory, Temporary: temporary(t, &opened)}, records)
		if !bytes.Equal(file, base) {
			t.Fatalf("with a memory of %d the file differs", memory)
		}
		requireEqual(t, collect(t, Merge(open(t, file, layout), Options{Memory: memory})), want)
	}
	w, err := NewWriter(io.Discard, layout, Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Add(make([]byte, 10), make([]byte, maxRecord-9))
	if err == nil || !strings.Contains(err.Error(), "larger than 16777216 bytes") {
		t.Fatalf("a record above the limit gave %v", err)
	}
	if again := w.Add(nil, nil); again != err {
		t.Fatalf("after an error Add gave %v", again)
	}
	if _, again := w.Close(); again != err {
		t.Fatalf("after an error Close gave %v", again)
	}
}

func TestNoPlaceForRuns(t *testing.T) {
	w, err := NewWriter(io.Discard, Layout{Order: ByKey, Buckets: 1}, Options{Memory: minMemory})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 1_000_000 && err == nil; i++ {
		err = w.Add(count(int64(i)), nil)
	}
	if err == nil || !strings.Contains(err.Error(), "Options.Temporary is nil") {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	w, err = NewWriter(io.Discard, Layout{Order: ByKey, Buckets: 1},
		Options{Memory: minMemory, Temporary: func() (File, error) { return nil, full }})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 1_000_000 && err == nil; i++ {
		err = w.Add(count(int64(i)), nil)
	}
	if !errors.Is(err, full) {
		t.Fatal(err)
	}
}
