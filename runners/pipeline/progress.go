package pipeline

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"sentweave/runners/beam"
	"sentweave/runners/command"
)

// newProgress shows a job on a stream: a bar on a terminal, a plain line now and
// then otherwise. The second result ends the display.
func newProgress(w io.Writer) (show func(beam.Progress), end func()) {
	if command.IsTerminal(w) {
		b := &bar{to: w}
		return b.show, b.close
	}
	return (&lines{to: w}).show, func() {}
}

// bar draws with mpb. Bars come one after another when a recipe runs.
type bar struct {
	to       io.Writer
	progress *mpb.Progress
	bar      *mpb.Bar
	last     atomic.Pointer[beam.Progress]
}

func (b *bar) show(p beam.Progress) {
	b.last.Store(&p)
	if b.bar == nil {
		b.progress = mpb.New(mpb.WithOutput(command.Plain(b.to)), mpb.WithWidth(40), mpb.WithRefreshRate(200*time.Millisecond))
		b.bar = b.progress.AddBar(barSteps,
			mpb.PrependDecorators(decor.Name(p.Pipeline, decor.WC{W: 12, C: decor.DindentRight})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return command.Escaped(describe(*b.last.Load())) })))
	}
	b.bar.SetCurrent(int64(p.Share * (barSteps - 1))) // full only when the manifest is written
	if p.Finished {
		b.bar.SetTotal(-1, true)
		b.close()
	}
}

// barSteps is the length of a bar.
const barSteps = 1000

// close ends the bar of a job that stopped before its end, too.
func (b *bar) close() {
	if b.bar != nil {
		b.bar.Abort(false)
		b.progress.Wait()
		b.bar = nil
	}
}

// lines prints when the work has grown by a tenth, and now and then in between.
type lines struct {
	to    io.Writer
	state string
	tenth int
	last  time.Duration
}

func (l *lines) show(p beam.Progress) {
	tenth := int(10 * p.Share)
	first := p.Elapsed == 0
	pause := time.Minute
	if p.Working != "" || p.Read > 0 {
		pause /= 4 // its units may take long
	}
	if !first && !p.Finished && tenth == l.tenth && p.Elapsed-l.last < pause && p.State == l.state {
		return
	}
	if p.Finished && l.tenth == 10 && !first {
		return
	}
	l.tenth, l.last, l.state = tenth, p.Elapsed, p.State
	fmt.Fprintf(l.to, "%s: %s\n", p.Pipeline, describe(p))
}

// shortestForecast is the number of seconds before which it is not told how long a job will
// take: its first units tell little.
const shortestForecast = 2

// describe says how far the job is, how fast it goes and when it will be done.
func describe(p beam.Progress) string {
	s := fmt.Sprintf("%s of %s", command.Count(int64(p.Done)), command.Counted(int64(p.Total), "unit"))
	if p.Before > 0 {
		s += fmt.Sprintf(" (%d done before)", p.Before)
	}
	seconds := p.Elapsed.Seconds()
	counts := p.Read > 0 && p.Items != ""
	if counts {
		s += fmt.Sprintf(", %s read", command.Counted(p.Read, strings.TrimSuffix(p.Items, "s")))
	}
	if fresh := p.Share - p.ShareBefore; fresh > 0 && seconds > 0 {
		if counts {
			s += fmt.Sprintf(", %s a second", rate(float64(p.Read)/seconds))
		} else if units := p.Done - p.Before; units > 0 {
			s += fmt.Sprintf(", %s units a second", rate(float64(units)/seconds))
		}
		s += fmt.Sprintf(", %s", command.Round(p.Elapsed))
		if remaining := 1 - p.Share; remaining > 0 && seconds >= shortestForecast {
			s += fmt.Sprintf(", about %s left", command.Round(time.Duration(remaining/fresh*float64(p.Elapsed))))
		}
	} else if p.State != "" && !p.Finished {
		s += ", " + p.State
	}
	if p.Working != "" {
		s += ", " + p.Working
	}
	return s
}

// rate prints what is done in a second.
func rate(x float64) string {
	if x >= 100 {
		return command.Count(int64(x + .5))
	}
	return fmt.Sprintf("%.3g", x)
}
