package storagetest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// WriteFiles writes files by their names below a folder of the disk, makes the folders that they need, and returns the folder.
func WriteFiles(t testing.TB, root string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
