package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// made returns a record of a type with fields and a block.
func made(kind, fields, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, fields, len(block), block)
}

// httpResponse returns a response record with a header of HTTP, whose first line is
// its status.
func httpResponse(header, payload string) string {
	return made(Response, "Content-Type: application/http; msgtype=response\r\nWARC-Target-URI: http://a.example/\r\n",
		header+"\r\n\r\n"+payload)
}

// packed compresses each part into a gzip member.
func packed(t testing.TB, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		_, err := io.WriteString(w, part)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// seen is what became of a record.
type seen struct {
	Offset       int64
	Type, Block  string
	Reason       string
	URI, Payload string
}

// readAll reads a file.
func readAll(t testing.TB, file string, config Config) []seen {
	t.Helper()
	r, err := NewReader(strings.NewReader(file), int64(len(file)), config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := readOn(t, r, config, len(file))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// readOn reads what a reader has of a file, and checks what holds of every file.
func readOn(t testing.TB, r *Reader, config Config, size int) (list []seen, err error) {
	t.Helper()
	var decoder Decoder
	last := int64(-1)
	for {
		record, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return list, err
		}
		if record.Offset <= last || record.Offset >= int64(size) && record.Offset > last+1 {
			t.Fatalf("offset %d after %d, in a file of %d bytes", record.Offset, last, size)
		}
		if last = record.Offset; len(record.Block) > max(config.MaxBlock, smallBlock, config.MaxHeader) {
			t.Fatalf("a block of %d bytes", len(record.Block))
		}
		if (record.Reason == "") != (record.Detail == "") {
			t.Errorf("reason %q, detail %q", record.Reason, record.Detail)
		}
		s := seen{Offset: record.Offset, Type: record.Type, Block: string(record.Block), Reason: record.Reason, URI: record.TargetURI()}
		if record.Reason == "" && (record.Type == Response || record.Type == Resource) {
			page, reason, _ := decoder.Page(record)
			s.Payload = reason
			if reason == "" {
				s.Payload = string(page.Payload)
			}
		}
		list = append(list, s)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	return list, nil
}

// told writes records as type, block and reason, for tables.
func told(list []seen) string {
	var words []string
	for _, s := range list {
		word := s.Type + " " + s.Block
		if s.Reason != "" {
			word = s.Reason
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
