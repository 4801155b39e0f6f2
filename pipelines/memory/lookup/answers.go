package lookup

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
)

// Answer is what the memories have for a text.
type Answer struct {
	// Found is false where they have nothing.
	Found bool
	// Rejected: the translation failed the quality control. Its text may be empty.
	Rejected bool
	Text     string
	// Repeated: an earlier text, of this unit or one before it, has the same answer,
	// being the same but for runs of white space.
	Repeated bool
}

// Answers returns the answers for a unit that writes, and a function that must be called
// in the end.
func Answers(ctx context.Context, unit graph.Unit) (*Cursor, func()) {
	next, stop := iter.Pull2(unit.Merge(ctx, nil))
	return &Cursor{next: next}, stop
}

// Cursor walks the answers of a unit beside its texts.
type Cursor struct {
	next func() (spill.Record, error, bool)
	// text and pair are those of the answer that waits for them; done says that there is
	// none.
	text, pair uint32
	answer     Answer
	begun      bool
	done       bool
}

func (c *Cursor) advance() error {
	record, err, ok := c.next()
	c.begun, c.done = true, !ok
	if err != nil || !ok {
		return err
	}
	if len(record.Key) != answerKeySize {
		return errRecord
	}
	c.text, c.pair = binary.BigEndian.Uint32(record.Key[4:]), uint32(binary.BigEndian.Uint16(record.Key[8:]))
	c.answer = Answer{Repeated: record.Key[answerKeySize-1] != 0}
	if len(record.Value) == 0 {
		return nil
	}
	t, err := parseTold(record.Value)
	c.answer.Found, c.answer.Rejected, c.answer.Text = true, t.rejected, t.text
	return err
}

// Take returns the answer for the text of an ordinal, as texts.Source.Each counts
// those of the unit, and the number of a pair. They must be asked for in order, and
// only for texts in the source language of the pair, and of the splits looked up.
func (c *Cursor) Take(text, pair int) (Answer, error) {
	if !c.begun {
		if err := c.advance(); err != nil {
			return Answer{}, err
		}
	}
	if c.done || c.text != uint32(text) || c.pair != uint32(pair) {
		return Answer{}, fmt.Errorf("the exchange has no answer for text %d of the unit: the dataset was made anew while it was read", text)
	}
	answer := c.answer
	return answer, c.advance()
}
