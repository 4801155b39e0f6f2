package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"language", "text_a", "text_b", "id", "label"}
	for name, want := range map[string]string{
		"langauge": "language", "text_c": "text_a", "text_b": "text_b", "textb": "text_b", "lable": "label", "xd": "id", "": "id",
		"sentences": "", "labellll": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if got := Nearest("stbs", []string{"sts", "stsb", "sts12"}); got != "stsb" {
		t.Errorf("stbs: got %q, want stsb", got)
	}
	for pair, want := range map[[2]string]int{{"ab", "ba"}: 1, {"ca", "abc"}: 3, {"abcd", "badc"}: 2} { // by hand
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("%v: got %d, want %d", pair, got, want)
		}
	}
	// The published pair of Levenshtein's distance.
	if got := distance("kitten", "sitting"); got != 3 {
		t.Errorf("kitten, sitting: got %d, want 3", got)
	}
}
