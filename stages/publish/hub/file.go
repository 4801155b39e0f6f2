package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"sentweave/schemas/storage"
)

// File is one to upload.
type File struct {
	// Name is the path in the repository, with slashes.
	Name string
	Size int64
	Open func(ctx context.Context) (storage.Object, error)

	sha256 string // once it is known
}

// SHA256 returns the hash of the content, in hexadecimal digits. The file is read once.
func (f *File) SHA256(ctx context.Context) (string, error) {
	if f.sha256 != "" {
		return f.sha256, nil
	}
	object, err := f.Open(ctx)
	if err != nil {
		return "", err
	}
	defer object.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(object, 0, f.Size)); err != nil {
		return "", fmt.Errorf("read %s: %w", f.Name, err)
	}
	f.sha256 = hex.EncodeToString(sum.Sum(nil))
	return f.sha256, nil
}

const (
	sampled = 512 // bytes by which the service knows text
	// mostSmall bounds a file that goes into the commit itself.
	mostSmall = 64 << 20
)

// entry is a file, and whether it is a large one.
type entry struct {
	File
	large bool
}

// read returns the first bytes of a file, at most limit.
func (e *entry) read(ctx context.Context, limit int64) ([]byte, error) {
	object, err := e.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	if object.Size() != e.Size {
		return nil, fmt.Errorf("%s has %d bytes, and had %d: somebody writes it", e.Name, object.Size(), e.Size)
	}
	data := make([]byte, min(limit, e.Size))
	_, err = io.ReadFull(io.NewSectionReader(object, 0, e.Size), data)
	return data, err
}

// id is how the service names the content of a file: by SHA-256, or as Git does if it is not a large one.
func (e *entry) id(ctx context.Context) (string, error) {
	if !e.large {
		data, err := e.read(ctx, mostSmall+1)
		if err == nil && len(data) > mostSmall {
			err = fmt.Errorf("%s has %d bytes, and the service takes it for a small file", e.Name, e.Size)
		}
		sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...))
		return hex.EncodeToString(sum[:]), err
	}
	return e.SHA256(ctx)
}
