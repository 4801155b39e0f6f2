package storage_test

import (
	"testing"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// eagerDisk counts how often its files begin to sync.
type eagerDisk struct {
	storage.Disk
	started int
}

type eagerFile struct {
	storage.DiskFile
	disk *eagerDisk
}

func (f eagerFile) StartSync() { f.disk.started++ }

func (d *eagerDisk) Create(path string) (storage.DiskFile, error) {
	f, err := d.Disk.Create(path)
	return eagerFile{f, d}, err
}

// The disk is asked to take large files while they are written, but not those that nobody waits for.
func TestStartSync(t *testing.T) {
	disk := &eagerDisk{Disk: storagetest.NewDisk().View(nil, nil, 0)}
	synced := storage.NewLocalOn(disk, "/root")
	for _, test := range []struct {
		folder  storage.Folder
		pieces  int
		started int
	}{{synced, 31, 0}, {synced, 100, 3}, {synced.Unsynced(), 100, 0}} {
		disk.started = 0
		w, err := test.folder.Create(t.Context(), "file", storage.Replace)
		if err != nil {
			t.Fatal(err)
		}
		for range test.pieces {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
		if disk.started != test.started {
			t.Errorf("after %d MiB, %d syncs have begun, want %d", test.pieces, disk.started, test.started)
		}
		if err := w.Commit(); err != nil {
			t.Error(err)
		}
	}
}
