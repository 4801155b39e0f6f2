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
		losses = append(losses, fmt.Sprintf("%s %.3f", name, p.Losses[name]))
	}
	text := fmt.Sprintf("train %s: step %d of %d, %s, %s tokens/s, %s", p.Stage, p.Step, p.Steps, strings.Join(losses, ", "),
		command.Count(int64(p.TokensPerSecond)), command.Size(p.RSSBytes))
	if left := time.Duration(p.RemainingSeconds * float64(time.Second)); left > 0 {
		text += fmt.Sprintf(", about %s left", command.Round(left))
	}
	if s.terminal {
		fmt.Fprintf(s.to, "\r\x1b[K%s", text)
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
