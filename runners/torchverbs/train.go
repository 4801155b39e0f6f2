package torchverbs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs/progress"
	"sentweave/schemas/fault"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// TrainVerb is what the programs know of the verb train.
var TrainVerb = verb.Verb{
	Name: "train", Group: verb.GroupTrain,
	Help: "Train an encoder by CMLM, bitext retrieval and other objectives, alone or together.",
	Examples: []string{
		"train --examples examples --bitext pair-examples --vocabulary vocabulary/vocab.txt --out encoder",
		"train --preset br --bitext pair-examples --from LaBSE --steps 5000 --rate 0.0002 --out encoder",
	},
	Makes: verb.Output{Rows: "encoder", Mark: model.WeightsName, Is: "an encoder", Count: countEncoder, Check: CheckEncoder,
		Costly: true},
	Libtorch: true,
	New:      func() any { t := NewTrain(); return &t },
}

// Train is the verb that trains an encoder. Flags of a period take one value for
// all periods, or one for each.
type Train struct {
	Out       string `help:"${out=Folder of the encoder to make.}" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"${overwrite=Delete another training in --out, or one whose encoder is damaged; more steps of the same one go on.}" group:"Output"`

	Preset      string   `help:"What is trained when (${enum}); br is bitext retrieval." default:"cmlm-then-cmlm+br" enum:"cmlm,br,cmlm+br,cmlm-then-br,cmlm-then-cmlm+br,mlm,nsp,quickthought,bsl,contrastive,nli,classify,cosine,lens,mse" aliases:"recipe" group:"Data"`
	Config      string   `help:"YAML file that says what is trained when, by any objective, instead of --preset. Flags of schedule and objectives that are given count more." placeholder:"FILE" group:"Data"`
	DryRun      bool     `help:"${dryrun=Take a few steps of each period, say how long the training takes, and keep nothing.}" group:"Running"`
	PrintConfig bool     `help:"Print what would be trained as such a file, and train nothing." group:"Data"`
	Examples    string   `help:"Dataset of consecutive examples, for the presets with CMLM and for mlm, nsp and quickthought; of single texts with labels for classify." placeholder:"DIR" takes:"example" group:"Data"`
	Bitext      []string `help:"Datasets of examples of pairs: bitext or views, or pairs with labels (nli) or gold values (cosine); each gives a batch of its own to every step, or they take turns with --sample-by source." placeholder:"DIR" takes:"example" group:"Data"`
	Seed        uint64   `help:"Seed of the weights, the order of the examples and dropout." default:"0" group:"Data"`

	From string `help:"Folder of an encoder to begin with, instead of the other flags of this group; one that names no pooling takes --pooling, and so does one of a pooling with which none is trained." placeholder:"DIR" takes:"encoder" group:"Encoder"`
	architecture

	Steps       []int64   `help:"Steps of a period (${default}); this and flags with a list take one value for all periods, or one for each." default:"100000" placeholder:"N" group:"Schedule"`
	Batch       []int     `help:"CMLM examples of a batch (${default})." default:"512" placeholder:"N" group:"Schedule"`
	BatchTokens []int     `help:"Most tokens of a batch of CMLM, mlm or classify examples, in the place of --batch: as many texts as they allow." placeholder:"N" group:"Schedule"`
	BitextBatch []int     `help:"Bitext and other pairs of a batch (${default})." default:"512" placeholder:"N" group:"Schedule"`
	Accumulate  []int     `help:"Batches that make one step, as one batch of all their examples; only negatives are of each batch alone (${default})." default:"1" placeholder:"N" group:"Schedule"`
	CacheChunk  []int     `help:"Texts of a side that are encoded together, by gradient caching, where a loss is of vectors of texts; 0 encodes batches whole (${default})." default:"0" placeholder:"N" group:"Schedule"`
	Tokens      int       `help:"Most tokens of a side in training; 0 is all positions of the encoder." default:"0" group:"Schedule"`
	Rate        []float64 `help:"Highest learning rate (${default})." default:"0.001" placeholder:"X" group:"Schedule"`
	Warmup      []int64   `help:"Steps in which the rate rises (${default})." default:"0" placeholder:"N" group:"Schedule"`
	Decay       string    `help:"What the rate does after that (${enum})." default:"linear" enum:"linear,cosine,noam,none" group:"Schedule"`
	Optimizer   string    `help:"Optimizer (${enum})." default:"lamb" enum:"lamb,adamw,adam" group:"Schedule"`
	Epsilon     float64   `help:"What the optimizer adds to the roots of second moments; 0 is its own default, 1e-6 for lamb and 1e-8 for the others." default:"0" placeholder:"X" group:"Schedule"`
	WeightDecay float64   `help:"Decay of the weights of matrices." default:"0.01" group:"Schedule"`
	Clip        float64   `help:"Greatest norm of all gradients together; 0 does not clip." default:"1" group:"Schedule"`
	Freeze      []string  `help:"Parts of the encoder that stay as they are, such as embeddings, 'layer 3' or 'layers 0-3'." placeholder:"PART" group:"Schedule"`
	LayerDecay  float64   `help:"Learning rate of each layer as a share of that of the layer above (${default})." default:"1" group:"Schedule"`

	Validation train.Validation `embed:""`
	Sampling   batches.Sampling `embed:""`

	// Objectives are the configurations of all objectives, in their order.
	Objectives   kong.Plugins `embed:""`
	BitextWeight float64      `help:"Bitext retrieval: weight of its loss beside that of CMLM (alpha)." default:"0.2" group:"Objectives"`

	CheckpointEvery int  `help:"Steps between two checkpoints." default:"1000" group:"Running"`
	Keep            int  `help:"Checkpoints to keep." default:"2" group:"Running"`
	Discard         bool `help:"When the training is whole, delete the optimizer's state, with which it could go on for more steps." group:"Running"`
	Recompute       bool `help:"Keep only the inputs of layers, and compute layers again for their gradients: the same weights with less memory, in about a third more time." group:"Running"`
	OtherThreads    bool `help:"Go on with a training that began on another number of threads; the last digits are then not those of one that did not change." group:"Running"`
	LogEvery        int  `help:"Steps between two lines of losses.jsonl." default:"10" group:"Running"`

	MaxTime  time.Duration `help:"End after this time of training, such as 11h30m, with a checkpoint, and the code 130; the same command goes on. 0 takes all steps." default:"0s" placeholder:"TIME" group:"Running"`
	MaxSpike float64       `help:"Go back to the last checkpoint, and leave out the batches since then, when a loss is above its mean over the last 100 steps by so many deviations, such as 7, or is not finite. 0 takes every loss." default:"0" placeholder:"X" group:"Running"`
	torch.Compute

	// given are the flags that the command line names, unused those that count for nothing.
	given, unused []string
	// places are what stands for datasets in the training, before flags fill it.
	places map[string]bool
	// text is that of the file of --config.
	text []byte
}

