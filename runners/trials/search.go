package trials

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/workspace"
	"sentweave/stages/model"
	"sentweave/stages/search"
	"sentweave/stages/train"
)

// SearchVerb is what the programs know of the verb search.
var SearchVerb = verb.Verb{
	Name: "search", Group: verb.GroupTrain,
	Help: "Train encoders with settings that are drawn from ranges, stop the losers early, and keep the best one.",
	Examples: []string{
		"search --examples examples --bitext pair-examples --vocabulary vocabulary/vocab.txt --vary '{rate: [0.001, 0.003]}' --validate-every 500 --validate-share 0.02 --out encoder",
		"search --preset br --bitext pair-examples --from LaBSE --vary '{rate: {from: 0.00001, to: 0.001, log: true}}' --steps 1000 --rungs 200,500 --validate-every 100 --validate-share 0.02 --out encoder",
	},
	Makes: verb.Output{Rows: "encoder", Rarely: true, Mark: torchverbs.TrainVerb.Makes.Mark, Is: torchverbs.TrainVerb.Makes.Is,
		Count: torchverbs.TrainVerb.Makes.Count, Check: torchverbs.CheckEncoder, Costly: true},
	Libtorch: true,
	New:      func() any { return &Search{trainings: trainings{Train: torchverbs.NewTrain()}} },
}

// Search is the verb that trains an encoder with the best settings of several.
type Search struct {
	//lint:ignore SA5008 kong takes a tag of this name several times.
	trainings `set:"out=Folder of the best trial's encoder to make; the trials are in a folder beside, whose name ends in .trials." set:"overwrite=Delete other trials that are there." set:"dryrun=Show the trials, say how long they take, and keep nothing."`
	Number    int     `name:"trials" help:"Most trials to draw, no two with the same settings; a greater number later adds to those that are there." default:"16" placeholder:"N" group:"Trials"`
	Rungs     []int64 `help:"Steps after which the losers are stopped, in rising order." placeholder:"N" group:"Trials"`
	Survivors float64 `help:"Share of the trials that go on after each of these steps." default:"0.5" placeholder:"X" group:"Trials"`
}

// TrialsSuffix makes the name of an encoder's folder that of its trials.
const TrialsSuffix = ".trials"

// mostTrials bounds a search.
const mostTrials = 10_000

// Validate returns all faults at once.
func (s *Search) Validate() error {
	var errs fault.List
	errs.Check(s.Out != "" || s.DryRun, "out is empty: give the folder of the encoder to make")
	errs.Check(!s.PrintConfig, "print-config is for train")
	errs.Check(s.Number >= 1 && s.Number <= mostTrials, "trials is %d, it must be from 1 to %d", s.Number, mostTrials)
	errs.Check(s.Survivors > 0 && s.Survivors < 1, "survivors is %v, it must be above 0 and below 1", s.Survivors)
	for i, rung := range s.Rungs {
		errs.Check(rung >= 1 && (i == 0 || rung > s.Rungs[i-1]), "rungs must be steps in rising order, the %d is not", rung)
	}
	if err := errs.Err(); err != nil {
		return err
	}
	space, err := s.space()
	if err != nil {
		return err
	}
	ends := space.Ends()
	names, settings := make([]string, len(ends)), ends
	for i, end := range ends { // of the first trial: no value may be one that train refuses
		settings[i] = override(space.Draw(s.Seed, 0), end)
	}
	if err := s.parse(s.Out+TrialsSuffix, names, settings); err != nil {
		return err
	}
	settings = space.Draws(s.Seed, s.Number)
	names = make([]string, len(settings))
	for k := range names {
		names[k] = fmt.Sprintf("%03d", k)
	}
	if err := s.parse(s.Out+TrialsSuffix, names, settings); err != nil {
		return err
	}
	for _, one := range s.list {
		errs.Add(s.rungsOf(one))
	}
	return errs.Err()
}

