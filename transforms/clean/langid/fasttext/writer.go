package fasttext

import (
	"bufio"
	"encoding/binary"
	"io"
)

// Write writes the model in fastText's format, version 12: what Read and the fasttext program read. The file has 4 × dim bytes for each
// bucket, frequent word and label; one that was quantised is as small as Quantise says.
func (t *Trained) Write(w io.Writer) error {
	m, c, d := t.model, t.config, t.model.words
	out := &writer{bufio.NewWriterSize(w, 1<<16)}
	// Between the settings of this training are those that softmax does not use, with the program's defaults.
	const window, negatives, updateRate, sampling = 5, 5, 100, 1e-4
	for _, v := range []int{magic, version, c.Dim, window, c.Epochs, c.MinCount, negatives, int(m.args.wordNgrams), int(softmax),
		supervised, c.Buckets, c.Minn, c.Maxn, updateRate} {
		out.put(int32(v))
	}
	out.put(float64(sampling))
	for _, v := range []int{len(t.counts) + len(d.labels), len(t.counts), len(d.labels)} {
		out.put(int32(v))
	}
	out.put(t.tokens)
	out.put(d.pruned.size())
	for i, count := range t.counts {
		out.entry(d.word(int32(i)), count, 0)
	}
	for i, count := range d.labelCounts {
		out.entry(labelPrefix+d.labels[i], count, 1)
	}
	for bucket := range uint32(c.Buckets) {
		if d.pruned == nil {
			break
		}
		if row := d.pruned.find(bucket); row >= 0 {
			out.put([]int32{int32(bucket), row})
		}
	}
	for _, part := range []matrix{m.input, m.output} {
		q, quantised := part.(*quantised)
		out.put(quantised)
		if quantised {
			out.quantised(q)
		} else {
			out.dense(part.(*dense))
		}
	}
	return out.Flush() // which returns the first fault of all
}

// writer puts little-endian values into a file.
type writer struct{ *bufio.Writer }

func (w *writer) put(value any) { _ = binary.Write(w, binary.LittleEndian, value) }

func (w *writer) entry(word string, count int64, kind byte) {
	_, _ = w.WriteString(word + "\x00")
	w.put(count)
	w.put(kind)
}

func (w *writer) dense(d *dense) {
	w.put([]int64{d.m, d.n})
	for i := range d.m {
		w.put(d.row(int32(i)))
	}
}

func (w *writer) quantised(q *quantised) {
	w.put(true) // norms
	w.put([]int64{q.m, q.n})
	w.put(int32(len(q.codes)))
	w.put(q.codes)
	w.quantiser(q.parts)
	w.put(q.norms)
	w.quantiser(q.normParts)
}

func (w *writer) quantiser(q quantiser) {
	w.put([]int32{q.dim, q.subvectors, q.width, q.lastWidth})
	w.put(q.centroids)
}
