package vectorfile

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

const (
	npyMagic = "\x93NUMPY"
	// longestHeader bounds the text before a matrix; that of NumPy has 118 bytes.
	longestHeader = 1 << 16
	maxArrays     = 1 << 10 // of .npz
)

// matrix is what a header of NumPy's format says (NumPy enhancement proposal 1, versions 1 to 3).
type matrix struct {
	rows, columns int64
	width         int // bytes of a number
	order         binary.ByteOrder
}

// npyField are those of the dictionary before a matrix, as NumPy and other writers have them.
var npyField = regexp.MustCompile(`^\s*['"](descr|fortran_order|shape)['"]\s*:\s*(?:['"]([^'"]*)['"]|(True|False)|\(([0-9, ]*)\))\s*(?:,|$)`)

// readHeader reads what comes before the numbers.
func readHeader(r io.Reader) (m matrix, bytes int64, err error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:6]) != npyMagic {
		return m, 0, errors.New("it is not a matrix of NumPy: the first bytes are others")
	}
	size := make([]byte, 2)
	switch start[6] {
	case 1:
	case 2, 3:
		size = make([]byte, 4)
	default:
		return m, 0, fmt.Errorf("it has version %d.%d of NumPy's format; 1 to 3 are read", start[6], start[7])
	}
	if _, err := io.ReadFull(r, size); err != nil {
		return m, 0, errors.New("it ends within its header")
	}
	length := binary.LittleEndian.Uint32(append(size, 0, 0)[:4])
	if length > longestHeader {
		return m, 0, fmt.Errorf("its header has %d bytes, more than the %d that are read", length, longestHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return m, 0, errors.New("it ends within its header")
	}
	err = m.parse(string(text))
	return m, int64(len(start)+len(size)) + int64(length), err
}

// parse reads the dictionary of a header.
func (m *matrix) parse(text string) error {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	descr, order, shape, fields := "", "", "", 0
	for inner = strings.TrimSpace(inner); inner != ""; fields++ {
		parts := npyField.FindStringSubmatch(inner)
		if parts == nil {
			break
		}
		switch parts[1] {
		case "descr":
			descr = parts[2]
		case "fortran_order":
			order = parts[3]
		case "shape":
			shape = parts[4]
		}
		inner = strings.TrimSpace(inner[len(parts[0]):])
	}
	if !opened || !closed || inner != "" || fields != 3 || descr == "" || order == "" {
		return errors.New("its header is not a dictionary of descr, fortran_order and shape: a matrix of float16, float32 or float64 is read")
	}
	widths := map[string]int{"f2": 2, "f4": 4, "f8": 8}
	if m.width = widths[descr[1:]]; m.width == 0 || !strings.ContainsAny(descr[:1], "<>=|") {
		return fmt.Errorf("its numbers are %q; float16, float32 and float64 are read: save array.astype('float32')", descr)
	}
	if m.order = binary.LittleEndian; descr[0] == '>' {
		m.order = binary.BigEndian
	}
	sizes := strings.Split(strings.TrimSuffix(strings.ReplaceAll(shape, " ", ""), ","), ",")
	if len(sizes) != 2 {
		return fmt.Errorf("its shape is (%s), where (vectors, numbers of each) is wanted", shape)
	}
	var err, columnsErr error
	m.rows, err = strconv.ParseInt(sizes[0], 10, 64)
	m.columns, columnsErr = strconv.ParseInt(sizes[1], 10, 64)
	if err != nil || columnsErr != nil || m.columns < 1 || m.columns > maxNumbers || m.rows > math.MaxInt64/m.columns/8 {
		return fmt.Errorf("its shape is (%s), where vectors of 1 to %d numbers are wanted", shape, maxNumbers)
	}
	if order == "True" && m.rows > 1 && m.columns > 1 {
		return errors.New("its numbers are in Fortran's order: save numpy.ascontiguousarray(array)")
	}
	return nil
}

// bytes is the size of all numbers.
func (m matrix) bytes() int64 { return m.rows * m.columns * int64(m.width) }

// each reads the numbers.
func (m matrix) each(r io.Reader, yield func(Row) error) error {
	if m.rows == 0 {
		return nil
	}
	buffered, data, vector := bufio.NewReaderSize(r, 1<<20), make([]byte, m.columns*int64(m.width)), make([]float32, m.columns)
	for row := range m.rows {
		if _, err := io.ReadFull(buffered, data); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		for i := range vector {
			switch b := data[i*m.width:]; m.width {
			case 2:
				vector[i] = half(m.order.Uint16(b))
			case 4:
				vector[i] = math.Float32frombits(m.order.Uint32(b))
			default:
				vector[i] = float32(math.Float64frombits(m.order.Uint64(b)))
			}
		}
		if err := yield(Row{Vector: vector}); err != nil {
			return err
		}
	}
	return nil
}

// half reads a number of 16 bits (IEEE 754).
func half(b uint16) float32 {
	sign, exponent, fraction := uint32(b>>15)<<31, uint32(b>>10&0x1f), uint32(b&0x3ff)
	switch exponent {
	case 0:
		x := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(x) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

func openNPY(file io.ReaderAt, size int64, o Options) (Vectors, error) {
	if o != (Options{}) {
		return Vectors{}, errors.New("a matrix of NumPy has no columns and no ids: its vectors are in the order of the texts")
	}
	m, start, err := readHeader(io.NewSectionReader(file, 0, size))
	if err == nil && start+m.bytes() != size {
		err = fmt.Errorf("it has %d bytes, and its header says %d", size, start+m.bytes())
	}
	return Vectors{m.rows, func(yield func(Row) error) error { return m.each(io.NewSectionReader(file, start, m.bytes()), yield) }}, err
}

func openNPZ(file io.ReaderAt, size int64, o Options) (Vectors, error) {
	if o.IDs != "" {
		return Vectors{}, errors.New("ids of .npz are not read: its vectors are in the order of the texts")
	}
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return Vectors{}, fmt.Errorf("it is not an archive of NumPy: %w", err)
	}
	var names []string
	var array *zip.File
	for _, f := range archive.File[:min(len(archive.File), maxArrays)] {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if names = append(names, name); o.Column == "" || name == o.Column {
			array = f
		}
	}
	switch {
	case array == nil && o.Column != "":
		return Vectors{}, fmt.Errorf("it has no array %q, only %q", o.Column, names)
	case array == nil || o.Column == "" && len(names) > 1:
		return Vectors{}, fmt.Errorf("it has the arrays %q: name one", names)
	}
	opened := func() (io.ReadCloser, matrix, error) {
		r, err := array.Open()
		if err != nil {
			return nil, matrix{}, err
		}
		m, start, err := readHeader(r)
		if err == nil && uint64(start+m.bytes()) != array.UncompressedSize64 {
			err = fmt.Errorf("the array has %d bytes, and its header says %d", array.UncompressedSize64, start+m.bytes())
		}
		if err != nil {
			return nil, m, errors.Join(err, r.Close())
		}
		return r, m, nil
	}
	r, m, err := opened()
	if err != nil {
		return Vectors{}, err
	}
	return Vectors{m.rows, func(yield func(Row) error) error {
		r, m, err := opened()
		if err != nil {
			return err
		}
		defer r.Close()
		if err := m.each(r, yield); err != nil {
			return err
		}
		if _, err := r.Read(make([]byte, 1)); err != io.EOF { // where the checksum is compared
			return fmt.Errorf("the array is damaged: %w", err)
		}
		return nil
	}}, r.Close()
}