// override are settings with others in the place of those of the same flags.
func override(settings, others []search.Setting) []search.Setting {
	return append(slices.DeleteFunc(settings, func(s search.Setting) bool {
		return slices.ContainsFunc(others, func(o search.Setting) bool { return o.Flag == s.Flag })
	}), others...)
}

// rungsOf returns an error unless a trial is validated at each rung that it comes to.
func (s *Search) rungsOf(one training) error {
	for _, rung := range s.Rungs {
		within := min(rung, one.Steps)
		for _, p := range one.config.Periods {
			if within <= p.Steps {
				if within%one.config.Validation.Every != 0 && within != p.Steps {
					return fmt.Errorf("rungs has the step %d, at which trial %s is not validated: give steps of a period that --validate-every, %d, divides",
						rung, one.Name, one.config.Validation.Every)
				}
				break
			}
			within -= p.Steps
		}
	}
	return nil
}

// SearchName is the file with all trials of a search, beside the best one's encoder.
const SearchName = "search.json"

// summary is what the file holds.
type summary struct {
	Version int    `json:"version"`
	Metric  string `json:"metric"`
	Better  int    `json:"better"`
	// Rungs and Survivors are those of the flags.
	Rungs     []int64 `json:"rungs,omitempty"`
	Survivors float64 `json:"survivors"`
	// Best is the name of the trial whose encoder is in the folder, and Settings are its flags, for train.
	Best     string         `json:"best"`
	Settings []string       `json:"settings"`
	Trials   []search.Trial `json:"trials"`
}

// summary is that of the trials, as far as they have been carried out.
func (s *Search) summary() summary {
	return summary{Version: search.Version, Metric: s.metric(), Better: s.better(), Rungs: s.Rungs, Survivors: s.Survivors,
		Trials: s.trials()}
}

// asked says whether a summary is of the same trials.
func (m summary) asked(o summary) bool {
	same := func(a, b search.Trial) bool {
		return a.Name == b.Name && a.Steps == b.Steps && slices.Equal(a.Settings, b.Settings)
	}
	return m.Version == o.Version && m.Metric == o.Metric && slices.Equal(m.Rungs, o.Rungs) && m.Survivors == o.Survivors &&
		slices.EqualFunc(m.Trials, o.Trials, same)
}

