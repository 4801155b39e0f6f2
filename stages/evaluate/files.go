package evaluate

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/storage"
)

// maxFile bounds one file of test data, which is read whole.
const maxFile = 256 << 20

// files reads the files of one task, hashes them, and remembers which are missing.
type files struct {
	ctx     context.Context
	task    string
	folder  storage.Folder
	missing []string
	hash    xxh3.Hasher
}

// read returns the content of a file, "" for a missing one.
func (f *files) read(name string) (string, error) {
	data, err := storage.ReadFile(f.ctx, f.folder, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		f.missing = append(f.missing, name)
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", f.task, err)
	}
	f.hash.WriteString(name)
	f.hash.Write([]byte{0})
	f.hash.WriteString(strconv.Itoa(len(data)))
	f.hash.Write([]byte{0})
	f.hash.Write(data)
	return string(data), nil
}

// lines returns the lines of a file without their ends. The last one may lack its own.
func (f *files) lines(name string) ([]string, error) {
	text, err := f.read(name)
	if err != nil || text == "" {
		return nil, err
	}
	text = strings.TrimPrefix(text, "\ufeff")
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range list {
		list[i] = strings.TrimSuffix(line, "\r")
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("read %s: %s line %d is not UTF-8", f.task, name, i+1)
		}
	}
	return list, nil
}

// fault returns one error for all missing files. An average over what is there
// would look like the whole.
func (f *files) fault() error {
	if len(f.missing) == 0 {
		return nil
	}
	shown, more := f.missing, ""
	if len(shown) > 5 {
		shown, more = shown[:5], fmt.Sprintf(" and %d more", len(f.missing)-5)
	}
	return fmt.Errorf("%s: %d files are missing: %s%s, expected in %s: %w", f.task, len(f.missing), strings.Join(shown, ", "), more, f.folder, fs.ErrNotExist)
}

func (f *files) sum() string {
	b := f.hash.Sum128().Bytes()
	return hex.EncodeToString(b[:])
}

// number reads a gold score.
func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || x != x || x-x != 0 {
		return 0, fmt.Errorf("score %q is not a finite number", text)
	}
	return x, nil
}
