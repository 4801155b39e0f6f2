package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whatever fails, one of the two folders is in its place, whole; and the old one is
// never lost.
func TestReplaceFolder(t *testing.T) {
	unsupported := func(string, string) error { return syscall.EINVAL }
	full := errors.New("no room for the name")
	// failing fails at the n-th rename, and at all later ones if it stays so.
	failing := func(n int, stays bool) func(from, to string) error {
		i := 0
		return func(from, to string) error {
			if i++; i == n || stays && i > n {
				return full
			}
			return os.Rename(from, to)
		}
	}
	tests := map[string]struct {
		exchange, rename func(from, to string) error
		absent           bool   // nothing is there before
		want, aside      string // what is there then, and what beside it
		fault            error
	}{
		"swapped":              {exchange: exchange, rename: os.Rename, want: "new", aside: "old"},
		"nothing there":        {exchange: exchange, rename: os.Rename, absent: true, want: "new"},
		"set aside":            {exchange: unsupported, rename: os.Rename, want: "new", aside: "old"},
		"nothing to set aside": {exchange: unsupported, rename: os.Rename, absent: true, want: "new"},
		"cannot be set aside":  {exchange: unsupported, rename: failing(1, false), want: "old", aside: "new", fault: full},
		"comes back":           {exchange: unsupported, rename: failing(2, false), want: "old", aside: "new", fault: full},
		"cannot come back":     {exchange: unsupported, rename: failing(2, true), want: "", aside: "new", fault: full},
		"the swap is forbidden": {exchange: func(string, string) error { return fs.ErrPermission }, rename: os.Rename, want: "old",
			aside: "new", fault: fs.ErrPermission},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			from, to := filepath.Join(base, "made"), filepath.Join(base, "out")
			make := func(folder, content string) {
				if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, "sub", "x"), []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			make(from, "new")
			if !test.absent {
				make(to, "old")
			}
			err := replaceFolder(from, to, test.exchange, test.rename)
			if !errors.Is(err, test.fault) || (err == nil) != (test.fault == nil) {
				t.Fatalf("got %v, want %v", err, test.fault)
			}
			content := func(folder string) string {
				data, _ := os.ReadFile(filepath.Join(folder, "sub", "x"))
				return string(data)
			}
			if content(to) != test.want || content(from) != test.aside {
				t.Errorf("%q is there, %q beside it", content(to), content(from))
			}
			if test.want == "" && test.fault != nil {
				_, after, _ := strings.Cut(err.Error(), "whole in ")
				kept, _, _ := strings.Cut(after, ":")
				if content(kept) != "old" {
					t.Errorf("the old one is not where the error says: %v", err)
				}
			}
		})
	}
}
