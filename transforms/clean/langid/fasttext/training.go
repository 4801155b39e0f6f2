package fasttext

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/transforms/random"
)

// trainingVersion is that of the random choices of Train.
const trainingVersion = 1

// LabelledText is a text to learn from.
type LabelledText struct {
	// Label is the label without the prefix "__label__", not empty and without white space.
	Label string
	// Text is one line: line breaks in it count as spaces.
	Text string
}

// TrainingConfig holds the settings of a training. The names in fastText are dim, epoch, lr, minn, maxn, wordNgrams, bucket and
// minCount. With Minn and Maxn 0 there are no n-grams of characters, with WordNgrams 0 or 1 none of words. The tags are read by the
// command line, where the tag set of the embedding field says what a text is, and the defaults.
type TrainingConfig struct {
	Dim        int     `help:"Numbers in the vector of a word or an n-gram." default:"16" group:"Training" json:"dim"`
	Epochs     int     `help:"How often each ${text} is learned from." default:"${epochs}" group:"Training" json:"epochs"`
	Rate       float64 `help:"Learning rate of the first ${text}; it falls to 0 in a straight line." default:"${rate}" placeholder:"X" group:"Training" json:"rate"`
	Minn       int     `help:"Least characters of an n-gram of characters." default:"${minn}" group:"Training" json:"minn"`
	Maxn       int     `help:"Most characters of an n-gram of characters, 0 for none." default:"${maxn}" group:"Training" json:"maxn"`
	WordNgrams int     `help:"Most words of an n-gram of words." default:"${words}" group:"Training" json:"word_ngrams"`
	Buckets    int     `help:"Vectors that the n-grams share, by their hashes; each takes 4 bytes × --dim of memory and of the file." default:"${buckets}" group:"Training" json:"buckets"`
	MinCount   int     `help:"Words that occur so often have vectors of their own; others count in n-grams alone." default:"${count}" group:"Training" json:"min_count"`
	Seed       uint64  `help:"Seed of the first vectors, and of the choice and the order of the ${text}s." default:"1" group:"Training" json:"seed"`
}

// Validate returns all faults at once.
func (c TrainingConfig) Validate() error {
	var errs fault.List
	for _, bound := range []struct {
		name               string
		value, least, most int
	}{
		{"dim", c.Dim, 1, 1024}, {"epochs", c.Epochs, 1, 10_000}, {"minn", c.Minn, 0, maxSubword}, {"maxn", c.Maxn, 0, maxSubword},
		{"word-ngrams", c.WordNgrams, 0, maxWordGram}, {"buckets", c.Buckets, 1, maxBucket},
		{"min-count", c.MinCount, 1, math.MaxInt32},
	} {
		errs.Check(bound.value >= bound.least && bound.value <= bound.most, "%s is %d, it must be from %d to %d", bound.name, bound.value,
			bound.least, bound.most)
	}
	errs.Check(c.Minn <= c.Maxn, "minn %d is above maxn %d", c.Minn, c.Maxn)
	errs.Check(c.Rate > 0 && c.Rate <= 10, "rate is %v, it must be above 0 and at most 10", c.Rate)
	return errs.Err()
}

// Trained is a model that Train made, with what its file holds beyond that which predictions need.
type Trained struct {
	model  *Model
	config TrainingConfig
	counts []int64 // of the words
	tokens int64   // of the texts, labels included
}

// Model returns the model.
func (t *Trained) Model() *Model { return t.model }

// Train trains a classifier as `fasttext supervised -loss softmax` does (Joulin et al. 2016, sections 2.1 and 2.2): the features of
// a text are its words, the character n-grams of these and the n-grams of words, their vectors are averaged, and the softmax of a
// linear layer over the average gives the probabilities of the labels. Stochastic gradient descent takes one text at a time, in the
// order of the texts, which should be a random one.
//
// The same texts in the same order and the same configuration give the same model on processors of one architecture, since one
// goroutine does all the work; the program's threads write into each other's vectors and give other models each time. Time is linear
// in the n-grams. Memory is 4 × dim bytes for each bucket and frequent word, with some 100 bytes for each distinct word while words
// are counted. Observe is called after each tenth of the work, with the share of the work that is done and the mean loss (cross
// entropy in nats) since the last call.
func Train(ctx context.Context, texts []LabelledText, c TrainingConfig, observe func(done, loss float64)) (*Trained, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t, err := newTrained(texts, c)
	if err != nil {
		return nil, err
	}
	return t, t.learn(ctx, texts, observe)
}

