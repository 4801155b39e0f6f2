// Package modelfile seals what a trained model consists of into a file, and opens it again.
//
// A file has the name of its format, the version (4 bytes, as all numbers little-endian), the length
// of its head (4 bytes), the head (JSON, which people may read), the body, and the xxh3-128 of all before it.
package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/jsonfile"
)

const (
	maxHead   = 1 << 16
	hashBytes = 16
)

// Format is a kind of model.
type Format struct {
	// Magic is what its files begin with: a line.
	Magic string
	// What it is, for messages, such as "a model of main content".
	What    string
	Version uint32
	// Train is the command that makes such a file.
	Train string
}

// Seal returns the file of a head, which is written as JSON, and a body.
func (f Format) Seal(head any, body []byte) ([]byte, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	data := []byte(f.Magic)
	data = binary.LittleEndian.AppendUint32(data, f.Version)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	data = append(append(data, text...), body...)
	sum := xxh3.Hash128(data).Bytes()
	return append(data, sum[:]...), nil
}

// Hash is the hash at the end of a file, as text.
func Hash(data []byte) string { return fmt.Sprintf("%x", data[len(data)-hashBytes:]) }

// Open reads the head of a file and returns its body. Its errors say what is wrong with the file.
func (f Format) Open(data []byte, head any) (body []byte, err error) {
	rest, ok := bytes.CutPrefix(data, []byte(f.Magic))
	if !ok {
		return nil, fmt.Errorf("it is not %s: it does not begin with “%s”", f.What, strings.TrimSpace(f.Magic))
	}
	if len(rest) < 8+hashBytes {
		return nil, errors.New("it is cut off")
	}
	if v := binary.LittleEndian.Uint32(rest); v != f.Version {
		return nil, fmt.Errorf("it has version %d, and this program reads version %d: train it again with `%s`", v, f.Version, f.Train)
	}
	sealed := data[:len(data)-hashBytes]
	if sum := xxh3.Hash128(sealed).Bytes(); !bytes.Equal(sum[:], data[len(sealed):]) {
		return nil, errors.New("it is damaged: its content does not fit the hash at its end")
	}
	length, rest := int(binary.LittleEndian.Uint32(rest[4:])), rest[8:len(rest)-hashBytes]
	if length > maxHead || length > len(rest) {
		return nil, fmt.Errorf("its head has %d bytes", length)
	}
	if err := jsonfile.Unmarshal(rest[:length], head); err != nil {
		return nil, fmt.Errorf("its head: %w", err)
	}
	return rest[length:], nil
}
