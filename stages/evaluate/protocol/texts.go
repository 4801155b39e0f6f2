package protocol

import (
	"context"
	"fmt"
	"iter"

	"sentweave/stages/encoder"
)

// AllTexts yields the texts of some lists.
func AllTexts(lists ...[]encoder.Text) iter.Seq[encoder.Text] {
	return func(yield func(encoder.Text) bool) {
		for _, list := range lists {
			for _, t := range list {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// TextsOf yields the texts of tasks.
func TextsOf(tasks []Loaded) iter.Seq[encoder.Text] {
	return func(yield func(encoder.Text) bool) {
		for _, t := range tasks {
			for text := range t.Texts() {
				if !yield(text) {
					return
				}
			}
		}
	}
}

// tests is what protocols implement whose items have not all of their texts, because they
// also train on some.
type tests interface {
	// Tested yields the texts of the items.
	Tested() iter.Seq[encoder.Text]
}

// TestedTexts yields the texts of the items of a protocol.
func TestedTexts(p Protocol) iter.Seq[encoder.Text] {
	if t, ok := p.(tests); ok {
		return t.Tested()
	}
	return p.Texts()
}

// EncodeSides encodes all sides in one call, so that their vectors compare.
func EncodeSides(ctx context.Context, e encoder.Encoder, sides ...[]encoder.Text) (encoder.Vectors, []encoder.Vectors, error) {
	var texts []encoder.Text
	for _, s := range sides {
		texts = append(texts, s...)
	}
	vectors, err := e.Encode(ctx, texts)
	if err != nil {
		return nil, nil, err
	}
	if vectors.Len() != len(texts) {
		return nil, nil, fmt.Errorf("%s gave %d vectors for %d texts", e.Name(), vectors.Len(), len(texts))
	}
	var parts []encoder.Vectors
	offset := 0
	for _, s := range sides {
		parts = append(parts, vectors.Slice(offset, offset+len(s)))
		offset += len(s)
	}
	return vectors, parts, nil
}
