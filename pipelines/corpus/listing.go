package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/layout"
)

// input is a file that the plan takes.
type input struct {
	dataset.File
	page   string
	format *format
	// compression is the end of the name that says how the file is compressed, or "".
	compression string
}

// splits says whether byte ranges of the file can be read apart. Those of web archives can if records are members of gzip. Under a
// layout an archive is a page, which lies in one unit with its translations. With a limit only the beginnings of files are read.
func (c Config) splits(file input) bool {
	if c.Limit > 0 {
		return false
	}
	if file.format.isArchive() {
		return file.compression == ".gz" && c.Layout == ""
	}
	return file.compression == "" && !file.format.whole(c)
}

// listing is what became of the files of the input folder. The names decide:
// what is not taken is not opened.
type listing struct {
	config Config
	folder storage.Folder
	// lines are what a list of paths names, nil without one.
	lines  listed
	layout layout.Layout
	codes  []string
	// prefix is that of the output, if it is in the input folder.
	prefix string

	taken map[string]input
	files int
	// What is left out, and why.
	hidden, unknown, irregular, dangling, noText            omitted
	outOfShape, unwanted, otherParts, unsampled, unreadable omitted
	archives                                                map[string]*omitted // by what to give in their place
	// Taken, but the layout reads no language off them.
	unstated omitted
	// named counts the files of each language that the layout reads off the names, in all
	// parts and whether it is wanted or not; unnamed are the files of which it reads none.
	named   map[string]int
	unnamed omitted
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

// list decides which files are read: those of the folder, or those that a list of
// paths names.
func (c Config) list(ctx context.Context, root, output string) (*listing, error) {
	l := &listing{config: c, taken: map[string]input{}, archives: map[string]*omitted{}, named: map[string]int{}}
	var err error
	if l.layout, err = layout.Parse(c.Layout); err != nil {
		return nil, err
	}
	if l.codes, err = c.codes(); err != nil {
		return nil, err
	}
	// A dataset that is being made must not become a part of its own plan.
	if inside, ok := storage.Relative(root, output); ok && inside != "." {
		l.prefix = inside + "/"
	}
	if l.folder, err = storage.Locate(root); err != nil {
		return nil, err
	}
	if c.Paths == "" {
		err = l.choose(ctx)
	} else if l.lines, err = c.readPaths(ctx, l.prefix); err == nil {
		l.files = len(l.lines)
		l.take(slices.Collect(maps.Keys(l.lines)))
	}
	if err != nil {
		return nil, err
	}
	if c.PathsBytes == 0 {
		if err := l.skipUnreadable(ctx); err != nil {
			return nil, err
		}
	}
	if len(l.taken) == 0 {
		return nil, l.nothing()
	}
	return l, l.checkLanguages()
}

// checkLanguages returns an error for a layout that reads a known language off no name, and for
// wanted languages of which there is no page. A list of paths may be a part of the pages, and a
// file whose name tells no language may be in any.
func (l *listing) checkLanguages() error {
	switch {
	case l.layout.IsZero() || l.lines != nil:
		return nil
	case len(l.named) == 0:
		return fmt.Errorf("--layout=%s reads no known language off any of the %d files that match it, such as %s: what {language} stands for must be a code like es, spa or zh-Hans",
			l.config.Layout, l.unnamed.n, l.unnamed.first)
	case l.unnamed.n > 0:
		return nil
	}
	existing := slices.Sorted(maps.Keys(l.named))
	var missing []string
	for _, target := range l.codes {
		if !language.MatchesAny(target, existing) {
			missing = append(missing, target)
		}
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("--languages: by the layout %q no file is in %s; there are files in %s", l.config.Layout, strings.Join(missing, ", "),
		strings.Join(existing, ", "))
}

// checkTranslated returns an error if no page is taken in two languages or more, of which one is the pivot.
// Relevant lists the languages that count; all do if there is none, and any is the pivot "".
func (l *listing) checkTranslated(relevant []string, pivot string) error {
	if l.layout.IsZero() {
		return errors.New("give --layout, which tells which files are translations of the same page, as in {language}/{page}.html")
	}
	type page struct {
		first         string
		others, pivot bool
	}
	pages, languages := map[string]page{}, map[string]bool{}
	for name, file := range l.taken {
		stated, _, _ := l.layout.Read(name)
		code := parseStated(stated)
		if code == "" { // it may be in any
			return nil
		}
		languages[code] = true
		if len(relevant) > 0 && !language.MatchesAny(code, relevant) {
			continue
		}
		p, ok := pages[file.page]
		if !ok {
			p.first = code
		}
		p.others = p.others || code != p.first
		p.pivot = p.pivot || pivot == "" || language.Matches(pivot, code)
		if p.others && p.pivot {
			return nil
		}
		pages[file.page] = p
	}
	requirement := "two languages"
	if len(relevant) > 0 {
		requirement = "two of the languages " + strings.Join(relevant, ", ")
	}
	if pivot != "" {
		requirement += ", one of them the pivot " + pivot
	}
	return fmt.Errorf("--layout=%s finds no page that is there in %s: the %d files that it takes are in %s", l.config.Layout, requirement,
		len(l.taken), strings.Join(slices.Sorted(maps.Keys(languages)), ", "))
}

// skipUnreadable leaves out what cannot be opened.
func (l *listing) skipUnreadable(ctx context.Context) error {
	var mutex sync.Mutex
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(requests)
	for _, name := range slices.Collect(maps.Keys(l.taken)) {
		group.Go(func() error {
			leave, err := l.config.Leaves(groupCtx, l.folder, name)
			if leave {
				mutex.Lock()
				defer mutex.Unlock()
				l.unreadable.add(name)
				delete(l.taken, name)
			}
			return err
		})
	}
	return group.Wait()
}

// choose lists the folder and decides which files are read.
func (l *listing) choose(ctx context.Context) error {
	var names []string
	for info, err := range l.folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return fmt.Errorf("list %s: %w", l.folder, err)
		}
		if l.prefix != "" && strings.HasPrefix(info.Name, l.prefix) {
			continue
		}
		l.files++
		switch {
		case errors.Is(err, storage.ErrIrregular):
			l.irregular.add(info.Name)
		case storage.IsHidden(info.Name) && !l.isPage(info.Name):
			l.hidden.add(info.Name)
		case errors.Is(err, storage.ErrDangling):
			l.dangling.add(info.Name)
		case !utf8.ValidString(info.Name): // which no dataset can hold
			l.noText.add(strconv.Quote(info.Name))
		default:
			names = append(names, info.Name)
		}
	}
	l.take(names)
	return nil
}

