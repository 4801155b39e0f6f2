package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sentweave/schemas/blank"
	"sentweave/schemas/storage"
	"sentweave/stages/folders"
)

// maxFile bounds one file of test data, which is read whole.
const maxFile = 256 << 20

// input is what a task may read. It hashes the files that are read, and remembers
// which are missing.
type input struct {
	Config
	ctx  context.Context
	task string
	// grouped says that the task gives means over --groups.
	grouped bool
	folder  storage.Folder
	// sets are what --benchmarks holds; nil without it.
	sets    *folders.Sets
	missing []string
	// notes say what the task does without.
	notes []string
	// hash takes what is evaluated, unless it has a hash already, content.
	hash    dataHash
	content string
}

// read returns the content of a file, "" for a missing one.
func (in *input) read(name string) (string, error) {
	data, err := storage.ReadFile(in.ctx, in.folder, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		in.missing = append(in.missing, name)
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", in.task, err)
	}
	if strings.TrimSpace(string(data)) == "" { // a figure over nothing would look like one
		return "", fmt.Errorf("read %s: %s in %s is empty", in.task, name, in.folder)
	}
	in.hash.WriteString(name)
	in.hash.Write([]byte{0})
	in.hash.WriteString(strconv.Itoa(len(data)))
	in.hash.Write([]byte{0})
	in.hash.Write(data)
	return string(data), nil
}

// lines returns the lines of a file without their ends. The last one may lack its own.
func (in *input) lines(name string) ([]string, error) {
	text, err := in.read(name)
	if err != nil || text == "" {
		return nil, err
	}
	text = strings.TrimPrefix(text, "\ufeff")
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range list {
		list[i] = strings.TrimSuffix(line, "\r")
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("read %s: %s line %d is not UTF-8", in.task, name, i+1)
		}
	}
	return list, nil
}

// textLines are lines each of which is a text.
func (in *input) textLines(name string) ([]string, error) {
	lines, err := in.lines(name)
	if i := slices.IndexFunc(lines, blank.Is[string]); err == nil && i >= 0 {
		err = fmt.Errorf("%s: line %d of %s is blank: each line is a text", in.task, i+1, name)
	}
	return lines, err
}

// fault returns one error for all missing files. An average over what is there
// would look like the whole.
func (in *input) fault() error {
	if len(in.missing) == 0 {
		return nil
	}
	shown, more := in.missing, ""
	if len(shown) > 5 {
		shown, more = shown[:5], fmt.Sprintf(" and %d more", len(in.missing)-5)
	}
	files := "files are"
	if len(in.missing) == 1 {
		files = "file is"
	}
	return absence{fmt.Errorf("%s: %d %s missing: %s%s, expected in %s: %w", in.task, len(in.missing), files, strings.Join(shown, ", "), more, in.folder, fs.ErrNotExist), in.missing}
}

// sum is the hash of what is evaluated.
func (in *input) sum() string {
	if in.content != "" {
		return in.content
	}
	return in.hash.sum()
}

// number reads a gold score.
func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || x != x || x-x != 0 {
		return 0, fmt.Errorf("score %q is not a finite number", text)
	}
	return x, nil
}