// learn changes the vectors of the model by each text in turn, epoch by epoch.
func (t *Trained) learn(ctx context.Context, texts []LabelledText, observe func(done, loss float64)) error {
	labels, c := map[string]int{}, t.config
	for i, label := range t.model.words.labels {
		labels[label] = i
	}
	s := &steps{Classifier: t.model.NewClassifier(), gradient: make([]float32, c.Dim),
		input: t.model.input.(*dense), output: t.model.output.(*dense)}
	total, done, part, loss, count := t.tokens*int64(c.Epochs), int64(0), int64(1), float64(0), 0
	for range c.Epochs {
		for i, text := range texts {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			s.features(text.Text)
			if len(s.rows) > 0 {
				loss += s.step(labels[text.Label], float32(c.Rate*(1-float64(done)/float64(total))))
				count++
			}
			done += int64(len(s.hashes)) + 1
			for ; count > 0 && 10*done >= part*total; part++ {
				observe(float64(part)/10, loss/float64(count))
				loss, count = 0, 0
			}
		}
	}
	for _, v := range s.output.data {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("the training diverged at rate %v: lower the rate", c.Rate)
		}
	}
	return nil
}

// newTrained counts words and labels and returns the model before the first step: the vectors of words and n-grams are uniform in
// [-1/dim, 1/dim), those of labels 0.
func newTrained(texts []LabelledText, c TrainingConfig) (*Trained, error) {
	words, labels := map[string]int64{}, map[string]int64{}
	t := &Trained{config: c}
	for i, text := range texts {
		if text.Label == "" || strings.ContainsFunc(text.Label, isSpace) {
			return nil, fmt.Errorf("text %d: label %q is empty or has white space", i, text.Label)
		}
		labels[text.Label]++
		for word := range strings.FieldsFuncSeq(text.Text, isSpace) {
			if word == endOfLine {
				break
			}
			if !strings.HasPrefix(word, labelPrefix) {
				words[word]++
				t.tokens++
			}
		}
		words[endOfLine]++
		t.tokens += 2
	}
	if len(labels) < 2 {
		return nil, errors.New("all texts have one label: a classifier needs two or more")
	}
	maps.DeleteFunc(words, func(_ string, n int64) bool { return n < int64(c.MinCount) })
	order := byCount(words)
	args := arguments{version: version, dim: int32(c.Dim), wordNgrams: int32(max(1, c.WordNgrams)), loss: softmax, bucket: int32(c.Buckets),
		minn: int32(c.Minn), maxn: int32(c.Maxn)}
	d := &dictionary{nwords: int32(len(order)), text: strings.Join(order, ""), starts: []uint32{0}, labels: byCount(labels),
		maxn: args.maxn, bucket: newModulus(uint32(c.Buckets))}
	for _, word := range order {
		d.starts = append(d.starts, d.starts[len(d.starts)-1]+uint32(len(word)))
		t.counts = append(t.counts, words[word])
	}
	for _, label := range d.labels {
		d.labelCounts = append(d.labelCounts, labels[label])
	}
	d.index()
	d.expandSubwords(&args)
	input := &dense{data: make([]float32, (len(order)+c.Buckets)*c.Dim), m: int64(len(order) + c.Buckets), n: int64(c.Dim)}
	draw := random.New(trainingVersion, c.Seed, "fasttext input", "", 0)
	for i := range input.data {
		input.data[i] = float32((2*draw.Float64() - 1) / float64(c.Dim))
	}
	output := &dense{data: make([]float32, len(labels)*c.Dim), m: int64(len(labels)), n: int64(c.Dim)}
	t.model = &Model{args: args, words: d, input: input, output: output}
	return t, nil
}

func isSpace(r rune) bool { return int(r) < len(space) && r < 0x80 && space[r] }

// byCount returns the keys by falling count, those of one count in order.
func byCount(counts map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}

// steps changes a model by one text after the other.
type steps struct {
	*Classifier
	input, output *dense
	gradient      []float32
}

// step moves the vectors against the gradient of the loss of the text whose rows s has, and returns the loss.
func (s *steps) step(target int, rate float32) float64 {
	s.average()
	for i := range s.scores {
		s.scores[i] = s.output.dot(s.hidden, int32(i))
	}
	normalise(s.scores)
	clear(s.gradient)
	for i, p := range s.scores {
		alpha := -rate * p
		if i == target {
			alpha += rate
		}
		move(s.output.row(int32(i)), s.hidden, s.gradient, alpha)
	}
	scale := 1 / float32(len(s.rows))
	for i := range s.gradient {
		s.gradient[i] *= scale
	}
	for _, row := range s.rows {
		input := s.input.row(row)
		for i, v := range s.gradient[:len(input)] {
			input[i] += v
		}
	}
	return -float64(logPlus(s.scores[target]))
}

// move adds alpha × row to the gradient, and then alpha × hidden to the row. Conversions forbid fusing, which would differ between
// processors.
func move(row, hidden, gradient []float32, alpha float32) {
	hidden, gradient = hidden[:len(row)], gradient[:len(row)]
	for i, w := range row {
		gradient[i] += float32(alpha * w)
		row[i] = w + float32(alpha*hidden[i])
	}
}
