// Package sealed encodes the small records of a dataset as JSON that holds its own hash, and reads them back.
package sealed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// End is how the JSON of a record ends whose last field is its check.
const End = "\"\n}\n"

// Record is a struct whose last field is its check, the hash of all fields before.
type Record interface {
	// CheckField points to that field.
	CheckField() *string
}

// Seal encodes a record as indented JSON with its own hash in the field of its check, and
// sets that field. Maps are sorted by encoding/json, so equal records give equal bytes.
func Seal(record Record) ([]byte, error) {
	check := record.CheckField()
	*check = ""
	body, err := Encode(record)
	if err != nil {
		return nil, err
	}
	if err := jsonfile.Check(body, jsonfile.MaxValues); err != nil { // nobody could read it
		return nil, err
	}
	before, ok := bytes.CutSuffix(body, []byte(End))
	if !ok {
		return nil, fmt.Errorf("the check of a %T is not its last field", record)
	}
	*check = rowfile.HashString(xxh3.Hash(body))
	return append(append(before, *check...), End...), nil // without encoding all once more
}

// openedObjects counts the objects of JSON: the opening braces outside its strings, which may have
// many.
func openedObjects(data []byte) (n int) {
	inside := false
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			inside = !inside
		case '\\':
			i++ // what follows is no end of a string
		case '{':
			if !inside {
				n++
			}
		}
	}
	return n
}

// Unseal decodes what Seal made and returns ErrCorrupt if it was changed or cut.
// The record must be empty: what is not in the data keeps its value.
func Unseal(data []byte, record Record) error {
	// As Seal writes them, an object takes a line or two: a list of empty ones is not one of
	// its work, and takes many times its bytes in memory.
	if limit := (len(data) + 256) / 16; bytes.Count(data, []byte("{")) > limit && openedObjects(data) > limit {
		return fmt.Errorf("%w: its objects are empty", rowfile.ErrCorrupt)
	}
	if err := jsonfile.UnmarshalStrict(data, record); err != nil {
		return fmt.Errorf("%w: %w", rowfile.ErrCorrupt, err)
	}
	// The check is that of these very bytes, so that they are not encoded once more.
	check := record.CheckField()
	got, content := *check, xxh3.New()
	if before, ok := bytes.CutSuffix(data, []byte(got+End)); ok {
		content.Write(before)
		content.WriteString(End)
		if *check = rowfile.HashString(content.Sum64()); *check == got {
			return nil
		}
	}
	return fmt.Errorf("%w: its check is %.200q, its content gives another", rowfile.ErrCorrupt, got)
}

// Encode returns a record as indented JSON with a line feed. Equal records give equal bytes.
func Encode(record any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(record); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Read reads and unseals a small file; a corrupt one is named in the error.
func Read(ctx context.Context, folder storage.Folder, name string, limit int64, record Record) error {
	data, err := storage.ReadFile(ctx, folder, name, limit)
	if errors.Is(err, storage.ErrTooLarge) {
		return fmt.Errorf("%w: %w", rowfile.ErrCorrupt, err)
	}
	if err != nil {
		return err
	}
	if err := Unseal(data, record); err != nil {
		return fmt.Errorf("%s in %s: %w", name, folder, err)
	}
	return nil
}
