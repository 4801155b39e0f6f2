package encoder

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/transforms/engines/process"
)

const commandPrefix = "command:"

// commandTexts are the texts of a frame that a program of the user gets: its progress can be seen, and an interrupt waits for no more.
const commandTexts = 1024

// IsCommand says whether a name is that of a program of the user that encodes: "command:PROGRAM ARGUMENT …". Words stand between
// spaces, and there are no quotes. The program is started without a shell and speaks as Serve does.
func IsCommand(name string) bool { return strings.HasPrefix(name, commandPrefix) }

// IsEndpoint says whether a name is that of a model behind a service: an address, as package endpoint has it.
func IsEndpoint(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// IsLocation says whether a name is that of a folder or a dataset.
func IsLocation(name string) bool { return !IsBaseline(name) && !IsCommand(name) && !IsEndpoint(name) }

// wordsOf returns the program of a name that IsCommand, and its arguments.
func wordsOf(name string) ([]string, error) {
	words := strings.Fields(strings.TrimPrefix(name, commandPrefix))
	if len(words) == 0 {
		return nil, fmt.Errorf("%q names no program: give command:PROGRAM and its arguments", name)
	}
	return words, nil
}

// CommandInput returns what a program is known by as an input of a plan: its words, and the contents of the files among them, such
// as a script or weights. What the program reads besides is not known. It is an error if the program cannot be found.
func CommandInput(ctx context.Context, role, name string) (dataset.Input, error) {
	words, err := wordsOf(name)
	if err == nil {
		_, err = exec.LookPath(words[0])
	}
	if err != nil {
		return dataset.Input{}, fmt.Errorf("the program of command: %w", err)
	}
	var files []dataset.File
	for _, word := range words {
		file := dataset.File{Name: word}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			input, err := dataset.FileInput(ctx, role, word)
			if err != nil {
				return dataset.Input{}, err
			}
			file.Bytes, file.XXH3 = input.Bytes, xxh3.HashString(input.XXH3)
		}
		files = append(files, file)
	}
	return dataset.ListingInput(role, files), nil
}

// userProgram is an encoder of the user, whose answers are looked at.
type userProgram struct {
	*program
	words     *process.Tail
	dimension int
}

// startCommand starts the program of a name that IsCommand. It must be closed.
func startCommand(ctx context.Context, name string) (Encoder, error) {
	words, err := wordsOf(name)
	if err != nil {
		return nil, err
	}
	command, last := exec.Command(words[0], words[1:]...), new(process.Tail)
	command.Stderr = last
	command.WaitDelay = stopWait // others may hold on to standard error
	process.OwnGroup(command)
	p, err := startProgram(ctx, strings.Join(words, " "), greeting, command)
	if err != nil {
		return nil, saying(err, last)
	}
	return &userProgram{program: p, words: last}, nil
}

// saying adds what a program wrote to standard error to an error.
func saying(err error, words *process.Tail) error {
	if text := strings.TrimSpace(words.String()); text != "" {
		return fmt.Errorf("%w; it wrote: %s", err, text)
	}
	return err
}

// Encode implements Encoder.
func (u *userProgram) Encode(ctx context.Context, texts []Text) (Vectors, error) {
	if len(texts) == 0 {
		return NewDense(nil, max(1, u.dimension))
	}
	data := make([]float32, 0, len(texts)*u.dimension)
	for start := 0; start < len(texts); start += commandTexts {
		part := texts[start:min(start+commandTexts, len(texts))]
		vectors, err := u.program.Encode(ctx, part)
		if err == nil {
			err = u.check(part, vectors.(Dense))
		}
		if err != nil {
			u.broken = err
			_ = u.Close() // so that all of its last words are there
			u.broken = saying(err, u.words)
			return nil, u.broken
		}
		data = append(data, vectors.(Dense).Data...)
	}
	return NewDense(data, u.dimension)
}

// check returns an error for vectors that are not finite, or of another size than those before.
func (u *userProgram) check(texts []Text, d Dense) error {
	if u.dimension == 0 {
		u.dimension = d.Dim
	}
	if d.Dim != u.dimension {
		return fmt.Errorf("encoder %s: it gave vectors of %d numbers, and of %d before", u.name, d.Dim, u.dimension)
	}
	for i, x := range d.Data {
		if y := float64(x); math.IsNaN(y) || math.IsInf(y, 0) {
			return fmt.Errorf("encoder %s: the vector of %q has the number %v", u.name, clip(texts[i/d.Dim].Text), x)
		}
	}
	return nil
}
