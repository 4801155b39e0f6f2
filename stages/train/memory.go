package train

import (
	"bytes"
	"os"
	"strconv"
)

// residentBytes is the memory that the process holds, 0 where the system does not
// tell it as Linux does.
func residentBytes() int64 {
	data, err := os.ReadFile("/proc/self/statm") // size, resident, … in pages
	if err != nil {
		return 0
	}
	fields := bytes.Fields(data)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
