package train

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/workspace"
)

// LossesName is the name of the file of losses.
const LossesName = "losses.jsonl"

// Line is a line of losses.jsonl: the means over the steps since the line before. Only
// Seconds and the fields after it differ between equal runs.
type Line struct {
	Step   int64  `json:"step"`
	Period string `json:"period"`
	// Loss is the weighted sum of the losses of the sources; of those that take turns, of the
	// ones that gave batches. Losses has no others.
	Loss   float64            `json:"loss"`
	Losses map[string]float64 `json:"losses"`
	// GradientNorm is the one before clipping.
	GradientNorm float64 `json:"gradient_norm"`
	// Rate is that of the last of the steps.
	Rate float64 `json:"rate"`
	// Validation are the losses of what is held out after the last of the steps, by source, and
	// the figure of a task, by the name of the metric; nil where it was not validated.
	Validation map[string]float64 `json:"validation,omitempty"`
	// Tokens sums the real tokens of the steps.
	Tokens int64 `json:"tokens"`

	// Seconds that the steps took, without checkpoints; after a resume, that those
	// since then took.
	Seconds         float64 `json:"seconds"`
	TokensPerSecond float64 `json:"tokens_per_second"`
	// WaitShare is the share of the time in which the loop waited for data.
	WaitShare float64 `json:"wait_share"`
	// RemainingSeconds is an estimate from the speed of this run.
	RemainingSeconds float64 `json:"remaining_seconds"`
	// RSSBytes is the resident memory, 0 where the system does not tell.
	RSSBytes int64 `json:"rss_bytes"`
}

// ReadLosses reads the losses that a run has written.
func ReadLosses(path string) ([]Line, error) {
	file, err := storage.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var lines []Line
	_, err = scanLosses(file, func(l Line) bool { lines = append(lines, l); return true })
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return lines, nil
}

// scanLosses calls want with each line up to one for which it is false, or which is
// cut or no line of losses, as a kill or a full disk leaves one. It returns the
// number of bytes before that.
func scanLosses(source io.Reader, want func(Line) bool) (size int64, err error) {
	reader := bufio.NewReader(source)
	for {
		text, err := reader.ReadBytes('\n')
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return size, err
		}
		var l Line
		if jsonfile.Unmarshal(text, &l) != nil || l.Step < 1 || !want(l) {
			return size, nil
		}
		size += int64(len(text))
	}
}

// trimLosses cuts off the lines after a step, at once or not at all. It returns the
// step of the last line.
func trimLosses(ctx context.Context, w *workspace.Workspace, path string, step int64) (last int64, err error) {
	file, err := storage.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	size, err := scanLosses(file, func(l Line) bool {
		if l.Step > step || l.Step <= last {
			return false
		}
		last = l.Step
		return true
	})
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	info, err := file.Stat()
	if err != nil || info.Size() == size {
		return last, err
	}
	return last, wayOut(w.Write(ctx, path, io.NewSectionReader(file, 0, size)))
}

// Sums are those of the steps since the last line of losses.
type Sums struct {
	Steps  int64              `json:"steps"`
	Losses map[string]float64 `json:"losses,omitempty"`
	// Shares are those of each source in the items of a step, summed, where sources take turns.
	Shares       map[string]float64 `json:"shares,omitempty"`
	GradientNorm float64            `json:"gradient_norm"`
	Tokens       int64              `json:"tokens"`
}

// line divides the sums of steps of a period.
func (s *Sums) line(p Period) Line {
	n := float64(s.Steps)
	l := Line{Losses: make(map[string]float64, len(p.Mixture)), GradientNorm: s.GradientNorm / n, Tokens: s.Tokens}
	for _, source := range p.Mixture {
		sum, ok := s.Losses[source.Name]
		if !ok { // it gave no batch
			continue
		}
		mean := sum / n
		l.Loss += source.Weight * mean
		if share := s.Shares[source.Name]; share > 0 {
			mean *= n / share
		}
		l.Losses[source.Name] = mean
	}
	return l
}

// writeLine appends a line to the losses.
func writeLine(w *workspace.Log, l Line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", w.Path(), wayOut(err))
	}
	return nil
}
