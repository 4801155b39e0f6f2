package record

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// treeMemory sums the resident memory of this process and all its descendants, in
// bytes. Pages that several share count for each.
func treeMemory() int64 {
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, name := range stats {
		data, err := os.ReadFile(name) // it may have ended
		if err != nil {
			continue
		}
		// After the name in parentheses: state, parent.
		_, rest, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent, parentErr := strconv.Atoi(fields[1])
		if err == nil && parentErr == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	sum, open := int64(0), []int{os.Getpid()}
	for len(open) > 0 {
		pid := open[0]
		open = append(open[1:], children[pid]...)
		sum += resident(pid)
	}
	return sum
}

func resident(pid int) int64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
