package units

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"sentweave/schemas/storage"
)

// failing is a folder that opens nothing.
type failing struct {
	storage.Folder
	err error
}

func (f failing) Open(context.Context, string) (storage.Object, error) { return nil, f.err }

// A file that cannot be opened is left out, but not because its server is down.
func TestLeaves(t *testing.T) {
	down := fmt.Errorf("%w after 8 tries", storage.ErrUnavailable)
	for _, test := range []struct {
		unreadable string
		err        error
		leave      bool
		want       error
	}{
		{"skip", fs.ErrPermission, true, nil}, {"skip", fs.ErrNotExist, true, nil}, {"skip", down, false, down}, {"fail", down, false, nil},
	} {
		leave, err := Unreadable{test.unreadable}.Leaves(t.Context(), failing{err: test.err}, "a")
		if leave != test.leave || !errors.Is(err, test.want) {
			t.Errorf("%+v: %v, %v", test, leave, err)
		}
	}
}
