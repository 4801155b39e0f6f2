package realdata

import (
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// Pages yields the names and bytes of the HTML files, also with .gz, in folders and
// what is below them, by name: all, or each tenth if step is 10. Folders that are
// absent, or "", are left out.
func Pages(t testing.TB, step int, folders ...string) iter.Seq2[string, []byte] {
	t.Helper()
	count := 0
	return func(yield func(string, []byte) bool) {
		t.Helper()
		for _, folder := range folders {
			folder, err := filepath.EvalSymlinks(folder)
			if err != nil || folder == "." {
				continue
			}
			err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
				name, packed := strings.CutSuffix(path, ".gz")
				if err != nil || !entry.Type().IsRegular() || !strings.HasSuffix(name, ".html") && !strings.HasSuffix(name, ".htm") &&
					!strings.HasSuffix(name, ".xhtml") {
					return err
				}
				if count++; count%step != 0 {
					return nil
				}
				data, err := page(path, packed)
				if err != nil {
					return err
				}
				if !yield(path, data) {
					return fs.SkipAll
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func page(path string, packed bool) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !packed {
		return io.ReadAll(file)
	}
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
