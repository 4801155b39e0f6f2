package benchmarks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/testsets/nli"
	"sentweave/transforms/testsets/senteval"
)

// set is a file that was published, or one of the user's.
type set struct {
	// language is that of the rows, "" where a column tells it.
	split, language string
	// rows with gold, and lines that are rows or have no gold: 0 where unknown.
	rows, records int
}

// count compares the records of a file, and those with gold of each language, with what
// was published. The error is one line, however many languages there are.
func (s set) count(name string, records int, gold map[string]int) error {
	if s.records > 0 && records != s.records {
		return fmt.Errorf("%w: %s has %d rows, the published file has %d", errCount, name, records, s.records)
	}
	if s.rows == 0 {
		return nil
	}
	if len(gold) == 0 {
		return fmt.Errorf("%w: %s has no row with gold, the published file has %d", errCount, name, s.rows)
	}
	const limit = 3 // languages that are named
	var parts []string
	differing := 0
	for _, code := range slices.Sorted(maps.Keys(gold)) {
		if gold[code] == s.rows {
			continue
		}
		if differing++; differing <= limit {
			parts = append(parts, fmt.Sprintf("%d in %s", gold[code], code))
		}
	}
	if differing == 0 {
		return nil
	}
	if remaining := differing - limit; remaining > 0 {
		parts = append(parts, fmt.Sprintf("other numbers in %d more languages", remaining))
	}
	return fmt.Errorf("%w: %s has %s with gold, the published file has %d in each language", errCount, name, strings.Join(parts, ", "),
		s.rows)
}

// Rows of PAWS-X by its README: rows whose translation is missing count.
const (
	recordsPAWSXTrain = 49_401
	recordsPAWSXTest  = 2_000
)

// published returns what a file of one of the known corpora is, by its name.
func (c config) published(name string) (s set, ok bool) {
	base := path.Base(name)
	stem, isTable := strings.CutSuffix(base, ".txt")
	if rest, ok := strings.CutSuffix(base, ".jsonl"); ok {
		stem, isTable = rest, true
	}
	switch c.Format {
	case formatMultiNLI, formatSNLI:
		s, ok = english[c.Format][stem]
		return s, ok && isTable
	case formatXNLI:
		s, ok = map[string]set{"xnli.dev.tsv": {split: "dev", rows: nli.RowsXNLIDev},
			"xnli.test.tsv": {split: "test", rows: nli.RowsXNLITest}}[base]
		return s, ok
	case formatXNLIMT:
		tag, prefixed := strings.CutPrefix(base, "multinli.train.")
		if tag, ok = strings.CutSuffix(tag, ".tsv"); !ok || !prefixed {
			return s, false
		}
		code, err := language.Parse(tag)
		return set{split: "train", language: code, rows: nli.RowsMultiNLITrain}, err == nil
	case formatPAWSX:
		code, err := language.Parse(path.Base(path.Dir(name)))
		if err != nil {
			return s, false
		}
		s, ok = map[string]set{
			"train.tsv": {split: "train", records: recordsPAWSXTrain}, "translated_train.tsv": {split: "train", records: recordsPAWSXTrain},
			"dev_2k.tsv": {split: "dev", records: recordsPAWSXTest}, "test_2k.tsv": {split: "test", records: recordsPAWSXTest},
		}[base]
		s.language = code
		return s, ok
	}
	return s, false
}

// english are the files of the corpora in English, without extension.
var english = map[string]map[string]set{
	formatMultiNLI: {
		"multinli_1.0_train":          {split: "train", language: "eng", rows: nli.RowsMultiNLITrain},
		"multinli_1.0_dev_matched":    {split: "dev_matched", language: "eng", rows: nli.RowsMultiNLIMatched},
		"multinli_1.0_dev_mismatched": {split: "dev_mismatched", language: "eng", rows: nli.RowsMultiNLIMismatched},
	},
	formatSNLI: {
		"snli_1.0_train": {split: "train", language: "eng", rows: nli.RowsSNLITrain},
		"snli_1.0_dev":   {split: "dev", language: "eng", rows: nli.RowsSNLIDev},
		"snli_1.0_test":  {split: "test", language: "eng", rows: nli.RowsSNLITest},
	},
}

