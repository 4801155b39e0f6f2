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
	// steps are those that are planned, taken those after which the encoder was published.
	steps, taken int64
	// last is the last line of its losses; its step is 0 before the first.
	last train.Line
	// kept is the step of the newest checkpoint, which may be ahead of the losses.
	kept  int64
	whole bool
	// damage is what is wrong with the encoder of a whole one, nil for nothing.
	damage error
	// seen is when that was written, zero where the storage does not tell.
	seen time.Time
	// owner is the process that is at work, if it is known.
	owner string
}

// maxLosses is what is read of the losses of a training, from their end.
const maxLosses = 1 << 20

// readTraining returns nil if the folder holds none.
func readTraining(ctx context.Context, location string) (*training, error) {
	location = strings.TrimSuffix(strings.TrimRight(location, "/"), train.Suffix) // both folders are of one training
	workspace := location + train.Suffix
	plan, _, err := published(ctx, workspace)
	if err != nil {
		return nil, err
	}
	encoder, folder, err := published(ctx, location)
	if err != nil || max(plan.Steps, encoder.Steps) == 0 {
		return nil, err
	}
	t := &training{steps: max(plan.Steps, encoder.Steps), taken: encoder.Taken, whole: encoder.Finished && encoder.Steps >= plan.Steps}
	if t.whole {
		t.damage = encoder.CheckSizes(ctx, folder)
	}
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
	if folder, err = storage.At(location); err != nil {
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
	case t.damage != nil:
		return fmt.Sprintf("training was whole after %s, and its encoder is damaged: %s; put back the files of the encoder, or train it anew by `sentweave train` with --overwrite",
			command.Counted(t.taken, "step"), oneLine(t.damage.Error()))
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
