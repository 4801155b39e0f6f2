package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sentweave/stages/encoder"
	"sentweave/stages/encoder/vectorcache"
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
	// Time is that of encoding what is missing, and Bytes what its vectors take on the disk;
	// both are 0 for what is no folder of an encoder.
	Time  time.Duration
	Bytes int64
}

// EstimateAll says for each model what its encoding takes. It encodes a sample of the missing
// texts, by whose characters it reckons the time, and keeps their vectors.
func EstimateAll(ctx context.Context, c Config, models Models, o Options) (list []Estimate, err error) {
	if err := errors.Join(c.Validate(), models.Validate()); err != nil {
		return nil, err
	}
	tasks, notes, err := load(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := models.suit(tasks); err != nil {
		return nil, err
	}
	for _, note := range notes {
		if o.Note != nil {
			o.Note(note)
		}
	}
	var all Estimate
	seen := map[encoder.Text]bool{}
	for t := range textsOf(tasks) {
		all.Texts++
		t.ID = ""
		seen[t] = true
	}
	all.Distinct = len(seen)
	for _, t := range tasks {
		all.Tasks = append(all.Tasks, t.name)
	}
	for _, spec := range models.models() {
		e := all
		e.Model = spec.name
		if err := e.of(ctx, models, spec, tasks, o); err != nil {
			return nil, fmt.Errorf("model %s: %w", spec.name, err)
		}
		list = append(list, e)
	}
	return list, nil
}

func (e *Estimate) of(ctx context.Context, models Models, spec modelSpec, tasks []loaded, o Options) (err error) {
	open, err := models.open(ctx, spec, models.cached(o.Open, nil))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, encoder.Close(open.Encoder)) }()
	kept, ok := open.base.(*vectorcache.Encoder)
	if !ok {
		return nil
	}
	missing := kept.Missing(textsOf(tasks))
	if e.Missing = len(missing); len(missing) == 0 {
		return nil
	}
	// The first text also loads the weights.
	if err := kept.Prepare(ctx, slices.Values(missing[:1])); err != nil {
		return err
	}
	var sample []encoder.Text
	characters, allCharacters := 0, 0
	step := max(1, len(missing)/sampled)
	for i, t := range missing[1:] { // by length, so that each length is in the sample
		if allCharacters += len(t.Text); i%step == 0 {
			sample, characters = append(sample, t), characters+len(t.Text)
		}
	}
	began := time.Now()
	if err := kept.Prepare(ctx, slices.Values(sample)); err != nil {
		return err
	}
	e.Time = time.Duration(float64(time.Since(began)) * float64(allCharacters-characters) / float64(max(1, characters)))
	e.Bytes = int64(len(missing)) * kept.TextBytes()
	return nil
}
