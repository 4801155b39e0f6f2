package protocol

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
	"sentweave/transforms/read/lineending"
)

// MaxFile bounds one file of test data, which is read whole.
const MaxFile = 256 << 20

// Input is what a task may read. It hashes the files that are read, and remembers
// which are missing.
type Input struct {
	Context context.Context
	Task    string
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
	// Grouped says that the task gives means over --groups.
	Grouped bool
	Folder  storage.Folder
	// Sets are what --benchmarks holds; nil without it.
	Sets    *folders.Sets
	Missing []string
	// Notes say what the task does without.
	Notes []string
	// Hash takes what is evaluated, unless that has a hash already, Content.
	Hash    DataHash
	Content string
}

// Read returns the content of a file, "" for a missing one.
func (reader *Input) Read(name string) (string, error) {
	data, err := storage.ReadFile(reader.Context, reader.Folder, name, MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		reader.Missing = append(reader.Missing, name)
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", reader.Task, err)
	}
	if strings.TrimSpace(string(data)) == "" { // a figure over nothing would look like one
		return "", fmt.Errorf("read %s: %s in %s is empty", reader.Task, name, reader.Folder)
	}
	if err := lineending.Check(data); err != nil {
		return "", fmt.Errorf("read %s: %s: %w", reader.Task, name, err)
	}
	reader.Hash.WriteString(name)
	reader.Hash.Write([]byte{0})
	reader.Hash.WriteString(strconv.Itoa(len(data)))
	reader.Hash.Write([]byte{0})
	reader.Hash.Write(data)
	return string(data), nil
}

// Lines returns the lines of a file without their ends. The last one may lack its own.
func (reader *Input) Lines(name string) ([]string, error) {
	text, err := reader.Read(name)
	if err != nil || text == "" {
		return nil, err
	}
	text = strings.TrimPrefix(text, "\ufeff")
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range list {
		list[i] = strings.TrimSuffix(line, "\r")
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("read %s: %s line %d is not UTF-8", reader.Task, name, i+1)
		}
	}
	return list, nil
}

// TextLines are lines each of which is a text.
func (reader *Input) TextLines(name string) ([]string, error) {
	lines, err := reader.Lines(name)
	if i := slices.IndexFunc(lines, blank.IsBlank[string]); err == nil && i >= 0 {
		err = fmt.Errorf("%s: line %d of %s is blank: each line is a text", reader.Task, i+1, name)
	}
	return lines, err
}

// Fault returns one error for all missing files. An average over what is there
// would look like the whole.
func (reader *Input) Fault() error {
	if len(reader.Missing) == 0 {
		return nil
	}
	files := "files are"
	if len(reader.Missing) == 1 {
		files = "file is"
	}
	return Absence{fmt.Errorf("%s: %d %s missing: %s, expected in %s: %w", reader.Task, len(reader.Missing), files,
		Listed(reader.Missing), reader.Folder, fs.ErrNotExist), reader.Missing}
}

// Listed shows names in a message: the first ones and how many more there are.
func Listed(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Sum is the hash of what is evaluated.
func (reader *Input) Sum() string {
	if reader.Content != "" {
		return reader.Content
	}
	return reader.Hash.Sum()
}

// Wants says whether a language is among those that a user chose.
func (reader *Input) Wants(code string) bool {
	return len(reader.Languages) == 0 || slices.Contains(reader.Languages, code)
}

// Matching lists the files of a folder whose names a pattern takes, by name.
func (reader *Input) Matching(folder string, pattern *regexp.Regexp) (names []string, err error) {
	for info, err := range reader.Folder.List(reader.Context, folder) {
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", reader.Task, err)
		}
		if pattern.MatchString(info.Name) {
			names = append(names, info.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// LanguageCodes returns the codes of languages by their tags.
func LanguageCodes(tags []string) (codes []string, err error) {
	for _, tag := range tags {
		code, err := language.Parse(tag)
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}
