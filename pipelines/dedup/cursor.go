package dedup

import (
	"cmp"
	"fmt"
	"iter"

	"sentweave/pipelines/exchange/spill"
)

// cursor walks the losers of a unit beside its rows.
type cursor struct {
	next func() (spill.Record, error, bool)
	// at is the loser that waits for its row; done says that there is none.
	at     loser
	reason string
	// told is what is told of it besides, taken what was told of the text that was asked for.
	told, taken []byte
	done        bool
	begun       bool
}

func newCursor(records iter.Seq2[spill.Record, error]) (*cursor, func()) {
	next, stop := iter.Pull2(records)
	return &cursor{next: next}, stop
}

func (c *cursor) advance() error {
	record, err, ok := c.next()
	if err != nil {
		return err
	}
	c.done = !ok
	if ok {
		var told []byte
		if c.reason, told, err = reasonOf(record.Value); err != nil {
			return err
		}
		c.told = append(c.told[:0], told...)
		c.at, err = parseLoser(record.Key)
	}
	return err
}

// take returns the reason if the text is a loser, else "". Texts must be asked
// for in order.
func (c *cursor) take(text loser) (string, error) {
	c.taken = c.taken[:0]
	if end, err := c.end(); end || err != nil {
		return "", err
	}
	switch cmp.Or(cmp.Compare(c.at.row, text.row), cmp.Compare(c.at.sentence, text.sentence)) {
	case 0:
		reason, place := c.reason, c.at
		for !c.done && c.at == place { // a pair may be lost for each of its texts, too
			reason, c.taken = c.reason, append(c.taken[:0], c.told...)
			if err := c.advance(); err != nil {
				return "", err
			}
		}
		return reason, nil
	case -1:
		return "", fmt.Errorf("the exchange names row %d, sentence %d as a duplicate, the dataset has no such text", c.at.row,
			c.at.sentence)
	}
	return "", nil
}

// end says whether there is no loser left.
func (c *cursor) end() (bool, error) {
	if !c.begun {
		c.begun = true
		if err := c.advance(); err != nil {
			return false, err
		}
	}
	return c.done, nil
}

// finished is an error if a loser found no row.
func (c *cursor) finished() error {
	end, err := c.end()
	if err == nil && !end {
		err = fmt.Errorf("the exchange names row %d as a duplicate, the unit has fewer", c.at.row)
	}
	return err
}
