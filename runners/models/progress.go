package models

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"sentweave/runners/command"
	"sentweave/stages/train"
)

// progress shows training: one line that changes on a terminal, a line now and
// then otherwise.
type progress struct {
	to       io.Writer
	terminal bool
	last     time.Time
	tenth    int64
	open     bool
}

const (
	terminalPause = 200 * time.Millisecond
	linePause     = 30 * time.Second
)

func (s *progress) step(p train.Progress) {
	now := time.Now()
	pause := linePause
	if s.terminal {
		pause = terminalPause
	}
	tenth := 10 * p.Step / max(1, p.Steps)
	if now.Sub(s.last) < pause && (s.terminal || tenth == s.tenth) && p.Step != p.Steps {
		return
	}
	s.last, s.tenth = now, tenth
	var losses []string
	for _, name := range slices.Sorted(maps.Keys(p.Losses)) {
		losses = append(losses, fmt.Sprintf("%s %.4g", name, p.Losses[name]))
	}
	text := fmt.Sprintf("train %s: step %d of %d, %s, %s tokens/s, %s", p.Period, p.Step, p.Steps, strings.Join(losses, ", "),
		command.Count(int64(p.TokensPerSecond)), command.Size(p.RSSBytes))
	if remaining := time.Duration(p.RemainingSeconds * float64(time.Second)); remaining > 0 {
		text += fmt.Sprintf(", about %s left", command.Round(remaining))
	}
	if s.terminal {
		command.Rewrite(s.to, text)
		s.open = true
		return
	}
	fmt.Fprintln(s.to, text)
}

// end leaves the line.
func (s *progress) end() {
	if s.open {
		fmt.Fprintln(s.to)
		s.open = false
	}
}

// tally shows how far a stage is that turns rows into something: one line that changes
// on a terminal, a line now and then otherwise.
type tally struct {
	to          io.Writer
	verb, made  string
	terminal    bool
	began, last time.Time
}

func newTally(w io.Writer, verb, product string) *tally {
	now := time.Now()
	return &tally{w, verb, product, command.IsTerminal(w), now, now}
}

// show takes the rows that are done of all rows, and the number of what was made.
func (t *tally) show(completed, rows, count int64) {
	now := time.Now()
	pause := linePause
	if t.terminal {
		pause = terminalPause
	}
	if now.Sub(t.last) < pause {
		return
	}
	t.last = now
	line := fmt.Sprintf("%s: %s of %s rows, %s %s, %s %s/s", t.verb, command.Count(completed), command.Count(rows),
		command.Count(count), t.made, command.Count(int64(float64(count)/now.Sub(t.began).Seconds())), t.made)
	if t.terminal {
		command.Rewrite(t.to, line)
	} else {
		fmt.Fprintln(t.to, line)
	}
}

// end clears the line.
func (t *tally) end() {
	if t.terminal && t.last.After(t.began) {
		command.Rewrite(t.to, "")
	}
}
