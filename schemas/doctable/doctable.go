// Package doctable reads the tables of the documentation, which tests compare with the lists of the program.
package doctable

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rows returns the rows of all tables of a page whose heads begin so, as "| format | files |", or ends the test where there
// is none. Pages are named below the folder of go.mod. Cells are without marks of code.
func Rows(t testing.TB, page, head string) (rows [][]string) {
	t.Helper()
	folder, err := os.Getwd()
	for ; err == nil; folder = filepath.Dir(folder) {
		if _, absent := os.Stat(filepath.Join(folder, "go.mod")); absent == nil {
			break
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("there is no go.mod above the test")
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	rows = rowsOf(string(data), head)
	if rows == nil {
		t.Fatalf("%s has no table %q", page, head)
	}
	return rows
}

func rowsOf(page, head string) (rows [][]string) {
	inside := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, head):
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && strings.Trim(line, "|-: ") != "":
			rows = append(rows, cells(line))
		}
	}
	return rows
}

// cells splits a row. A stroke behind a backslash is text.
func cells(row string) (list []string) {
	const stroke = "\x00"
	row = strings.NewReplacer(`\|`, stroke, "`", "").Replace(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"))
	for cell := range strings.SplitSeq(row, "|") {
		list = append(list, strings.TrimSpace(strings.ReplaceAll(cell, stroke, "|")))
	}
	return list
}
