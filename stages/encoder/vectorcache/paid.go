package vectorcache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sentweave/schemas/storage/filelock"
	"sentweave/stages/encoder"
)

// payingWait is how long a process waits before it looks again whether another one has ended to ask for vectors.
const payingWait = 100 * time.Millisecond

// Greeting is the text that Try asks for.
var Greeting = encoder.Text{Text: "Hello."}

// Try asks for the vector of a greeting, unless that is kept: what is wrong with a service shows before work begins.
func (e *Encoder) Try(ctx context.Context) error {
	_, err := e.Encode(ctx, []encoder.Text{Greeting})
	return err
}

// pay asks for the vectors of those texts that no process has asked for meanwhile, and keeps each answer.
func (e *Encoder) pay(ctx context.Context, texts []encoder.Text) error {
	lock, err := e.alone(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := e.load(); err != nil {
		return err
	}
	if texts = e.Missing(slices.Values(texts)); len(texts) == 0 {
		return nil
	}
	if err := e.opening(); err != nil {
		return err
	}
	return e.inner.(Streaming).EncodeEach(ctx, texts, func(indices []int, d encoder.Dense) error {
		answered := make([]encoder.Text, len(indices))
		for i, index := range indices {
			answered[i] = texts[index]
		}
		return e.keep(context.WithoutCancel(ctx), answered, d) // it is paid for
	})
}

// alone returns a lock that no other process holds. Where the file system has no locks it is none.
func (e *Encoder) alone(ctx context.Context) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(e.folder.Path, "paying"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		if _, err = filelock.Lock(file, filelock.Exclusive, false); !errors.Is(err, filelock.ErrBusy) {
			break
		}
		select {
		case <-time.After(payingWait):
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), file.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
