package gcs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"sentweave/schemas/storage"
)

// headBytes is what opening an object reads of it, so that a small one is one request.
const headBytes = 128 << 10

// Open implements storage.Folder. Reads are of the generation that was there when
// it was opened, whatever is written meanwhile. They end with ctx.
func (f *Folder) Open(ctx context.Context, name string) (storage.Object, error) {
	handle, err := f.object(name)
	if err != nil {
		return nil, err
	}
	o := &object{ctx: ctx, folder: f, name: name, handle: handle}
	opening, cancel := context.WithTimeoutCause(ctx, f.bounds.call, errStalled)
	defer cancel()
	r, err := handle.NewRangeReader(opening, 0, headBytes)
	var answer *googleapi.Error
	if errors.As(err, &answer) && answer.Code == http.StatusRequestedRangeNotSatisfiable {
		return o, nil // it is empty, and has no range
	}
	if err != nil {
		return nil, o.reason("open", opening, err)
	}
	defer r.Close()
	o.head = make([]byte, min(headBytes, r.Attrs.Size))
	if _, err := io.ReadFull(r, o.head); err != nil {
		return nil, o.reason("read", opening, err)
	}
	o.handle, o.size, o.next = handle.Generation(r.Attrs.Generation), r.Attrs.Size, int64(len(o.head))
	return o, nil
}

// object reads by ranges. A read that goes on where the last one ended takes from
// a stream, so that reading a file through is one request after that which opened
// it; others are requests of their own.
type object struct {
	ctx    context.Context
	folder *Folder
	name   string
	handle *gcs.ObjectHandle
	size   int64
	head   []byte // the first bytes

	mutex  sync.Mutex
	stream *gcs.Reader // at next; nil if there is none
	life   context.Context
	end    context.CancelCauseFunc // of life, which is that of the stream
	next   int64                   // where the last read ended
}

// Size implements storage.Object.
func (o *object) Size() int64 { return o.size }

// reason names an error of a read under a context that has bounds.
func (o *object) reason(op string, bounded context.Context, err error) error {
	if err == nil {
		return nil
	}
	return o.folder.fault(op, o.name, o.folder.cause(bounded, err))
}

// ReadAt implements io.ReaderAt.
func (o *object) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, fmt.Errorf("read %s at %d", o.folder.location(o.name), offset)
	}
	if offset >= o.size {
		return 0, io.EOF
	}
	part, short := p, false
	if int64(len(p)) > o.size-offset {
		part, short = p[:o.size-offset], true
	}
	n := 0
	if offset < int64(len(o.head)) {
		n = copy(part, o.head[offset:])
	}
	count, err := o.read(part[n:], offset+int64(n))
	if n += count; err == nil && short {
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
	if o.stream == nil && int64(len(p)) == o.size-offset { // the end: no more will follow
		return o.readRange(p, offset)
	}
	n, err := o.readStream(p, offset)
	if err != nil {
		o.closeStream()
		o.next = -1
	}
	return n, err
}

// readStream takes from the stream, which it opens if there is none. A stream lives
// longer than a read; what each may take is bounded all the same.
func (o *object) readStream(p []byte, offset int64) (n int, err error) {
	if o.stream == nil {
		o.life, o.end = context.WithCancelCause(o.ctx)
	}
	end := o.end
	timer := time.AfterFunc(o.folder.bounds.call, func() { end(errStalled) })
	if o.stream == nil {
		o.stream, err = o.handle.NewRangeReader(o.life, offset, -1)
	}
	if err == nil {
		n, err = io.ReadFull(o.stream, p)
	}
	err = o.reason("read", o.life, err)
	if !timer.Stop() { // just now: the next read needs another stream
		o.closeStream()
	}
	return n, err
}

func (o *object) readRange(p []byte, offset int64) (int, error) {
	ctx, cancel := context.WithTimeoutCause(o.ctx, o.folder.bounds.call, errStalled)
	defer cancel()
	r, err := o.handle.NewRangeReader(ctx, offset, int64(len(p)))
	if err != nil {
		return 0, o.reason("read", ctx, err)
	}
	defer r.Close()
	n, err := io.ReadFull(r, p)
	return n, o.reason("read", ctx, err)
}

func (o *object) closeStream() {
	if o.stream != nil {
		_ = o.stream.Close() // only read from
		o.stream = nil
	}
	if o.end != nil {
		o.end(nil)
		o.end = nil
	}
}

// Close implements storage.Object.
func (o *object) Close() error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.closeStream()
	return nil
}
