package realdata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tatoeba returns the first sentences of 112 languages, and those of their translations, up to so many of each file. It skips the test
// where they are absent.
func Tatoeba(t testing.TB, most int) (lines []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Folder(t, "tatoeba"), "tatoeba", "tatoeba.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of tatoeba: %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list := strings.Split(strings.ToValidUTF8(string(data), "\ufffd"), "\n")
		lines = append(lines, list[:min(len(list), most)]...)
	}
	return lines
}
