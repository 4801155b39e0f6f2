package vectorfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"sentweave/schemas/jsonfile"
)

// longestLine bounds a line: a vector of the most numbers, and a text beside it.
const longestLine = 8 << 20

// openLines reads a vector of each line that is not blank: an object with a field of numbers, or the list of them itself.
func openLines(file io.ReaderAt, size int64, o Options) (Vectors, error) {
	return Vectors{-1, func(yield func(Row) error) error {
		lines := bufio.NewScanner(io.NewSectionReader(file, 0, size))
		lines.Buffer(make([]byte, 1<<16), longestLine)
		row := 0
		for ; lines.Scan(); row++ {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				row--
				continue
			}
			r, err := lineOf(lines.Bytes(), o)
			if err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
			if err := yield(r); err != nil {
				return err
			}
		}
		if errors.Is(lines.Err(), bufio.ErrTooLong) {
			return fmt.Errorf("row %d: the line has more than %d MiB", row, longestLine>>20)
		}
		return lines.Err()
	}}, nil
}

func lineOf(line []byte, o Options) (r Row, err error) {
	numbers := json.RawMessage(bytes.TrimSpace(line))
	if !bytes.HasPrefix(numbers, []byte("[")) {
		var object map[string]json.RawMessage
		if err := jsonfile.Unmarshal(line, &object); err != nil {
			return r, fmt.Errorf("the line is not a JSON object: %w", err)
		}
		names := usual
		if o.Column != "" {
			names = []string{o.Column}
		}
		numbers = nil
		for _, name := range names {
			if v, ok := object[name]; ok {
				numbers = v
				break
			}
		}
		if numbers == nil {
			return r, fmt.Errorf("it has no field of %q", names)
		}
		if o.IDs != "" {
			id := object[o.IDs]
			if jsonfile.Unmarshal(id, &r.ID) != nil { // numbers are ids as they are written
				r.ID = string(id)
			}
		}
	}
	if o.IDs != "" && r.ID == "" {
		return r, fmt.Errorf("it has no id as %s", o.IDs)
	}
	if bytes.Contains(numbers, []byte("null")) { // which would be 0
		return r, errors.New("a number of the vector is null")
	}
	if err := jsonfile.Unmarshal(numbers, &r.Vector); err != nil {
		return r, fmt.Errorf("the vector is not a list of numbers of float32: %w", err)
	}
	return r, nil
}
