package units

import "fmt"

// LeftOut begins a note about files of an input that are not read. What follows says why, of
// one file or of many.
func LeftOut(n, total int, example string) string {
	if total == 1 {
		return "the only file is left out, " + example
	}
	if n == 1 {
		return fmt.Sprintf("1 of %d files is left out, %s", total, example)
	}
	return fmt.Sprintf("%d of %d files are left out, such as %s", n, total, example)
}
