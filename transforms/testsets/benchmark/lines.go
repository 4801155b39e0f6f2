package benchmark

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/lineending"
)

// Encoding says how the bytes of a file stand for characters.
type Encoding string

const (
	// UTF8 is the only encoding of what is written; a byte order mark is skipped.
	UTF8 Encoding = "utf-8"
	// Western is that of the files which SentEval reads as Latin-1. MR, SUBJ and TREC
	// are Windows-1252 (0x85 is "…", 0x96 "–"), so a line that is not UTF-8 is read as
	// that. Latin-1 itself would make 0x85 a line break of Python's, at which SentEval
	// cuts MR into 10,685 rows.
	Western Encoding = "western"
)

// maxLine bounds one line, which is held in memory.
const maxLine = 16 << 20

// Line is one line of a file without its end.
type Line struct {
	Number int // from 1
	Text   string
	// Valid is false where the bytes are not of the encoding; they are in Text as they are.
	Valid bool
}

// Lines yields the lines of a file. They end at LF or CR LF and nowhere else: not at
// U+0085, U+2028 or a lone CR, as Python's splitlines has it. The last line may lack
// its end. Name is for errors: one that the reader gives, a line of more than
// 16 MiB, UTF-16, what is compressed, and lineending.ErrReturns.
func Lines(r io.Reader, name string, e Encoding) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		if e != UTF8 && e != Western {
			yield(Line{}, fmt.Errorf("read %s: encoding %q is not %q or %q", name, e, UTF8, Western))
			return
		}
		b := bufio.NewReaderSize(lineending.NewReader(r), 64<<10)
		for number := 1; ; number++ {
			line, err := readLine(b)
			if errors.Is(err, lineending.ErrReturns) {
				yield(Line{}, fmt.Errorf("read %s: %w", name, err))
				return
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{}, fmt.Errorf("read %s line %d: %w", name, number, err))
				return
			}
			if number == 1 {
				if bytes.HasPrefix(line, []byte{0xff, 0xfe}) || bytes.HasPrefix(line, []byte{0xfe, 0xff}) {
					yield(Line{}, fmt.Errorf("read %s: it is UTF-16: convert it to UTF-8", name))
					return
				}
				if err := compressed.Unnamed(line); err != nil {
					yield(Line{}, fmt.Errorf("read %s: %w", name, err))
					return
				}
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if err != nil && len(line) == 0 {
				return
			}
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			l := Line{Number: number, Valid: utf8.Valid(line)}
			if !l.Valid && e == Western {
				l.Text, l.Valid = decodeWestern(line), true
			} else {
				l.Text = string(line)
			}
			if !yield(l, nil) || err != nil {
				return
			}
		}
	}
}

// readLine returns a line with its end, or what is left of the file and io.EOF.
func readLine(b *bufio.Reader) ([]byte, error) {
	line, err := b.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(long) > maxLine {
			return nil, fmt.Errorf("the line is longer than %d bytes: this is not a file of texts", maxLine)
		}
		line, err = b.ReadSlice('\n')
		long = append(long, line...)
	}
	return long, err
}

func decodeWestern(line []byte) string {
	var b strings.Builder
	b.Grow(len(line) + 8)
	for _, c := range line {
		b.WriteRune(charmap.Windows1252.DecodeByte(c))
	}
	return b.String()
}
