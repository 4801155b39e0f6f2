package storage

import (
	"io/fs"
	"slices"
	"strings"
)

// sortEntries puts directory entries into the order in which the full names
// below them sort.
func sortEntries(entries []fs.DirEntry) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return strings.Compare(listingKey(a), listingKey(b))
	})
}

func listingKey(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}
