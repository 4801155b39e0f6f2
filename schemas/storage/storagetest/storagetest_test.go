package storagetest

import (
	"errors"
	"strings"
	"testing"

	"sentweave/schemas/storage"
)

func TestBucket(t *testing.T) {
	Acceptance(t, func(*testing.T) storage.Folder { return NewBucket().View(nil, nil) })
}

// A disk in memory is one to a folder, also without what some file systems lack.
func TestDisk(t *testing.T) {
	for name, lacks := range map[string]func(*Disk){
		"whole": func(*Disk) {}, "no links": func(d *Disk) { d.NoLinks = true },
		"no links, no conditional renames": func(d *Disk) { d.NoLinks, d.NoNewRenames = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			Acceptance(t, func(*testing.T) storage.Folder {
				d := NewDisk()
				lacks(d)
				return storage.NewLocalOn(d.View(nil, nil, 0), "/made/later")
			})
		})
	}
}

// Without links, without renames that replace nothing and without locks nothing keeps two
// writers apart: that is said, with the way out, and nothing is written.
func TestNothingExclusive(t *testing.T) {
	d := NewDisk()
	d.NoLinks, d.NoNewRenames, d.NoLocks = true, true, true
	folder := storage.NewLocalOn(d.View(nil, nil, 0), "/out")
	err := storage.WriteFile(t.Context(), folder, "x", []byte("1"), storage.IfAbsent)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "choose a folder on another file system") ||
		strings.Contains(d.String(), "/x ") {
		t.Errorf("got %v\n%s", err, d)
	}
}

// What a power cut leaves.
func TestCut(t *testing.T) {
	d := NewDisk()
	v := d.View(nil, nil, 0)
	create := func(path, content string) storage.DiskFile {
		f, err := v.Create(path)
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	sync := func(path string) {
		f, err := v.Open(path)
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	create("/unsynced", "1234")
	create("/named", "1234")
	sync("/")
	if err := create("/lost", "1234").Sync(); err != nil {
		t.Fatal(err)
	}
	if err := create("/new", "12345678").Sync(); err != nil {
		t.Fatal(err)
	}
	if err := v.Rename("/new", "/named"); err != nil {
		t.Fatal(err)
	}
	check := func(what string, after *Disk, want string) {
		t.Helper()
		var got []string
		for line := range strings.Lines(after.String()) {
			got = append(got, strings.Join(strings.Fields(line)[:2], " "))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s, want %s", what, s, want)
		}
	}
	check("nothing lasts that was not synced", d.Cut(nil), "/named 0, /unsynced 0")
	check("all lasts", d.Cut(func() bool { return true }), "/lost 4, /named 8, /unsynced 4")
	n := 0
	check("every other change", d.Cut(func() bool { n++; return n%2 == 1 }), "/lost 4, /named 8, /unsynced 2")
	sync("/")
	check("after a sync", d.Cut(nil), "/lost 4, /named 8, /unsynced 0")
	check("twice", d.Cut(nil).Cut(nil), "/lost 4, /named 8, /unsynced 0")
}
