package evaluate

import (
	"context"
	"fmt"
	"iter"

	"sentweave/stages/encoder"
)

// allTexts yields the texts of some lists.
func allTexts(lists ...[]encoder.Text) iter.Seq[encoder.Text] {
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

// textsOf yields the texts of tasks.
func textsOf(tasks []loaded) iter.Seq[encoder.Text] {
	return func(yield func(encoder.Text) bool) {
		for _, t := range tasks {
			for text := range t.texts() {
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
	// tested yields the texts of the items.
	tested() iter.Seq[encoder.Text]
}

// testedBy yields the texts of the items of a protocol.
func testedBy(p protocol) iter.Seq[encoder.Text] {
	if t, ok := p.(tests); ok {
		return t.tested()
	}
	return p.texts()
}

// encodeSides encodes all sides in one call, so that their vectors compare.
func encodeSides(ctx context.Context, e encoder.Encoder, sides ...[]encoder.Text) (encoder.Vectors, []encoder.Vectors, error) {
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
