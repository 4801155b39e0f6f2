package torchverbs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sentweave/schemas/yamlfile"
	"sentweave/stages/objective"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// ran is a training by a file, of two objectives in two periods.
const ran = `# Comments and anchors are read, and what is left out has its default.
seed: 4
masks: {ratio: 0.15, max_predictions: 20}
objectives:
  cmlm: {vectors: 5, projection_width: [1, 3], unigram_bias: true}
periods:
- name: first
  steps: 150
  rate: 2e-3
  optimizer: &adamw {name: adamw}
  mixture:
  - {objective: cmlm, dataset: "a b", batch_size: 16, max_tokens: 48}
- name: second
  steps: 20
  rate: 1e-3
  decay: none
  optimizer: *adamw
  mixture:
  - {objective: cmlm, dataset: "${examples}", batch_size: 8}
  - {objective: bitext, dataset: "${bitext}", batch_size: 4}
`

func TestConfigFile(t *testing.T) {
	path := file(t, "run.yaml", ran)
	c := configOf(t, "--from=f", "--config="+path, "--examples=e", "--bitext=b,c")
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	cmlm.Vectors, cmlm.Widths, cmlm.LogUnigramBias = 5, []int{1, 3}, true
	schedule := func(steps int64, rate float64, decay string) train.Schedule {
		return train.Schedule{Steps: steps, Rate: rate, Decay: decay, Accumulate: 1, Optimizer: adamw()}
	}
	want := train.Config{
		Seed: 4, Masks: batches.Masks{Ratio: .15, MaxPredictions: 20, RandomTokens: "vocabulary"},
		Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext},
		Periods: []train.Period{
			{Name: "first", Schedule: schedule(150, 2e-3, "linear"),
				Mixture: []batches.Source{{Name: "cmlm", Objective: "cmlm", Dataset: "a b", BatchSize: 16, MaxTokens: 48, Weight: 1}}},
			{Name: "second", Schedule: schedule(20, 1e-3, "none"), Mixture: []batches.Source{
				{Name: "cmlm", Objective: "cmlm", Dataset: "e", BatchSize: 8, Weight: 1},
				{Name: "bitext", Objective: "bitext", Dataset: "b", BatchSize: 4, Weight: .2},
				{Name: "bitext-2", Objective: "bitext", Dataset: "c", BatchSize: 4, Weight: .2},
			}},
		},
		ShuffleGroups: 2, LogEvery: 10, CheckpointEvery: 1000, Keep: 2, ReadAhead: 8,
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	// A flag of validation changes one of the file, and leaves the others.
	v := file(t, "run.yaml", "validation: {every: 5, share: 0.1, patience: 4}\n"+ran)
	validation := configOf(t, "--from=f", "--config="+v, "--examples=e", "--bitext=b,c", "--validate=d", "--patience=7").Validation
	if diff := cmp.Diff(&train.Validation{Every: 5, Datasets: []string{"d"}, Examples: 1024, Metric: "loss", Patience: 7},
		validation); diff != "" {
		t.Error(diff)
	}
	// Datasets of one objective take turns by a flag alone, or by a file.
	s := configOf(t, "--from=f", "--config="+path, "--examples=e", "--bitext=b,c", "--sample-by=source").Sampling
	if *s != (batches.Sampling{By: "source", Alpha: .7}) {
		t.Errorf("%+v", s)
	}
	both := file(t, "run.yaml", "sampling: {by: both, alpha: 0.5}\n"+ran)
	s = configOf(t, "--from=f", "--config="+both, "--examples=e", "--bitext=b,c").Sampling
	if *s != (batches.Sampling{By: "both", Alpha: .5}) {
		t.Errorf("%+v", s)
	}
	// Flags that are given count more, and no others.
	c = configOf(t, "--from=f", "--config="+path, "--examples=e", "--bitext=b", "--seed=7", "--steps=3,4", "--batch=2", "--margin=0.1",
		"--vectors=6", "--clip=2", "--bitext-weight=0.7", "--keep=9")
	cmlm.Vectors, bitext.Margin, want.Seed, want.Keep = 6, .1, 7, 9
	for i := range want.Periods {
		s := &want.Periods[i]
		s.Steps, s.Optimizer.Clip = []int64{3, 4}[i], 2
	}
	second := want.Periods[1].Mixture
	second[0].BatchSize, second[1].Weight = 2, .7
	want.Periods[1].Mixture = second[:2]
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

// A flag that counts for nothing is noted once, however often the configuration is asked for.
func TestUnusedFlags(t *testing.T) {
	flags := trainFlags(t, "--preset=cmlm", "--vocabulary=v", "--examples=e", "--bitext-batch=8")
	for range 2 {
		if _, err := flags.config(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(flags.unused, []string{"bitext-batch"}) {
		t.Errorf("%q", flags.unused)
	}
}

// What --print-config prints is read as the same training.
func TestPrintConfig(t *testing.T) {
	for _, args := range [][]string{
		{"--recipe=cmlm"}, // as the flag was called
		{"--preset=br"}, {"--preset=cmlm+br"}, {"--preset=cmlm-then-br"}, {"--preset=mse", "--teacher=t"}, {},
		{"--examples=e: f", "--bitext=b,c\\,d", "--steps=3,4", "--optimizer=adamw", "--prefix-positions=own", "--projection-width=4,1",
			"--margin=0.25", "--rate=1e-7", "--freeze=embeddings,layers 0-1", "--layer-decay=.5"},
		{"--preset=br", "--validate-every=5", "--validate-share=.1", "--metric=loss/bitext", "--patience=3", "--least-change=0.01",
			"--validate-examples=9"},
		{"--preset=br", "--validate-every=5", "--validate=a,b", "--sample-alpha=.3"},
		{"--preset=cmlm+br", "--batch-tokens=4096", "--max-spike=7"},
		{"--config=" + file(t, "run.yaml", ran), "--seed=18446744073709551615"},
	} {
		flags := trainFlags(t, append(args, "--print-config")...)
		want, err := flags.config()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		p := program()
		p.Stdout = &out
		if err := flags.Run(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		got, err := trainFlags(t, "--config="+file(t, "printed.yaml", out.String()), "--print-config").config()
		if err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(objective.MSE{})); diff != "" {
			t.Errorf("%q: %s\n%s", args, diff, out.String())
		}
	}
}

// Faults of a file come with their lines.
func TestConfigFileFaults(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(ran, old) {
			t.Fatalf("there is no %q", old)
		}
		return strings.Replace(ran, old, new, 1)
	}
	for _, test := range []struct {
		name, text string
		args       string
		want       []string
	}{
		{"unknown keys", strings.NewReplacer("seed: 4", "sede: 4", "vectors: 5", "vector: 5", "batch_size: 8", "batchsize: 8",
			"name: adamw", "name: adamw, nesterov: true").Replace(ran), "", []string{
			`run.yaml:2: the file has no key "sede", did you mean seed?; it has`,
			`run.yaml:5: cmlm has no key "vector", did you mean vectors?`,
			`run.yaml:10: optimizer has no key "nesterov"; it has beta1, beta2, clip, decay, epsilon, name`,
			`run.yaml:19: an entry of mixture has no key "batchsize", did you mean batch_size?`}},
		{"an unknown objective's settings", edit("cmlm: {", "clmm: {"), "",
			[]string{`run.yaml:5: objectives has no key "clmm", did you mean cmlm?`}},
		{"an unknown objective", edit("{objective: bitext", "{objective: bitexts"), "",
			[]string{`run.yaml:20: objective "bitexts" is not one of cmlm, bitext`}},
		{"a text for a number", edit("steps: 150", "steps: many"), "", []string{`run.yaml:8: steps is "many", it must be a whole number`}},
		{"a list for a mapping", edit("masks: {ratio: 0.15, max_predictions: 20}", "masks: [1]"), "",
			[]string{"run.yaml:3: masks is not a mapping"}},
		{"a key twice", edit("seed: 4", "seed: 4\nseed: 5"), "",
			[]string{`run.yaml is not YAML: [3:1] mapping key "seed" already defined at [2:1]`}},
		{"no YAML", "{", "", []string{"is not YAML"}},
		{"nothing", "", "", []string{"holds 0 YAML documents"}},
		{"no periods", "seed: 1", "", []string{"run.yaml:1: periods is empty"}},
		{"bad values", strings.NewReplacer("vectors: 5", "vectors: 500", "rate: 2e-3", "rate: -1", "batch_size: 4",
			"batch_size: 1").Replace(ran), "", []string{
			"run.yaml:5: cmlm: vectors is 500", "run.yaml:9: rate is -1", "run.yaml:20: batch_size is 1, bitext needs at least 2"}},
		{"keys that are absent", strings.NewReplacer("  steps: 150\n", "", "dataset: \"a b\", ", "", "seed: 4", "keep: -1").Replace(ran),
			"", []string{
				"run.yaml:2: keep is -1", "run.yaml:7: steps is 0", "run.yaml:11: dataset is empty"}},
		{"a name twice", edit("name: second", "name: first"), "", []string{`run.yaml:13: the name "first" occurs twice`}},
		{"a flag in the place of a key", ran, "--examples=e --bitext=b --rate=-1", []string{"rate is -1"}},
		{"an unknown part", edit("decay: none", "freeze: [embeddings, head]\n  layer_decay: 2"), "", []string{
			`run.yaml:16: freeze: "head" is not a part of an encoder`, "run.yaml:17: layer_decay is 2"}},
		{"an unknown key of a validation", edit("seed: 4", "validation: {every: 5, shard: 0.1}"), "",
			[]string{`run.yaml:2: validation has no key "shard", did you mean share?`}},
		{"a validation of nothing", edit("seed: 4", "validation: {patience: -1}"), "",
			[]string{"run.yaml:2: validation: every is 0", "run.yaml:2: validation: give share", "run.yaml:2: validation: patience is -1"}},
		{"an exponent out of range", edit("seed: 4", "sampling: {by: origin, alpha: 1.5}"), "",
			[]string{`run.yaml:2: sampling: by is "origin", it must be language`,
				"run.yaml:2: sampling: alpha is 1.5, it must be above 0 and at most 1"}},
		{"an unknown key of sampling", edit("seed: 4", "sampling: {exponent: 1.5}"), "",
			[]string{`run.yaml:2: sampling has no key "exponent"; it has alpha, by`}},
		{"a metric of one period", ran, "--examples=e --bitext=b --validate-every=5 --validate-share=.1 --metric=loss/bitext",
			[]string{`--metric "loss/bitext" is not one of period first (loss, loss/cmlm)`}},
		{"circles", "periods: &s [*s]", "", []string{"run.yaml:1: "}},
		{"deep", strings.Repeat("[", 10_000), "", []string{"deep"}},
		{"many aliases", "seed: 1\nmasks: &a {ratio: 0.5}\nperiods: [" + strings.Repeat("{optimizer: *a}, ", 9000) + "]", "",
			[]string{"run.yaml:"}},
		{"datasets that are not given", ran, "",
			[]string{"needs --examples, a dataset of consecutive examples", "needs --bitext, a dataset of bitext examples"}},
		{"a dataset that is not taken", edit("${bitext}", "b"), "--examples=e --bitext=c", []string{"run.yaml takes no --bitext"}},
		{"a dataset that the file names", edit("${bitext}", "c"), "--examples=e --bitext=c", []string{"run.yaml takes no --bitext"}},
		{"sizes of a dataset that the file names", edit("${bitext}", "c"), "--examples=e --bitext-batch=4 --bitext-weight=1", []string{
			"bitext-batch is for ${bitext}, the dataset of --bitext, which", "run.yaml does not have: change batch_size there",
			"bitext-weight is for ${bitext} beside another objective"}},
		{"zeros for defaults", strings.NewReplacer("seed: 4", "log_every: 0", "batch_size: 4", "batch_size: 4, weight: 0").Replace(ran), "",
			[]string{
				"run.yaml:2: log_every is 0, it must be above 0; leave it out for its default", "run.yaml:20: weight is 0"}},
		{"fractions", strings.NewReplacer("seed: 4", "seed: 4.9", "steps: 150", "steps: 40.9").Replace(ran), "",
			[]string{`run.yaml:2: seed is "4.9", it must be a whole number`, `run.yaml:8: steps is "40.9"`}},
		{"values for three periods", ran, "--steps=1,2,3", []string{"run.yaml has 2 periods: give one value, or one a period"}},
		{"settings of what is not trained", edit("  - {objective: bitext, dataset: \"${bitext}\", batch_size: 4}\n", ""),
			"--examples=e --margin=0.2", []string{"margin is a setting of the objective bitext, which is not trained"}},
		{"a preset, too", ran, "--preset=cmlm", []string{"config and --preset exclude each other"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, "run.yaml", test.text)
			err := program().Check(append([]string{"train", "--out=o", "--from=f", "--config=" + path}, strings.Fields(test.args)...))
			if err == nil {
				t.Fatal("no fault")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("there is no %q in:\n%v", want, err)
				}
			}
			if strings.Contains(err.Error(), "periods[") || strings.Contains(test.args, "--rate") &&
				strings.Contains(err.Error(), "run.yaml:") {
				t.Errorf("the place is that of our own names, or of a key that a flag replaces:\n%v", err)
			}
		})
	}
	if err := program().Check([]string{"train", "--out=o", "--from=f", "--config=absent.yaml"}); err == nil ||
		!strings.Contains(err.Error(), "absent.yaml") {
		t.Error(err)
	}
}

