package fasttext

import (
	"encoding/binary"
	"io"
	"math"
)

// Write writes the model in fastText's format, version 12, not quantised: what Read and the fasttext program read. The file has
// 4 × dim bytes for each bucket, frequent word and label.
func (t *Trained) Write(w io.Writer) error {
	m, c, d := t.model, t.config, t.model.words
	// Between the settings of this training are those that softmax does not use, with the program's defaults.
	const window, negatives, updateRate, sampling = 5, 5, 100, 1e-4
	data := make([]byte, 0, 1<<16)
	for _, v := range []int{magic, version, c.Dim, window, c.Epochs, c.MinCount, negatives, int(m.args.wordNgrams), int(softmax),
		supervised, c.Buckets, c.Minn, c.Maxn, updateRate} {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(sampling))
	for _, v := range []int{len(t.counts) + len(d.labels), len(t.counts), len(d.labels)} {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	data = binary.LittleEndian.AppendUint64(data, uint64(t.tokens))
	data = binary.LittleEndian.AppendUint64(data, math.MaxUint64) // -1: not pruned
	entry := func(word string, count int64, kind byte) {
		data = append(append(data, word...), 0)
		data = append(binary.LittleEndian.AppendUint64(data, uint64(count)), kind)
	}
	for i, count := range t.counts {
		entry(d.word(int32(i)), count, 0)
	}
	for i, count := range d.labelCounts {
		entry(labelPrefix+d.labels[i], count, 1)
	}
	for _, matrix := range []*dense{m.input.(*dense), m.output.(*dense)} {
		data = append(data, 0) // not quantised
		data = binary.LittleEndian.AppendUint64(data, uint64(matrix.m))
		data = binary.LittleEndian.AppendUint64(data, uint64(matrix.n))
		for _, v := range matrix.data {
			if len(data) >= 1<<15 {
				if _, err := w.Write(data); err != nil {
					return err
				}
				data = data[:0]
			}
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	_, err := w.Write(data)
	return err
}
