package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"sentweave/pipelines/identifier"
	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	stage "sentweave/stages/langid"
	"sentweave/transforms/clean/langid/fasttext"
)

// langidVerb is what the programs know of the verb langid.
var langidVerb = verb.Verb{
	Name: "langid", Group: verb.GroupCorpus,
	Help: "Train and measure identifiers of languages, which corpus --langid takes.",
	Examples: []string{
		"langid train --documents documents --out langid.bin",
		"langid train --texts texts.txt.gz --out langid.bin --dry-run",
		"langid train --texts texts.txt.gz --noise --out langid.ftz",
		"langid evaluate --documents heldout --model langid.bin,embedded",
		"langid evaluate --texts texts.txt --model mine=langid.bin,fasttext=lid.176.ftz --csv",
	},
	New: func() any { return new(langidCommand) },
}

// langidCommand lists what can be done about identifiers of languages.
type langidCommand struct {
	Train    trainLangid    `cmd:"" help:"Train a fastText model on texts whose languages are known: n-grams of characters, softmax."`
	Evaluate evaluateLangid `cmd:"" help:"Measure models on texts whose languages are known, by language and in the mean."`
}

type trainLangid struct {
	stage.Inputs
	//lint:ignore SA5008 kong takes a tag of this name several times.
	fasttext.TrainingConfig `set:"text=text" set:"epochs=5" set:"rate=0.5" set:"minn=2" set:"maxn=4" set:"words=1" set:"buckets=500000" set:"count=100"`
	stage.Target
	Least  int  `help:"Least characters of a language to learn; languages that have less are left out." default:"10000" group:"Input"`
	Noise  bool `help:"Learn a label for noise, zxx, too: from numbers, code, base64, codes of products, random keys, addresses and garbled texts that are made by rule." group:"Input"`
	DryRun bool `help:"Read the texts, say what would be learned from and the memory, and train nothing." group:"Output"`
}

// Validate returns all faults of the flags.
func (c *trainLangid) Validate() error {
	var errs fault.List
	errs.Check(!c.Quantised() || c.Features >= fasttext.LeastFeatures && c.Features < c.Buckets,
		"--features is %d, it must be at least %d and below --buckets, which is %d", c.Features, fasttext.LeastFeatures, c.Buckets)
	errs.Check(c.Quantised() || c.Features == stage.UsualFeatures, "--features has no effect where --out does not end in .ftz")
	for _, code := range c.Answers {
		errs.Add(language.Check(code))
	}
	return errors.Join(c.Inputs.Validate(), c.TrainingConfig.Validate(), errs.Err())
}

// Run implements the verb.
func (c *trainLangid) Run(ctx context.Context, p *command.Program) error {
	if err := c.Check(ctx); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	c.Inputs.Least, c.Inputs.Noise = c.Least, c.Noise
	s, err := loadTexts(ctx, p, "train", c.Inputs, c.Seed)
	if err != nil {
		return err
	}
	languages, _ := countTexts(s)
	if len(languages) < 2 {
		return fmt.Errorf("all texts that are left are in one language, %s: give texts in two or more", s.Texts[0].Label)
	}
	if c.DryRun {
		return c.plan(p, s)
	}
	err = stage.Train(ctx, s, c.Target, c.TrainingConfig, func(done, loss float64) {
		if !p.Quiet {
			fmt.Fprintf(p.Stderr, "langid train: %.0f %% done, loss %.3f\n", 100*done, loss)
		}
	})
	if err != nil || p.Quiet {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: trained on %s in %s\n", c.Out, command.Counted(int64(len(s.Texts)), "text"),
		command.Counted(int64(len(languages)), "language"))
	return err
}

// plan prints what would be learned from.
func (c *trainLangid) plan(p *command.Program, s *stage.Sample) error {
	texts, characters := countTexts(s)
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "language\ttexts\tcharacters")
	for _, code := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(t, "%s\t%s\t%s\n", code, command.Count(texts[code]), command.Count(characters[code]))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	vectors, memory := 4*int64(c.Dim)*int64(c.Buckets), int64(0)
	file := vectors
	if c.Quantised() {
		file = int64(c.Features) * int64(c.Dim/2+1+8)
	}
	for _, text := range s.Texts { // as measured, with what waits to be collected
		memory += 2*int64(len(text.Text)) + 300
	}
	_, err := fmt.Fprintf(p.Stdout, "%s would have some %s, and training takes some %s of memory\n", c.Out, command.Size(file),
		command.Size(vectors+memory))
	return err
}

