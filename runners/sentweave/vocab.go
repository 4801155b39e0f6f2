package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/vocab"
)

// vocabVerb is what the programs know of the verb vocab.
var vocabVerb = verb.Verb{
	Name: "vocab", Group: verb.GroupCorpus,
	Help: "Learn a vocabulary of WordPiece, or of Unigram as XLM-R's, from word counts.",
	Examples: []string{
		"vocab --wordcounts wordcounts --out vocabulary",
		"vocab --wordcounts wordcounts --size 16000 --out vocabulary",
		"vocab --wordcounts spaced --model unigram --size 16000 --out vocabulary",
	},
	Makes: verb.Output{Rows: "vocabulary", Mark: vocab.RecordName, Is: "a vocabulary",
		Count: func(ctx context.Context, folder storage.Folder) (string, error) {
			r, _, err := vocab.Load(ctx, folder)
			if err != nil {
				return "", err
			}
			return command.Counted(int64(r.Pieces), "piece"), nil
		}},
	New: func() any { return new(vocabCommand) },
}

type vocabCommand struct {
	Out       string `help:"Folder of the vocabulary to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Replace another vocabulary in --out." group:"Output"`
	vocab.Config

	given []string // flags of one model alone, behind its name
}

// modelGroups are the groups of flags of one model, by its name.
var modelGroups = map[string]string{"wordpiece": "WordPiece", "unigram": "Unigram"}

// BeforeApply is called by kong before the values of flags are set.
func (c *vocabCommand) BeforeApply(k *kong.Context) error {
	for _, p := range k.Path {
		if p.Flag != nil && p.Flag.Group != nil {
			for model, group := range modelGroups {
				if p.Flag.Group.Key == group {
					c.given = append(c.given, model+" --"+p.Flag.Name)
				}
			}
		}
	}
	return nil
}

// Validate returns all faults at once.
func (c *vocabCommand) Validate() error {
	errs := fault.List{c.Config.Validate()}
	for _, given := range c.given {
		model, flag, _ := strings.Cut(given, " ")
		errs.Check(model == c.Model, "%s is a setting of --model %s: leave it out", flag, model)
	}
	return errs.Err()
}

// Pieces is how many the vocabulary is to have.
func (c *vocabCommand) Pieces() int64 { return int64(c.Size) }

// Standing implements engine.Stander.
func (c *vocabCommand) Standing(ctx context.Context) (dataset.Fate, error) {
	return vocab.Standing(ctx, c.Out, c.Config)
}

// Run implements the verb.
func (c *vocabCommand) Run(ctx context.Context, p *command.Program) error {
	record, complete, err := vocab.Run(ctx, c.Out, c.Config,
		vocab.Options{Overwrite: c.Overwrite, Observe: func(threshold int64, size int) {
			fmt.Fprintf(p.Stderr, "vocab: threshold %d gives %s\n", threshold, command.Counted(int64(size), "piece"))
		}, ObservePieces: func(pieces int, perWord float64) {
			fmt.Fprintf(p.Stderr, "vocab: %s, %.2f a word\n", command.Counted(int64(pieces), "piece"), perWord)
		}})
	if err != nil {
		return err
	}
	if complete && !p.Done("vocab", c.Out) || p.Quiet {
		return nil
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "language\twords\tunknown\tpieces a word\tcharacters a piece\t")
	for _, l := range slices.Sorted(maps.Keys(record.Languages)) {
		s := record.Languages[l]
		fmt.Fprintf(t, "%s\t%s\t%.3f %%\t%.2f\t%.2f\t\n", l, command.Count(s.Words), 100*s.Unknown, s.PiecesPerWord, s.CharactersPerPiece)
	}
	t.Flush()
	fmt.Fprintf(p.Stdout, "%s/%s: %s, learned from %s", c.Out, record.FileName(), command.Counted(int64(record.Pieces), "piece"),
		command.Counted(int64(record.Words), "word"))
	switch {
	case record.WordsLost > 0 && c.Model == "unigram":
		fmt.Fprintf(p.Stdout, "; %s are too long or too rare", command.Counted(int64(record.WordsLost), "other word"))
	case record.WordsLost > 0:
		fmt.Fprintf(p.Stdout, "; %s words have a character too rare to be taken", command.Count(int64(record.WordsLost)))
	}
	fmt.Fprintf(p.Stdout, "\n")
	switch {
	case record.Pieces < c.Size && c.LowerThreshold <= 1 && c.MinCount <= 1:
		fmt.Fprintf(p.Stdout, "note: %s pieces were wanted; more text gives more\n", command.Count(int64(c.Size)))
	case record.Pieces < c.Size:
		fmt.Fprintf(p.Stdout, "note: %s pieces were wanted; a lower --lower-threshold or --min-count gives more, more text better ones\n",
			command.Count(int64(c.Size)))
	case record.Pieces > c.Size && !c.Exact:
		fmt.Fprintf(p.Stdout, "note: %s pieces were wanted; the search alone comes no nearer, and --exact trims\n",
			command.Count(int64(c.Size)))
	case record.Pieces > c.Size:
		fmt.Fprintf(p.Stdout,
			"note: %s pieces were wanted; the reserved pieces and one for each character, at a word's start and inside it, are the least: a lower --max-unique-characters gives fewer\n",
			command.Count(int64(c.Size)))
	}
	return nil
}
