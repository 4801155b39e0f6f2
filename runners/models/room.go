package models

// Room estimates the bytes that the verb writes, for a vocabulary of so many pieces.
func (i *Init) Room(pieces int64) int64 { return i.weights(pieces) }

// Room estimates the bytes that the verb writes at most at a time: the encoder after each
// period, and checkpoints, which hold the weights and two moments of each. Pieces are those
// of the vocabulary; from are the bytes of the encoder that it begins with, 0 for none.
func (t *Train) Room(pieces, from int64) int64 {
	weights := from
	if weights == 0 {
		weights = t.weights(pieces)
	}
	c, err := t.config()
	if err != nil { // which Validate says
		return 0
	}
	checkpoints := c.Keep + 1
	if c.Validation != nil {
		checkpoints++ // the best one
	}
	return weights * int64(len(c.Periods)+3*checkpoints)
}

// weights are the bytes of the weights of a BERT, four each.
func (a architecture) weights(pieces int64) int64 {
	hidden, inner := int64(a.Hidden), int64(a.Intermediate)
	layer := 4*hidden*(hidden+1) + 2*hidden*inner + inner + hidden + 4*hidden
	return 4 * ((pieces+int64(a.Positions)+4)*hidden + int64(a.Layers)*layer)
}
