// Package training reads from the folder of a training how far it is, while the training is at work or afterwards.
package training

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
	"sentweave/schemas/storage/workspace"
	"sentweave/stages/train"
)

// State is how far a training is, as its folder says.
type State struct {
	// Steps are those that are planned, Taken those after which the encoder was published.
	Steps, Taken int64
	// Last is the last line of its losses; its step is 0 before the first.
	Last train.Line
	// Kept is the step of the newest checkpoint, which may be ahead of the losses.
	Kept int64
	// MaxTime is the time of --max-time after which the run ended that wrote that checkpoint; empty if it did not end so.
	MaxTime string
	// Whole says that its encoder was published.
	Whole bool
	// Damage is what is wrong with the encoder of a whole one, nil for nothing.
	Damage error
	// seen is when its losses or its plan were written last, zero where the storage does not tell.
	seen time.Time
	// Owner is the process that is at work, if it is known.
	Owner string
}

// maxLosses is what is read of the losses of a training, from their end.
const maxLosses = 1 << 20

// Read returns the state of the training in a folder, nil if the folder holds none.
func Read(ctx context.Context, location string) (*State, error) {
	location = strings.TrimSuffix(strings.TrimRight(location, "/"), train.Suffix) // both folders are of one training
	second := location + train.Suffix
	plan, _, err := published(ctx, second)
	if err != nil {
		return nil, err
	}
	encoder, folder, err := published(ctx, location)
	if err != nil || max(plan.Steps, encoder.Steps) == 0 {
		return nil, err
	}
	t := &State{Steps: max(plan.Steps, encoder.Steps), Taken: encoder.Taken, Whole: encoder.Finished && encoder.Steps >= plan.Steps}
	if t.Whole {
		t.Damage = encoder.CheckSizes(ctx, folder)
	}
	losses, err := endOf(ctx, storage.Join(location, train.LossesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	t.Last = lastLine(losses)
	if t.Kept = newestCheckpoint(ctx, second); t.Kept > 0 && !t.Whole {
		newest, _, _ := published(ctx, storage.Join(second, "checkpoints", fmt.Sprintf("%06d", t.Kept))) // it may be gone by now
		t.MaxTime = newest.MaxTime
	}
	if !storage.IsRemote(location) {
		for _, file := range []string{filepath.Join(location, train.LossesName), filepath.Join(second, train.RecordName)} {
			if info, err := os.Stat(file); err == nil && info.ModTime().After(t.seen) {
				t.seen = info.ModTime()
			}
		}
		if locked(filepath.Join(second, workspace.LockName)) {
			t.Owner = "a process of this machine"
		}
		return t, nil
	}
	var owner workspace.Owner
	if data, err := storage.ReadLocation(ctx, storage.Join(second, workspace.OwnerName), 1<<16); err == nil &&
		jsonfile.Unmarshal(data, &owner) == nil {
		t.Owner = fmt.Sprintf("process %d on %s, since %s", owner.Process, owner.Host, command.Stamp(owner.Begun))
	}
	return t, nil
}

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

// endOf reads the end of losses, of at most maxLosses bytes. It begins within a line.
func endOf(ctx context.Context, location string) ([]byte, error) {
	object, err := storage.OpenFile(ctx, location)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	size := min(object.Size(), maxLosses)
	return io.ReadAll(io.NewSectionReader(object, object.Size()-size, size))
}

// published is what the record in a folder says, zero if there is none.
func published(ctx context.Context, location string) (p train.Published, folder storage.Folder, err error) {
	if folder, err = storage.Locate(location); err != nil {
		return p, nil, err
	}
	if p, err = train.ReadPublished(ctx, folder); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return p, folder, err
}

// newestCheckpoint is the step of the newest checkpoint with a record, 0 if there is none.
// Checkpoints come and go while it looks: an error ends the look.
func newestCheckpoint(ctx context.Context, location string) (newest int64) {
	folder, err := storage.Locate(location)
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

// Length is how many steps the training has taken, of how many.
func (t *State) Length() string {
	taken := max(t.Taken, t.Kept, t.Last.Step)
	if taken == t.Steps {
		return command.Counted(t.Steps, "step")
	}
	return fmt.Sprintf("%s of %s", command.Count(taken), command.Counted(t.Steps, "step"))
}

// Progress says how far it is, and how long it will take if it is at work.
func (t *State) Progress() string {
	if t.Kept > t.Last.Step {
		return fmt.Sprintf("step %s of %s, as its checkpoint says", command.Count(t.Kept), command.Count(t.Steps))
	}
	if t.Last.Step == 0 {
		return fmt.Sprintf("none of %s", command.Counted(t.Steps, "step"))
	}
	text := fmt.Sprintf("step %s of %s, loss %.4f", command.Count(t.Last.Step), command.Count(t.Steps), t.Last.Loss)
	if remaining := time.Duration(t.Last.RemainingSeconds * float64(time.Second)); remaining > 0 && t.Owner != "" {
		text += fmt.Sprintf(", about %s left", command.Round(remaining))
	}
	return text
}

// String says what state it is in.
func (t *State) String() string {
	switch {
	case t.Damage != nil:
		return fmt.Sprintf("training was whole after %s, and its encoder is damaged: %s; put back the files of the encoder, or train it anew by `sentweave train` with --overwrite",
			command.Counted(t.Taken, "step"), command.OneLine(t.Damage.Error()))
	case t.Whole:
		text := "training is whole: " + command.Counted(t.Steps, "step")
		if t.Taken > 0 && t.Taken < t.Steps {
			text = fmt.Sprintf("training is whole: it ended after %s of %s", command.Count(t.Taken), command.Counted(t.Steps, "step"))
		}
		if t.Last.Step > 0 {
			text += fmt.Sprintf(", loss %.4f", t.Last.Loss)
		}
		return text
	case t.Owner != "":
		return fmt.Sprintf("training is running, by %s: %s", t.Owner, t.Progress())
	case t.MaxTime != "":
		return fmt.Sprintf("training has ended a run after the %s of --max-time: %s; the same `sentweave train` goes on from there",
			t.MaxTime, t.Progress())
	}
	suffix := ""
	if !t.seen.IsZero() {
		suffix = ", last seen " + command.Stamp(t.seen)
	}
	return fmt.Sprintf("training has stopped, unless another machine is at work: %s%s; the same `sentweave train` goes on from the last checkpoint",
		t.Progress(), suffix)
}
