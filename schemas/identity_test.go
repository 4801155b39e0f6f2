package schemas_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
)

// The streaming hash of the library is the second opinion.
func TestIdentities(t *testing.T) {
	long := strings.Repeat("0123456789", 100)
	for _, parts := range [][]string{{"view"}, {"view", ""}, {"view", "a", "b"}, {"view", "a\x00b"}, {long, long}} {
		h := xxh3.New()
		for i, p := range parts {
			if i > 0 {
				h.Write([]byte{0})
			}
			h.WriteString(p)
		}
		if got, want := schemas.DerivedID(parts[0], parts[1:]...), schemas.HexID(h.Sum128().Bytes()); got != want {
			t.Errorf("DerivedID(%.40q) = %s, want %s", parts, got, want)
		}
	}
	h := xxh3.New()
	h.WriteString(long + "\x00\x02\x01\x00\x00\x00\x00\x00\x00")
	if got, want := schemas.ID(long, 258), schemas.HexID(h.Sum128().Bytes()); got != want {
		t.Errorf("ID = %s, want %s", got, want)
	}
	if got, want := schemas.HexID([16]byte{0, 1, 0xab, 15: 0xff}), "0001ab000000000000000000000000ff"; got != want {
		t.Errorf("HexID = %s, want %s", got, want)
	}
}

func TestIsID(t *testing.T) {
	form := regexp.MustCompile(`\A[0-9a-f]{32}\z`)
	good := "0123456789abcdef0123456789abcdef"
	for _, id := range []string{"", good, good[1:], good + "0", strings.ToUpper(good)} {
		if got := schemas.IsID(id); got != form.MatchString(id) {
			t.Errorf("IsID(%q) = %t", id, got)
		}
	}
	for c := range 256 {
		for _, at := range []int{0, 31} {
			id := []byte(good)
			id[at] = byte(c)
			if got := schemas.IsID(string(id)); got != form.Match(id) {
				t.Errorf("IsID(%q) = %t", id, got)
			}
		}
	}
}
