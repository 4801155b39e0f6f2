package corpus

import (
	"bytes"
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
)

// TableName is the file of the counts in the folder of a report.
const TableName = "documents.csv"

// CSV has all counts, a line for each: those of funnels by dataset, items, step and language, those of documents by what is counted.
// A nil corpus has the heading alone.
func (c *Corpus) CSV() ([]byte, error) {
	if c == nil {
		return table(func(writeLine) {})
	}
	return table(c.lines)
}

// writeLine writes a count, and the other fields of its line.
type writeLine func(value float64, fields ...string)

// table is a file of counts, whose lines are written by calls.
func table(lines func(writeLine)) ([]byte, error) {
	var buffer bytes.Buffer
	w := csv.NewWriter(&buffer)
	// The writer keeps its first error, which Error returns.
	w.Write([]string{"part", "dataset", "items", "step", "language", "key", "value"})
	lines(func(value float64, fields ...string) {
		w.Write(append(fields, strconv.FormatFloat(value, 'f', -1, 64)))
	})
	w.Flush()
	return buffer.Bytes(), w.Error()
}

// lines calls write with each count of the funnels, and with the other fields of its line.
func (h *history) lines(write writeLine) {
	for _, s := range h.steps {
		for _, code := range slices.Sorted(maps.Keys(s.Languages)) {
			n := s.Languages[code]
			write(float64(n.In), "funnel", s.dataset, s.items, s.Name, code, "in")
			write(float64(n.Out), "funnel", s.dataset, s.items, s.Name, code, "out")
			for _, r := range byCount(n.Dropped) {
				write(float64(r.n), "funnel", s.dataset, s.items, s.Name, code, r.key)
			}
		}
	}
}

// lines calls write with each count, and with the other fields of its line.
func (c *Corpus) lines(write writeLine) {
	c.history.lines(write)
	n := c.counts
	for _, code := range slices.Sorted(maps.Keys(n.languages)) {
		size := n.languages[code]
		write(float64(size.documents), "size", "", "documents", "", code, "")
		write(float64(size.sentences), "size", "", "sentences", "", code, "")
		write(float64(size.characters), "size", "", "characters", "", code, "")
	}
	for _, length := range []struct {
		name string
		of   *histogram
	}{{"sentences of documents", &n.sentencesOfDocuments}, {"characters of documents", &n.charactersOfDocuments},
		{"characters of sentences", &n.charactersOfSentences}} {
		for _, o := range length.of.octaves() {
			write(float64(o.n), "length", "", length.name, "", "", strconv.FormatInt(o.first, 10))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.scores)) {
		write(float64(n.scores[name].n), "score", "", name, "", "", "documents")
		for i, q := range n.scores[name].ends() {
			write(q, "score", "", name, "", "", strconv.FormatFloat(quantileShares[i], 'f', -1, 64))
		}
	}
	for _, names := range []struct {
		part string
		of   map[string]int64
	}{{"month", n.months}, {"license", n.licenses}, {"opt_out", n.optOuts}, {"domain", n.domains.keys}} {
		list := byCount(names.of)
		if names.part == "domain" {
			list = list[:min(mostTableDomains, len(list))]
		}
		for _, k := range list {
			write(float64(k.n), names.part, "", "documents", "", "", k.key)
		}
	}
}

// mostTableDomains bounds the file.
const mostTableDomains = 10_000
