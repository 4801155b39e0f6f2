package spelling

import "fmt"

// Number is a number of things, as in "1 file" and "2 files".
func Number[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
