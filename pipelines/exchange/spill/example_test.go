package spill_test

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"sentweave/pipelines/exchange/spill"
)

// Two units count words; a worker for each bucket adds up the counts.
func Example() {
	layout := spill.Layout{Order: spill.ByKey, Buckets: 2, Splits: [][]byte{[]byte("n")}, Fingerprint: "word counts"}
	options := spill.Options{Combine: func(dst, value []byte) []byte {
		binary.BigEndian.PutUint64(dst, binary.BigEndian.Uint64(dst)+binary.BigEndian.Uint64(value))
		return dst
	}}
	one := binary.BigEndian.AppendUint64(nil, 1)

	buckets := make([][]spill.Section, layout.Buckets)
	for _, unit := range []string{"the cat and the dog", "the dog sleeps"} {
		var file bytes.Buffer
		w, err := spill.NewWriter(&file, layout, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer w.Abort()
		for word := range bytes.FieldsSeq([]byte(unit)) {
			if err := w.Add(word, one); err != nil {
				fmt.Println(err)
				return
			}
		}
		refs, err := w.Close()
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, ref := range refs {
			section, err := spill.OpenSection(bytes.NewReader(file.Bytes()), layout, ref)
			if err != nil {
				fmt.Println(err)
				return
			}
			buckets[ref.Bucket] = append(buckets[ref.Bucket], section)
		}
	}
	for bucket, sections := range buckets {
		for record, err := range spill.Merge(sections, options) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("bucket %d: %s %d\n", bucket, record.Key, binary.BigEndian.Uint64(record.Value))
		}
	}
	// Output:
	// bucket 0: and 1
	// bucket 0: cat 1
	// bucket 0: dog 2
	// bucket 1: sleeps 1
	// bucket 1: the 3
}
