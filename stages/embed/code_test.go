package embed

import (
	"bytes"
	"testing"
)

func TestCode(t *testing.T) {
	if got := code([]float32{0, 1, 1.5, 0, 0, 0, 0, 7, 0, 2}); !bytes.Equal(got, []byte{0b10000100, 0b10}) {
		t.Errorf("%b", got)
	}
	if got := code(nil); len(got) != 0 {
		t.Errorf("%b", got)
	}
}
