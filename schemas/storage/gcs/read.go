package gcs

import (
	"context"
	"fmt"
	"io"
	"sync"

	gcs "cloud.google.com/go/storage"

	"sentweave/schemas/storage"
)

// Open implements storage.Folder. Reads are of the generation that was there when
// it was opened, whatever is written meanwhile. They end with ctx.
func (f *Folder) Open(ctx context.Context, name string) (storage.Object, error) {
	attrs, err := f.attributes(ctx, name)
	if err != nil {
		return nil, err
	}
	o, err := f.object(name)
	if err != nil {
		return nil, err
	}
	return &object{ctx: ctx, folder: f, name: name, handle: o.Generation(attrs.Generation), size: attrs.Size}, nil
}

// object reads by ranges. A read that goes on where the last one ended takes from
// a stream, so that reading a file through is one request; others are requests of
// their own.
type object struct {
	ctx    context.Context
	folder *Folder
	name   string
	handle *gcs.ObjectHandle
	size   int64

	mutex  sync.Mutex
	stream *gcs.Reader // at next; nil if there is none
	next   int64       // where the last read ended
}

// Size implements storage.Object.
func (o *object) Size() int64 { return o.size }

// ReadAt implements io.ReaderAt.
func (o *object) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, fmt.Errorf("read %s at %d", o.folder.location(o.name), offset)
	}
	if offset >= o.size {
		return 0, io.EOF
	}
	wanted, short := p, false
	if int64(len(p)) > o.size-offset {
		wanted, short = p[:o.size-offset], true
	}
	n, err := o.read(wanted, offset)
	if err == nil && short {
		err = io.EOF
	}
	return n, err
}

func (o *object) read(p []byte, offset int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if !o.mutex.TryLock() { // somebody else reads the stream
		return o.readRange(p, offset)
	}
	defer o.mutex.Unlock()
	follows := offset == o.next
	o.next = offset + int64(len(p))
	if !follows {
		o.closeStream()
		return o.readRange(p, offset)
	}
	if o.stream == nil {
		if int64(len(p)) == o.size-offset { // the end: no more will follow
			return o.readRange(p, offset)
		}
		var err error
		if o.stream, err = o.handle.NewRangeReader(o.ctx, offset, -1); err != nil {
			o.stream = nil
			return 0, o.folder.fault("read", o.name, err)
		}
	}
	n, err := io.ReadFull(o.stream, p)
	if err != nil {
		o.closeStream()
		o.next = -1
		return n, o.folder.fault("read", o.name, err)
	}
	return n, nil
}

func (o *object) readRange(p []byte, offset int64) (int, error) {
	r, err := o.handle.NewRangeReader(o.ctx, offset, int64(len(p)))
	if err != nil {
		return 0, o.folder.fault("read", o.name, err)
	}
	defer r.Close()
	n, err := io.ReadFull(r, p)
	return n, o.folder.fault("read", o.name, err)
}

func (o *object) closeStream() {
	if o.stream != nil {
		_ = o.stream.Close() // only read from
		o.stream = nil
	}
}

// Close implements storage.Object.
func (o *object) Close() error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.closeStream()
	return nil
}