// A training by a file is one fault or more, or one that can be printed and read again.
func FuzzConfigFile(f *testing.F) {
	f.Add(ran)
	for _, name := range []string{"cmlm", "br", "cmlm+br", "cmlm-then-br", "cmlm-then-cmlm+br"} {
		data, err := presets.ReadFile("presets/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("periods: [{name: a, mixture: [{objective: bitext, <<: {batch_size: 3}}]}]")
	f.Add("objectives: {cmlm: , bitext: {margin: .nan}}")
	f.Add("objectives: {mse: {teacher: t, dimensions: [8]}}\nperiods: [{name: a, mixture: [{objective: mse, dataset: b}]}]")
	f.Fuzz(func(t *testing.T, text string) {
		var c train.Config
		if err := yamlfile.Decode("run.yaml", []byte(text), &c); err != nil {
			var fault *yamlfile.Fault
			if errors.As(err, &fault) && (fault.Line < 1 || fault.Line > 1+strings.Count(text, "\n")) {
				t.Errorf("%v of %d lines", err, 1+strings.Count(text, "\n"))
			}
			return
		}
		if c = c.WithDefaults(); c.Validate() != nil {
			return
		}
		var out bytes.Buffer
		if err := printTraining(&out, c); err != nil {
			t.Fatal(err)
		}
		var again train.Config
		if err := yamlfile.Decode("printed.yaml", out.Bytes(), &again); err != nil {
			t.Fatalf("%v in\n%s", err, &out)
		}
		if diff := cmp.Diff(c, again, cmpopts.IgnoreUnexported(objective.MSE{})); diff != "" {
			t.Errorf("%s in\n%s", diff, &out)
		}
	})
}

// What is named in a training file is recorded beside what it was before there were
// others, field by field.
func TestRecorded(t *testing.T) {
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	r := recorded{recordedEncoder{Pooling: "mean", MaxTokens: 9}, objective.Settings{"bitext": &bitext, "cmlm": &cmlm},
		recordedRun{Device: "cpu", Precision: "float32", Threads: 2}}
	got, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	const want = `"pooling":"mean","max_tokens":9,` +
		`"cmlm":{"vectors":15,"widths":[2,2],"pooling":"mean","prefix_positions":"none","prefix_norm":false,"detach_vector":false,"log_unigram_bias":false},` +
		`"bitext":{"margin":0.3,"scale":20,"pooling":"mean"},"device":"cpu","precision":"float32","threads":2}`
	if !strings.HasSuffix(string(got), want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	var again recorded
	if err := again.UnmarshalJSON(got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fmt.Sprintf("%+v", r), fmt.Sprintf("%+v", again)); diff != "" && !cmp.Equal(r.Objectives, again.Objectives) {
		t.Error(diff)
	}
}
