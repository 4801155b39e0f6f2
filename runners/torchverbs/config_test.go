package torchverbs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/runners/command"
	"sentweave/runners/pipeline"
	"sentweave/schemas/storage/gcs"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
	"sentweave/transforms/tokens/wordpiece"
)

func program() *command.Program {
	gcs.Register()
	return &command.Program{Name: "sentweave-torch", Verbs: append(Verbs, EncodeVerb, pipeline.MineVerb), Stdout: io.Discard,
		Stderr: io.Discard}
}

// trainFlags parses flags of train that are valid.
func trainFlags(t *testing.T, args ...string) *Train {
	t.Helper()
	parsed, _, err := program().Parsed(append([]string{"train", "--out", "o"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return parsed.(*Train)
}

func lamb() objective.Optimizer { return objective.DefaultOptimizer() }

func adamw() objective.Optimizer {
	o := objective.DefaultOptimizer()
	o.Name, o.Epsilon = "adamw", 1e-8
	return o
}

func TestPeriods(t *testing.T) {
	cmlm := func(batch int) batches.Source {
		return batches.Source{Dataset: "e", Objective: "cmlm", BatchSize: batch, Weight: 0}
	}
	bitext := func(batch int, weight float64) batches.Source {
		return batches.Source{Dataset: "b", Objective: "bitext", BatchSize: batch, Weight: weight}
	}
	plain := train.Schedule{Steps: 100000, Rate: .001, Accumulate: 1, Decay: "linear", Optimizer: lamb()}
	short := train.Schedule{Steps: 7, Rate: .5, Warmup: 2, Accumulate: 3, Decay: "none", Optimizer: adamw()}
	short.Optimizer.Decay, short.Optimizer.Clip, short.Optimizer.Epsilon = .25, 2, 1e-6
	first, second := plain, plain
	first.Steps, second.Steps, first.Rate, second.Rate, second.Warmup, second.Accumulate = 10, 20, .1, .2, 5, 4
	first.Warmup, first.Accumulate = 1, 2
	once := plain
	once.Steps = 1
	another := func(dataset string, n int, weight float64) batches.Source {
		return batches.Source{Name: fmt.Sprint("bitext-", n), Dataset: dataset, Objective: "bitext", BatchSize: 2, Weight: weight}
	}
	cached, deeper := plain, plain
	cached.CacheChunk, deeper.CacheChunk = 64, 32
	alone := cmlm(512)
	alone.Weight = 1
	cut := alone
	cut.BatchSize, cut.MaxTokens = 8, 64
	tokens := cmlm(0)
	tokens.BatchTokens = 4096
	tests := []struct {
		name, args string
		want       []train.Period
	}{
		{"the defaults", "--vocabulary v --examples e --bitext b", []train.Period{
			{Name: "cmlm", Mixture: []batches.Source{alone}, Schedule: plain},
			{Name: "cmlm+br", Mixture: []batches.Source{cmlm(512), bitext(512, .2)}, Schedule: plain},
		}},
		{"one period", "--vocabulary v --examples e --preset cmlm --steps 7 --rate .5 --warmup 2 --accumulate 3 --decay none --optimizer adamw --epsilon 1e-6 --weight-decay .25 --clip 2 --batch 8 --tokens 64",
			[]train.Period{{Name: "cmlm", Mixture: []batches.Source{cut}, Schedule: short}}},
		{"batches of so many tokens, beside pairs of so many", "--from f --examples e --bitext b --preset cmlm+br --batch-tokens 4096",
			[]train.Period{{Name: "cmlm+br", Mixture: []batches.Source{tokens, bitext(512, .2)}, Schedule: plain}}},
		{"br alone has the weight 1", "--from f --bitext b --preset br --bitext-batch 32",
			[]train.Period{{Name: "br", Mixture: []batches.Source{bitext(32, 1)}, Schedule: plain}}},
		{"also after cmlm", "--from f --examples e --bitext b --preset cmlm-then-br",
			[]train.Period{{Name: "cmlm", Mixture: []batches.Source{alone}, Schedule: plain},
				{Name: "br", Mixture: []batches.Source{bitext(512, 1)}, Schedule: plain}}},
		{"both at once", "--from f --examples e --bitext b --preset cmlm+br --bitext-weight .5 --batch 4 --bitext-batch 6",
			[]train.Period{{Name: "cmlm+br", Mixture: []batches.Source{cmlm(4), bitext(6, .5)}, Schedule: plain}}},
		{"values of each period",
			"--from f --examples e --bitext b --steps 10,20 --rate .1,.2 --warmup 1,5 --accumulate 2,4 --batch 16,32 --bitext-batch 64",
			[]train.Period{
				{Name: "cmlm", Mixture: []batches.Source{{Dataset: "e", Objective: "cmlm", BatchSize: 16, Weight: 1}}, Schedule: first},
				{Name: "cmlm+br", Mixture: []batches.Source{cmlm(32), bitext(64, .2)}, Schedule: second},
			}},
		{"gradient caching where it can be", "--from f --examples e --bitext b --cache-chunk 64", []train.Period{
			{Name: "cmlm", Mixture: []batches.Source{alone}, Schedule: plain},
			{Name: "cmlm+br", Mixture: []batches.Source{cmlm(512), bitext(512, .2)}, Schedule: cached},
		}},
		{"gradient caching of each period", "--from f --examples e --bitext b --cache-chunk 0,32", []train.Period{
			{Name: "cmlm", Mixture: []batches.Source{alone}, Schedule: plain},
			{Name: "cmlm+br", Mixture: []batches.Source{cmlm(512), bitext(512, .2)}, Schedule: deeper},
		}},
		{"several of bitext", "--from f --examples e --bitext b,c,d --preset cmlm-then-br --steps 1 --bitext-batch 2",
			[]train.Period{
				{Name: "cmlm", Mixture: []batches.Source{alone}, Schedule: once},
				{Name: "br", Mixture: []batches.Source{bitext(2, 1), another("c", 2, 1), another("d", 3, 1)}, Schedule: once},
			}},
		{"several of bitext beside cmlm",
			"--from f --examples e --bitext b,c --preset cmlm+br --steps 1 --bitext-batch 2 --bitext-weight .5",
			[]train.Period{{Name: "cmlm+br", Mixture: []batches.Source{cmlm(512), bitext(2, .5), another("c", 2, .5)}, Schedule: once}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := configOf(t, strings.Fields(test.args)...)
			want := train.Config{Periods: test.want, LogEvery: 10, CheckpointEvery: 1000, Keep: 2}
			c.Objectives, want.Objectives = nil, nil
			if diff := cmp.Diff(want.WithDefaults().Periods, c.Periods); diff != "" {
				t.Error(diff)
			}
		})
	}
	c := configOf(t, strings.Fields("--from f --examples e --preset cmlm --seed 3 --log-every 4 --checkpoint-every 5 --keep 6")...)
	if c.Seed != 3 || c.LogEvery != 4 || c.CheckpointEvery != 5 || c.Keep != 6 {
		t.Errorf("%+v", c)
	}
}

// configOf returns the training of flags that are valid.
func configOf(t *testing.T, args ...string) train.Config {
	t.Helper()
	c, err := trainFlags(t, args...).config()
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestObjectives(t *testing.T) {
	flags := trainFlags(t, "--vocabulary=v", "--examples=e", "--preset=cmlm")
	// The flags of every objective say what its default is.
	for i, o := range objective.List() {
		all := cmp.Exporter(func(reflect.Type) bool { return true })
		if diff := cmp.Diff(o.Config(), flags.Objectives[i], all); diff != "" {
			t.Errorf("the defaults of %s: %s", o.Name, diff)
		}
	}
	if diff := cmp.Diff(model.DefaultConfig(), flags.architecture.config()); diff != "" {
		t.Errorf("the defaults: %s", diff)
	}
	flags = trainFlags(t, strings.Fields(
		"--vocabulary v --examples e --bitext b --preset cmlm+br --vectors 5 --projection-width 3,4 --prefix-positions own --prefix-norm --detach-vector --unigram-bias --pooling max --margin .1 --scale 10 "+
			"--layers 2 --hidden 8 --heads 4 --intermediate 16 --positions 32 --dropout .5 --initializer-range .3")...)
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	cmlm.Vectors, cmlm.Widths, cmlm.PrefixPositions, cmlm.PrefixNorm, cmlm.DetachVector, cmlm.LogUnigramBias = 5, []int{3, 4}, "own", true,
		true, true
	bitext.Margin, bitext.Scale = .1, 10
	settings, err := flags.config()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(objective.Settings{"cmlm": &cmlm, "bitext": &bitext}, settings.Objectives); diff != "" {
		t.Error(diff)
	}
	if settings, err = trainFlags(t, "--vocabulary=v", "--examples=e", "--preset=cmlm", "--projection-width=",
		"--skip").config(); err != nil {
		t.Fatal(err)
	}
	if cmlm := settings.Objectives["cmlm"].(*objective.CMLM); len(cmlm.Widths) != 0 || !cmlm.Skip {
		t.Errorf("%+v", cmlm)
	}
	c := model.DefaultConfig()
	c.Layers, c.HiddenSize, c.Heads, c.IntermediateSize, c.MaxPositions, c.HiddenDropout, c.AttentionDropout, c.InitializerRange = 2, 8, 4,
		16, 32, .5, .5, .3
	if diff := cmp.Diff(c, flags.architecture.config()); diff != "" {
		t.Error(diff)
	}
}

// A lower loss that is not the best one is told with the reason.
func TestJudged(t *testing.T) {
	for _, test := range []struct {
		step  int64
		value float64
		found train.Validated
		task  *train.Task
		want  string
	}{
		{5, 17.0303, train.Validated{Best: 5, Value: 17.0303}, nil, "the best so far"},
		{10, 18, train.Validated{Best: 5, Value: 17.0303, Since: 1}, nil, "the best is 17.0303 after step 5"},
		{10, 18, train.Validated{Best: 5, Value: 17.0303, Since: 1}, &train.Task{Better: -1}, "the best is 17.0303 after step 5"},
		{10, 18, train.Validated{Best: 5, Value: 17.0303, Since: 1}, &train.Task{Better: 1},
			"the best stays 17.0303 after step 5, since a better one is greater by more than the least change of 5"},
		{10, 16.9927, train.Validated{Best: 5, Value: 17.0303, Since: 2, Stopped: true}, nil,
			"the best stays 17.0303 after step 5, since a better one is less by more than the least change of 5, and the patience ends"},
	} {
		if got := judged(test.step, test.value, test.found, 5, test.task); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// Faults come all at once, and each is told once.
func TestFaults(t *testing.T) {
	tests := []struct {
		args string
		want []string
	}{
		{"train --out o --vocabulary v", []string{"preset cmlm-then-cmlm+br needs --examples", "preset cmlm-then-cmlm+br needs --bitext"}},
		{"train --out o --vocabulary v --preset br",
			[]string{"preset br needs --bitext, a dataset of bitext examples; `sentweave examples` makes one"}},
		{"train --out o --preset cmlm --examples e", []string{"give --vocabulary for a new encoder, or --from"}},
		{"train --out o --preset cmlm --examples e --from f --vocabulary v", []string{"from and --vocabulary exclude each other"}},
		{"train --out o --preset cmlm+mlm --examples e --from f", []string{"--preset must be one of"}},
		{"train --out= --preset cmlm --examples e --from f", []string{"out is empty"}},
		{"train --out o --from f --examples e --bitext b --steps 1,2,3 --rate .1,.2 --batch 1,2,3",
			[]string{"batch has 3 values, the preset cmlm-then-cmlm+br has 2 periods: give one value, or one a period",
				"steps has 3 values"}},
		{"train --out o --from f --examples e --preset cmlm --steps 1,2",
			[]string{"steps has 2 values, the preset cmlm has one period: give one value"}},
		{"train --out o --vocabulary v --preset cmlm+br --rate 0 --steps 0 --batch 0 --warmup -1 --keep 0 --log-every 0 --checkpoint-every 0 --accumulate 0 --threads -1 --projection-width 1,1,1,1 --vectors 0 --margin -1 --scale 0 --bitext-weight 0 " +
			"--layers 2 --hidden 10 --heads 3 --dropout 1 --positions 5 --encode-tokens 2 --clip -1 --weight-decay -1 --epsilon -1 --tokens 2 --examples=",
			[]string{
				"preset cmlm+br needs --examples", "rate is 0", "steps is 0", "batch is 0", "warmup is -1", "keep is 0", "log-every is 0",
				"checkpoint-every is 0", "accumulate is 0", "threads is -1", "projection-width has 4",
				"vectors", "margin", "scale", "bitext-weight is 0", "heads", "dropout",
				"encode-tokens is 2, it must be 0 or from 3 to the 5 positions", "clip", "decay",
				"epsilon is -1, it must be above 0", "tokens is 2",
			}},
		{"train --out o --preset br --bitext b --from f --hidden 768 --layers=12 --heads 12 --intermediate 3072 --positions 512 --dropout .1 --initializer-range .02 --encode-tokens 0 --cased",
			[]string{
				"from and --cased exclude each other", "from and --dropout exclude each other",
				"from and --encode-tokens exclude each other",
				"from and --heads exclude each other", "from and --hidden exclude each other",
				"from and --initializer-range exclude each other", "from and --intermediate exclude each other",
				"from and --layers exclude each other", "from and --positions exclude each other"}},
		{"train --out o --vocabulary v --preset cmlm --examples e --freeze embedding --layer-decay 0", []string{
			`freeze: "embedding" is not a part of an encoder: name embeddings, layer 3 or layers 0-3`, "layer-decay is 0"}},
		{"train --out o --from f --preset br --bitext b --mean-projection --skip=false", []string{
			"mean-projection is a setting of the objective cmlm, which is not trained",
			"skip is a setting of the objective cmlm, which is not trained"}},
		{"train --out o --from f --preset cmlm --examples e --margin .1",
			[]string{"margin is a setting of the objective bitext, which is not trained"}},
		{"train --out o --from f --preset lens --bitext b --lens-layers 2", []string{"lens-gate is 0, which is the Simple encoder"}},
		{"train --out o --from f --preset lens --bitext b --lens-size 0", []string{"lens-size is 0"}},
		{"train --out o --from f --preset br --bitext b --patience 3",
			[]string{"--validate-every is 0", "give --validate-share, to hold examples out, or --validate, datasets"}},
		{"train --out o --from f --preset br --bitext b --validate-every 5 --validate-share 2 --validate v --least-change -1 --metric x --validate-examples -1",
			[]string{
				"--validate-share is 2", "--validate-share and --validate exclude each other", "--least-change is -1",
				`--metric "x" is not one of`, "--validate-examples is -1"}},
		{"train --out o --from f --preset cmlm --examples e --batch 4 --batch-tokens 100",
			[]string{"batch-tokens and --batch exclude each other: give one of them"}},
		{"train --out o --from f --preset quickthought --examples e --batch-tokens 100",
			[]string{"--batch-tokens is for objectives whose examples have losses of their own; that of quickthought depends on"}},
		{"train --out o --from f --preset cmlm --examples e --batch-tokens 5", []string{"--batch-tokens is 5, it must be from 6"}},
		{"train --out o --from f --preset cmlm --examples e --max-spike .5", []string{"max-spike is 0.5, it must be from 1 to 1e6"}},
		{"train --out o --from f --preset cmlm --examples e --max-time=-1s", []string{"max-time is -1s, it must be above 0"}},
		{"train --out o --from f --preset br --bitext b --sample-alpha 2", []string{"--sample-alpha is 2"}},
		{"train --out o --from f --preset cmlm --examples e --cache-chunk 64",
			[]string{"cache-chunk caches the gradients of vectors of texts, and this training predicts masked tokens alone"}},
		{"train --out o --from f --examples e --bitext b --cache-chunk=64,-1",
			[]string{"cache-chunk is 64, and cmlm predicts masked tokens, of which gradient caching saves nothing", "cache-chunk is -1"}},
		{"train --out o --from o/cmlm --preset cmlm --examples e", []string{"from: o/cmlm lies in the output o"}},
		{"init --out= --layers 1 --hidden 3 --heads 2", []string{"out is empty", "vocabulary is empty", "heads"}},
		{"init --out o --from o/x", []string{"from: o/x lies in the output o"}},
		{"embed --out= --model= --texts= --layer -2 --max-tokens 2 --threads -1 --shard-bytes 0", []string{
			"model is empty", "texts is empty", "layer is -2", "max-tokens is 2", "threads is -1", "shard-bytes is 0", "out is empty"}},
		{"train --out o --from f --preset br --bitext b --sample-by source",
			[]string{`--sample-by is "source", and no period has two datasets for one objective`}},
		{"train --out o --from f --preset br --bitext b,c --sample-by origin",
			[]string{`--sample-by is "origin", it must be language, source or both`}},
		{"train --out o --from f --preset br --bitext b --bitext-weight .5",
			[]string{"bitext-weight weighs --bitext against another objective in the same step, and this training has no such step"}},
		{"train --out o --from f --preset cmlm-then-br --examples e --bitext b --bitext-weight .5",
			[]string{"bitext-weight weighs --bitext against another objective"}},
		{"embed --out o --model m --texts t --pooling min", []string{"--pooling"}},
		{"prefix --out= --model= --examples= --batch 1 --batches 0 --threads -1 --tokens 1",
			[]string{"out is empty", "model is empty", "examples is empty", "batch is 1", "batches is 0", "threads is -1", "tokens is 1"}},
		{"embed --out o --model m --texts t --prompt query --no-prompt", []string{"prompt and --no-prompt exclude each other"}},
		{"encode --model m --layer -5", []string{"layer is -5"}},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			err := program().Check(strings.Fields(test.args))
			if err == nil {
				t.Fatal("no fault")
			}
			for _, want := range test.want {
				if n := strings.Count(err.Error(), want); n == 0 {
					t.Errorf("there is no %q in:\n%v", want, err)
				}
			}
			lines := strings.Split(err.Error(), "\n")
			for i, line := range lines {
				for _, other := range lines[:i] {
					if line == other {
						t.Errorf("%q occurs twice", line)
					}
				}
			}
		})
	}
}

const pieces = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##c\n"

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	vocabulary := file(t, "vocab.txt", pieces)
	open := func(args ...string) (*settings, error) {
		flags := trainFlags(t, append([]string{"--examples=e", "--preset=cmlm"}, args...)...)
		return flags.open(t.Context(), flags.From, flags.From)
	}
	if _, err := open("--vocabulary", vocabulary, "--cased"); err == nil || !strings.Contains(err.Error(), "leave out --cased") {
		t.Errorf("an uncased vocabulary for a cased encoder: %v", err)
	}
	e, err := open("--vocabulary", file(t, "vocab.txt", strings.Replace(pieces, "\nb\n", "\nB\n", 1)), "--cased", "--positions=64",
		"--pooling=cls")
	if err != nil {
		t.Fatal(err)
	}
	if f := e.folder; f.Config.VocabularySize != 8 || f.Config.PadID != 0 || f.MaxTokens != 64 || f.Tokenizer != wordpiece.Cased ||
		f.Pooling != model.CLS || f.Path != "" {
		t.Errorf("got %+v", f)
	}
	if enc := e.encoding(); enc.MaxTokens != 64 || enc.Padding != 0 || enc.Vocabulary.Size != 8 || enc.Vocabulary.Mask != 4 ||
		!enc.Vocabulary.Continues(7) || enc.Vocabulary.Continues(5) {
		t.Errorf("got %+v", enc)
	}
	if e, err = open("--vocabulary", vocabulary, "--encode-tokens=20"); err != nil || e.folder.MaxTokens != 20 ||
		e.folder.Tokenizer != wordpiece.Uncased || e.folder.Pooling != model.Mean {
		t.Errorf("got %+v, %v", e, err)
	}

	// A folder counts as it is, but for a pooling that it does not name.
	folder := t.TempDir()
	f := &model.Folder{Config: model.DefaultConfig(), Pooling: model.Max, MaxTokens: 30, Tokenizer: wordpiece.Cased}
	f.Config.VocabularySize, f.Config.MaxPositions = 9, 40
	if err := f.WriteSettings(folder, e.vocabulary); err != nil {
		t.Fatal(err)
	}
	e, err = open("--from", folder, "--pooling=max")
	if err != nil || e.folder.Pooling != model.Max || e.folder.MaxTokens != 30 || e.folder.Config.MaxPositions != 40 ||
		e.folder.Tokenizer != wordpiece.Cased || e.folder.Config.VocabularySize != 9 {
		t.Errorf("got %+v, %v", e, err)
	}
	if _, err := open("--from", folder, "--pooling=mean"); err == nil ||
		!strings.Contains(err.Error(), "pooling is mean, but the encoder of --from, "+folder+", has max: leave --pooling out") {
		t.Errorf("another pooling: %v", err)
	}
	if e, err = open("--from", folder); err != nil || e.folder.Pooling != model.Max {
		t.Errorf("got %+v, %v", e, err)
	}
	// Of a pooling with which none is trained, another one must be chosen.
	pooling := []byte(`{"pooling_mode": "weightedmean"}`)
	if err := os.WriteFile(filepath.Join(folder, "1_Pooling", "config.json"), pooling, 0o666); err != nil {
		t.Fatal(err)
	}
	if e, err = open("--from", folder, "--pooling=max"); err != nil || e.folder.Pooling != model.Max {
		t.Errorf("got %+v, %v", e, err)
	}
	if _, err := open("--from", folder); err == nil ||
		!strings.Contains(err.Error(), "weightedmean, with which none is trained: choose one by --pooling") {
		t.Errorf("without --pooling: %v", err)
	}
	if err := os.Remove(filepath.Join(folder, "modules.json")); err != nil {
		t.Fatal(err)
	}
	if e, err = open("--from", folder, "--pooling=cls"); err != nil || e.folder.Pooling != model.CLS {
		t.Errorf("got %+v, %v", e, err)
	}

	absent := filepath.Join(t.TempDir(), "none")
	faults := []struct {
		name string
		args []string
		want []string
	}{
		{"no vocabulary", []string{"--vocabulary", absent}, []string{absent, "no such file"}},
		{"a folder without a vocabulary", []string{"--vocabulary", t.TempDir()}, []string{"is a directory"}},
		{"an empty vocabulary", []string{"--vocabulary", file(t, "v.txt", "")}, []string{"v.txt"}},
		{"no special pieces", []string{"--vocabulary", file(t, "v.txt", "a\nb\n")}, []string{"v.txt", "[CLS]"}},
		{"a piece twice", []string{"--vocabulary", file(t, "v.txt", pieces+"a\n")}, []string{"v.txt", "line 9 repeats"}},
		{"no folder", []string{"--from", absent}, []string{absent, "holds no encoder: there is no config.json"}},
		{"a folder without config.json", []string{"--from", filepath.Dir(vocabulary)}, []string{"holds no encoder", "config.json"}},
	}
	for _, test := range faults {
		_, err := open(test.args...)
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", test.name, err, want)
			}
		}
	}
	f.Config.VocabularySize = 7 // fewer than the pieces
	if err := os.WriteFile(filepath.Join(folder, "config.json"),
		[]byte(`{"model_type":"bert","vocab_size":7,"hidden_size":768,"num_hidden_layers":1,"num_attention_heads":12,"intermediate_size":3072,"max_position_embeddings":512}`),
		0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := open("--from", folder); err == nil || !strings.Contains(err.Error(), "8 pieces") {
		t.Errorf("more pieces than the encoder has: %v", err)
	}
}

// Examples and encoders take the vocabulary of a tokenizer.json, too, and know it for
// that of the same pieces in a vocab.txt.
func TestOpenSerialized(t *testing.T) {
	vocabulary := `{"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
		"vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "a": 5, "b": 6, "##c": 7}}}`
	want, err := architecture{Vocabulary: file(t, "vocab.txt", pieces)}.open(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	serialized := file(t, "tokenizer.json", vocabulary)
	for _, location := range []string{serialized, filepath.Dir(serialized)} {
		got, err := architecture{Vocabulary: location}.open(t.Context(), "", "")
		if err != nil || got.fingerprint != want.fingerprint || got.vocabulary.Content() != want.vocabulary.Content() {
			t.Errorf("%s: %+v, %v", location, got, err)
		}
	}
	_, err = architecture{Vocabulary: file(t, "tokenizer.json", strings.Replace(vocabulary, "WordPiece", "WordLevel", 1))}.open(
		t.Context(), "", "")
	if err == nil || !strings.Contains(err.Error(), "tokenizer.json: model.type is WordLevel") {
		t.Error(err)
	}
	_, err = architecture{Vocabulary: serialized, Architecture: "modernbert"}.open(t.Context(), "", "")
	if err == nil || !strings.Contains(err.Error(), "is of WordPiece: transformers opens a modernbert with a tokenizer.json") {
		t.Error(err)
	}
}
