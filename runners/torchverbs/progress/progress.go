// Package progress shows on a stream how far a training is, and stages that turn rows into something.
package progress

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

// Training shows a training: one line that changes on a terminal, a line now and
// then otherwise.
type Training struct {
	to       io.Writer
	terminal bool
	last     time.Time
	tenth    int64
	open     bool
}

// NewTraining returns one on a stream.
func NewTraining(w io.Writer) *Training {
	return &Training{to: w, terminal: command.IsTerminal(w)}
}

const (
	terminalPause = 200 * time.Millisecond
	linePause     = 30 * time.Second
)

// Step takes a step that was done.
func (s *Training) Step(p train.Progress) {
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

// End leaves the line.
func (s *Training) End() {
	if s.open {
		fmt.Fprintln(s.to)
		s.open = false
	}
}

// Tally shows how far a stage is that turns rows into something: one line that changes
// on a terminal, a line now and then otherwise.
type Tally struct {
	to          io.Writer
	verb, made  string
	terminal    bool
	began, last time.Time
}

// NewTally returns one on a stream: of a verb, and of what it makes, such as "vectors".
func NewTally(w io.Writer, verb, product string) *Tally {
	now := time.Now()
	return &Tally{w, verb, product, command.IsTerminal(w), now, now}
}

// Show takes the rows that are done of all rows, and the number of what was made.
func (t *Tally) Show(completed, rows, count int64) {
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

// End clears the line.
func (t *Tally) End() {
	if t.terminal && t.last.After(t.began) {
		command.Rewrite(t.to, "")
	}
}
