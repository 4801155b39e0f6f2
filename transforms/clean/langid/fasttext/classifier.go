package fasttext

import "math"

// Prediction is a label and its probability.
type Prediction struct {
	// Label stands without the prefix "__label__".
	Label string
	// Probability is what the program prints. With hierarchical softmax it can
	// pass 1 by some 1e-5 per level of the tree, because the program adds 1e-5
	// before each logarithm.
	Probability float32
}

// Classifier predicts labels with a Model. It holds scratch memory: use one per
// goroutine. Predict does not allocate once the scratch has grown to the
// longest text.
type Classifier struct {
	model  *Model
	memo   *memo // nil before the first word
	rows   []int32
	hashes []int32
	framed []byte
	hidden []float32
	scores []float32
	best   []candidate
	all    []Prediction
	// begun says that a part of a text was added, ended that a part has the token of the end of the line.
	begun, ended bool
}

// candidate is a label and the logarithm of its probability.
type candidate struct {
	score float32
	label int32
}

// NewClassifier returns a Classifier for m. It takes a few hundred bytes,
// and 1 MiB more from the first word on.
func (m *Model) NewClassifier() *Classifier {
	c := &Classifier{model: m, hidden: make([]float32, m.args.dim)}
	if m.args.loss != hierarchicalSoftmax {
		c.scores = make([]float32, len(m.words.labels))
	}
	return c
}

// Model returns the model that the classifier uses.
func (c *Classifier) Model() *Model { return c.model }

// Predict appends the k most probable labels of a text to dst, the most
// probable first. It gives what the program gives for the line: line breaks
// inside the text count as spaces, and the end-of-line token follows it. Fewer
// than k labels are appended where the model has fewer, none where the model
// knows no part of the text, or k is below 1.
func (c *Classifier) Predict(dst []Prediction, text string, k int) []Prediction {
	if k < 1 {
		return dst
	}
	c.features(text)
	if len(c.rows) == 0 {
		return dst
	}
	c.average()
	c.best = c.best[:0]
	if c.model.args.loss == hierarchicalSoftmax {
		c.descend(k, int32(len(c.model.tree)-1), 0)
	} else {
		c.flat(k)
	}
	for _, b := range c.best {
		dst = append(dst, Prediction{
			Label:       c.model.words.labels[b.label],
			Probability: float32(math.Exp(float64(b.score))),
		})
	}
	return dst
}

// Probability returns the probability of a label of a text, at most 1; 0 where the model knows no part of the text, or lacks the label.
func (c *Classifier) Probability(text, label string) float64 {
	c.all = c.Predict(c.all[:0], text, len(c.model.words.labels))
	for _, p := range c.all {
		if p.Label == label {
			return float64(min(p.Probability, 1))
		}
	}
	return 0
}

// average sets the hidden vector to the mean of the rows.
func (c *Classifier) average() {
	clear(c.hidden)
	if d, ok := c.model.input.(*dense); ok {
		d.addRows(c.hidden, c.rows)
	} else {
		for _, row := range c.rows {
			c.model.input.addRow(c.hidden, row)
		}
	}
	scale := float32(1 / float64(len(c.rows)))
	for i := range c.hidden {
		c.hidden[i] *= scale
	}
}

// offer puts a label into the list of the best k, in falling order of score. Of
// equal scores the later stays, as the program's heap has it for k = 1.
func (c *Classifier) offer(k int, s candidate) {
	position := len(c.best)
	for position > 0 && c.best[position-1].score <= s.score {
		position--
	}
	if len(c.best) < k {
		c.best = append(c.best, candidate{})
	} else if position == k {
		return
	}
	copy(c.best[position+1:], c.best[position:])
	c.best[position] = s
}

// full reports whether a score can no longer come among the best k.
func (c *Classifier) full(k int, score float32) bool {
	return len(c.best) == k && score < c.best[k-1].score
}
