package objective

// Sequences are the ids of sentences, padded to one length: row i of IDs has
// Lengths[i] tokens and then padding.
type Sequences struct {
	Count, Length int
	// IDs has Count × Length numbers, row after row.
	IDs []int32
	// Lengths are at least 1.
	Lengths []int32
}

// Append sets up one more row. All rows have the same length. A longer list of tokens
// is cut, and its last token, [SEP], is kept.
func (s *Sequences) Append(tokens []int32, padding int32) {
	n := min(len(tokens), s.Length)
	s.IDs = append(s.IDs, tokens[:n]...)
	if n > 0 && n < len(tokens) {
		s.IDs[len(s.IDs)-1] = tokens[len(tokens)-1]
	}
	for range s.Length - n {
		s.IDs = append(s.IDs, padding)
	}
	s.Lengths = append(s.Lengths, int32(n))
	s.Count++
}

func (s *Sequences) tokens() (n int) {
	for _, l := range s.Lengths {
		n += int(l)
	}
	return n
}
