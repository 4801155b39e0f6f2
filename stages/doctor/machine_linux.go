package doctor

import (
	"bufio"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// freeBytes is what an ordinary user may still write.
func freeBytes(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * s.Bsize, nil
}

// Processor is the name of the first processor, "" where the system does not tell it.
func Processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo") // none has no name
	for line := range strings.Lines(string(data)) {
		if key, name, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// driverVersion is the number of a driver, such as 580.159.04, in its first line.
var driverVersion = regexp.MustCompile(`^NVRM version:.*?\s(\d+(?:\.\d+)+)\s`)

// Driver is the version of NVIDIA's driver, "" where none is loaded.
func Driver() string {
	data, _ := os.ReadFile("/proc/driver/nvidia/version")
	return driverIn(string(data))
}

// driverIn finds the version in what the driver says of itself.
func driverIn(text string) string {
	if m := driverVersion.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// memoryBytes is the memory of the machine, or of the container if that has less.
func memoryBytes() (int64, error) {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	defer file.Close()
	total := int64(0)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == "MemTotal:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0, err
			}
			total = kilobytes << 10
		}
	}
	if total == 0 {
		return 0, errors.New("/proc/meminfo has no MemTotal")
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit < total {
			total = limit
		}
	}
	return total, nil
}
