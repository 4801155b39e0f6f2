package export

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"sentweave/schemas/storage"
	"sentweave/stages/inspect"
	"sentweave/transforms/measure/codes"
	"sentweave/transforms/measure/neighbors"
)

// What a matrix of NumPy holds of vectors: their numbers, or codes.
const (
	noCodes   = "none"
	int8Codes = "int8"
	bitCodes  = "binary"
)

// sampleNumbers bounds the vectors whose neighbours are compared with those of their codes.
const sampleNumbers = 1 << 24

// Codes says what codes of vectors keep.
type Codes struct {
	codes.Recall
	// Outside counts the numbers that lie outside of the ranges by which they are coded.
	Outside int64
}

// coder makes the codes of vectors, and keeps vectors at equal distances with what their codes say.
type coder struct {
	kind             string
	ranges           codes.Ranges // of int8
	rows, row        int64
	vector           []float32
	encoded          []byte
	vectors, decoded []float32
	outside          int64
}

// newCoder returns the coder of so many vectors, whose numbers have a type of NumPy. Their ranges are looked for before any code is made.
func (m matrix) newCoder(ctx context.Context, descr string, rows int64) (*coder, error) {
	if descr != "<f4" {
		return nil, inspect.Faultf("codes are made of lists of float, and column %s holds something else", m.column)
	}
	c := &coder{kind: m.codes, rows: rows}
	if m.codes == bitCodes {
		return c, nil
	}
	from := m
	if m.ranges != nil {
		from = matrix{table: *m.ranges, column: m.column}
	}
	err := from.each(ctx, func(values []byte) error {
		c.read(values)
		if size := c.ranges.Size(); size > 0 && len(c.vector) != size {
			return fmt.Errorf("vectors of %d and of %d values have no ranges in common; choose rows by --where", size, len(c.vector))
		}
		c.ranges.Extend(c.vector)
		return nil
	})
	if err == nil && !c.ranges.Finite() {
		err = fmt.Errorf("the ranges of %s are too wide for codes of int8: they are above the greatest number of float", m.column)
	}
	return c, err
}

// rangesOf opens the dataset whose ranges are taken.
func rangesOf(ctx context.Context, location string) (*inspect.Table, error) {
	folder, err := storage.Locate(location)
	if err != nil {
		return nil, err
	}
	d, err := inspect.Open(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("ranges: %w", err)
	}
	if d.Manifest == nil {
		return nil, fmt.Errorf("ranges: %s is not complete: run the command that makes it again", location)
	}
	table, err := d.Table(ctx)
	return &table, err
}

// numPy is the type of a code's numbers, each of which is a byte.
func (c *coder) numPy() string {
	if c.kind == bitCodes {
		return "|u1"
	}
	return "|i1"
}

// read takes the numbers of a vector from the bytes that NumPy has of them.
func (c *coder) read(values []byte) {
	c.vector = c.vector[:0]
	for ; len(values) > 0; values = values[4:] {
		c.vector = append(c.vector, math.Float32frombits(binary.LittleEndian.Uint32(values)))
	}
}

// code returns the code of a vector until the next one.
func (c *coder) code(values []byte) ([]byte, error) {
	c.read(values)
	if c.kind == int8Codes && len(c.vector) != c.ranges.Size() {
		return nil, fmt.Errorf("a vector has %d values, and the ranges %d", len(c.vector), c.ranges.Size())
	}
	c.row++
	apart := max(1, (c.rows*int64(len(c.vector))+sampleNumbers-1)/sampleNumbers)
	sampled := (c.row-1)%apart == 0
	if sampled {
		c.vectors = append(c.vectors, c.vector...)
	}
	if c.kind == bitCodes {
		if sampled {
			c.decoded = codes.AppendSigns(c.decoded, c.vector)
		}
		c.encoded = codes.AppendBits(c.encoded[:0], c.vector)
		return c.encoded, nil
	}
	outside := 0
	c.encoded, outside = c.ranges.Append(c.encoded[:0], c.vector)
	c.outside += int64(outside)
	if sampled {
		c.decoded = c.ranges.AppendDecoded(c.decoded, c.encoded)
	}
	return c.encoded, nil
}

// measure compares the neighbours of the vectors that were sampled.
func (c *coder) measure(ctx context.Context) (*Codes, error) {
	if c.row == 0 {
		return &Codes{}, nil
	}
	size := len(c.vector)
	recall, err := codes.Measure(ctx, neighbors.Matrix{Data: c.vectors, Dim: size}, neighbors.Matrix{Data: c.decoded, Dim: size})
	return &Codes{Recall: recall, Outside: c.outside}, err
}
