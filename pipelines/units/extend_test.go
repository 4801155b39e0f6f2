package units

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// What makes all anew is advised where the extended dataset lacks something; a full disk has another way out, which keeps what is done.
func TestWayOut(t *testing.T) {
	for _, test := range []struct {
		err  error
		anew bool
	}{
		{fmt.Errorf("copy: %w", dataset.ErrCorrupt), true},
		{fmt.Errorf("stat: %w", fs.ErrNotExist), true},
		{storage.WayOut(fmt.Errorf("copy: %w", syscall.ENOSPC), " and run the same command again"), false},
	} {
		if text := wayOut(test.err).Error(); strings.Contains(text, MakeAnew) != test.anew || !strings.HasPrefix(text, "extend: ") {
			t.Errorf("%v: %s", test.err, text)
		}
	}
}
