package embed

import (
	"context"
	"fmt"
	"iter"

	"sentweave/schemas/dataset"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/endpoint"
	"sentweave/stages/encoder/vectorcache"
	"sentweave/stages/ordered"
)

// service is an encoder behind a service.
type service struct {
	config  endpoint.Config
	note    func(string)
	encoder *vectorcache.Encoder // nil until it is open
}

// plan implements source.
func (s *service) plan(context.Context, *settings) ([]dataset.Input, error) {
	return []dataset.Input{dataset.ListingInput("model", []dataset.File{{Name: s.config.Identity()}})}, nil
}

// store opens the vectors that the service has given so far, and the service when a text has none. It sends nothing.
func (s *service) store() (err error) {
	s.encoder, err = vectorcache.OpenPaid(endpoint.Name(s.config.Location), s.config.Identity(),
		func() (vectorcache.Streaming, error) { return endpoint.Open(s.config) })
	return err
}

// open implements source. The service is asked once, so that one that does not answer is known before work begins.
func (s *service) open(ctx context.Context, _ *input) error {
	if err := s.store(); err != nil {
		return err
	}
	if err := s.encoder.Try(ctx); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return nil
}

// vectors implements source.
func (s *service) vectors(ctx context.Context, batches iter.Seq2[*batch, error]) iter.Seq2[*batch, error] {
	return ordered.Map(ctx, 1, batches, func(ctx context.Context, b *batch) (*batch, error) {
		different, places := distinct(b.texts)
		vectors, err := s.encoder.Encode(ctx, different)
		if err != nil {
			return nil, err
		}
		dense := vectors.(encoder.Dense) // as a store of vectors gives them
		b.places, b.vectors, b.dimension = places, dense.Data, dense.Dim
		return b, nil
	})
}

// Close says what was spent.
func (s *service) Close() error {
	if s.encoder == nil {
		return nil
	}
	if spent := s.config.Budget.String(); spent != "" && s.note != nil {
		s.note(spent)
	}
	return s.encoder.Close()
}
