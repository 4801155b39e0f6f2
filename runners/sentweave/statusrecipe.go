package main

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
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// A recipe or a training is in one of these states.
const (
	running   = "running"
	stopped   = "stopped"
	failed    = "failed"
	completed = "whole"
)

// state is that of a run by its record. A run that gives no sign of life for three beats
// has stopped; on its own machine its process is asked, too.
func (s *runState) state(now time.Time, beat time.Duration) string {
	switch {
	case !s.Ended.IsZero() && s.Fault == "":
		return completed
	case s.Fault == "interrupted":
		return stopped
	case !s.Ended.IsZero():
		return failed
	case now.Sub(s.Seen) > 3*beat || s.isDead():
		return stopped
	}
	return running
}

// isDead says that the process was on this machine and is no longer.
func (s *runState) isDead() bool {
	host, err := os.Hostname()
	return err == nil && host == s.Host && s.Process > 0 && !child.Alive(s.Process)
}

// printRecipe says how far a recipe is: each step with what it made, what it is at, or
// what it waits for.
func printRecipe(ctx context.Context, w io.Writer, location string, r *runRecord, now time.Time) (state string, err error) {
	s := r.Run
	state = s.state(now, beat(location))
	existing := map[string]bool{} // what earlier runs made
	refused := ""
	for _, step := range s.Steps {
		if v, _ := verb.Of(allVerbs, step.Verb); state != running && (step.Failed || step.Ended.IsZero()) && !v.Makes.Judges {
			existing[step.Step] = madeWhole(ctx, storage.Join(location, step.Step))
		}
		if step.Failed && existing[step.Step] {
			refused = step.Step
		}
	}
	owner := fmt.Sprintf("process %d on %s, since %s (%s)", s.Process, s.Host, stamp(s.Started), command.Round(now.Sub(s.Started)))
	switch state {
	case running:
		fmt.Fprintf(w, "%s: recipe %s is running: %s\n", location, r.Recipe, owner)
	case completed:
		what := "recipe " + r.Recipe + " is whole"
		if s.Part {
			what = "the steps of recipe " + r.Recipe + " that --only named are whole"
		}
		fmt.Fprintf(w, "%s: %s: done %s in %s\n", location, what, stamp(s.Ended), command.Round(s.Ended.Sub(s.Started)))
	default:
		way := "the same command goes on where it ended"
		if refused != "" {
			way = fmt.Sprintf("step %s stopped at what an earlier command has made there, and would again by the same command", refused)
		}
		fmt.Fprintf(w, "%s: recipe %s has %s: last seen %s; %s:\n  %s\n", location, r.Recipe, state, stamp(s.Seen), way, s.Command)
		if s.Fault != "" {
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(s.Fault, "\n", "\n  "))
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "step\tstate\tmade\tseconds")
	for _, step := range s.Steps {
		rows, bytes := describeOutput(ctx, storage.Join(location, step.Step))
		output, took := rows, ""
		if bytes != "" {
			output += ", " + bytes
		}
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
			status, output = failed, ""
		case !step.Ended.IsZero():
			status = "done"
		case !step.Began.IsZero() && state == running:
			status, output, took = running, stepProgress(ctx, storage.Join(location, step.Step)),
				fmt.Sprintf("%.0f", now.Sub(step.Began).Seconds())
		case !step.Began.IsZero():
			status, output = stopped, stepProgress(ctx, storage.Join(location, step.Step))
		default:
			if status, output = "to come", ""; state == running {
				status = "waits" + s.waitsFor(step)
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", step.Step, status, output, took)
	}
	return state, t.Flush()
}

// waitsFor names the steps that a step needs and that are not done, or else the one that
// runs before it.
func (s *runState) waitsFor(step stepState) string {
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
	folder, err := storage.At(location)
	if err != nil {
		return ""
	}
	if t, err := readTraining(ctx, location); err == nil && t != nil {
		return t.progress()
	}
	plan, err := dataset.LoadPlan(ctx, folder)
	if err != nil {
		return ""
	}
	count, err := plan.CountReceipts(ctx, folder)
	if err != nil {
		return ""
	}
	p, err := progressOf(ctx, plan, folder, count)
	if err != nil {
		return ""
	}
	return p.String()
}

// stamp is a time for people.
func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
