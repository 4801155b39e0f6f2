package benchmark

import (
	"math"
	"unicode/utf8"

	"sentweave/schemas"
)

const (
	// alignmentRows is the least number of rows of which lengths are compared, and
	// alignmentWindow that of one piece of a file.
	alignmentRows, alignmentWindow = 50, 200
	// alignmentShift is how far texts may be shifted for it to be found, and
	// alignmentMargin how much better they must fit there.
	alignmentShift, alignmentMargin = 3, .1
)

// lengths are the logarithms of the lengths of a file's texts on both sides, row by
// row where both are there.
type lengths struct{ source, translation []float64 }

// logLength is above 0 for every row with a text.
func logLength(r schemas.Benchmark) float64 {
	return math.Log1p(float64(utf8.RuneCountInString(r.TextA) + utf8.RuneCountInString(r.TextB)))
}

// correlation is that of the lengths where the translation of row i is taken from row
// i+shift; ok is false where there are too few rows or one side has texts of one length.
func correlation(source, translation []float64, shift int) (r float64, ok bool) {
	if shift < 0 {
		source, shift = source[min(-shift, len(source)):], 0
	}
	translation = translation[min(shift, len(translation)):]
	n := min(len(source), len(translation))
	if n < alignmentRows {
		return 0, false
	}
	var sx, sy float64
	for i := range n {
		sx, sy = sx+source[i], sy+translation[i]
	}
	mx, my := sx/float64(n), sy/float64(n)
	var xx, yy, xy float64
	for i := range n {
		dx, dy := source[i]-mx, translation[i]-my
		xx, yy, xy = xx+dx*dx, yy+dy*dy, xy+dx*dy
	}
	// Texts of nearly one length say nothing.
	if xx < .01*float64(n) || yy < .01*float64(n) {
		return 0, false
	}
	return xy / math.Sqrt(xx*yy), true
}

// shifted looks for the first piece of a file whose texts fit better from other rows:
// the row where it begins, and by how much it is shifted.
func (l lengths) shifted() (row, shift int, better bool) {
	for start := 0; start+alignmentRows <= len(l.source); start += alignmentWindow / 2 {
		end := min(start+alignmentWindow, len(l.source))
		source, translation := l.source[start:end], l.translation[start:end]
		best, ok := correlation(source, translation, 0)
		if !ok {
			continue
		}
		for s := -alignmentShift; s <= alignmentShift; s++ {
			if r, ok := correlation(source, translation, s); ok && s != 0 && r > best+alignmentMargin {
				best, shift, better = r, s, true
			}
		}
		if better {
			return start, shift, true
		}
	}
	return 0, 0, false
}

// alignment compares the lengths of texts, file by file, of rows with gold.
func (w *Comparison) alignment() {
	if w.config.MinCorrelation == 0 {
		return
	}
	files := map[[2]string]*lengths{}
	var names [][2]string
	for index, s := range w.source {
		if w.lengths[index] == 0 {
			continue
		}
		file := [2]string{s.Task, s.File}
		if files[file] == nil {
			files[file] = &lengths{}
			names = append(names, file)
		}
		files[file].source = append(files[file].source, logLength(s))
		files[file].translation = append(files[file].translation, w.lengths[index])
	}
	for _, file := range names {
		l, fileRow := files[file], schemas.Benchmark{Task: file[0], File: file[1], Row: -1}
		if r, ok := correlation(l.source, l.translation, 0); ok && r < w.config.MinCorrelation {
			w.fault(fileRow, FaultAlignment,
				"the lengths of the texts correlate by %.2f with the source's, want %.2f: the rows may be in another order",
				r, w.config.MinCorrelation)
		} else if row, shift, better := l.shifted(); better {
			w.fault(fileRow, FaultAlignment, "from about row %d on the texts fit the source better when they are shifted by %d", row, shift)
		}
	}
}
