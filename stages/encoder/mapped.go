package encoder

import (
	"context"
	"errors"
	"fmt"

	"sentweave/transforms/measure/neighbors"
)

// ErrSparse matches the error for sparse vectors where dense ones are needed.
var ErrSparse = errors.New("no vectors of a fixed size: choose an encoder with dense ones")

// EncodeDense returns the vectors of texts, which must be dense: sparse ones are an error that matches
// ErrSparse.
func EncodeDense(ctx context.Context, e Encoder, texts []Text) (Dense, error) {
	v, err := e.Encode(ctx, texts)
	if err != nil {
		return Dense{}, err
	}
	dense, ok := v.(Dense)
	if !ok {
		return Dense{}, fmt.Errorf("%s has %w", e.Name(), ErrSparse)
	}
	if dense.Len() != len(texts) {
		return Dense{}, fmt.Errorf("%s gave %d vectors for %d texts", e.Name(), dense.Len(), len(texts))
	}
	return dense, nil
}

// Mapped returns e under another name, with the vectors that change makes of those of each call, which must
// be dense. Change gets the language of each text, and leaves the matrix that it is given as it is. To close
// what is returned closes e.
func Mapped(e Encoder, name string, change func(m neighbors.Matrix, languages []string) (neighbors.Matrix, error)) Encoder {
	return mapped{e, name, change}
}

type mapped struct {
	inner  Encoder
	name   string
	change func(neighbors.Matrix, []string) (neighbors.Matrix, error)
}

func (m mapped) Name() string { return m.name }

func (m mapped) Encode(ctx context.Context, texts []Text) (Vectors, error) {
	if len(texts) == 0 {
		return m.inner.Encode(ctx, texts)
	}
	dense, err := EncodeDense(ctx, m.inner, texts)
	if err != nil {
		return nil, err
	}
	languages := make([]string, len(texts))
	for i, t := range texts {
		languages[i] = t.Language
	}
	changed, err := m.change(dense.Matrix, languages)
	if err != nil {
		return nil, err
	}
	return Dense{changed}, nil
}

func (m mapped) Close() error { return Close(m.inner) }
