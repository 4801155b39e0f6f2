package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sentweave/runners/command"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/filelock"
	"sentweave/stages/train"
)

// training is how far a training is, as its folder says.
type training struct {
	// steps are those that are planned, taken those of a whole one.
	steps, taken int64
	// last is the last line of its losses; its step is 0 before the first.
	last train.Line
	// kept is the step of the newest checkpoint, which may be ahead of the losses.
	kept  int64
	whole bool
	// seen is when that was written, zero where the storage does not tell.
	seen time.Time
	// owner is the process that is at work, if it is known.
	owner string
}

// Limits of what is read of a training.
const (
	maxTrainingRecord = 64 << 20
	maxLosses         = 1 << 20 // from the end
)

// readTraining returns nil if the folder holds none.
func readTraining(ctx context.Context, location string) (*training, error) {
	location = strings.TrimSuffix(strings.TrimRight(location, "/"), train.Suffix) // both folders are of one training
	workspace := location + train.Suffix
	planned, _, err := stepsOf(ctx, workspace)
	if err != nil {
		return nil, err
	}
	recorded, completed, err := stepsOf(ctx, location)
	if err != nil || max(planned, recorded) == 0 {
		return nil, err
	}
	t := &training{steps: max(planned, recorded), taken: completed, whole: recorded >= planned}
	losses, err := endOf(ctx, storage.Join(location, train.LossesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	t.last = lastLine(losses)
	t.kept = newestCheckpoint(ctx, workspace)
	if !storage.IsRemote(location) {
		for _, file := range []string{filepath.Join(location, train.LossesName), filepath.Join(workspace, train.RecordName)} {
			if info, err := os.Stat(file); err == nil && info.ModTime().After(t.seen) {
				t.seen = info.ModTime()
			}
		}
		if locked(filepath.Join(workspace, "lock")) {
			t.owner = "a process of this machine"
		}
		return t, nil
	}
	var owner struct {
		Host    string    `json:"host"`
		Process int       `json:"process"`
		Begun   time.Time `json:"begun"`
	}
	if data, err := storage.ReadLocation(ctx, storage.Join(workspace, "owner.json"), 1<<16); err == nil &&
		jsonfile.Unmarshal(data, &owner) == nil {
		t.owner = fmt.Sprintf("process %d on %s, since %s", owner.Process, owner.Host, stamp(owner.Begun))
	}
	return t, nil
}

// endOf reads the end of losses, of at most maxLosses bytes. It begins within a line.
// locked says whether a process holds the lock of a training.
func locked(path string) bool {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a named pipe would wait for a writer
	if err != nil {
		return false
	}
	defer file.Close()
	_, err = filelock.Lock(file, filelock.Shared, false)
	return errors.Is(err, filelock.ErrBusy)
}

func endOf(ctx context.Context, location string) ([]byte, error) {
	object, err := storage.OpenFile(ctx, location)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	size := min(object.Size(), maxLosses)
	return io.ReadAll(io.NewSectionReader(object, object.Size()-size, size))
}

// stepsOf are the steps of the record in a folder: those that were planned, and of an encoder those that
// were taken, which patience may have made fewer; 0 if there is none.
func stepsOf(ctx context.Context, folder string) (planned, completed int64, err error) {
	location := storage.Join(folder, train.RecordName)
	data, err := storage.ReadLocation(ctx, location, maxTrainingRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	var r struct {
		Steps int64 `json:"steps"`
		Step  int64 `json:"step"`
	}
	if err := jsonfile.Unmarshal(data, &r); err != nil {
		return 0, 0, fmt.Errorf("read %s: %w", location, err)
	}
	return r.Steps, r.Step, nil
}

// newestCheckpoint is the step of the newest checkpoint with a record, 0 if there is none.
// Checkpoints come and go while it looks: an error ends the look.
func newestCheckpoint(ctx context.Context, location string) (newest int64) {
	folder, err := storage.At(location)
	if err != nil {
		return 0
	}
	for info, err := range folder.List(ctx, "checkpoints/") {
		if err != nil {
			return newest
		}
		if step, err := strconv.ParseInt(path.Base(path.Dir(info.Name)), 10, 64); err == nil && path.Base(info.Name) == train.RecordName {
			newest = max(newest, step)
		}
	}
	return newest
}

// lastLine is the last whole line of losses.
func lastLine(losses []byte) (last train.Line) {
	for line := range bytes.Lines(losses) {
		var l train.Line
		if bytes.HasSuffix(line, []byte("\n")) && jsonfile.Unmarshal(line, &l) == nil && l.Step > 0 {
			last = l
		}
	}
	return last
}

// progress says how far it is, and how long it will take if it is at work.
func (t *training) progress() string {
	if t.kept > t.last.Step {
		return fmt.Sprintf("step %s of %s, as its checkpoint says", command.Count(t.kept), command.Count(t.steps))
	}
	if t.last.Step == 0 {
		return fmt.Sprintf("none of %s", command.Counted(t.steps, "step"))
	}
	text := fmt.Sprintf("step %s of %s, loss %.4f", command.Count(t.last.Step), command.Count(t.steps), t.last.Loss)
	if remaining := time.Duration(t.last.RemainingSeconds * float64(time.Second)); remaining > 0 && t.owner != "" {
		text += fmt.Sprintf(", about %s left", command.Round(remaining))
	}
	return text
}

// String says what state it is in.
func (t *training) String() string {
	switch {
	case t.whole:
		text := "training is whole: " + command.Counted(t.steps, "step")
		if t.taken > 0 && t.taken < t.steps {
			text = fmt.Sprintf("training is whole: it ended after %s of %s", command.Count(t.taken), command.Counted(t.steps, "step"))
		}
		if t.last.Step > 0 {
			text += fmt.Sprintf(", loss %.4f", t.last.Loss)
		}
		return text
	case t.owner != "":
		return fmt.Sprintf("training is running, by %s: %s", t.owner, t.progress())
	}
	suffix := ""
	if !t.seen.IsZero() {
		suffix = ", last seen " + stamp(t.seen)
	}
	return fmt.Sprintf("training has stopped, unless another machine is at work: %s%s; the same `sentweave train` goes on from the last checkpoint",
		t.progress(), suffix)
}
