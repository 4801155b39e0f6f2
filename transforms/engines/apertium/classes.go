package apertium

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// classes are what a tagger was trained on: sets of tags that one word may have.
//
// Source: apertium 3.8.3, TaggerDataHMM::read, Collection::read and Compression.
type classes struct {
	open  int            // the number of tags that unknown words may have
	index map[string]int // of tags by their names
	sets  []map[int]bool // of tags
}

// readClasses reads those of a file of a tagger, which begins with them.
func readClasses(path string) (*classes, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := parseClasses(data)
	if err != nil {
		return nil, fmt.Errorf("read tagger %q: %w", path, err)
	}
	return c, nil
}

var errTagger = errors.New("it is not the file of a hidden Markov model")

func parseClasses(data []byte) (*classes, error) {
	r := taggerFile{data: data}
	c := &classes{index: map[string]int{}}
	c.open = r.count()
	r.skip(c.open)
	r.skip(2 * r.count()) // forbidden pairs
	for i := range r.count() {
		c.index[r.name()] = i
	}
	for range r.count() { // the same the other way about
		r.name()
		r.skip(1)
	}
	for range r.count() { // enforced pairs
		r.skip(1)
		r.skip(r.count())
	}
	for range r.count() { // preferences
		r.name()
	}
	for range r.count() { // constants
		r.name()
		r.skip(1)
	}
	for range r.count() {
		set := map[int]bool{}
		for range r.count() {
			set[r.number()] = true
		}
		c.sets = append(c.sets, set)
	}
	tags, sets := r.number(), r.number() // which the file says again
	if r.failed || sets != len(c.sets) || tags > len(c.index) || c.open > len(c.index) || sets == 0 {
		return nil, errTagger
	}
	return c, nil
}

// taggerFile reads numbers of one to four bytes, the first of which begins with the
// number of the others in two bits.
type taggerFile struct {
	data   []byte
	failed bool
}

func (r *taggerFile) number() int {
	if len(r.data) == 0 {
		r.failed = true
		return 0
	}
	n, extra := int(r.data[0]&0x3f), int(r.data[0]>>6)
	if len(r.data) <= extra {
		r.data, r.failed = nil, true
		return 0
	}
	for _, b := range r.data[1 : 1+extra] {
		n = n<<8 | int(b)
	}
	r.data = r.data[1+extra:]
	return n
}

// count reads a number of things that follow, each of a byte at least.
func (r *taggerFile) count() int {
	n := r.number()
	if n > len(r.data) {
		r.data, r.failed = nil, true
		return 0
	}
	return n
}

func (r *taggerFile) skip(n int) {
	for range n {
		r.number()
	}
}

func (r *taggerFile) name() string {
	var b strings.Builder
	for range r.count() {
		b.WriteRune(rune(r.number()))
	}
	return b.String()
}

// changed says whether what a tagger has said means that it is no longer as it was:
// a word had a set of tags that is not among the classes, and there is a class with
// these and others, smaller than that of unknown words, which takes its place. What
// is not understood may mean it.
func (c *classes) changed(said string) bool {
	if said == "" {
		return false
	}
	if c == nil {
		return true
	}
	understood := 0
	for rest := said; ; understood++ {
		_, after, found := strings.Cut(rest, "New ambiguity class: {")
		if !found {
			break
		}
		names, next, ended := strings.Cut(after, "}")
		if !ended || c.narrows(names) {
			return true
		}
		rest = next
	}
	return understood == 0 || understood != strings.Count(said, "Error: ")
}

// narrows says whether a set of tags, whose names stand between commas, takes the
// place of that of unknown words.
func (c *classes) narrows(names string) bool {
	if names == "" { // an unknown word: all of that set
		return false
	}
	var tags []int
	for name := range strings.SplitSeq(names, ",") {
		tag, ok := c.index[name]
		if !ok {
			return true
		}
		tags = append(tags, tag)
	}
	for _, set := range c.sets {
		if len(set) >= c.open {
			continue
		}
		contained := true
		for _, tag := range tags {
			contained = contained && set[tag]
		}
		if contained {
			return true
		}
	}
	return false
}