// withoutPages are the folders of generators of sites in which Markdown is a part of pages, a copy of them, or not published.
var withoutPages = strings.Fields("_assets _book _build _components _data _deps _drafts _include _includes _layout _layouts _macros " +
	"_modules _output _partial _partials _plugins _public _sass _shortcodes _site _snippets _sources _static _template _templates _theme " +
	"_themes _unpublished _vendor")

// isPage says whether a hidden name is that of a page of Markdown, as Jekyll has them in _posts and in its collections, and Hugo
// in _index.md.
func (l *listing) isPage(name string) bool {
	if match, _ := l.config.formatOf(l.layout, name); match == nil || match.name != "markdown" {
		return false
	}
	folders, base := path.Split(name)
	for folder := range strings.SplitSeq(folders, "/") {
		if strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "__") || slices.Contains(withoutPages, strings.ToLower(folder)) {
			return false
		}
	}
	return !strings.HasPrefix(base, ".") && (!strings.HasPrefix(base, "_") || strings.HasPrefix(base, "_index."))
}

// take decides which of the names are read. Ranks of pages count all pages of the
// layout, in whatever language: which part a page belongs to must not depend on the
// languages that are wanted, or a page that is held out in one run would be trained
// on in another.
func (l *listing) take(names []string) {
	var pages []string
	candidates := map[string]input{}
	for _, name := range names {
		file, stated, ok := l.candidate(name)
		if !ok {
			continue
		}
		if file.format.pages {
			pages = append(pages, file.page)
		}
		if code := parseStated(stated); code != "" {
			l.named[code]++
		} else {
			l.unnamed.add(name)
		}
		if !l.wants(stated) {
			l.unwanted.add(name)
			continue
		}
		candidates[name] = file
	}
	parts := l.config.Selection.pages(pages)
	for name, file := range candidates {
		if file.format.pages && !parts[file.page] {
			l.otherParts.add(name)
			continue
		}
		if file.format.whole(l.config) && !l.config.Selection.samples(file.page) {
			l.unsampled.add(name)
			continue
		}
		if stated, _, ok := l.layout.Read(name); ok && parseStated(stated) == "" {
			l.unstated.add(name)
		}
		l.taken[name] = file
	}
}

