package corpus

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/document"
	"sentweave/transforms/filters"
	"sentweave/transforms/filters/wordlist"
	"sentweave/transforms/tokens/languagemodel"
)

// Flags that name a file for each of some languages.
const (
	modelFlag  = "perplexity-model"
	piecesFlag = "pieces"
	wordsFlag  = "words"
)

// LanguageFlags are the flags of the filters perplexity and words.
type LanguageFlags struct {
	PerplexityModel map[string]string `help:"N-gram models with back-off by language, as ARPA files (also .gz) or KenLM's binary files: the filter perplexity runs. Documents in languages without one pass it." placeholder:"LANG=FILE" mapsep:"," group:"Filters" json:"-"`
	Pieces          map[string]string `help:"SentencePiece's Unigram models by language: those of --perplexity-model are over their pieces, and texts are normalized as in CCNet. Without it the models are over words, which are parted by white space and not changed." placeholder:"LANG=FILE" mapsep:"," group:"Filters" json:"-"`
	Words           map[string]string `help:"Lists of words and phrases, such as abusive ones, one a line, also compressed, with which the filter words runs: each for documents in its language, that of * for all." placeholder:"LANG=FILE" mapsep:"," group:"Filters" json:"-"`
	// LanguageRoles are the roles of the files among the plan's inputs.
	LanguageRoles []string `kong:"-" json:"language_files,omitempty"`
}

// LanguageFile is a file of a language that a flag names.
type LanguageFile struct {
	Flag, Language string
	units.File
}

// Role is the role of the file among the plan's inputs: its flag, a space, and its language.
func (f LanguageFile) Role() string { return f.Flag + " " + f.Language }

// LanguageFiles returns the files of the flags in the order of their roles. An error says what is wrong with the flags.
func (l *LanguageFlags) LanguageFiles() ([]LanguageFile, error) {
	var list []LanguageFile
	var errs fault.List
	for _, flag := range []struct {
		name  string
		files map[string]string
	}{{modelFlag, l.PerplexityModel}, {piecesFlag, l.Pieces}, {wordsFlag, l.Words}} {
		given := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(flag.files)) {
			code, err := language.Parse(name)
			if flag.name == wordsFlag && name == wordlist.All {
				code, err = name, nil
			}
			if err != nil {
				errs.Addf("%s: %w", flag.name, err)
				continue
			}
			errs.Check(given[code] == "", "%s: %s and %s are one language, which has one file", flag.name, given[code], name)
			errs.Check(flag.files[name] != "", "%s: %s has no file", flag.name, name)
			given[code] = name
			list = append(list, LanguageFile{flag.name, code, units.File{Location: flag.files[name]}})
		}
	}
	for _, f := range list {
		modelled := slices.ContainsFunc(list, func(m LanguageFile) bool { return m.Flag == modelFlag && m.Language == f.Language })
		errs.Check(f.Flag != piecesFlag || modelled, "%s: %s has no --%s", piecesFlag, f.Language, modelFlag)
	}
	return list, errs.Err()
}

// names reports whether a flag names a file, here or in the plan of the record that the configuration was read from.
func (l *LanguageFlags) names(flag string) bool {
	list, _ := l.LanguageFiles() // Validate reports the error
	return slices.ContainsFunc(list, func(f LanguageFile) bool { return f.Flag == flag }) ||
		slices.ContainsFunc(l.LanguageRoles, func(role string) bool { return strings.HasPrefix(role, flag+" ") })
}

// checkLanguageFiles returns an error for filters without their files, and for files without their filter.
func (c Config) checkLanguageFiles() error {
	_, err := c.LanguageFiles()
	errs := fault.List{err}
	for _, f := range []struct{ flag, filter, what, form string }{
		{modelFlag, filters.PerplexityName, "language models", "eng=en.arpa.bin"}, {wordsFlag, filters.WordsName, "a list", "eng=FILE"},
	} {
		runs := slices.Contains(c.filterNames(), f.filter)
		errs.Check(!runs || c.names(f.flag), "%s is empty: give the filter %s %s, as in %s", f.flag, f.filter, f.what, f.form)
		errs.Check(runs || err != nil || !c.names(f.flag), "%s has no effect without the filter %s: name it among the filters", f.flag,
			f.filter)
	}
	return errs.Err()
}

// Shortfalls says which lists and models no document has met, since their languages are none that the documents are in.
func (Config) Shortfalls(m *dataset.Manifest) (notes []string) {
	var c Config
	if err := c.UnmarshalJSON(m.Plan.Config); err != nil {
		return nil
	}
	met := map[string]bool{}
	for _, chain := range m.Funnel.Chains {
		i := slices.IndexFunc(chain.Steps, func(s dataset.Step) bool { return s.Name == document.StepQuality })
		if chain.Items == document.Documents && i >= 0 {
			for code := range chain.Steps[i].Languages {
				met[code], met[language.Base(code)] = true, true
			}
		}
	}
	if len(met) == 0 || met[dataset.OthersKey] {
		return nil
	}
	for _, role := range c.LanguageRoles {
		flag, code, _ := strings.Cut(role, " ")
		if flag != piecesFlag && code != wordlist.All && !met[code] {
			notes = append(notes, fmt.Sprintf("--%s: no document is in %s; `inspect` tells their languages", flag, code))
		}
	}
	return notes
}

// planLanguageFiles opens the files, before any work and in the launcher's words, and reads them for a plan.
func (c *Config) planLanguageFiles(ctx context.Context) (files []LanguageFile, inputs []dataset.Input, notes []string, err error) {
	if files, err = c.LanguageFiles(); err != nil {
		return nil, nil, nil, err
	}
	var opened document.Config
	if err := openLanguageFiles(ctx, files, &opened); err != nil {
		return nil, nil, nil, err
	}
	for i := range files {
		var input dataset.Input
		if files[i].File, input, err = units.OpenFile(ctx, files[i].Role(), files[i].Location); err != nil {
			return nil, nil, nil, err
		}
		if m, ok := opened.Models[files[i].Language].(*languagemodel.Model); ok && files[i].Flag == modelFlag && !m.KnowsUnknown() {
			notes = append(notes, fmt.Sprintf("%s has no <unk>: words that it does not know have the probability 1e-100, as in KenLM, "+
				"and perplexities are high", files[i].Location))
		}
		inputs, c.LanguageRoles = append(inputs, input), append(c.LanguageRoles, files[i].Role())
	}
	return files, inputs, notes, nil
}

// openLanguageFiles sets the models and lists of a configuration of documents.
func openLanguageFiles(ctx context.Context, files []LanguageFile, d *document.Config) (err error) {
	if d.Models, err = openModels(ctx, files); err != nil {
		return err
	}
	lists := map[string]string{}
	for _, f := range files {
		if f.Flag == wordsFlag {
			lists[f.Language] = f.Location
		}
	}
	if len(lists) == 0 {
		return nil
	}
	if d.Words, err = wordlist.Load(ctx, lists); err != nil {
		return fmt.Errorf("%s: %w", wordsFlag, err)
	}
	return nil
}
