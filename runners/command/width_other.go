//go:build !unix

package command

import "os"

func columns(*os.File) int { return 0 }