// candidate reads a file's name. It is false for a file that is not one of ours.
func (l *listing) candidate(name string) (file input, stated string, ok bool) {
	file.format, file.compression = l.config.formatOf(l.layout, name)
	if file.format == nil {
		l.leaveOut(name)
		return file, "", false
	}
	stated, file.page, ok = l.layout.Read(name)
	if !l.layout.IsZero() && !ok {
		l.outOfShape.add(name)
		return file, "", false
	}
	return file, stated, true
}

// leaveOut counts a file whose name tells no format that is read.
func (l *listing) leaveOut(name string) {
	instead := unread(name)
	if instead == "" {
		l.unknown.add(name)
		return
	}
	if l.archives[instead] == nil {
		l.archives[instead] = &omitted{}
	}
	l.archives[instead].add(name)
}

// wants says whether a language that is in a file's name is wanted. A name
// that tells no language is read: the identifier will decide.
func (l *listing) wants(stated string) bool {
	if len(l.codes) == 0 {
		return true
	}
	code, err := language.Parse(stated)
	return err != nil || language.MatchesAny(code, l.codes)
}

// inputs returns the taken files, ordered by page, then by name, and how they stand
// in the plan: by the hash of their content or, where a list names them, by name and
// size, since nobody reads a hundred terabytes to plan what to read.
func (l *listing) inputs(ctx context.Context) ([]input, dataset.Input, error) {
	var files []dataset.File
	var err error
	role := RolePaths
	switch {
	case l.config.PathsBytes > 0:
		for name := range l.taken {
			files = append(files, dataset.File{Name: name, Bytes: int64(l.config.PathsBytes)})
		}
	case l.lines != nil:
		files, err = l.measure(ctx)
	default:
		role = rolePages
		files, err = dataset.List(ctx, l.folder, func(name string) bool {
			_, ok := l.taken[name]
			return ok
		})
	}
	if err != nil {
		return nil, dataset.Input{}, err
	}
	slices.SortFunc(files, func(a, b dataset.File) int {
		return cmp.Or(strings.Compare(l.taken[a.Name].page, l.taken[b.Name].page), strings.Compare(a.Name, b.Name))
	})
	list := make([]input, len(files))
	for i, f := range files {
		list[i] = l.taken[f.Name]
		list[i].File = f
	}
	return list, dataset.ListingInput(role, files), nil
}

// notes tells what is left out by its name.
func (l *listing) notes() []string {
	var notes []string
	if l.config.PathsBytes > 0 {
		notes = append(notes, fmt.Sprintf("the sizes are assumed, %s for each file, and no file was looked for: this plan cannot be run",
			l.config.PathsBytes))
	}
	note := func(o omitted, format string, args ...any) {
		if o.n > 0 {
			notes = append(notes, units.LeftOut(o.n, l.files, o.first)+": "+fmt.Sprintf(format, args...))
		}
	}
	note(l.hidden, "a part of the path begins with . or _, and only Markdown in folders such as _posts, and named _index, is read in spite "+
		"of that; give the folder as --input, or list the files in --paths")
	note(l.unknown, "only names that end in one of %s are read, which %s may follow; give --format for others",
		strings.Join(extensions(), " "), compressed.Endings)
	for _, instead := range slices.Sorted(maps.Keys(l.archives)) {
		note(*l.archives[instead], "%s", instead)
	}
	note(l.irregular, "links to folders are not followed, and nothing but files is read; give the folder that a link leads to as --input")
	note(l.dangling, "a link that leads nowhere")
	note(l.noText, "the name is not UTF-8; rename the file")
	note(l.unreadable, "cannot be opened")
	note(l.outOfShape, "only names that match the layout %q are read", l.config.Layout)
	note(l.unwanted, "by name in another language than %s", strings.Join(l.codes, ", "))
	note(l.otherParts, "of a page in another part than %v of %d", l.config.Ranks, l.config.Modulus)
	note(l.unsampled, "not in the sample of %v", l.config.Sample)
	if l.unstated.n > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d of %d files have no known language where the layout %q reads it, such as %s: what {language} stands for must be a code like es, spa or zh-Hans, or pages that translate each other are not told apart",
			l.unstated.n, l.files, l.config.Layout, l.unstated.first))
	}
	return notes
}

// nothing is the error of a folder, or a list, of which no file is taken.
func (l *listing) nothing() error {
	if l.lines != nil {
		return fmt.Errorf("no input: of the files that %s names none is read; %s", l.config.Paths, strings.Join(l.notes(), "; "))
	}
	if l.files == 0 {
		return fmt.Errorf("no input: the folder %s does not exist or holds no file", l.folder)
	}
	return fmt.Errorf("no input: %s holds no file to read; %s", l.folder, strings.Join(l.notes(), "; "))
}
