package batches

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/stages/objective"
	"sentweave/stages/objective/joined"
)

// Side is a side of an example, as a batch has it.
type Side struct {
	// ID is that of the example, with /a or /b.
	ID, Language string
	Tokens       []int32
}

// Sides reads the sides of examples.
type Sides struct {
	examples *Examples
	fit      fit
}

// Sides returns a reader of what a source of the objective trains on, with at most so many tokens
// of a side; 0 does not cut. The configuration of the objective does not matter.
func (e *Examples) Sides(name string, encoding Encoding, maxTokens int) (*Sides, error) {
	o, ok := objective.Find(name)
	if !ok {
		return nil, fmt.Errorf("objective %q is unknown", name) // a fault of the program
	}
	if err := encoding.Validate(); err != nil {
		return nil, err
	}
	if maxTokens > encoding.MaxTokens {
		return nil, fmt.Errorf("tokens is %d, the model takes %d", maxTokens, encoding.MaxTokens)
	}
	s := &Sides{e, newFit(Source{Objective: name, MaxTokens: maxTokens}, nil, encoding)}
	relaxed := *o
	relaxed.Fit = nil
	s.fit.objective = &relaxed
	return s, nil
}

// Of yields the sides of each example of a span, one or two.
func (s *Sides) Of(ctx context.Context, span dataset.Span) iter.Seq2[[]Side, error] {
	return func(yield func([]Side, error) bool) {
		row := span.From
		if !span.Rows {
			row *= int64(schemas.Example{}.Schema().RowGroup)
		}
		for r, err := range dataset.SpanRows[schemas.Example](ctx, s.examples.folder, s.examples.manifest, span) {
			var x *example
			if err == nil {
				if x, err = s.fit.example(&r); err != nil {
					err = &rowError{Dataset: s.examples.folder.String(), Shard: span.Name, Row: row, ID: r.ID, Err: err}
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			list := []Side{{x.ID + "/a", x.LanguageA, x.A}}
			if len(x.B) > 0 {
				list = append(list, Side{x.ID + "/b", x.LanguageB, x.B})
			}
			if !yield(list, nil) {
				return
			}
			row++
		}
	}
}

// Units cuts all examples into units of about so many bytes, at least quarters of row groups.
func (e *Examples) Units(bytes int64) []dataset.Unit {
	return dataset.Pack(e.manifest.FinePieces(bytes), bytes)
}

// Longest returns the most tokens that a side may have if a source cuts sides to so many; 0 does not cut.
func (e *Examples) Longest(maxTokens int, encoding Encoding) int {
	return joined.LongestSide(e.manifest, cmp.Or(maxTokens, encoding.MaxTokens))
}
