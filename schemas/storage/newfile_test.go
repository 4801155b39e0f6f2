package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/storage"
)

func TestNewFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		location  string
		overwrite bool
		want      string // the error
	}{
		{filepath.Join(dir, "new"), false, ""},
		{file, true, ""},
		{file, false, "file exists already; give --overwrite to replace it"},
		{dir, true, "is a folder; give a file"},
		{dir + "/", false, "is the name of a folder; give a file"},
		{filepath.Join(file, "below"), true, "is a file; a folder is wanted"},
		{filepath.Join(file, "below", "x"), true, "below lies in what is a file; a folder is wanted"},
	} {
		folder, name, condition, err := storage.NewFile(t.Context(), test.location, test.overwrite)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, overwrite %t: %v, want %q", test.location, test.overwrite, err, test.want)
		}
		if err == nil {
			if err := storage.WriteFile(t.Context(), folder, name, []byte("x"), condition); err != nil {
				t.Error(err)
			}
		}
	}
}