var expected = map[string]string{
	formatMultiNLI: "multinli_1.0_train.txt, multinli_1.0_dev_matched.txt, multinli_1.0_dev_mismatched.txt, or .jsonl",
	formatSNLI:     "snli_1.0_train.txt, snli_1.0_dev.txt, snli_1.0_test.txt, or .jsonl",
	formatXNLI:     "xnli.dev.tsv, xnli.test.tsv",
	formatXNLIMT:   "multinli.train.LANGUAGE.tsv",
	formatPAWSX:    "LANGUAGE/train.tsv or translated_train.tsv, LANGUAGE/dev_2k.tsv, LANGUAGE/test_2k.tsv",
}

// selection is what is taken of the input folder: the root that the names are
// relative to, the files of each unit, and what a user should know.
type selection struct {
	root  string
	units [][]string
	notes []string
}

// choose decides by the names which files are read.
func (c config) choose(ctx context.Context) (*selection, error) {
	root, err := storage.Absolute(c.Input)
	if err != nil {
		return nil, err
	}
	folder, err := storage.Locate(root)
	if err != nil {
		return nil, err
	}
	var names []string
	for info, err := range folder.List(ctx, "") {
		switch {
		case errors.Is(err, storage.ErrIrregular):
		case err != nil && info.Name == "":
			return nil, fmt.Errorf("list %s: %w", folder, err)
		default: // a file that cannot be read is an error once it is wanted
			names = append(names, info.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no input: the folder %s does not exist or holds no file", folder)
	}
	switch c.Format {
	case formatSentEval:
		return c.chooseTasks(root, names)
	case formatTable:
		return c.chooseTables(root, names)
	}
	return c.chooseSets(root, names)
}

// checkoutFolders are the folders in which SentEval's data/downstream is in a checkout.
var checkoutFolders = []string{"", "downstream/", "data/downstream/"}

// chooseTasks takes the tasks of SentEval of which all files are there.
func (c config) chooseTasks(root string, names []string) (*selection, error) {
	present := map[string]bool{}
	for _, name := range names {
		present[name] = true
	}
	prefix := slices.IndexFunc(checkoutFolders, func(prefix string) bool {
		return slices.ContainsFunc(senteval.Tasks(), func(t senteval.Task) bool { return present[prefix+t.Files[0].Name] })
	})
	if prefix < 0 {
		return nil, fmt.Errorf("no input: %s has no file of SentEval, such as MR/rt-polarity.pos or STS/STSBenchmark/sts-test.csv; want the folder that SentEval's get_transfer_data.bash calls data/downstream",
			root)
	}
	s := &selection{root: root}
	if checkoutFolders[prefix] != "" {
		s.root = storage.Join(root, strings.TrimSuffix(checkoutFolders[prefix], "/"))
	}
	var absent []string
	var faults fault.List
	restricted := len(c.Tasks) > 0 && !strings.HasPrefix(c.Tasks[0], "-")
	for _, t := range senteval.Tasks() {
		listed := slices.Contains(c.Tasks, t.Name)
		if restricted && !listed || slices.Contains(c.Tasks, "-"+t.Name) {
			continue
		}
		files := t.FileNames()
		missing := slices.DeleteFunc(slices.Clone(files), func(name string) bool { return present[checkoutFolders[prefix]+name] })
		switch {
		case len(missing) == 0:
			s.units = append(s.units, files)
		case listed:
			faults.Addf("task %s: %s", t.Name, missingOf(missing, files))
		case len(missing) == len(files):
			absent = append(absent, t.Name)
		default:
			s.notes = append(s.notes, fmt.Sprintf("task %s is left out: %s", t.Name, missingOf(missing, files)))
		}
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s: %w", s.root, faults.Err())
	}
	if len(absent) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("tasks that are not there: %s", strings.Join(absent, ", ")))
	}
	if len(s.units) == 0 {
		return nil, fmt.Errorf("no input: %s has no task whole; %s", s.root, strings.Join(s.notes, "; "))
	}
	return s, nil
}

func missingOf(missing, files []string) string {
	names, suffix := missing, ""
	if len(names) > 3 {
		names, suffix = names[:3], " and others"
	}
	return fmt.Sprintf("%d of its %d files are missing: %s%s", len(missing), len(files), strings.Join(names, ", "), suffix)
}

