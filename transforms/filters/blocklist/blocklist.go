// Package blocklist says whether an address on the web is on a list of domains and beginnings of addresses.
//
// A domain of the list blocks itself and all domains below it. An entry with a path blocks the addresses below that path, on all of these
// domains: example.org/shop blocks example.org/shop, example.org/shop/1 and www.example.org/shop?x, but not example.org/shopping.
//
// A list takes eight bytes of memory an entry, for a hash of 64 bits, and twice as much while it is read. Of 10 million entries, one of 2
// trillion addresses that are on no list is taken for one that is.
package blocklist

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/read/compressed"
)

// List is a list that was read. It is safe for concurrent use.
type List struct {
	hashes []uint64 // in order
	// paths says that there are entries with paths, pages that each entry is the address of one page.
	paths, pages bool
}

const (
	maxEntries = 1 << 27
	maxLine    = 1 << 20
	// mostParts is how many labels of a domain, and parts of a path, an entry may have.
	mostParts = 32
)

// Read reads a list: a domain or an address in each line, as in example.org or https://example.org/shop, or an address of the internet and
// a domain, as in files of hosts. What follows "#" is a comment. An error names the line and the reason.
func Read(r io.Reader) (*List, error) { return read(r, &List{}) }

// ReadPages reads a list in which each entry is the whole address of a page, with a scheme or a path, and stands for this page alone.
// Scheme, port, fragment and a slash at the end make no difference.
func ReadPages(r io.Reader) (*List, error) { return read(r, &List{pages: true}) }

// Load reads the list at a location, which may be compressed, with Read or ReadPages.
func Load(ctx context.Context, location string, read func(io.Reader) (*List, error)) (l *List, err error) {
	err = compressed.Read(ctx, location, func(r io.Reader) error {
		l, err = read(r)
		return err
	})
	return l, err
}

func read(r io.Reader, l *List) (*List, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line, _, _ := strings.Cut(lines.Text(), "#")
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		fields := strings.Fields(line)
		if len(fields) > 1 {
			if _, err := netip.ParseAddr(fields[0]); err == nil { // a file of hosts has one or more names behind it
				fields = fields[1:]
			} else {
				return nil, noEntry(n, line, errors.New("a space is in it"))
			}
		}
		for _, field := range fields {
			host, path, err := entry(field)
			path = strings.TrimRight(path, "/")
			if err == nil && !l.pages && (strings.Count(host, ".") >= mostParts || parts(path) > mostParts) {
				err = fmt.Errorf("it has more than %d labels or parts of its path", mostParts)
			}
			if err != nil {
				return nil, noEntry(n, line, err)
			}
			if l.pages && !strings.Contains(field, "/") {
				return nil, fmt.Errorf("line %d: %.80q is a domain: want the address of a page, as in https://example.org/path", n, line)
			}
			if len(l.hashes) == maxEntries {
				return nil, fmt.Errorf("line %d: there are more than %d entries", n, maxEntries)
			}
			l.paths = l.paths || path != ""
			l.hashes = append(l.hashes, xxh3.HashString(host+path))
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: it has %d bytes or more", n+1, maxLine)
	} else if err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	slices.Sort(l.hashes)
	l.hashes = slices.Clip(slices.Compact(l.hashes))
	return l, nil
}

func noEntry(n int, line string, reason error) error {
	return fmt.Errorf("line %d: %.80q is no domain or address: %w: want one a line, as in example.org or https://example.org/path",
		n, line, reason)
}

// Len returns the number of entries.
func (l *List) Len() int { return len(l.hashes) }

// XXH3 is the hash of the entries, in whatever order, and with whatever comments, they were read.
func (l *List) XXH3() uint64 {
	hash := xxh3.New()
	for _, h := range l.hashes {
		hash.Write(binary.LittleEndian.AppendUint64(nil, h))
	}
	return hash.Sum64()
}

// Blocks says whether an address is on the list. One without a domain, such as a path, is not.
func (l *List) Blocks(address string) bool {
	if l.pages {
		address, _, _ = strings.Cut(address, "#")
	}
	host, path := split(address)
	if l.pages {
		return host != "" && l.has(host+strings.TrimRight(path, "/"))
	}
	start := len(host) // of the last labels, of which no entry has more
	for range mostParts {
		start = max(0, strings.LastIndexByte(host[:start], '.'))
	}
	for host = strings.TrimPrefix(host[start:], "."); host != ""; {
		if l.has(host) || l.paths && l.hasPath(host, path) {
			return true
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return false
}

func (l *List) has(entry string) bool {
	_, found := slices.BinarySearch(l.hashes, xxh3.HashString(entry))
	return found
}

const ends = "/?#" // of the parts of a path

// parts counts the parts of a path.
func parts(path string) (n int) {
	for i := range len(path) {
		if strings.IndexByte(ends, path[i]) >= 0 {
			n++
		}
	}
	return n
}

// hasPath looks for the beginnings of a path that end before a slash, a query or a fragment.
func (l *List) hasPath(host, path string) bool {
	end := 0
	for range mostParts {
		if end == len(path) {
			return false
		}
		next := strings.IndexAny(path[end+1:], ends)
		if end += 1 + next; next < 0 {
			end = len(path)
		}
		if l.has(host + path[:end]) {
			return true
		}
	}
	return false
}
