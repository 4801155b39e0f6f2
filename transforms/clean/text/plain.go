package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sentweave/transforms/read/charset"
)

// sampled is how much of a record that is too large is kept.
const sampled = 500

// nulBytes is the detail of binary records.
const nulBytes = "NUL bytes, of which a text in UTF-16 has many"

// Plain returns the record that a file with these bytes gives as a WholeFile of any
// size in UTF-8, or, for a file of nothing, which gives none, one with the reason Empty.
func Plain(b []byte) Record {
	r := Record{Length: int64(len(b))}
	r.plain(bytes.TrimPrefix(b, mark), charset.Charset{})
	return r
}

// decode returns b as UTF-8: from the character set, unless b is UTF-8 all the same. Without
// one, b is returned as it is.
func decode(b []byte, set charset.Charset) []byte {
	if !set.Known() || set.IsUTF8() {
		return b
	}
	if set.ReadsAsUTF8(b) {
		return b
	}
	return set.Decode(b)
}

// plain fills in a record of plain text.
func (r *Record) plain(b []byte, set charset.Charset) {
	if set.IsUTF8() {
		set = charset.Charset{}
	}
	b = decode(b, set)
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		r.Reason, r.Detail = Empty, fmt.Sprintf("%d bytes", r.Length)
		return
	case charset.HasManyNULs(b):
		r.Reason, r.Detail = Binary, nulBytes
		return
	}
	r.Text = string(b)
	if !set.Known() && utf8.Valid(b) {
		return
	}
	invalid := 0
	for i := 0; i < len(b); {
		c, size := utf8.DecodeRune(b[i:])
		// Of what is decoded from another character set, control characters tell as well
		// that it was another one: ISO 8859 has them where Windows has letters.
		if c == utf8.RuneError && (size == 1 || set.Known()) || set.Known() && c >= 0x80 && c < 0xa0 && c != 0x85 {
			invalid++
		}
		i += size
	}
	r.Text = strings.ToValidUTF8(r.Text, "\ufffd")
	if characters := utf8.RuneCountInString(r.Text); invalid*100 > characters {
		r.Reason, r.Detail = InvalidEncoding, fmt.Sprintf("%d bytes are not UTF-8, of %d characters", invalid, characters)
		if set.Known() {
			r.Detail = fmt.Sprintf("%d of %d characters are undecodable, or control characters, in %s", invalid, characters, set.Name())
		}
	}
}

// whole reads the file as one record.
func (r *Reader) whole() (Record, error) {
	record := Record{}
	s := &r.lines
	for !s.ended {
		if s.to-s.from > s.longest {
			// Too large: count the rest.
			record.Reason = TooLarge
			record.Length += int64(s.to - s.from)
			s.from = s.to
		}
		if err := s.fill(); err != nil {
			return Record{}, err
		}
	}
	r.done = true
	b := s.buffer[s.from:s.to]
	record.Length += int64(len(b))
	switch {
	case record.Length == 0:
		return Record{}, io.EOF
	case record.Length > int64(s.longest):
		record.Reason, record.Detail = TooLarge, fmt.Sprintf("%d bytes", record.Length)
	default:
		record.plain(bytes.TrimPrefix(b, mark), r.setOf(b))
	}
	return record, nil
}

// setOf returns the character set of a whole file.
func (r *Reader) setOf(b []byte) charset.Charset {
	if marked := charset.Marked(b); marked.IsUTF16Or32() {
		return marked
	}
	if r.config.Charset.Known() {
		return r.config.Charset
	}
	stated := ""
	if r.config.Language != nil {
		stated = r.config.Language(b)
	}
	return charset.OfText(b, stated)
}

// nextBlock reads a run of lines that are not blank.
func (r *Reader) nextBlock() (Record, error) {
	r.block = r.block[:0]
	var record Record
	started := false
	for {
		l, err := r.lines.next()
		if err != nil && err != io.EOF {
			return Record{}, err
		}
		if err == io.EOF || l.blank {
			if started {
				return r.endBlock(record), nil
			}
			if err == io.EOF {
				return Record{}, io.EOF
			}
			r.inside = false
			continue
		}
		if r.inside {
			continue // of the block that started before the range
		}
		if !started {
			if l.offset >= r.end {
				return Record{}, io.EOF
			}
			record.Offset, started = l.offset, true
		}
		record.Length = l.offset + l.length - record.Offset
		if l.long || record.Length > int64(r.config.MaxBytes) {
			record.Reason = TooLarge
		}
		if record.Reason == "" {
			r.block = append(append(r.block, l.bytes...), '\n')
		}
	}
}

func (r *Reader) endBlock(record Record) Record {
	if record.Reason == TooLarge {
		record.Detail = fmt.Sprintf("%d bytes", record.Length)
		record.Text = strings.ToValidUTF8(string(r.block[:min(len(r.block), sampled)]), "\ufffd")
		return record
	}
	record.plain(bytes.TrimSuffix(r.block, []byte("\n")), r.config.Charset)
	return record
}
