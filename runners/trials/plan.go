package trials

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"sentweave/runners/command"
	"sentweave/stages/search"
)

// plan shows trials, and how long they take.
func plan(ctx context.Context, p *command.Program, list []training) error {
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "trial\tsteps\tseconds a step\tsettings")
	seconds := 0.
	for _, one := range list {
		speed, err := one.train.Speed(ctx, p, time.Second)
		if err != nil {
			return fmt.Errorf("trial %s: %w", one.Name, err)
		}
		took := 0.
		for _, m := range speed.Periods {
			took += float64(m.Steps) * m.StepSeconds
		}
		seconds += took
		fmt.Fprintf(t, "%s\t%s\t%.3f\t%s\n", one.Name, command.Count(one.Steps), took/float64(one.Steps), search.FlagsOf(one.Settings))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Stdout, "%s: about %s for all steps on this machine, at most\n", command.Counted(int64(len(list)), "trial"),
		command.Round(time.Duration(seconds*float64(time.Second))))
	return err
}