// NewTrain returns the verb with the flags of all objectives.
func NewTrain() Train {
	var t Train
	for _, o := range objective.List() {
		t.Objectives = append(t.Objectives, o.Config())
	}
	return t
}

// BeforeApply is called by kong before the values of flags are set.
func (t *Train) BeforeApply(k *kong.Context) error {
	for _, p := range k.Path {
		if p.Flag != nil {
			t.given = append(t.given, p.Flag.Name)
		}
	}
	if s, ok := sized(k); ok {
		preset, _ := valueOf(k, "preset").(string)
		t.resize(s, preset, !isGiven(k, "from"))
	}
	return t.architecture.BeforeApply(k)
}

// Validate returns all faults at once.
func (t *Train) Validate() error {
	var errs fault.List
	// The configuration takes zero for its defaults; here it is what the user wrote.
	for _, n := range []struct {
		flag  string
		value int
	}{{"checkpoint-every", t.CheckpointEvery}, {"keep", t.Keep}, {"log-every", t.LogEvery}} {
		errs.Check(n.value != 0, "%s is 0, it must be at least 1", n.flag)
	}
	errs.Check(t.BitextWeight != 0, "bitext-weight is 0, it must be above 0; the preset cmlm leaves bitext retrieval out")
	errs.Check(t.MaxTime >= 0, "max-time is %v, it must be above 0, or 0 for no end", t.MaxTime)
	errs.Check(t.LayerDecay != 0, "layer-decay is 0, it must be above 0")
	errs.Check(!slices.Contains(t.given, "batch-tokens") || !slices.Contains(t.given, "batch"),
		"batch-tokens and --batch exclude each other: give one of them")
	errs.Check(!slices.Contains(t.BatchTokens, 0), "batch-tokens is 0, it must be at least 6")
	errs.Check(!slices.Contains(t.Accumulate, 0), "accumulate is 0, it must be at least 1")
	c, err := t.config()
	if errs.Add(err); t.PrintConfig {
		if err == nil {
			errs.Add(t.asFlags(c, c.Validate()))
		}
		return errs.Err()
	}
	if err == nil || len(c.Periods) > 0 {
		errs.Add(t.datasets(c), t.asFlags(c, c.Validate()))
	}
	if t.From == "" {
		errs.Check(t.Vocabulary != "", "give --vocabulary for a new encoder, or --from for one that is there")
		errs.Add(t.architecture.validate())
	} else {
		errs.Add(t.againstFrom()...)
		errs.Add(t.biasFault(c))
	}
	errs.Check(t.Out != "" || t.DryRun, "out is empty: give the folder of the encoder to make")
	errs.Add(t.Compute.ValidateTraining())
	return errs.Err()
}

