package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/runners/libtorch"
	"sentweave/runners/locations"
	"sentweave/runners/recipe"
	"sentweave/runners/training"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// What becomes of what is in the folder of a step, as a dry run prints it.
const (
	fateNew       = "new"
	fateComplete  = "complete"
	fateContinues = "continues"
	fateExtended  = "goes on for more steps"
	fateAnew      = "made anew"
	fateAgain     = "written again" // by a step that does so in each run
	fateRefused   = "refused"
	// Of what was made of a step that is made anew: nobody knows before whether that gives something else.
	fateAnewIf    = "made anew if its input changes"
	fateRefusedIf = "refused if its input changes"
)

// fate is what becomes of a step in a run.
type fate struct {
	is string // "" where it is not known, since the step has faults
	// why tells the reason where the fate is not a plain one.
	why string
	// changes says that the output will not be what stood there before, and doubtful that this is not
	// known until the step is done.
	changes, doubtful bool
	// differs says that the verb itself has found another plan than its own in the folder.
	differs bool
}

// refuses says that the step may stop at what is in its folder.
func (f fate) refuses() bool { return f.is == fateRefused || f.is == fateRefusedIf }

// works says whether the step has something to do.
func (f fate) works() bool { return f.is != fateComplete && f.is != fateAgain }

// fate decides what becomes of a step, given the fates of the steps before it. The error is that of a step which
// cannot say so, or which --overwrite would not delete.
//
// A step whose inputs are there says itself what it finds. Of others it is known that equal settings and inputs give
// equal bytes: what was made of an output that is made again as it was stays. Of one that is made otherwise nobody knows
// whether other bytes come out, but of the files that its verb keeps.
func (l *preparation) fate(ctx context.Context, step recipe.Command) (fate, error) {
	var changed, pending []string
	doubtful := false
	for _, need := range slices.Compact(slices.Sorted(slices.Values(step.Needs))) {
		switch f, decided := l.fates[need]; {
		case !decided, l.isSettled(ctx, step, need): // an earlier run has made what it reads
		case f.changes:
			changed = append(changed, need)
		case f.is != fateComplete || f.doubtful:
			pending, doubtful = append(pending, need), doubtful || f.doubtful
		}
	}
	previous, recorded := l.earlier[step.Step]
	equal := recorded && slices.Equal(previous, l.settings[step.Step])
	verb, tells := l.parsed[step.Step].(Stander)
	_, trains := verb.(trainer)
	switch {
	case !locations.HoldsAnything(ctx, step.Out):
		changes := len(changed) > 0 || recorded && !equal
		f := fate{is: fateNew, changes: changes, doubtful: !changes && (!recorded || doubtful)}
		if _, planned := verb.(Planner); !tells || planned || len(changed)+len(pending) > 0 || storage.IsRemote(step.Out) {
			return f, nil
		}
		_, err := l.standing(ctx, step, verb) // what it reads is there: whether that fits
		return f, err
	case !tells:
		return fate{is: fateAgain, changes: true}, nil
	case len(changed) > 0 && recorded && !equal:
		return l.stale(ctx, step, "made with other settings")
	case len(changed) > 0:
		f, err := l.stale(ctx, step, fmt.Sprintf("what is there was made of what %s had made, and is kept if that comes out as before",
			recipe.StepsNamed(changed)))
		if f.is = fateAnewIf; !l.Overwrite {
			f.is = fateRefusedIf
		}
		return f, err
	case len(pending) > 0 && recorded && !equal:
		return l.stale(ctx, step, "made with other settings, and what it was made of is gone or not whole")
	case len(pending) > 0, trains && storage.IsRemote(step.Out): // whose training would have to be fetched
		f := fate{is: fateContinues, doubtful: doubtful || !recorded}
		if locations.IsUsable(ctx, l.program.Verbs, step.Out) {
			f.is = fateComplete
		}
		if f.doubtful && len(pending) > 0 {
			f.why = "if what it was made of comes out as before; else the run stops there, and --overwrite makes it anew"
			if l.Overwrite {
				f.why = "if what it was made of comes out as before, and else made anew"
			}
		}
		return f, nil
	}
	state, err := l.standing(ctx, step, verb)
	if errors.Is(err, dataset.ErrOtherPlan) {
		why := err.Error()
		if conflict := (dataset.Mismatch{}); errors.As(err, &conflict) {
			why = conflict.What
		}
		f, err := l.stale(ctx, step, why)
		f.differs = true
		return f, err
	}
	return fate{is: []string{dataset.Fresh: fateNew, dataset.Resumed: fateContinues, dataset.Complete: fateComplete,
		dataset.Extended: fateExtended}[state], changes: state == dataset.Extended || state == dataset.Fresh && recorded && !equal}, err
}

// isSettled says of a step of this run whether all that another one reads of it stands already, as it will be then.
func (l *preparation) isSettled(ctx context.Context, reader recipe.Command, need string) bool {
	f := l.fates[need]
	if f.is == fateComplete && !f.doubtful {
		return true
	}
	verb, ok := l.parsed[need].(keeper)
	s, exists := l.recipe.Find(reader.Step)
	if !ok || !f.differs || !exists {
		return false
	}
	for _, input := range s.From {
		for _, ref := range input.From {
			readsVocabulary := slices.Contains(l.verbs[s.Run][input.Flag].Takes, "vocabulary")
			if ref.Step == need && !(readsVocabulary && verb.KeepsVocabulary(ctx)) {
				return false
			}
		}
	}
	return true
}

