// Package encoder is the interface between evaluations and the sources of vectors:
// baselines, datasets of embeddings, and models, which other programs run.
//
// # Contract
//
// The vectors of one call of Encode can be compared with each other. So all texts of
// one comparison go into one call, and Slice separates the sides. Equal texts of one
// language get equal vectors. Cosine is a float64 defined to the last bit (see Dense
// and Sparse), so ranks and ties are the same on every machine.
package encoder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/measure/neighbors"
)

// Encoder turns texts into vectors. One that holds a process or a connection is
// an io.Closer too.
type Encoder interface {
	// Name is in results as the model.
	Name() string
	// Encode returns a vector for each text, in their order.
	Encode(ctx context.Context, texts []Text) (Vectors, error)
}

// Vectors are the vectors of texts. They may be used by many goroutines.
type Vectors interface {
	Len() int
	// Cosine returns the cosine of vector i and vector j of vectors: 0 where one is
	// all zeros, NaN where these are of another kind or size, which vectors of one
	// encoder never are.
	Cosine(i int, vectors Vectors, j int) float64
	// Nearest returns for each vector the candidate with the greatest cosine; the
	// lowest index wins a tie.
	Nearest(ctx context.Context, candidates Vectors, o neighbors.Options) ([]neighbors.Match, error)
	// TopK returns for each vector the k candidates with the greatest cosines, the nearest
	// first and of equally near ones the first: k entries, the last ones with index -1 where
	// there are fewer candidates.
	TopK(ctx context.Context, candidates Vectors, k int, o neighbors.Options) ([]neighbors.Neighbor, error)
	// Ranks returns for each vector the places, from 1, of the candidates that are wanted, when
	// all are ordered as TopK does.
	Ranks(ctx context.Context, candidates Vectors, targets [][]int, o neighbors.Options) ([][]int, error)
	// Slice returns the vectors [from, to), which share memory.
	Slice(from, to int) Vectors
}

// ErrUnknown matches the error for a model that nothing here can open.
var ErrUnknown = errors.New("unknown model")

const baselinePrefix = "baseline:"

// Open returns the encoder that a user names: a baseline (see Parse), a program (see IsCommand), a dataset of
// embeddings, or what model opens, which is asked for everything else: a model's
// folder, an endpoint. Without model, those are an error that matches ErrUnknown.
func Open(ctx context.Context, name string, model func(ctx context.Context, name string) (Encoder, error)) (Encoder, error) {
	if strings.HasPrefix(name, baselinePrefix) {
		return Parse(ctx, name)
	}
	if IsCommand(name) {
		return startCommand(ctx, name)
	}
	if !IsEndpoint(name) {
		folder, err := storage.Locate(name)
		if err != nil {
			return nil, err
		}
		if _, err = dataset.Load(ctx, folder); err == nil {
			return OpenEmbeddings(ctx, name)
		} else if !errors.Is(err, dataset.ErrNoDataset) {
			return nil, err
		}
	}
	if model == nil {
		return nil, fmt.Errorf("%w %q: give a dataset of embeddings or one of %s", ErrUnknown, name, strings.Join(Baselines(), ", "))
	}
	return model(ctx, name)
}