// Alone implements command.Alone: to print the configuration takes no libtorch.
func (t *Train) Alone() bool { return t.PrintConfig }

// DefaultThreads sets the number of threads, if no flag does, to that which libtorch takes by itself.
func (t *Train) DefaultThreads(count func() int) {
	if t.Threads == 0 {
		t.Threads = count()
	}
}

// Run implements the verb.
func (t *Train) Run(ctx context.Context, p *command.Program) error {
	err := t.run(ctx, p)
	if errors.Is(err, train.ErrTime) {
		fmt.Fprintf(command.Visible(p.Stderr), "train: %s\n", p.Advice(err.Error()))
		return command.Said(command.ExitInterrupted)
	}
	if ctx.Err() != nil && err != nil {
		return errors.Join(err, command.ErrResumes)
	}
	return err
}

func (t *Train) run(ctx context.Context, p *command.Program) error {
	if t.PrintConfig {
		c, err := t.config()
		if err != nil {
			return err
		}
		return printTraining(p.Stdout, c)
	}
	if t.DryRun {
		s, err := t.Speed(ctx, p, measured)
		if err != nil {
			return err
		}
		return s.print(p)
	}
	result, existed, err := t.TrainUntil(ctx, p, 0)
	if err != nil || existed && !p.Done("train", t.Out) {
		return err
	}
	return printResult(p, t.Out, result)
}

// TrainUntil trains up to a step of all periods, 0 for the last one, and returns what train.Run does.
func (t *Train) TrainUntil(ctx context.Context, p *command.Program, until int64) (result *train.Result, existed bool, err error) {
	j, err := t.job(ctx, p)
	if err != nil {
		return nil, false, err
	}
	defer j.close(&err)
	show, o := progress.NewTraining(p.Stderr), j.options
	o.Overwrite, o.Discard, o.Until, o.MaxTime = t.Overwrite, t.Discard, until, t.MaxTime
	o.Machine = func() train.Machine { return machineOf(t.Hardware(j.encoder.folder.Config)) }
	o.Open = j.open
	o.Observer = train.Observer{
		Notice: j.notes.add,
		Step:   show.Step,
		Checkpoint: func(step int64, folder string) {
			if ctx.Err() != nil {
				show.End()
				fmt.Fprintf(p.Stderr, "train: the state after step %s is in %s\n", command.Count(step), folder)
			}
		},
		Validated: func(period string, step int64, value float64, validated train.Validated) {
			show.End()
			fmt.Fprintf(p.Stderr, "train %s: step %s, %s %.4f: %s\n", period, command.Count(step), measuredBy(j.config.Validation), value,
				judged(step, value, validated, j.config.Validation.LeastChange, o.Task))
		},
		Published: func(period, folder string) {
			show.End()
			fmt.Fprintf(p.Stderr, "train: %s: the encoder is in %s\n", period, folder)
		},
	}
	defer show.End()
	return train.Run(ctx, t.Out, j.config, o)
}

// keepsHead says whether the training begins with the head of a masked language model
// that the encoder of --from has.
func (t *Train) keepsHead(f *model.Folder) (bool, error) {
	if t.From == "" {
		return false, nil
	}
	_, why, err := model.TiedHead(f)
	return why == "" && err == nil, err
}

func printResult(p *command.Program, location string, result *train.Result) error {
	fmt.Fprintf(p.Stdout, "%s: %s", location, command.Counted(result.Record.Step, "step"))
	if result.Last.Step > 0 { // else somebody has removed the losses
		fmt.Fprintf(p.Stdout, ", loss %.4g", result.Last.Loss)
	}
	if v := result.Record.Validated; v != nil {
		fmt.Fprintf(p.Stdout, "; the encoder is that of step %s, with %s %.4f", command.Count(v.Best),
			measuredBy(result.Record.Config.Validation), v.Value)
	}
	if result.Steps > 0 {
		fmt.Fprintf(p.Stdout, "; this run: %s in %s, %s tokens/s, %.1f %% of it waiting for data", command.Counted(result.Steps, "step"),
			command.Round(time.Duration(result.Seconds*float64(time.Second))),
			command.Count(int64(float64(result.Tokens)/max(result.Seconds, 1e-9))), 100*result.Wait/max(result.Seconds, 1e-9))
	}
	_, err := fmt.Fprintln(p.Stdout)
	return err
}
