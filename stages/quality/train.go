package quality

import (
	"context"
	"encoding/json"
	"fmt"

	"sentweave/schemas/storage"
	"sentweave/transforms/clean/langid/fasttext"
	"sentweave/transforms/filters"
	"sentweave/transforms/pairs/pairclassifier"
)

// Config is the configuration of a training. The tags are read by the command line.
type Config struct {
	Inputs
	//lint:ignore SA5008 kong takes a tag of this name several times.
	fasttext.TrainingConfig `set:"text=document" set:"epochs=10" set:"rate=1" set:"minn=0" set:"maxn=0" set:"words=2" set:"buckets=1000000" set:"count=5"`

	Out       string `help:"File of the model to write, in fastText's format. What it was trained on and its figures are written beside it, as FILE.json." required:"" placeholder:"FILE" group:"Output"`
	Overwrite bool   `help:"Replace the files of --out if there are some." group:"Output"`
}

// Check returns an error if the files cannot be written.
func (c Config) Check(ctx context.Context) error {
	for _, location := range []string{c.Out, c.Out + recordEnding} {
		if _, _, _, err := storage.NewFile(ctx, location, c.Overwrite); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}

// recordEnding is what the name of the record has after that of the model.
const recordEnding = ".json"

// Record says what a model was trained on and how well it does. It lies beside the model; nothing computes with it.
type Record struct {
	Version    int     `json:"version"`
	Data       []Data  `json:"data"`
	HoldOut    float64 `json:"hold_out"`
	Characters int     `json:"characters"`
	// Training are the settings.
	Training fasttext.TrainingConfig `json:"training"`
	Parts    []Part                  `json:"parts"`
	LeftOut  map[string]int64        `json:"left_out"`
	// Figures is nil where nothing is held out.
	Figures *Figures `json:"figures"`
}

// Figures tell how well documents on held-out hosts are told apart.
type Figures struct {
	// AUC is the probability that a good document has a higher probability of being good than a bad one; equal ones count half. RulesAUC
	// is the probability that fewer rules of the filters would drop it.
	AUC      float64 `json:"auc"`
	RulesAUC float64 `json:"rules_auc"`
	// Rules is what the filters keep, and Thresholds is what the classifier keeps by probabilities.
	Rules      Shares   `json:"rules"`
	Thresholds []Shares `json:"thresholds"`
}

// Shares are those of the good and of the bad documents that a filter keeps. Good is the recall.
type Shares struct {
	MinQuality float64 `json:"min_quality,omitempty"`
	Good       float64 `json:"good"`
	Bad        float64 `json:"bad"`
	// Precision is the share of good ones among the kept, if there were as many bad as good ones.
	Precision float64 `json:"precision"`
}

// Train trains a classifier on a sample, measures it on what is held out, and writes the model and its record, each whole or not at all.
// The same sample and configuration give the same bytes. Observe is that of fasttext.Train, which says what the training costs.
func Train(ctx context.Context, s *Sample, c Config, observe func(done, loss float64)) (*Record, error) {
	trained, err := fasttext.Train(ctx, s.Training, c.TrainingConfig, observe)
	if err != nil {
		return nil, err
	}
	r := &Record{Version: version, Data: s.Data, HoldOut: c.HoldOut, Characters: c.Characters, Training: c.TrainingConfig, Parts: s.Parts,
		LeftOut: s.LeftOut}
	if len(s.HeldOut) > 0 {
		r.Figures = measure(trained.Model(), s.HeldOut)
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	folder, name, condition, err := storage.NewFile(ctx, c.Out, c.Overwrite)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	w, err := folder.Create(ctx, name, condition)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	if err := trained.Write(w); err != nil {
		return nil, err
	}
	if err := w.Commit(); err != nil {
		return nil, err
	}
	return r, storage.WriteFile(ctx, folder, name+recordEnding, append(data, '\n'), condition)
}

// measure measures a model beside the rules.
func measure(m *fasttext.Model, documents []HeldOut) *Figures {
	classifier := m.NewClassifier()
	var probabilities, rules [2][]float64 // of bad and of good documents
	for _, d := range documents {
		class := 0
		if d.Good {
			class = 1
		}
		probabilities[class] = append(probabilities[class], classifier.Probability(d.Text, filters.QualityLabel))
		rules[class] = append(rules[class], -float64(d.Failed))
	}
	f := &Figures{AUC: auc(probabilities), RulesAUC: auc(rules), Rules: sharesOf(rules, 0)}
	for tenths := 1; tenths < 10; tenths++ {
		s := sharesOf(probabilities, float64(tenths)/10)
		s.MinQuality = float64(tenths) / 10
		f.Thresholds = append(f.Thresholds, s)
	}
	return f
}

func auc(values [2][]float64) float64 { return pairclassifier.Measure(values[1], values[0]).AUC }

// sharesOf counts the values of bad and of good documents that are at least the minimum.
func sharesOf(values [2][]float64, minimum float64) (s Shares) {
	share := func(list []float64) (n float64) {
		for _, x := range list {
			if x >= minimum {
				n++
			}
		}
		return n / float64(max(1, len(list)))
	}
	s.Bad, s.Good = share(values[0]), share(values[1])
	if s.Good > 0 {
		s.Precision = s.Good / (s.Good + s.Bad)
	}
	return s
}
