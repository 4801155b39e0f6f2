package bitext

import (
	"errors"
	"io"
)

// Aligned reads files whose lines translate each other.
type Aligned struct {
	sides   []*Lines
	shorter bool
	record  Record
}

// NewAligned returns a reader of files side by side. Shorter ends at the end of the
// shortest of them, where it is an error otherwise.
func NewAligned(sides []*Lines, shorter bool) *Aligned {
	return &Aligned{sides: sides, shorter: shorter}
}

// Next returns the next line of all sides, valid until the next call; io.EOF after the
// last one, and errUneven where one side ends and another does not.
func (a *Aligned) Next() (*Record, error) {
	r := &a.record
	r.begin(len(a.sides))
	ended := 0
	for i, side := range a.sides {
		line, tooLong, err := side.Next()
		switch {
		case errors.Is(err, io.EOF):
			ended++
			continue
		case err != nil:
			return nil, err
		case tooLong:
			r.fail(TooLong, "")
		}
		r.text(i, line)
		if tooLong { // it may be cut within a character
			r.Texts[i] = nil
		}
	}
	switch {
	case ended == 0:
		return r, nil
	case ended == len(a.sides) || a.shorter:
		return nil, io.EOF
	}
	return nil, errUneven
}
