package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// File is an input file as the plan identifies it.
type File struct {
	// Name is relative to the input folder.
	Name  string
	Bytes int64
	// XXH3 is the xxh3-64 of the content.
	XXH3 uint64
}

// List returns the files of an input folder for which want is true, in byte order of
// their names, with the hash of their content: a plan names its input by content, so
// that a touched file is the same input and an edited one is not. It reads every file
// once, several at a time. Entries that are not files are left out. The error names
// all wanted files that cannot be read or whose names are not UTF-8.
func List(ctx context.Context, folder storage.Folder, want func(name string) bool) ([]File, error) {
	var files []File
	var faults fault.List
	for info, err := range folder.List(ctx, "") {
		switch {
		case err != nil && info.Name == "": // the listing itself broke off
			return nil, fmt.Errorf("list %s: %w", folder, err)
		case !want(info.Name), errors.Is(err, storage.ErrIrregular):
		case err != nil:
			faults.Add(err)
		case !utf8.ValidString(info.Name):
			faults.Addf("the name %q is not UTF-8; rename the file", info.Name)
		default:
			files = append(files, File{Name: info.Name, Bytes: info.Size})
		}
	}
	errs := make([]error, len(files))
	var group errgroup.Group
	group.SetLimit(rowfile.AtOnce)
	for i := range files {
		group.Go(func() error {
			errs[i] = hashFile(ctx, folder, &files[i])
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := errors.Join(append(faults, errs...)...); err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	return files, nil
}

func hashFile(ctx context.Context, folder storage.Folder, file *File) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	object, err := folder.Open(ctx, file.Name)
	if err != nil {
		return err
	}
	defer object.Close()
	hash := xxh3.New()
	n, err := io.CopyBuffer(hash, io.NewSectionReader(object, 0, object.Size()), rowfile.HashBuffer(object))
	if err != nil {
		return fmt.Errorf("read %s: %w", file.Name, err)
	}
	file.Bytes, file.XXH3 = n, hash.Sum64()
	return nil
}

// FileInput returns the file at a location as an input of a plan: a listing of that file alone. It reads the
// file once.
func FileInput(ctx context.Context, role, location string) (Input, error) {
	dir, name, err := storage.Split(location)
	if err != nil {
		return Input{}, err
	}
	folder, err := storage.Locate(dir)
	if err != nil {
		return Input{}, err
	}
	file := File{Name: name}
	if err := hashFile(ctx, folder, &file); errors.Is(err, fs.ErrNotExist) {
		return Input{}, fmt.Errorf("there is no file %s in %s", name, dir)
	} else if err != nil {
		return Input{}, err
	}
	return ListingInput(role, []File{file}), nil
}

// ListingInput returns the listing as an input of a plan.
func ListingInput(role string, files []File) Input {
	input := Input{Role: role, Files: int64(len(files))}
	hash := xxh3.New()
	for _, f := range files {
		input.Bytes += f.Bytes
		fmt.Fprintf(hash, "%q %d %016x\n", f.Name, f.Bytes, f.XXH3)
	}
	input.XXH3 = rowfile.HashString(hash.Sum64())
	return input
}

// VocabularyRole is the role of a vocabulary.
const VocabularyRole = "vocabulary"

// VocabularyInput returns a vocabulary as an input of a plan: by its pieces, each with
// a line feed. The name of its file makes no difference, so it has the usual name
// here.
func VocabularyInput(pieces string) Input {
	return ListingInput(VocabularyRole, []File{{Name: "vocab.txt", Bytes: int64(len(pieces)), XXH3: xxh3.HashString(pieces)}})
}
