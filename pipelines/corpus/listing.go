package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
)

// input is a file that the plan takes.
type input struct {
	dataset.File
	page       string
	format     string
	compressed bool
}

// splits says whether byte ranges of the file can be read apart.
func (c Config) splits(in input) bool {
	return !in.compressed && (in.format == FormatJSONL || in.format == FormatText && c.Documents != DocumentsFile)
}

// listing is what became of the files of the input folder. The names decide:
// what is not taken is not opened.
type listing struct {
	config Config
	layout Layout
	codes  []string
	// prefix is that of the output, if it stands in the input folder.
	prefix string

	taken map[string]input
	files int
	// What is left out, and why.
	hidden, unknown, irregular, outOfShape, unwanted, otherParts omitted
	// Taken, but the layout reads no language off them.
	unstated omitted
}

// omitted counts files, with the first of their names.
type omitted struct {
	n     int
	first string
}

func (o *omitted) add(name string) {
	if o.n++; o.n == 1 || name < o.first {
		o.first = name
	}
}

func (c Config) newListing(root, output string) (*listing, error) {
	l := &listing{config: c, taken: map[string]input{}}
	var err error
	if l.layout, err = ParseLayout(c.Layout); err != nil {
		return nil, err
	}
	if l.codes, err = c.codes(); err != nil {
		return nil, err
	}
	// A dataset that is being made must not become a part of its own plan.
	if inside, ok := storage.Relative(root, output); ok && inside != "." {
		l.prefix = inside + "/"
	}
	return l, nil
}

// choose lists the names and decides which files are read. Ranks of pages count
// all pages of the layout, in whatever language: which part a page belongs to
// must not depend on the languages that are wanted, or a page that is held out
// in one run would be trained on in another.
func (l *listing) choose(ctx context.Context, folder storage.Folder) error {
	var pages []string
	candidates := map[string]input{}
	for info, err := range folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return fmt.Errorf("list %s: %w", folder, err)
		}
		if l.prefix != "" && strings.HasPrefix(info.Name, l.prefix) {
			continue
		}
		l.files++
		if errors.Is(err, storage.ErrIrregular) {
			l.irregular.add(info.Name)
			continue
		}
		in, stated, ok := l.candidate(info.Name)
		if !ok {
			continue
		}
		if in.format != FormatJSONL {
			pages = append(pages, in.page)
		}
		if !l.wants(stated) {
			l.unwanted.add(info.Name)
			continue
		}
		candidates[info.Name] = in
	}
	parts := l.config.Selection.pages(pages)
	for name, in := range candidates {
		if in.format != FormatJSONL && !parts[in.page] {
			l.otherParts.add(name)
			continue
		}
		if stated, _, ok := l.layout.Read(name); ok && parseStated(stated) == "" {
			l.unstated.add(name)
		}
		l.taken[name] = in
	}
	return nil
}

// candidate reads a file's name. It is false for a file that is none of ours.
func (l *listing) candidate(name string) (in input, stated string, ok bool) {
	in.format, in.compressed = formatOf(name)
	if l.config.Format != FormatAuto {
		in.format = l.config.Format
	}
	switch {
	case isHidden(name):
		l.hidden.add(name)
		return in, "", false
	case in.format == "":
		l.unknown.add(name)
		return in, "", false
	}
	stated, in.page, ok = l.layout.Read(name)
	if !l.layout.IsZero() && !ok {
		l.outOfShape.add(name)
		return in, "", false
	}
	return in, stated, true
}

// wants says whether a language that stands in a file's name is wanted. A name
// that tells no language is read: the identifier will decide.
func (l *listing) wants(stated string) bool {
	if len(l.codes) == 0 {
		return true
	}
	code, err := language.Parse(stated)
	return err != nil || slices.ContainsFunc(l.codes, func(wanted string) bool { return language.Matches(code, wanted) })
}

// inputs returns the taken files with size and hash, ordered by page, then by name.
func (l *listing) inputs(ctx context.Context, folder storage.Folder) ([]input, error) {
	files, err := dataset.List(ctx, folder, func(name string) bool {
		_, ok := l.taken[name]
		return ok
	})
	if err != nil {
		return nil, err
	}
	list := make([]input, len(files))
	for i, f := range files {
		list[i] = l.taken[f.Name]
		list[i].File = f
	}
	slices.SortFunc(list, func(a, b input) int {
		return cmp.Or(strings.Compare(a.page, b.page), strings.Compare(a.Name, b.Name))
	})
	return list, nil
}

// isHidden says whether a path element begins with "." or "_": work files of
// systems and of ours.
func isHidden(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(element, ".") || strings.HasPrefix(element, "_") {
			return true
		}
	}
	return false
}

// notes tells what is left out by its name.
func (l *listing) notes() []string {
	var notes []string
	note := func(o omitted, format string, args ...any) {
		if o.n > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d files are left out, such as %s: ", o.n, l.files, o.first)+fmt.Sprintf(format, args...))
		}
	}
	note(l.hidden, "their paths have a part that begins with . or _")
	note(l.unknown, "their names end in none of %s, with or without .gz; give --format for others", extensions)
	note(l.irregular, "they are links to folders, which are not followed, or no files; give the folder that a link leads to as --input")
	note(l.outOfShape, "their names do not match the layout %q", l.config.Layout)
	note(l.unwanted, "by their names they are in other languages than %s", strings.Join(l.codes, ", "))
	note(l.otherParts, "their pages belong to other parts than %v of %d", l.config.Ranks, l.config.Modulus)
	if l.unstated.n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d files have no known language where the layout %q reads it, such as %s: what {language} stands for must be a code like es, spa or zh-Hans, or pages that translate each other are not told apart",
			l.unstated.n, l.files, l.config.Layout, l.unstated.first))
	}
	return notes
}

// nothing is the error of a folder of which no file is taken.
func (l *listing) nothing(folder storage.Folder) error {
	if l.files == 0 {
		return fmt.Errorf("no input: the folder %s does not exist or holds no file", folder)
	}
	return fmt.Errorf("no input: %s holds no file to read; %s", folder, strings.Join(l.notes(), "; "))
}
