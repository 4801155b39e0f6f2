package spelling

import "testing"

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0 fields", 1: "1 field", 2: "2 fields", 1234: "1234 fields"} {
		if got := Number(n, "field"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
