package langid

import (
	"context"
	"fmt"
	"strings"

	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/langid/fasttext"
)

// Target is the file to write. The tags are read by the command line.
type Target struct {
	Out       string   `help:"File of the model to write, in fastText's format: with the ending .ftz quantised, which makes it small." required:"" placeholder:"FILE" group:"Output"`
	Features  int      `help:"Where --out ends in .ftz: words and n-grams to keep, those with the longest vectors; each takes some 17 bytes of the file." default:"100000" group:"Output"`
	Answers   []string `help:"Languages that the model answers with, as the texts have them, such as eng and zho_Hant; the others are learned from, too, but their labels are left out at the end. Noise stays. Without it, all." placeholder:"CODE,…" group:"Output"`
	Overwrite bool     `help:"Replace the file of --out if there is one." group:"Output"`
}

// UsualFeatures is the default of Features.
const UsualFeatures = 100_000

// Quantised says whether the file is to be quantised.
func (t Target) Quantised() bool { return strings.HasSuffix(t.Out, ".ftz") }

// Check returns an error if the file cannot be written.
func (t Target) Check(ctx context.Context) error {
	_, _, _, err := storage.NewFile(ctx, t.Out, t.Overwrite)
	return err
}

// Train trains a model on a sample, whose labels it changes, and writes the model, whole or not at all. Its labels are such that
// langid.NewFastText gives the languages of the texts. Observe is that of fasttext.Train.
func Train(ctx context.Context, s *Sample, target Target, c fasttext.TrainingConfig, observe func(done, loss float64)) error {
	folder, name, condition, err := storage.NewFile(ctx, target.Out, target.Overwrite)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	labels, keep := map[string]string{}, []string(nil)
	for i := range s.Texts {
		t := &s.Texts[i]
		if labels[t.Label] == "" {
			labels[t.Label] = language.FastTextLabel(t.Label)
		}
		t.Label = labels[t.Label]
	}
	for _, code := range target.Answers {
		if labels[code] == "" {
			return fmt.Errorf("--answers: of %s no texts are left to learn from", code)
		}
		keep = append(keep, labels[code])
	}
	first, second := observe, observe
	if target.Quantised() { // which learns twice
		first = func(done, loss float64) { observe(done/2, loss) }
		second = func(done, loss float64) { observe((1+done)/2, loss) }
	}
	trained, err := fasttext.Train(ctx, s.Texts, c, first)
	if err != nil {
		return err
	}
	if target.Quantised() {
		err := trained.Quantise(ctx, s.Texts, target.Features, second)
		if err != nil {
			return fmt.Errorf("--features: %w", err)
		}
	}
	if len(keep) > 0 {
		if labels[language.NoContent] != "" {
			keep = append(keep, labels[language.NoContent])
		}
		if err := trained.Keep(keep); err != nil {
			return err
		}
	}
	w, err := folder.Create(ctx, name, condition)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := trained.Write(w); err != nil {
		return err
	}
	return w.Commit()
}
