package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sentweave/schemas/blank"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/stages/folders"
)

// maxFile bounds one file of test data, which is read whole.
const maxFile = 256 << 20

// input is what a task may read. It hashes the files that are read, and remembers
// which are missing.
type input struct {
	ctx  context.Context
	task string
	// Texts is the dataset of --texts, and Groups the file of groups of languages.
	Texts, Groups string
	// Languages are those that a user chose; none for all.
	Languages []string
	// Split is the part of test sets that have several.
	Split string
	// Probe says how classifiers are trained, and Seeds how often.
	Probe string
	Seeds int
	// Splitlines cuts files of SentEval into lines as its own code does.
	Splitlines bool
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
func (reader *input) read(name string) (string, error) {
	data, err := storage.ReadFile(reader.ctx, reader.folder, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		reader.missing = append(reader.missing, name)
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", reader.task, err)
	}
	if strings.TrimSpace(string(data)) == "" { // a figure over nothing would look like one
		return "", fmt.Errorf("read %s: %s in %s is empty", reader.task, name, reader.folder)
	}
	reader.hash.WriteString(name)
	reader.hash.Write([]byte{0})
	reader.hash.WriteString(strconv.Itoa(len(data)))
	reader.hash.Write([]byte{0})
	reader.hash.Write(data)
	return string(data), nil
}

// lines returns the lines of a file without their ends. The last one may lack its own.
func (reader *input) lines(name string) ([]string, error) {
	text, err := reader.read(name)
	if err != nil || text == "" {
		return nil, err
	}
	text = strings.TrimPrefix(text, "\ufeff")
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range list {
		list[i] = strings.TrimSuffix(line, "\r")
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("read %s: %s line %d is not UTF-8", reader.task, name, i+1)
		}
	}
	return list, nil
}

// textLines are lines each of which is a text.
func (reader *input) textLines(name string) ([]string, error) {
	lines, err := reader.lines(name)
	if i := slices.IndexFunc(lines, blank.Is[string]); err == nil && i >= 0 {
		err = fmt.Errorf("%s: line %d of %s is blank: each line is a text", reader.task, i+1, name)
	}
	return lines, err
}

// fault returns one error for all missing files. An average over what is there
// would look like the whole.
func (reader *input) fault() error {
	if len(reader.missing) == 0 {
		return nil
	}
	listed, suffix := reader.missing, ""
	if len(listed) > 5 {
		listed, suffix = listed[:5], fmt.Sprintf(" and %d more", len(reader.missing)-5)
	}
	files := "files are"
	if len(reader.missing) == 1 {
		files = "file is"
	}
	return absence{fmt.Errorf("%s: %d %s missing: %s%s, expected in %s: %w", reader.task, len(reader.missing), files,
		strings.Join(listed, ", "), suffix, reader.folder, fs.ErrNotExist), reader.missing}
}

// sum is the hash of what is evaluated.
func (reader *input) sum() string {
	if reader.content != "" {
		return reader.content
	}
	return reader.hash.sum()
}

// number reads a gold score.
func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || x != x || x-x != 0 {
		return 0, fmt.Errorf("score %q is not a finite number", text)
	}
	return x, nil
}

// wants says whether a language is among those that a user chose.
func (reader *input) wants(code string) bool {
	return len(reader.Languages) == 0 || slices.Contains(reader.Languages, code)
}

// matching lists the files of a folder whose names a pattern takes, by name.
func (reader *input) matching(folder string, pattern *regexp.Regexp) (names []string, err error) {
	for info, err := range reader.folder.List(reader.ctx, folder) {
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", reader.task, err)
		}
		if pattern.MatchString(info.Name) {
			names = append(names, info.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// codesOf returns the codes of languages by their tags.
func codesOf(tags []string) (codes []string, err error) {
	for _, tag := range tags {
		code, err := language.Parse(tag)
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}
