package dataflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"sentweave/schemas/storage"
)

// Stage uploads what the request names and the bucket has not. Names are made of the
// content's SHA-256, so that what is there already is not sent again. It returns the
// bytes that it sent.
func Stage(ctx context.Context, r *Request) (sent int64, err error) {
	worker, err := stage(ctx, r.WorkerURL, r.Binary.Bytes, func(w io.Writer) error { return copyBinary(ctx, w, r.Binary) })
	if err != nil {
		return 0, fmt.Errorf("stage the worker binary: %w", err)
	}
	model, err := stage(ctx, r.ModelURL, int64(len(r.model)), func(w io.Writer) error {
		_, err := w.Write(r.model)
		return err
	})
	if err != nil {
		return worker, fmt.Errorf("stage the graph: %w", err)
	}
	return worker + model, nil
}

// stage writes an object unless it is there. One of another size is no work of ours:
// an upload appears whole or not at all; it is replaced.
func stage(ctx context.Context, location string, size int64, write func(io.Writer) error) (sent int64, err error) {
	dir, name, err := storage.Split(location)
	if err != nil {
		return 0, err
	}
	folder, err := storage.Locate(dir)
	if err != nil {
		return 0, err
	}
	condition := storage.IfAbsent
	switch info, err := folder.Stat(ctx, name); {
	case err == nil && info.Size == size:
		return 0, nil
	case err == nil:
		condition = storage.Replace
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	w, err := folder.Create(ctx, name, condition)
	if err != nil {
		return 0, err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return 0, err
	}
	// Whoever was faster has sent the same content.
	if err := w.Commit(); err != nil && !errors.Is(err, fs.ErrExist) {
		return 0, err
	}
	return size, nil
}

// copyBinary writes the program, and fails if it is no longer the one of the request.
func copyBinary(ctx context.Context, w io.Writer, b Binary) error {
	file, err := os.Open(b.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	hash := sha256.New()
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, contextReader{ctx, io.TeeReader(io.LimitReader(file, b.Bytes+1), hash)},
		make([]byte, 1<<20))
	if err != nil {
		return err
	}
	if n != b.Bytes || hex.EncodeToString(hash.Sum(nil)) != b.SHA256 {
		return fmt.Errorf("%s was replaced while it was read: submit again", b.Path)
	}
	return nil
}
