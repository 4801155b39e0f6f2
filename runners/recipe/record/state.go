package record

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"sentweave/pipelines/verb"
	"sentweave/runners/child"
	"sentweave/runners/command"
	"sentweave/runners/datasets"
	"sentweave/runners/locations"
	"sentweave/runners/recipe"
	"sentweave/runners/training"
	"sentweave/schemas/storage"
)

// A recipe or a training is in one of these states.
const (
	Running  = "running"
	Stopped  = "stopped"
	Failed   = "failed"
	Complete = "whole"
	Damaged  = "damaged" // whole once
)

// State is that of a run by its record. A run that gives no sign of life for three beats
// has stopped; on its own machine its process is asked, too.
func (s *Run) State(now time.Time, beat time.Duration) string {
	switch {
	case !s.Ended.IsZero() && s.Fault == "":
		return Complete
	case s.Fault == "interrupted":
		return Stopped
	case !s.Ended.IsZero():
		return Failed
	case now.Sub(s.Seen) > 3*beat || s.isDead():
		return Stopped
	}
	return Running
}

// isDead says that the process was on this machine and is no longer.
func (s *Run) isDead() bool {
	host, err := os.Hostname()
	return err == nil && host == s.Host && s.Process > 0 && !child.Alive(s.Process)
}

