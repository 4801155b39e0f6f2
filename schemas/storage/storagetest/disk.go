package storagetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Disk is a disk in memory that knows what was synced: the contents of files, and the
// entries of folders, each by itself, as POSIX promises it and no more. A file that was
// synced in a folder that was not is lost with its name; a rename may last when the bytes
// of the file do not.
type Disk struct {
	mutex sync.Mutex
	root  *node
	next  uint64
	locks map[*node]chan struct{}
	// NoLinks and NoNewRenames take away what some file systems lack.
	NoLinks, NoNewRenames, NoLocks bool
}

// node is a file or a folder.
type node struct {
	number uint64
	folder bool
	// data is what reads give, lasting what a power cut leaves at least.
	data, lasting []byte
	entries       map[string]*node
	// changes are those since the folder was synced, in their order, from what was there.
	synced  map[string]*node
	changes []change
}

// change is an entry that came, or went: to is nil.
type change struct {
	name string
	to   *node
}

// NewDisk returns an empty disk, with a root folder and nothing else.
func NewDisk() *Disk {
	d := &Disk{locks: map[*node]chan struct{}{}}
	d.root = d.newNode(true, 0)
	return d
}

func (d *Disk) newNode(folder bool, number uint64) *node {
	n := &node{number: number, folder: folder}
	if number == 0 {
		d.next++
		n.number = d.next
	}
	if folder {
		n.entries, n.synced = map[string]*node{}, map[string]*node{}
	}
	return n
}

// Cut returns what a power cut leaves. Keep is asked of every change that was not synced
// whether it lasts all the same; nil keeps none. Of bytes that were not synced all last, or
// the first half, as it is asked twice.
func (d *Disk) Cut(keep func() bool) *Disk {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if keep == nil {
		keep = func() bool { return false }
	}
	remains := &Disk{next: d.next, locks: map[*node]chan struct{}{}, NoLinks: d.NoLinks, NoNewRenames: d.NoNewRenames, NoLocks: d.NoLocks}
	copies := map[*node]*node{}
	var survive func(n *node) *node
	survive = func(n *node) *node {
		if c, ok := copies[n]; ok {
			return c
		}
		c := &node{number: n.number, folder: n.folder}
		copies[n] = c
		if !n.folder {
			c.data = n.lasting
			if !bytes.Equal(n.data, n.lasting) && keep() {
				c.data = n.data
				if !keep() {
					c.data = n.data[:len(n.data)/2]
				}
			}
			c.lasting = c.data
			return c
		}
		entries := map[string]*node{}
		for name, e := range n.synced {
			entries[name] = e
		}
		for _, change := range n.changes {
			switch {
			case !keep():
			case change.to == nil:
				delete(entries, change.name)
			default:
				entries[change.name] = change.to
			}
		}
		c.entries, c.synced = map[string]*node{}, map[string]*node{}
		for _, name := range sortedNames(entries) { // so that keep is asked in one order
			c.entries[name] = survive(entries[name])
			c.synced[name] = c.entries[name]
		}
		return c
	}
	remains.root = survive(d.root)
	return remains
}

func sortedNames(entries map[string]*node) []string {
	names := make([]string, 0, len(entries))
	for name := range entries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// String lists what is on the disk, for messages of tests.
func (d *Disk) String() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var b strings.Builder
	var list func(path string, n *node)
	list = func(path string, n *node) {
		for _, name := range sortedNames(n.entries) {
			e := n.entries[name]
			fmt.Fprintf(&b, "%s/%s %d %d\n", path, name, len(e.data), e.number)
			list(path+"/"+name, e)
		}
	}
	list("", d.root)
	return b.String()
}