func countTexts(s *stage.Sample) (texts, characters map[string]int64) {
	texts, characters = map[string]int64{}, map[string]int64{}
	for _, t := range s.Texts {
		texts[t.Label]++
		characters[t.Label] += int64(utf8.RuneCountInString(t.Text))
	}
	return texts, characters
}

// loadTexts chooses the texts and tells of those that are left out.
func loadTexts(ctx context.Context, p *command.Program, word string, in stage.Inputs, seed uint64) (*stage.Sample, error) {
	s, err := stage.Load(ctx, in, seed)
	if err != nil {
		return nil, err
	}
	for _, reason := range slices.Sorted(maps.Keys(s.LeftOut)) {
		if p.Quiet {
			break
		}
		fmt.Fprintf(p.Stderr, "langid %s: %s left out: %s\n", word, command.Counted(s.LeftOut[reason], "text"), reason)
	}
	if len(s.Unknown) > 0 && !p.Quiet {
		fmt.Fprintf(p.Stderr, "langid %s: labels that are no codes of languages, such as %s\n", word, strings.Join(s.Unknown, ", "))
	}
	if len(s.Texts) == 0 {
		return nil, errors.New("no text of the inputs is left: give documents of corpus --layout, or lines such as " +
			"\"__label__deu Guten Tag\"")
	}
	return s, nil
}

type evaluateLangid struct {
	stage.Inputs
	Model []string `help:"fastText models to measure, such as lid.176.ftz, or embedded for that of the program. NAME= before one is its name in the figures, and else its file's name." required:"" placeholder:"[NAME=]FILE,…" words:"embedded" group:"Input"`
	Seed  uint64   `help:"Seed of the choice of texts where a language has more than --characters." default:"1" group:"Input"`
	JSON  bool     `name:"json" help:"Print JSON." group:"Output"`
	CSV   bool     `name:"csv" help:"Print CSV." group:"Output"`
}

// Validate returns all faults of the flags.
func (c *evaluateLangid) Validate() error {
	var errs fault.List
	errs.Check(!c.JSON || !c.CSV, "--json and --csv are two forms of output: give one of them")
	seen := map[string]bool{}
	for _, m := range c.Model {
		name, file := nameOf(m)
		errs.Check(name != "" && file != "" && file != identifier.None, "--model: %q is not [NAME=]FILE", m)
		errs.Check(!seen[name], "--model: two models are named %s: give NAME=FILE", name)
		seen[name] = true
	}
	return errors.Join(c.Inputs.Validate(), errs.Err())
}

// nameOf returns the name and the file of a value of --model.
func nameOf(value string) (name, file string) {
	if name, file, ok := strings.Cut(value, "="); ok {
		return name, file
	}
	return filepath.Base(value), value
}

// Run implements the verb.
func (c *evaluateLangid) Run(ctx context.Context, p *command.Program) error {
	var models []stage.Model
	for _, value := range c.Model {
		name, file := nameOf(value)
		f, err := identifier.Open(ctx, file)
		if err != nil {
			return fmt.Errorf("--model: %w", err)
		}
		models = append(models, stage.Model{Name: name, Identifier: f})
	}
	s, err := loadTexts(ctx, p, "evaluate", c.Inputs, c.Seed)
	if err != nil {
		return err
	}
	list, err := stage.Evaluate(ctx, s.Texts, models)
	if err != nil {
		return err
	}
	if c.JSON {
		return command.PrintJSON(p.Stdout, list)
	}
	rows := [][]string{{"language", "model", "languages", "texts", "precision", "recall", "f1", "false_positive_rate", "accuracy",
		"microseconds"}}
	for _, f := range list {
		row := []string{f.Language, f.Model, strconv.Itoa(f.Languages), strconv.FormatInt(f.Texts, 10)}
		for i, v := range []float64{f.Precision, f.Recall, f.F1, f.FalsePositiveRate, f.Accuracy, f.Microseconds} {
			row = append(row, strconv.FormatFloat(v, 'f', []int{4, 4, 4, 6, 4, 3}[i], 64))
		}
		if f.Microseconds == 0 { // of a language
			row[len(row)-1] = ""
		}
		rows = append(rows, row)
	}
	if c.CSV {
		return csv.NewWriter(p.Stdout).WriteAll(rows)
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}
