package gcs

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"strconv"
	"time"

	gcs "cloud.google.com/go/storage"

	"sentweave/schemas/storage"
)

// chunkSize is what an upload sends, and keeps for another try, at once.
const chunkSize = 4 << 20

// writerKey marks an object with the writer that made it: an upload that won, but
// whose answer was lost, is told from one that another has won.
const writerKey = "sentweave-writer"

// Create implements storage.Folder. The object appears under its name with Commit;
// conditions are preconditions on its generation, which the service checks.
func (f *Folder) Create(ctx context.Context, name string, condition storage.Condition) (storage.Writer, error) {
	o, err := f.object(name)
	if err != nil {
		return nil, err
	}
	version, versioned := condition.Version()
	generation, err := strconv.ParseInt(version, 10, 64)
	switch {
	case condition == storage.IfAbsent:
		o = o.If(gcs.Conditions{DoesNotExist: true})
	case versioned && (err != nil || generation <= 0): // none that any object has
		return nil, f.fault("write", name, fs.ErrExist)
	case versioned:
		o = o.If(gcs.Conditions{GenerationMatch: generation})
	}
	w := &writer{folder: f, name: name, mark: rand.Text(), caller: ctx}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.upload = o.NewWriter(w.ctx)
	w.upload.ChunkSize, w.upload.ChunkRetryDeadline, w.upload.ChunkTransferTimeout = chunkSize, f.bounds.chunk, f.bounds.transfer
	w.upload.ContentType = "application/octet-stream"
	w.upload.Metadata = map[string]string{writerKey: w.mark}
	return w, nil
}

// writer is an upload. Its context must be cancelled before Close where it failed:
// Close publishes what was written so far.
type writer struct {
	folder *Folder
	name   string
	mark   string
	caller context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	upload *gcs.Writer
	failed error
	spent  bool
	// version is that of what Commit has published.
	version string
}

var errSpent = errors.New("the writer is spent")

// Write implements io.Writer.
func (w *writer) Write(p []byte) (n int, err error) {
	if w.spent {
		return 0, w.folder.fault("write", w.name, errSpent)
	}
	for n < len(p) && w.failed == nil {
		part := p[n:min(len(p), n+chunkSize)]
		err := w.bounded(func() error {
			count, err := w.upload.Write(part)
			n += count
			return err
		})
		if err != nil {
			w.failed = w.reason(err)
		}
	}
	return n, w.failed
}

// Commit implements storage.Writer.
func (w *writer) Commit() error {
	if w.spent {
		return w.folder.fault("write", w.name, errSpent)
	}
	if w.failed != nil {
		w.Abort()
		return w.failed
	}
	w.spent = true
	defer w.cancel(nil)
	if err := w.bounded(w.upload.Close); err != nil {
		return w.settle(err)
	}
	w.version = versionOf(w.upload.Attrs().Generation)
	return nil
}

// Version implements storage.Writer.
func (w *writer) Version() string { return w.version }

// bounded ends the upload if a part of it takes too long: the client tries small
// objects, which the service does not count as chunks, again for as long as its context lasts.
func (w *writer) bounded(send func() error) error {
	timer := time.AfterFunc(w.folder.bounds.chunk, func() { w.cancel(errStalled) })
	defer timer.Stop()
	return send()
}

// reason names an error.
func (w *writer) reason(err error) error {
	return w.folder.fault("write", w.name, w.folder.cause(w.ctx, err))
}

// settle names an error of the end of an upload, unless the object is ours: what was
// done and not answered fails when it is tried again, or is not answered in time.
func (w *writer) settle(err error) error {
	if w.caller.Err() == nil {
		attrs, statErr := w.folder.attributes(w.caller, w.name)
		if statErr == nil && attrs.Metadata[writerKey] == w.mark {
			w.version = versionOf(attrs.Generation)
			return nil
		}
	}
	return w.reason(err)
}

// Abort implements storage.Writer.
func (w *writer) Abort() {
	if w.spent {
		return
	}
	w.spent = true
	w.cancel(nil)
	_ = w.upload.Close() // which reports that it was cancelled
}
