package gcs

import (
	"sync"
	"time"

	gcs "cloud.google.com/go/storage"

	"sentweave/schemas/storage"
)

// Impatient returns the folder with other bounds, and a client of its own.
func Impatient(folder storage.Folder, d time.Duration) storage.Folder {
	f := *folder.(*Folder)
	f.bounds = bounds{call: d, chunk: d, transfer: d, pause: 10 * time.Millisecond}
	f.connect = sync.OnceValues(func() (*gcs.Client, error) { return connect(f.bounds) })
	return &f
}