// previous is the summary that is in the folder of --out, the zero value where there is none.
func (s *Search) previous(ctx context.Context) (m summary, err error) {
	folder, err := storage.Locate(s.Out)
	if err != nil {
		return m, err
	}
	data, err := storage.ReadFile(ctx, folder, SearchName, 64<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return m, dataset.Vacant(ctx, folder, "encoder of a search")
	}
	if err == nil {
		err = jsonfile.Unmarshal(data, &m)
	}
	if err == nil && !slices.ContainsFunc(m.Trials, func(t search.Trial) bool { return t.Name == m.Best }) {
		err = fmt.Errorf("it has no trial %q: %w", m.Best, dataset.ErrCorrupt)
	}
	if err != nil && s.Overwrite {
		return summary{}, nil
	}
	if err != nil {
		return m, fmt.Errorf("read %s in %s: %w", SearchName, s.Out, err)
	}
	return m, nil
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite.
func (s *Search) Standing(ctx context.Context) (dataset.Fate, error) {
	m, err := s.previous(ctx)
	if err != nil {
		return dataset.Fresh, err
	}
	i := slices.IndexFunc(s.list, func(one training) bool { return one.Name == m.Best })
	if i < 0 { // nothing is there, or a search of more trials
		return s.standing(ctx)
	}
	best := *s.list[i].train
	k := slices.IndexFunc(m.Trials, func(t search.Trial) bool { return t.Name == m.Best })
	if was := m.Trials[k].Settings; !slices.Equal(was, s.list[i].Settings) {
		return dataset.Fresh, dataset.Mismatch{
			What: fmt.Sprintf("%v: trial %s in %s is of %s, and here of %s", dataset.ErrOtherPlan, m.Best, s.Out, search.FlagsOf(was),
				search.FlagsOf(s.list[i].Settings)),
			Way: "choose another --out, or give --overwrite to delete the encoder there",
		}
	}
	best.Out, best.Threads = s.Out, cmp.Or(best.Threads, s.Threads)
	if fate, err := best.Standing(ctx); err != nil || m.asked(s.summary()) { // then all hangs on the best one
		return fate, err
	}
	return s.standing(ctx)
}

// Run implements the verb.
func (s *Search) Run(ctx context.Context, p *command.Program) error {
	if s.DryRun {
		return plan(ctx, p, s.list)
	}
	m, err := s.previous(ctx)
	if err != nil {
		return err
	}
	switch fate, err := s.Standing(ctx); {
	case err != nil && !(s.Overwrite && errors.Is(err, dataset.ErrOtherPlan)):
		return err
	case fate == dataset.Complete && m.asked(s.summary()):
		if !p.Done("search", s.Out) {
			return nil
		}
		return s.print(p, m)
	}
	o := search.Trials{Location: s.Out + TrialsSuffix, Rungs: s.Rungs, Survivors: s.Survivors}
	finished, err := s.run(ctx, p, o, "search")
	if err != nil {
		return err
	}
	best := s.list[finished[0]]
	if r, _ := best.Final(); r.Diverged != "" {
		return fmt.Errorf("all trials have diverged: give ranges of lower rates")
	}
	m = s.summary()
	m.Best = best.Name
	for _, setting := range best.Settings {
		m.Settings = append(m.Settings, setting.String())
	}
	if err := s.publish(ctx, best, m); err != nil {
		return err
	}
	return s.print(p, m)
}

// publish puts a copy of the best trial's encoder into the folder of --out, the summary last.
func (s *Search) publish(ctx context.Context, best training, m summary) error {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	source, err := model.Fetch(ctx, best.train.Out, model.HeadsName, train.RecordName, train.LossesName)
	if err != nil {
		return err
	}
	defer source.Close()
	return workspace.Replace(ctx, s.Out, SearchName, func(built string) error {
		if err := os.CopyFS(built, os.DirFS(source.Path)); err != nil {
			return err
		}
		if err := s.onlyOurs(ctx, built); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(built, SearchName), append(data, '\n'), 0o666)
	})
}

// onlyOurs returns an error for a file in the folder of --out that the new one does not have.
func (s *Search) onlyOurs(ctx context.Context, built string) error {
	folder, err := storage.Locate(s.Out)
	if err != nil {
		return err
	}
	for info, err := range folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return err
		}
		_, statErr := os.Lstat(filepath.Join(built, filepath.FromSlash(info.Name)))
		if info.Name != SearchName && statErr != nil && !strings.HasPrefix(info.Name, storage.TemporaryFolder+"/") {
			return fmt.Errorf("%s holds %q, which no search made; nothing was deleted: move it away, or choose another --out", s.Out,
				info.Name)
		}
	}
	return nil
}

// print shows the trials, and the settings of the best one.
func (s *Search) print(p *command.Program, m summary) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "trial\tsteps\t%s\tof step\tsettings\n", m.Metric)
	for _, one := range m.Trials {
		if len(one.Reached) == 0 {
			continue
		}
		r := one.Reached[len(one.Reached)-1]
		value, best := fmt.Sprintf("%.4f", r.Value), command.Count(r.Best)
		if r.Diverged != "" {
			value, best = "diverged", ""
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", one.Name, command.Count(r.Taken), value, best, search.FlagsOf(one.Settings))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Stdout, "%s%s: the encoder of trial %s of %d; `sentweave train` makes it with %s\n", b.String(), s.Out, m.Best,
		len(m.Trials), strings.Join(m.Settings, " "))
	return err
}
