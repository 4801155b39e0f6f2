package spill

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// hashRecords returns n records of 24 bytes as deduplication makes them: a
// 128-bit hash as key; unit and row as value.
func hashRecords(n int, unit uint32, random *rand.Rand) []byte {
	records := make([]byte, 0, 24*n)
	for i := range n {
		records = binary.BigEndian.AppendUint64(records, random.Uint64())
		records = binary.BigEndian.AppendUint64(records, random.Uint64())
		records = binary.BigEndian.AppendUint32(records, unit)
		records = binary.BigEndian.AppendUint32(records, uint32(i))
	}
	return records
}

func report(b *testing.B, records, bytes, stored int) {
	b.SetBytes(int64(bytes))
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
	b.ReportMetric(float64(stored)/float64(bytes), "stored/raw")
}

// BenchmarkWriteHashes writes spill files of a million records of 24 bytes, in
// memory and with runs.
func BenchmarkWriteHashes(b *testing.B) {
	const n = 1_000_000
	records := hashRecords(n, 7, rand.New(rand.NewPCG(1, 2)))
	for _, order := range []Order{ByHash, ByKey} {
		for _, memory := range []int64{16 << 20, 64 << 20} {
			b.Run(fmt.Sprintf("%s/%dMiB", order, memory>>20), func(b *testing.B) {
				layout := Layout{Order: order, Buckets: 64}
				var out bytes.Buffer
				for b.Loop() {
					out.Reset()
					w, err := NewWriter(&out, layout, Options{Memory: memory, Temporary: TemporaryFiles(b.TempDir())})
					if err != nil {
						b.Fatal(err)
					}
					for i := 0; i < len(records); i += 24 {
						if err := w.Add(records[i:i+16], records[i+16:i+24]); err != nil {
							b.Fatal(err)
						}
					}
					if _, err := w.Close(); err != nil {
						b.Fatal(err)
					}
				}
				report(b, n, len(records), out.Len())
			})
		}
	}
}

// BenchmarkMergeHashes merges 64 sections of 24-byte records.
func BenchmarkMergeHashes(b *testing.B) {
	const units, n = 64, 20_000
	for _, order := range []Order{ByHash, ByKey} {
		b.Run(string(order), func(b *testing.B) {
			layout := Layout{Order: order, Buckets: 1}
			random := rand.New(rand.NewPCG(1, 2))
			var sections []Section
			stored := 0
			for unit := range units {
				var out bytes.Buffer
				w, err := NewWriter(&out, layout, Options{})
				if err != nil {
					b.Fatal(err)
				}
				records := hashRecords(n, uint32(unit), random)
				for i := 0; i < len(records); i += 24 {
					if err := w.Add(records[i:i+16], records[i+16:i+24]); err != nil {
						b.Fatal(err)
					}
				}
				refs, err := w.Close()
				if err != nil {
					b.Fatal(err)
				}
				s, err := OpenSection(bytes.NewReader(out.Bytes()), layout, refs[0])
				if err != nil {
					b.Fatal(err)
				}
				sections = append(sections, s)
				stored += out.Len()
			}
			b.ReportAllocs()
			for b.Loop() {
				count := 0
				for _, err := range Merge(sections, Options{}) {
					if err != nil {
						b.Fatal(err)
					}
					count++
				}
				if count != units*n {
					b.Fatal(count)
				}
			}
			report(b, units*n, units*n*24, stored)
		})
	}
}

// BenchmarkWriteWordCounts counts two million words of Zipf's distribution.
func BenchmarkWriteWordCounts(b *testing.B) {
	const n = 2_000_000
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 2, 500_000)
	words, size := make([][]byte, n), 0
	for i := range words {
		words[i] = fmt.Appendf(nil, "word%d\x00eng", zipf.Uint64())
		size += len(words[i])
	}
	one := count(1)
	for _, order := range []Order{ByHash, ByKey} {
		b.Run(string(order), func(b *testing.B) {
			var out bytes.Buffer
			keys := int64(0)
			for b.Loop() {
				out.Reset()
				w, err := NewWriter(&out, Layout{Order: order, Buckets: 64}, Options{Combine: sum})
				if err != nil {
					b.Fatal(err)
				}
				for _, word := range words {
					if err := w.Add(word, one); err != nil {
						b.Fatal(err)
					}
				}
				refs, err := w.Close()
				if err != nil {
					b.Fatal(err)
				}
				keys = 0
				for _, ref := range refs {
					keys += ref.Records
				}
			}
			report(b, n, size, out.Len())
			b.ReportMetric(float64(out.Len())/float64(keys), "bytes/key")
		})
	}
}