// Print says how far the recipe in the folder at location is: each step with what it made, what it is at, or
// what it waits for.
func (r *Record) Print(ctx context.Context, w io.Writer, verbs []verb.Verb, location string, now time.Time) (state string, err error) {
	s := r.Run
	outputs := s.outputs(ctx, verbs, location)
	state, lost := s.standing(outputs, now, Beat(location))
	existing := map[string]bool{} // what earlier runs made
	refused := ""
	for _, step := range s.Steps {
		v, _ := verb.Find(verbs, step.Verb)
		existing[step.Step] = state != Running && !v.Makes.Judges && outputs[step.Step].Err == nil && (step.Failed || step.Began.IsZero())
		if step.Failed && existing[step.Step] {
			refused = step.Step
		}
	}
	owner := fmt.Sprintf("process %d on %s, since %s (%s)", s.Process, s.Host, command.Stamp(s.Started), command.Round(now.Sub(s.Started)))
	switch state {
	case Running:
		fmt.Fprintf(w, "%s: recipe %s is running: %s\n", location, r.Recipe, owner)
	case Complete:
		fmt.Fprintf(w, "%s: %s: done %s in %s\n", location, s.whole(r.Recipe), command.Stamp(s.Ended),
			command.Round(s.Ended.Sub(s.Started)))
	case Damaged:
		fmt.Fprintf(w, "%s: recipe %s was done %s, and what %s made is gone or damaged since; the same command makes it again or names the way, and --dry-run tells what it would do:\n  %s\n",
			location, r.Recipe, command.Stamp(s.Ended), recipe.StepsNamed(lost.steps()), s.Command)
	default:
		way := "the same command goes on where it ended"
		if refused != "" {
			way = fmt.Sprintf("step %s stopped at what an earlier command has made there, and would again by the same command", refused)
		}
		fmt.Fprintf(w, "%s: recipe %s has %s: last seen %s; %s:\n  %s\n", location, r.Recipe, state, command.Stamp(s.Seen), way, s.Command)
		if s.Fault != "" {
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(s.Fault, "\n", "\n  "))
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "step\tstate\tmade\tseconds")
	for _, step := range s.Steps {
		output, took := outputs[step.Step].Made, ""
		if !step.Ended.IsZero() {
			took = fmt.Sprintf("%.1f", max(step.Ended.Sub(step.Began).Seconds(), r.secondsOf(step.Step)))
		}
		var status string
		switch {
		case existing[step.Step]:
			if status = "done before"; took == "" && r.secondsOf(step.Step) > 0 {
				took = fmt.Sprintf("%.1f", r.secondsOf(step.Step))
			}
		case step.Failed:
			status, output = Failed, ""
		case lost.of(step.Step) != "":
			status, output, _ = strings.Cut(lost.of(step.Step), ": ")
		case !step.Ended.IsZero():
			status = "done"
		case !step.Began.IsZero() && state == Running:
			status, output, took = Running, stepProgress(ctx, storage.Join(location, step.Step)),
				fmt.Sprintf("%.0f", now.Sub(step.Began).Seconds())
		case !step.Began.IsZero():
			if status = Stopped; outputs[step.Step].Err != nil {
				output = stepProgress(ctx, storage.Join(location, step.Step))
			}
		default:
			if status, output = "to come", ""; state == Running {
				status = "waits" + s.waitsFor(step)
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", step.Step, status, output, took)
	}
	return state, t.Flush()
}

// Loss is what is wrong with the output of a step that was done.
type Loss struct {
	// Step is the step of a recipe.
	Step string `json:"step,omitempty"`
	// Fault is "gone", or tells the damage.
	Fault string `json:"fault"`
}

// Losses are those of the steps of a recipe.
type Losses []Loss

// steps are the steps that have lost their outputs.
func (l Losses) steps() (names []string) {
	for _, lost := range l {
		names = append(names, lost.Step)
	}
	return names
}

// of returns the fault of a step, "" for none.
func (l Losses) of(step string) string {
	for _, lost := range l {
		if lost.Step == step {
			return lost.Fault
		}
	}
	return ""
}

// outputs looks at the folders of the steps.
func (s *Run) outputs(ctx context.Context, verbs []verb.Verb, location string) map[string]locations.Output {
	outputs := map[string]locations.Output{}
	for _, step := range s.Steps {
		outputs[step.Step] = locations.OutputOf(ctx, verbs, storage.Join(location, step.Step))
	}
	return outputs
}

// Standing is the state of a run in a folder, and what the folders of its steps have lost.
func (s *Run) Standing(ctx context.Context, verbs []verb.Verb, location string, now time.Time) (state string, lost Losses) {
	return s.standing(s.outputs(ctx, verbs, location), now, Beat(location))
}

// standing is the state of a run with what is in the folders of its steps: a run is damaged that has come to its end,
// and whose steps have lost what they made.
func (s *Run) standing(outputs map[string]locations.Output, now time.Time, beat time.Duration) (state string, lost Losses) {
	state = s.State(now, beat)
	for i, step := range s.Steps {
		told := s.Estimate && i == len(s.Steps)-1 // which has made nothing
		if fault := outputs[step.Step].Damage(); fault != "" && !step.Ended.IsZero() && !step.Failed && !told && state != Running {
			lost = append(lost, Loss{step.Step, fault})
		}
	}
	if state == Complete && lost != nil {
		state = Damaged
	}
	return state, lost
}

// whole says what a run has done that has come to its end.
func (s *Run) whole(name string) string {
	switch {
	case s.Estimate:
		return "the estimate of recipe " + name + " was made, and no step may have cost money"
	case s.Part:
		return "the steps of recipe " + name + " that --only named are whole"
	}
	return "recipe " + name + " is whole"
}

// waitsFor names the steps that a step needs and that are not done, or else the one that
// runs before it.
func (s *Run) waitsFor(step StepState) string {
	var names []string
	for _, candidate := range s.Steps {
		if candidate.Ended.IsZero() && slices.Contains(step.Needs, candidate.Step) {
			names = append(names, candidate.Step)
		}
	}
	if len(names) == 0 {
		return " for its turn"
	}
	return " for " + strings.Join(names, ", ")
}

// stepProgress says how far the step is that makes a folder.
func stepProgress(ctx context.Context, location string) string {
	folder, err := storage.Locate(location)
	if err != nil {
		return ""
	}
	if t, err := training.Read(ctx, location); err == nil && t != nil {
		return t.Progress()
	}
	_, p, err := datasets.ReadProgress(ctx, folder)
	if err != nil {
		return ""
	}
	return p.String()
}
