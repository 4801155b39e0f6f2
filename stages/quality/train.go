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

// Training is fasttext.TrainingConfig with the defaults of a classifier of documents: n-grams of words in the place of those of characters.
type Training struct {
	Dim        int     `help:"Numbers in the vector of a word or an n-gram." default:"16" group:"Training" json:"dim"`
	Epochs     int     `help:"How often each document is learned from." default:"10" group:"Training" json:"epochs"`
	Rate       float64 `help:"Learning rate of the first document; it falls to 0 in a straight line." default:"1" placeholder:"X" group:"Training" json:"rate"`
	Minn       int     `help:"Least characters of an n-gram of characters." default:"0" group:"Training" json:"minn"`
	Maxn       int     `help:"Most characters of an n-gram of characters, 0 for none; languages without spaces between words need some, as by --minn 1 --maxn 3." default:"0" group:"Training" json:"maxn"`
	Buckets    int     `help:"Vectors that the n-grams share, by their hashes; each takes 4 bytes × --dim of memory and of the file." default:"1000000" group:"Training" json:"buckets"`
	MinCount   int     `help:"Words that occur so often have vectors of their own; others count in n-grams alone." default:"5" group:"Training" json:"min_count"`
	Seed       uint64  `help:"Seed of the first vectors, and of the choice and the order of the documents." default:"1" group:"Training" json:"seed"`
	WordNgrams int     `help:"Most words of an n-gram of words." default:"2" group:"Training" json:"word_ngrams"`
}

// Config is the configuration of a training. The tags are read by the command line.
type Config struct {
	Inputs
	Training
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
	Version    int              `json:"version"`
	Data       []Data           `json:"data"`
	HoldOut    float64          `json:"hold_out"`
	Characters int              `json:"characters"`
	Training   Training         `json:"training"`
	Parts      []Part           `json:"parts"`
	LeftOut    map[string]int64 `json:"left_out"`
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
	trained, err := fasttext.Train(ctx, s.Training, fasttext.TrainingConfig(c.Training), observe)
	if err != nil {
		return nil, err
	}
	r := &Record{Version: version, Data: s.Data, HoldOut: c.HoldOut, Characters: c.Characters, Training: c.Training, Parts: s.Parts,
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
		p := 0.
		for _, prediction := range classifier.Predict(nil, d.Text, len(Classes)) {
			if prediction.Label == filters.QualityLabel {
				p = float64(prediction.Probability)
			}
		}
		probabilities[class] = append(probabilities[class], p)
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
