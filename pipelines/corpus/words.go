package corpus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/filters"
	"sentweave/transforms/filters/wordlist"
)

// WordsRole is the role of the lists of words among the plan's inputs.
const WordsRole = "words"

// WordLists are the flags of the filter words.
type WordLists struct {
	Words map[string]string `help:"Lists of words and phrases, such as abusive ones, one a line, also compressed, with which the filter words runs: each for documents in its language, that of * for all." placeholder:"LANGUAGE=FILE,…" mapsep:"," group:"Filters" json:"-"`
	// WordLanguages are the languages, which are in the plan.
	WordLanguages []string `kong:"-" json:"words,omitempty"`
}

// hasLists reports whether a configuration, or the record of one, has lists.
func (w *WordLists) hasLists() bool { return len(w.Words)+len(w.WordLanguages) > 0 }

// resolveWords sets the languages as the plan has them.
func (w *WordLists) resolveWords() {
	byLanguage, _ := w.locations() // Validate reports the error
	w.WordLanguages = slices.Sorted(maps.Keys(byLanguage))
}

// checkWords returns an error for languages that are none or occur twice, for a filter without lists, and for lists without the filter.
func (c Config) checkWords() error {
	_, err := c.locations()
	errs := fault.List{err}
	runs := slices.Contains(c.filterNames(), filters.WordsName)
	errs.Check(!runs || len(c.Words) > 0, "words is empty: give the filter words a list, as in eng=FILE")
	errs.Check(runs || !c.hasLists(), "words has no effect without the filter words: name it among the filters")
	return errs.Err()
}

// locations returns the locations of the lists by language in our form.
func (w *WordLists) locations() (map[string]string, error) {
	var errs fault.List
	byLanguage := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(w.Words)) {
		code, err := name, error(nil)
		if name != wordlist.All {
			code, err = language.Parse(name)
		}
		_, twice := byLanguage[code]
		errs.Check(err != nil || !twice, "words: %s has two lists: join them", code)
		errs.Check(w.Words[name] != "", "words: %s has no file", name)
		if err != nil {
			errs.Add(fmt.Errorf("words: %w", err))
		}
		byLanguage[code] = w.Words[name]
	}
	return byLanguage, errs.Err()
}

// PlanWords returns the files of the lists by language, and all of them as one input of a plan.
func (w *WordLists) PlanWords(ctx context.Context) (map[string]units.File, dataset.Input, error) {
	locations, err := w.locations()
	files, list := map[string]units.File{}, []dataset.File(nil)
	for _, code := range slices.Sorted(maps.Keys(locations)) {
		f, _, opened := units.OpenFile(ctx, WordsRole, locations[code])
		err = errors.Join(err, opened)
		files[code] = f
		list = append(list, dataset.File{Name: code, Bytes: f.Bytes, XXH3: f.XXH3})
	}
	return files, dataset.ListingInput(WordsRole, list), err
}

// readWords reads the lists; nil for none.
func readWords(ctx context.Context, files map[string]units.File) (*wordlist.Lists, error) {
	if len(files) == 0 {
		return nil, nil
	}
	locations := map[string]string{}
	for code, f := range files {
		locations[code] = f.Location
	}
	lists, err := wordlist.Load(ctx, locations)
	if err != nil {
		return nil, fmt.Errorf("words: %w", err)
	}
	return lists, nil
}
