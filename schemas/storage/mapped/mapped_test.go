package mapped_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"sentweave/schemas/storage/mapped"
)

// A file has its content, however large, after its name is gone, too; one that is not there is an error.
func TestContent(t *testing.T) {
	for _, want := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("0123456789"), 1000)} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := mapped.Content(t.Context(), path)
		os.Remove(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d, %v", len(want), len(got), err)
		}
		if _, err := mapped.Content(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}
