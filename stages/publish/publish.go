// Package publish makes of an encoder or of a dataset what others take: the files of a repository of Hugging Face's Hub, with a card
// that is written from what is known of them, and of a dataset its description in Croissant.
package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/stages/publish/hub"
)

// Config says what the card tells that the files do not.
type Config struct {
	Title     string   `help:"Title of the card; by default the name of the repository, or of the folder." placeholder:"TEXT" group:"Card"`
	License   string   `help:"Licence, by the Hub's name for it, such as apache-2.0 or cc-by-sa-4.0." placeholder:"NAME" group:"Card"`
	Languages []string `help:"Languages, as ISO 639-3; a dataset has those of its funnel if none is given." placeholder:"CODE,..." group:"Card"`
	BaseModel string   `help:"Encoders: repository of the one that the training began with." placeholder:"OWNER/NAME" group:"Card"`
	Results   string   `help:"Encoders: dataset of evaluate whose figures the card has." placeholder:"DIR" group:"Card"`
	Model     string   `help:"Encoders: name of the encoder in --results, if they have several." placeholder:"NAME" group:"Card"`
	// WithoutRejects makes a dataset that can be read, and of which verify says what is missing.
	WithoutRejects bool `help:"Datasets: leave out the samples of what was dropped; verify then names them as missing." group:"Card"`
}

// licence is what the Hub takes for one.
var licence = regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]{0,63}$`)

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.License == "" || licence.MatchString(c.License), "license %q: want a name such as apache-2.0, in lower case", c.License)
	errs.Check(!strings.ContainsAny(c.Title, "\r\n"), "title: it has more than one line")
	errs.Check(c.BaseModel == "" || hub.IsName(c.BaseModel), "base-model %q: want OWNER/NAME", c.BaseModel)
	for _, code := range c.Languages {
		errs.Check(language.Valid(code), "languages: %q is not ISO 639-3, such as deu or zho_Hant", code)
	}
	errs.Check(c.Model == "" || c.Results != "", "model is for --results")
	return errs.Err()
}

// Repository is what is published.
type Repository struct {
	// Kind is hub.Model or hub.Dataset.
	Kind  string
	Files []hub.File
	// Stale says of the name of a file that others would take it for a part of the encoder, or of the dataset.
	Stale func(name string) bool
}

// Names of the files that are made.
const (
	cardName      = "README.md"
	croissantName = "croissant.json"
)

// Open collects the files of an encoder or a dataset and writes its card. Name is OWNER/NAME, or only NAME where the repository has no
// owner yet. Files that were not written here, records of training and what a dataset has for its maker alone are left out. A dataset
// that is not complete, and a folder that is neither, are errors. The card has no clock: equal folders give equal bytes.
func Open(ctx context.Context, location, name string, c Config) (*Repository, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Title == "" {
		c.Title = path.Base(name)
	}
	folder, m, err := dataset.Open(ctx, location)
	if err == nil {
		return openDataset(ctx, folder, m, name, c)
	}
	if !errors.Is(err, dataset.ErrNoDataset) {
		return nil, err
	}
	if _, statErr := folder.Stat(ctx, "config.json"); errors.Is(statErr, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no dataset and no encoder, or does not exist: there is neither %s nor config.json", location, dataset.ManifestName)
	}
	return openEncoder(ctx, location, name, c)
}

// Write writes the files into a folder, each as a whole. A file that is there is an error unless it has the same bytes, or overwrite is
// set; so is another one that would belong to the repository.
func (r *Repository) Write(ctx context.Context, folder storage.Folder, overwrite bool) error {
	ours := map[string]bool{}
	for _, f := range r.Files {
		ours[f.Name] = true
	}
	for info, err := range folder.List(ctx, "") {
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		if !ours[info.Name] && r.Stale(info.Name) {
			return fmt.Errorf("%s holds %s, which would become a part of what is published: take another --out, or move the file away", folder,
				info.Name)
		}
	}
	for _, f := range r.Files {
		if err := write(ctx, folder, f, overwrite); err != nil {
			return err
		}
	}
	return nil
}

func write(ctx context.Context, folder storage.Folder, f hub.File, overwrite bool) error {
	source, err := f.Open(ctx)
	if err != nil {
		return err
	}
	defer source.Close()
	existing, err := folder.Open(ctx, f.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		same, err := equal(source, existing)
		existing.Close()
		if err != nil || same {
			return err
		}
		if !overwrite {
			return fmt.Errorf("%s holds another %s: take another --out, or give --overwrite", folder, f.Name)
		}
	}
	w, err := folder.Create(ctx, f.Name, storage.Replace)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.Copy(w, io.NewSectionReader(source, 0, source.Size())); err != nil {
		return fmt.Errorf("write %s: %w", f.Name, storage.WayOut(err, " and run the same command again"))
	}
	return w.Commit()
}

// equal compares two files, 64 KiB at a time.
func equal(a, b storage.Object) (bool, error) {
	if a.Size() != b.Size() {
		return false, nil
	}
	const piece = 64 << 10
	one, other := make([]byte, piece), make([]byte, piece)
	for from := int64(0); from < a.Size(); from += piece {
		n := min(piece, a.Size()-from)
		for _, read := range []struct {
			object storage.Object
			into   []byte
		}{{a, one[:n]}, {b, other[:n]}} {
			if _, err := io.ReadFull(io.NewSectionReader(read.object, from, n), read.into); err != nil {
				return false, err
			}
		}
		if !bytes.Equal(one[:n], other[:n]) {
			return false, nil
		}
	}
	return true, nil
}

// buffer is a file of bytes.
type buffer struct{ *bytes.Reader }

// Close implements storage.Object.
func (buffer) Close() error { return nil }

func madeFile(name string, data []byte) hub.File {
	return hub.File{Name: name, Size: int64(len(data)), Open: func(context.Context) (storage.Object, error) {
		return buffer{bytes.NewReader(data)}, nil
	}}
}

// filesOf lists the files of a folder that are wanted.
func filesOf(ctx context.Context, folder storage.Folder, wanted func(name string) bool) (files []hub.File, err error) {
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return nil, err
		}
		if wanted(info.Name) {
			files = append(files, hub.File{Name: info.Name, Size: info.Size, Open: func(ctx context.Context) (storage.Object, error) {
				return folder.Open(ctx, info.Name)
			}})
		}
	}
	return files, nil
}
