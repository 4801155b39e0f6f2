package parquetfile_test

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// limitMemory ends this process if it takes more.
func limitMemory(bytes uint64) {
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: bytes, Max: bytes}); err != nil {
		panic(err)
	}
}

// peakMemory is the most memory that this process has had.
func peakMemory() (bytes int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(after, &bytes); err != nil {
		panic(err)
	}
	return bytes << 10
}