// standing asks a verb what it finds.
func (l *preparation) standing(ctx context.Context, step recipe.Command, verb Stander) (dataset.Fate, error) {
	if planned := l.jobs[step.Step]; planned != nil {
		folder, err := planned.Folder()
		if err != nil {
			return dataset.Fresh, err
		}
		return planned.Plan.Standing(ctx, folder)
	}
	if threaded, ok := verb.(threaded); ok {
		threaded.DefaultThreads(func() int { return l.libtorchThreads(ctx) })
	}
	return verb.Standing(ctx)
}

// stale is the fate of a step in whose folder something else stands than it makes.
func (l *preparation) stale(ctx context.Context, step recipe.Command, why string) (fate, error) {
	if !l.Overwrite {
		return fate{is: fateRefused, why: why, changes: true}, nil
	}
	f := fate{is: fateAnew, why: why, changes: true}
	if paid, ok := l.parsed[step.Step].(payer); ok {
		if err := paid.RefuseLoss(ctx); err != nil {
			return f, err
		}
	}
	folder, err := storage.Locate(step.Out)
	if err == nil && locations.HoldsDataset(ctx, folder) {
		err = dataset.Deletable(ctx, folder)
	}
	return f, err
}

// libtorchThreads are the threads that libtorch takes by itself on this machine, 0 if it does not say.
func (l *preparation) libtorchThreads(ctx context.Context) int {
	if !l.asked {
		l.asked, l.threads = true, libtorch.Threads(ctx)
	}
	return l.threads
}

// refused adds the fault of a run that would not go to its end, with the steps that are refused and the way out.
func (l *preparation) refused(ctx context.Context, commands []recipe.Command) {
	var anew, behind []string
	for _, step := range commands {
		f := l.fates[step.Step]
		if !f.refuses() {
			continue
		}
		l.add(step.Step, inRecipe(f.why, l.recipe, step.Step, l.verbs))
		name := step.Step
		if t, err := training.Read(ctx, step.Out); err == nil && t != nil {
			name += fmt.Sprintf(" (a training of %s)", t.Length())
		}
		if f.is == fateRefused {
			anew = append(anew, name)
		} else {
			behind = append(behind, name)
		}
	}
	if len(anew)+len(behind) == 0 {
		return
	}
	var deeds []string
	if len(anew) > 0 {
		deeds = append(deeds, fmt.Sprintf("deletes what %s made and makes it anew", recipe.StepsNamed(anew)))
	}
	if len(behind) > 0 {
		deeds = append(deeds, fmt.Sprintf("makes anew what %s made if that is of something else then", recipe.StepsNamed(behind)))
	}
	l.ways = append(l.ways, fmt.Sprintf(
		"add --overwrite to the same command, which %s, and deletes nothing else; or choose another --out, which keeps all",
		strings.Join(deeds, ", and ")))
}

// notes say what becomes of the steps where that is not a plain thing, and which steps that do not run are then of
// something that has changed.
func (l *preparation) notes(ctx context.Context, commands []recipe.Command) (list []string) {
	var changed []string
	told := faultsOfSteps{} // as one line for all steps of which it says the same
	for _, step := range commands {
		f := l.fates[step.Step]
		if f.changes && locations.HoldsAnything(ctx, step.Out) {
			changed = append(changed, step.Step)
		}
		switch {
		case f.is == fateExtended:
			told.add(step.Step, f.is+": what is there is kept, and trained further")
		case f.is == fateAnew:
			told.add(step.Step, f.is+", since what is there is not what it makes: "+inRecipe(f.why, l.recipe, step.Step, l.verbs))
		case f.is == fateAnewIf:
			told.add(step.Step, f.is+": "+f.why)
		case f.why != "" && !f.refuses():
			told.add(step.Step, f.is+", "+f.why)
		}
	}
	list = slices.Clone(l.idle)
	for _, text := range told.texts {
		list = append(list, recipe.StepsNamed(told.steps[text])+": "+text)
	}
	var stale []string
	for _, s := range l.recipe.Steps {
		reads := slices.ContainsFunc(s.From, func(input recipe.Input) bool {
			return slices.ContainsFunc(input.From, func(ref recipe.Reference) bool { return slices.Contains(changed, ref.Step) })
		})
		if reads && !runs(commands, s.Name) && !verbNamed(l.program, s.Run).Makes.Judges &&
			locations.HoldsAnything(ctx, storage.Join(l.Out, s.Name)) {
			stale, changed = append(stale, s.Name), append(changed, s.Name)
		}
	}
	if len(stale) > 0 {
		list = append(list, fmt.Sprintf(
			"what is in the folders of %s was made of what this run changes: `--only %s --overwrite` makes it anew afterwards",
			recipe.StepsNamed(stale), strings.Join(stale, ",")))
	}
	return list
}

// settingsIn are the arguments of a step as its record keeps them, whatever the folder of the recipe is called.
func settingsIn(folder string, step recipe.Command) []string {
	settings := slices.Clone(step.Args)
	for i, arg := range settings {
		settings[i] = strings.ReplaceAll(arg, strings.TrimSuffix(folder, "/")+"/", "./")
	}
	return settings
}
