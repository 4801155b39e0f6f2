package models

// Room estimates the bytes that the verb writes at most at a time: the encoder after each
// period, and checkpoints, which hold the weights and two moments of each. Pieces are those
// of the vocabulary; initial are the bytes of the encoder that it begins with, 0 for none.
func (t *Train) Room(pieces, initial int64) int64 {
	weights := initial
	if weights == 0 {
		s, _ := t.Shape(pieces)
		weights = s.Bytes()
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
