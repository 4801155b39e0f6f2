package locations

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sentweave/pipelines/verb"
	"sentweave/schemas/storage"
)

// A folder is known by the marks of the verbs: one that holds copies of other folders' files by its own.
func TestContents(t *testing.T) {
	broken := errors.New("broken")
	verbs := []verb.Verb{
		{Name: "brew", Makes: verb.Output{Rows: "tea", Mark: "tea.txt", Is: "tea"}},
		{Name: "steep", Makes: verb.Output{Rows: "tea", Rarely: true, Mark: "tea.txt", Is: "tea"}},
		{Name: "bake", Makes: verb.Output{Rows: "cake", Mark: "cake.txt", Is: "a cake",
			Count: func(context.Context, storage.Folder) (string, error) { return "3 slices", broken }}},
		{Name: "serve", Makes: verb.Output{Rows: "tray", Mark: "tray.txt", Is: "a tray", Copies: true}},
		{Name: "count"},
	}
	for _, test := range []struct {
		files      []string
		kind, rows string
		err        error
		whole, any bool
	}{
		{nil, "", "", errNothing, false, false},
		{[]string{"crumbs.txt"}, "", "", errNothing, false, true},
		{[]string{"tea.txt"}, "tea", "", nil, true, true},
		{[]string{"cake.txt"}, "cake", "3 slices", broken, true, true},
		{[]string{"tea.txt", "tray.txt"}, "tray", "", nil, true, true},
	} {
		folder := t.TempDir()
		for _, name := range test.files {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		rows, _, err := Contents(t.Context(), verbs, folder)
		if kind := KindAt(t.Context(), verbs, folder); kind != test.kind || rows != test.rows || !errors.Is(err, test.err) {
			t.Errorf("%q: %q of the kind %q, %v", test.files, rows, kind, err)
		}
		whole, filled := LooksWhole(t.Context(), verbs, folder), HoldsAnything(t.Context(), folder)
		if whole != test.whole || filled != test.any {
			t.Errorf("%q: looks whole: %v, holds anything: %v", test.files, whole, filled)
		}
		if err := Occupied(t.Context(), verbs, folder, "tea.txt"); (err != nil) != (test.kind == "cake" || test.kind == "tray") {
			t.Errorf("%q: %v", test.files, err)
		}
	}
	if got := wayTo(verbs, "of", []string{"tea", "cake"}); got != "; `sentweave brew` or `sentweave bake` makes teas or cakes" {
		t.Errorf("%q", got)
	}
}