// chooseTables takes the files that are named.
func (c config) chooseTables(root string, names []string) (*selection, error) {
	s := &selection{root: root}
	var faults fault.List
	for _, name := range c.Files {
		faults.Check(slices.Contains(names, name), "%s has no file %s", root, name)
		s.units = append(s.units, []string{name})
	}
	return s, faults.Err()
}

// chooseSets takes the files of a corpus, wherever they lie.
func (c config) chooseSets(root string, names []string) (*selection, error) {
	s := &selection{root: root}
	type identity struct{ split, language string }
	files := map[identity]string{}
	skipped := 0
	slices.Sort(names)
	var faults fault.List
	for _, name := range names {
		p, ok := c.published(name)
		if !ok || storage.IsHidden(name) {
			continue
		}
		if p.language != "" && !c.wants(p.language) {
			skipped++
			continue
		}
		id := identity{p.split, p.language}
		switch previous, twice := files[id]; {
		case !twice:
			files[id] = name
		case strings.TrimSuffix(previous, ".jsonl") == strings.TrimSuffix(name, ".txt"): // .jsonl sorts first
			files[id] = name
			s.notes = append(s.notes, fmt.Sprintf("%s holds the rows of %s, which is read", previous, name))
		default:
			faults.Addf("%s and %s are both the split %s in %s: leave one of them", previous, name, p.split,
				cmp.Or(p.language, "all languages"))
		}
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s: %w", root, faults.Err())
	}
	for _, name := range files {
		s.units = append(s.units, []string{name})
	}
	slices.SortFunc(s.units, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	if len(s.units) == 0 {
		note := ""
		if skipped > 0 {
			note = fmt.Sprintf(", %d of them in other languages than %s", skipped, strings.Join(c.Languages, ", "))
		}
		return nil, fmt.Errorf("no input: %s has no file of %s (%s); other files there: %d%s", root, c.Format, expected[c.Format],
			len(names), note)
	}
	if c.Format != formatXNLI { // whose files hold all languages
		present := map[string]bool{}
		for id := range files {
			present[id.language] = true
		}
		if err := c.lacks(present); err != nil {
			return nil, fmt.Errorf("%s has no file of %s %w", root, c.Format, err)
		}
	}
	if skipped > 0 {
		s.notes = append(s.notes, fmt.Sprintf("files in other languages than %s are left out: %d", strings.Join(c.Languages, ", "),
			skipped))
	}
	return s, nil
}

// lacks returns an error that names the wanted languages that are not there.
func (c config) lacks(languages map[string]bool) error {
	codes, err := language.ParseAll(c.Languages)
	if err != nil {
		return err
	}
	present := slices.Sorted(maps.Keys(languages))
	var absent []string
	for _, target := range codes {
		if !language.MatchesAny(target, present) {
			absent = append(absent, target)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	return fmt.Errorf("in %s, which --languages names; there are %s", strings.Join(absent, ", "), strings.Join(present, ", "))
}

// refuseEmpty returns an error for files of the user's without a byte.
func (c config) refuseEmpty(list []dataset.Unit) error {
	if c.Format != formatTable {
		return nil
	}
	var names []string
	for _, u := range list {
		if u.Spans[0].To == 0 {
			names = append(names, u.Spans[0].Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("no input: %s: empty; leave out of --files what has no row", strings.Join(names, ", "))
}

// list hashes the chosen files and makes a unit of each task or file.
func (s *selection) list(ctx context.Context) ([]dataset.Unit, dataset.Input, error) {
	folder, err := storage.Locate(s.root)
	if err != nil {
		return nil, dataset.Input{}, err
	}
	chosen := map[string]bool{}
	for _, names := range s.units {
		for _, name := range names {
			chosen[name] = true
		}
	}
	files, err := dataset.List(ctx, folder, func(name string) bool { return chosen[name] })
	if err != nil {
		return nil, dataset.Input{}, err
	}
	sizes := map[string]int64{}
	for _, f := range files {
		sizes[f.Name] = f.Bytes
	}
	var list []dataset.Unit
	for i, names := range s.units {
		unit := dataset.Unit{Ordinal: i}
		for _, name := range names {
			size, ok := sizes[name]
			if !ok {
				return nil, dataset.Input{}, fmt.Errorf("list %s: %s has gone", folder, name)
			}
			unit.Spans = append(unit.Spans, dataset.Span{Name: name, To: size})
		}
		list = append(list, unit)
	}
	return list, dataset.ListingInput("benchmarks", files), nil
}
