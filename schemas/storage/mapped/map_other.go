//go:build !unix

package mapped

import (
	"errors"
	"os"
)

// mapFile is not to be had.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }
