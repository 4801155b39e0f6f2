// Package identifier opens language identifiers for pipelines.
package identifier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/clean/langid/embedded"
	"sentweave/transforms/clean/langid/fasttext"
)

// Values of the flag --langid that are no files: the model that comes with the program, and no model, as without the flag. A file of such
// a name is ./embedded.
const (
	Embedded = "embedded"
	None     = "none"
)

// Location returns the location that a value of --langid names, "" for none.
func Location(value string) string {
	if value == None {
		return ""
	}
	return value
}

// Open reads the model that a value of --langid names, nil for none.
func Open(ctx context.Context, value string) (*langid.FastText, error) {
	location := Location(value)
	if location == "" {
		return nil, nil
	}
	m, err := read(ctx, location)
	if err != nil {
		return nil, fmt.Errorf("open language identifier %q: %w", location, err)
	}
	f, err := langid.NewFastText(m)
	if err != nil {
		return nil, fmt.Errorf("open language identifier %q: %w", location, err)
	}
	return f, nil
}

// Lacking returns those of the languages that the model which a value of --langid names never answers, each with what such a model is
// likely to answer in its place, as in "bos (rather hrv or srp)"; nil if there is no model.
func Lacking(ctx context.Context, value string, codes []string) (list []string, err error) {
	if len(codes) == 0 {
		return nil, nil
	}
	model, err := Open(ctx, value)
	if err != nil || model == nil {
		return nil, err
	}
	for _, code := range codes {
		if model.Knows(code) {
			continue
		}
		if near := model.Siblings(code); len(near) > 0 {
			code += " (rather " + strings.Join(near, " or ") + ")"
		}
		list = append(list, code)
	}
	return list, nil
}

func read(ctx context.Context, location string) (*fasttext.Model, error) {
	if location == Embedded {
		return embedded.Model()
	}
	file, err := storage.OpenFile(ctx, location)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return fasttext.Read(io.NewSectionReader(file, 0, file.Size()), file.Size())
}

// OpenFile returns the model at a location, or the embedded one, as a job and its plan hold it. It is an error if the model identifies no
// languages.
func OpenFile(ctx context.Context, role, location string) (units.File, dataset.Input, error) {
	var f units.File
	var input dataset.Input
	if location == Embedded {
		f = program()
		input = dataset.ListingInput(role, []dataset.File{{Name: Embedded, Bytes: f.Bytes, XXH3: f.XXH3}})
	} else {
		var err error
		if f, input, err = units.OpenFile(ctx, role, location); err != nil {
			return f, input, err
		}
	}
	_, err := Open(ctx, f.Location)
	return f, input, err
}

func program() units.File {
	return units.File{Location: Embedded, Bytes: int64(len(embedded.File)), XXH3: xxh3.Hash(embedded.File)}
}

// Load opens the model of a job, nil for none. It is an error if the model is another one than when the job was planned.
func Load(ctx context.Context, f units.File) (*langid.FastText, error) {
	switch f.Location {
	case "":
		return nil, nil
	case Embedded:
		if f != program() {
			return nil, errors.New("language identifier: the embedded one of this program is another one than when this job was planned; " +
				"run the same command again, with --overwrite")
		}
	default:
		if err := f.Verify(ctx); err != nil {
			return nil, fmt.Errorf("language identifier: %w", err)
		}
	}
	return Open(ctx, f.Location)
}
