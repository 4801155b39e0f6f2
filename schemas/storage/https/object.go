package https

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// forgiving is how many bytes must come before earlier failures are forgotten.
const forgiving = 1 << 20

// object is an open file. Reads that follow each other take from one stream; others are requests of their own.
type object struct {
	ctx    context.Context
	folder *Folder
	name   string
	state  state

	mutex  sync.Mutex
	stream *stream // at next; nil if there is none
	next   int64
	// looked is the end of the last read that was not at next: a stream goes on there, too.
	looked           int64
	failures, gained int
}

// Size implements storage.Object.
func (o *object) Size() int64 { return o.state.size }

// ReadAt implements io.ReaderAt. Calls wait for each other.
func (o *object) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, fmt.Errorf("read %s at %d", o.folder.address(o.name), offset)
	}
	part := p[:max(0, min(int64(len(p)), o.state.size-offset))]
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if len(part) > 0 {
		err = o.folder.repeat(o.ctx, o.name, &o.failures, func() error {
			count, err := o.read(part[n:], offset+int64(n))
			n += count
			if o.gained += count; o.gained >= forgiving {
				o.failures, o.gained = 0, 0
			}
			return err
		})
	}
	if err == nil && len(part) < len(p) {
		err = io.EOF
	}
	return n, err
}

// read is one try to read.
func (o *object) read(p []byte, offset int64) (n int, err error) {
	if offset != o.next && offset != o.looked {
		o.looked = offset + int64(len(p))
		s, err := o.open(offset, fmt.Sprint(o.looked-1))
		if err != nil {
			return 0, err
		}
		defer s.close()
		return o.fill(s, p, offset)
	}
	if offset != o.next || o.stream == nil {
		o.closeStream()
		if o.stream, err = o.open(offset, ""); err != nil {
			return 0, err
		}
	}
	n, err = o.fill(o.stream, p, offset)
	if o.next = offset + int64(n); err != nil {
		o.closeStream()
	}
	return n, err
}

// fill reads what begins at an offset. Bodies without a length end where they are cut.
func (o *object) fill(s *stream, p []byte, offset int64) (int, error) {
	n, err := io.ReadFull(s, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = o.cut(offset + int64(n))
	}
	return n, err
}

func (o *object) cut(offset int64) error {
	return passing{error: fmt.Errorf("the answer was cut at byte %d of %d", offset, o.state.size)}
}

// open asks for the file from an offset on, to its end or to the last byte.
func (o *object) open(offset int64, last string) (*stream, error) {
	ask := request{method: http.MethodGet, name: o.name, ranged: fmt.Sprintf("bytes=%d-%s", offset, last)}
	if !strings.HasPrefix(o.state.tag, "W/") { // which If-Match never finds equal
		ask.ifMatch = o.state.tag
	}
	s, err := o.folder.send(o.ctx, ask)
	if err != nil {
		return nil, err
	}
	switch {
	case !o.state.same(s.state):
		err = errChanged
	case s.from > offset:
		err = fmt.Errorf("the server was asked for byte %d and begins with byte %d", offset, s.from)
	default: // without ranges the body has the bytes before, too
		_, err = io.CopyN(io.Discard, s, offset-s.from)
		if err == io.EOF {
			err = o.cut(offset)
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// Close implements storage.Object.
func (o *object) Close() error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.closeStream()
	return nil
}

func (o *object) closeStream() {
	if o.stream != nil {
		o.stream.close()
		o.stream = nil
	}
}
