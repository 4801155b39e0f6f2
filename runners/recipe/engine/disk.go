package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/runners/recipe"
	"sentweave/runners/torchverbs/cost"
	"sentweave/schemas/storage"
	"sentweave/stages/doctor"
	"sentweave/stages/train"
)

// disk returns an error if the steps need more room than there is on the disk of --out, by
// an estimate that is rather low. What is there already needs none.
func (c *runCommand) disk(ctx context.Context, p *command.Program, commands []recipe.Command) error {
	if storage.IsRemote(c.Out) {
		return nil
	}
	free, err := doctor.Free(c.Out)
	if err != nil { // this system does not say
		return nil
	}
	total, sizes := int64(0), map[string]int64{}
	var parts []string
	cache := map[string]int64{} // of locations that several steps read
	known := cost.Upstream{Shapes: map[string]cost.Shape{}}
	for _, step := range commands {
		volume := int64(0)
		for _, need := range step.Needs {
			volume += sizes[need]
		}
		parsed, inputs, err := p.Parsed(step.Args)
		if err != nil {
			return err
		}
		for _, input := range inputs {
			if input.Flag == "vocabulary" && locations.IsFile(input.Location) { // opening a named pipe would wait
				known.Pieces = max(known.Pieces, linesOf(input.Location))
			} else if input.Flag != "langid" {
				if _, ok := cache[input.Location]; !ok {
					cache[input.Location] = locations.BytesBelow(input.Location)
				}
				volume += cache[input.Location]
			}
		}
		size := int64(verbNamed(p, step.Verb()).Makes.Share * float64(volume))
		if verb, ok := parsed.(vocabularyMaker); ok {
			known.Pieces = max(known.Pieces, verb.Pieces())
		}
		if verb, ok := parsed.(encoderMaker); ok {
			known.Shapes[step.Out], _ = verb.Shape(known)
			size = verb.Room(known)
		}
		existing := locations.BytesBelow(step.Out)
		sizes[step.Step] = max(size, existing)
		if growth := size - existing - locations.BytesBelow(step.Out+train.Suffix); growth > 0 &&
			!locations.LooksWhole(ctx, p.Verbs, step.Out) {
			total += growth
			parts = append(parts, fmt.Sprintf("%s %s", step.Step, command.Size(growth)))
		}
	}
	if total <= free {
		return nil
	}
	return fmt.Errorf("the steps write about %s (%s), and %s are free in %s: make room, or choose an --out on another disk",
		command.Size(total), strings.Join(parts, ", "), command.Size(free), c.Out)
}

func linesOf(path string) (n int64) {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		n++
	}
	return n
}

// maxOpened bounds the files that are tried before a recipe begins.
const maxOpened = 100_000

// unreadable returns an error for files of an input that cannot be opened. The verb leaves out links that lead nowhere
// if dangling is true.
func unreadable(input command.Input, flags command.Flags, dangling bool) error {
	var bad []string
	opened := 0
	err := filepath.WalkDir(input.Location, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			bad = append(bad, err.Error())
			return nil
		}
		if info, err := os.Stat(path); entry.IsDir() || err == nil && !info.Mode().IsRegular() {
			return nil // links to folders are not followed
		}
		if opened++; opened > maxOpened {
			return fs.SkipAll
		}
		file, err := os.Open(path)
		if dangling && entry.Type()&fs.ModeSymlink != 0 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP)) {
			return nil
		}
		if err != nil {
			bad = append(bad, err.Error())
			return nil
		}
		return file.Close()
	})
	if err != nil {
		return fmt.Errorf("--%s: %w", input.Flag, err)
	}
	if len(bad) == 0 {
		return nil
	}
	slices.Sort(bad)
	way := "make them readable, or move them away"
	if _, skips := flags["unreadable"]; skips {
		way += ", or give --unreadable=skip, which leaves them out and counts them"
	}
	return fmt.Errorf("--%s: %s in %s cannot be read, such as: %s; %s", input.Flag, command.Counted(int64(len(bad)), "file"),
		input.Location, bad[0], way)
}
