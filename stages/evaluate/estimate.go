package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sentweave/stages/encoder"
	"sentweave/stages/encoder/vectorcache"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/protocol"
)

// sampled is the number of texts that are encoded to see how long all take.
const sampled = 256

// Estimate is what the encoding of a model's texts takes. The training of classifiers is not
// in it.
type Estimate struct {
	Model string
	// Tasks are those whose data are there.
	Tasks []string
	// Texts counts all texts, Distinct the different ones in their languages, and Missing those
	// of which no vector is kept.
	Texts, Distinct, Missing int
	// Time is that of encoding what is missing, and Bytes what its vectors take on the disk, of which those of
	// tokens are not kept; both are 0 for what is not a folder of an encoder.
	Time  time.Duration
	Bytes int64
	// Paid says that the model is behind a service, and Dollars what is missing costs at most.
	Paid    bool
	Dollars float64
}

// EstimateAll says for each model what its encoding takes. It encodes a sample of the missing
// texts, by whose characters it reckons the time, and keeps their vectors.
func EstimateAll(ctx context.Context, c Config, models encoders.Models, o Options) (list []Estimate, err error) {
	if err := errors.Join(c.Validate(), models.Validate()); err != nil {
		return nil, err
	}
	tasks, notes, err := load(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := models.Suit(tasks); err != nil {
		return nil, err
	}
	for _, note := range notes {
		if o.Note != nil {
			o.Note(note)
		}
	}
	var base Estimate
	distinct := map[encoder.Text]bool{}
	for t := range protocol.TextsOf(tasks) {
		base.Texts++
		t.ID = ""
		distinct[t] = true
	}
	base.Distinct = len(distinct)
	for _, t := range tasks {
		base.Tasks = append(base.Tasks, t.Name)
	}
	seenOf := map[string]bool{}
	for _, spec := range models.Variants() {
		e := base
		if e.Model = spec.Name; spec.Similarity != "" {
			e.Model = spec.Label()
		}
		if seenOf[e.Model] { // its vectors are treated in several ways
			continue
		}
		seenOf[e.Model] = true
		if _, err := models.Inputs(ctx, spec); err != nil {
			return nil, fmt.Errorf("model %s: %w", spec.Name, err)
		}
		if err := e.of(ctx, models, spec, tasks, o); err != nil {
			return nil, fmt.Errorf("model %s: %w", spec.Name, err)
		}
		list = append(list, e)
	}
	return list, nil
}

func (e *Estimate) of(ctx context.Context, models encoders.Models, spec encoders.Spec, tasks []protocol.Loaded, o Options) (err error) {
	open, err := models.Open(ctx, spec, models.Cached(o.Open, nil), o.OpenTokens)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, encoder.Close(open.Encoder)) }()
	if t, ok := encoders.TokensOf(open); ok {
		return e.ofTokens(ctx, t, tasks)
	}
	cache, ok := open.Base.(*vectorcache.Encoder)
	if !ok {
		return nil
	}
	missing := cache.Missing(protocol.TextsOf(tasks))
	if e.Missing = len(missing); len(missing) == 0 {
		return nil
	}
	if e.Dollars, e.Paid = models.EndpointCost(spec, missing); e.Paid {
		return nil // nothing is sent
	}
	// The first text also loads the weights.
	if err := cache.Prepare(ctx, slices.Values(missing[:1])); err != nil {
		return err
	}
	sample, share := sampleOf(missing[1:])
	began := time.Now()
	if err := cache.Prepare(ctx, slices.Values(sample)); err != nil {
		return err
	}
	e.Time = time.Duration(float64(time.Since(began)) * (1/share - 1))
	e.Bytes = int64(len(missing)) * cache.TextBytes()
	return nil
}

// sampleOf returns some texts, and their share of the characters of all; texts are in the order of their
// lengths, so that each length is in the sample.
func sampleOf(texts []encoder.Text) (sample []encoder.Text, share float64) {
	characters, total := 0, 0
	step := max(1, len(texts)/sampled)
	for i, t := range texts {
		if total += len(t.Text); i%step == 0 {
			sample, characters = append(sample, t), characters+len(t.Text)
		}
	}
	if characters == 0 {
		return sample, 1
	}
	return sample, float64(characters) / float64(total)
}

// ofTokens reckons the time of the vectors of tokens by a sample; they are not kept. A text that is in several
// pairs is encoded for each.
func (e *Estimate) ofTokens(ctx context.Context, t *encoders.TokenScores, tasks []protocol.Loaded) error {
	var texts []encoder.Text
	for _, task := range tasks {
		if _, ok := task.Protocol.(protocol.Pairwise); ok {
			texts = slices.AppendSeq(texts, task.Texts())
		}
	}
	if e.Missing = len(texts); e.Missing == 0 {
		return nil
	}
	slices.SortStableFunc(texts, func(a, b encoder.Text) int { return cmp.Compare(len(a.Text), len(b.Text)) })
	if _, err := t.Tokens(ctx, texts[:1]); err != nil { // which also warms the program up
		return err
	}
	sample, share := sampleOf(texts)
	began := time.Now()
	for part := range slices.Chunk(sample, 32) {
		if _, err := t.Tokens(ctx, part); err != nil {
			return err
		}
	}
	e.Time = time.Duration(float64(time.Since(began)) / share)
	return nil
}
