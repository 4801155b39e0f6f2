package gcs

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"

	gcs "cloud.google.com/go/storage"

	"sentweave/schemas/storage"
)

// chunkSize is what an upload sends, and keeps for another try, at once.
const chunkSize = 4 << 20

// writerKey marks an object with the writer that made it: an upload that won, but
// whose answer was lost, is told from one that another has won.
const writerKey = "sentweave-writer"

// Create implements storage.Folder. The object appears under its name with Commit;
// IfAbsent is a precondition on its generation, which the service checks.
func (f *Folder) Create(ctx context.Context, name string, condition storage.Condition) (storage.Writer, error) {
	o, err := f.object(name)
	if err != nil {
		return nil, err
	}
	if condition == storage.IfAbsent {
		o = o.If(gcs.Conditions{DoesNotExist: true})
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &writer{folder: f, name: name, mark: rand.Text(), ctx: ctx, cancel: cancel, upload: o.NewWriter(ctx)}
	w.upload.ChunkSize, w.upload.ChunkRetryDeadline, w.upload.ChunkTransferTimeout = chunkSize, chunkDeadline, chunkTimeout
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
	ctx    context.Context
	cancel context.CancelFunc
	upload *gcs.Writer
	failed error
	spent  bool
}

var errSpent = errors.New("the writer is spent")

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if w.spent {
		return 0, w.folder.fault("write", w.name, errSpent)
	}
	n, err := w.upload.Write(p)
	if err != nil && w.failed == nil {
		w.failed = w.settle(err)
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
	defer w.cancel()
	if err := w.upload.Close(); err != nil {
		return w.settle(err)
	}
	return nil
}

// settle names an error, unless it says that the object exists and the object is ours.
func (w *writer) settle(err error) error {
	if cause := context.Cause(w.ctx); cause != nil {
		return w.folder.fault("write", w.name, cause)
	}
	err = w.folder.fault("write", w.name, err)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	attrs, statErr := w.folder.attributes(w.ctx, w.name)
	if statErr == nil && attrs.Metadata[writerKey] == w.mark {
		return nil
	}
	return err
}

// Abort implements storage.Writer.
func (w *writer) Abort() {
	if w.spent {
		return
	}
	w.spent = true
	w.cancel()
	_ = w.upload.Close() // which reports that it was cancelled
}
