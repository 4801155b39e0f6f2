package benchmark

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
)

// CheckConfig says what is compared.
type CheckConfig struct {
	// Most is the number of faults of one kind that are listed for one file and
	// language; the rest are counted. Default 5; 0 lists all.
	Most int
	// MaxUntranslated is the share of a file's texts with letters, of rows with gold, that
	// may be equal to the source's, or to what that was made of (schemas.Benchmark's
	// OriginalA): names and titles are. Default .2; phrases of MPQA and questions reach a
	// few percent. 1 turns this off.
	MaxUntranslated float64
	// MinCorrelation is the least correlation of the logarithms of the lengths of a
	// file's texts with those of the source's, from 50 rows on: nothing else shows that
	// all texts come in another order. Default .5: DeepL's STS-B in ten languages has
	// .90 to .97, and in reversed order less than .1. Pieces of 200 rows whose texts fit
	// rows up to 3 places away better are found too. 0 turns both off. Two rows that are
	// exchanged are not found by this.
	MinCorrelation float64
}

// DefaultCheckConfig returns the configuration described above.
func DefaultCheckConfig() CheckConfig {
	return CheckConfig{Most: 5, MaxUntranslated: .2, MinCorrelation: .5}
}

// Validate returns all faults at once.
func (c CheckConfig) Validate() error {
	var faults fault.List
	faults.Check(c.Most >= 0, "most %d: want 0 or more", c.Most)
	faults.Check(c.MaxUntranslated >= 0 && c.MaxUntranslated <= 1, "max_untranslated %v: want a share in [0, 1]", c.MaxUntranslated)
	faults.Check(c.MinCorrelation >= 0 && c.MinCorrelation <= 1, "min_correlation %v: want it in [0, 1]", c.MinCorrelation)
	return faults.Err()
}

// Checker compares translations with their source. It holds the source in memory, and
// of a translation a few bytes for each row.
type Checker struct {
	config CheckConfig
	source []schemas.Benchmark
	order  []int32 // of source, by place
	// withGold are the tasks that have a row with gold: of the others, texts alone, each is
	// there to be read.
	withGold map[string]bool
}

// place names a row in every language.
type place struct {
	task, file string
	row        int32
}

func placeOf(b schemas.Benchmark) place { return place{b.Task, b.File, b.Row} }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.task, q.task), cmp.Compare(p.file, q.file), cmp.Compare(p.row, q.row))
}

// NewChecker returns a checker of translations of these rows, in their order. Error:
// a fault of the configuration, or of the source: a row twice, or not valid.
func NewChecker(c CheckConfig, source []schemas.Benchmark) (*Checker, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	k := Checker{config: c, source: source, order: make([]int32, len(source)), withGold: map[string]bool{}}
	for i, row := range source {
		if err := row.Validate(); err != nil {
			return nil, fmt.Errorf("check: source %s row %d: %w", row.File, row.Row, err)
		}
		k.order[i] = int32(i)
		k.withGold[row.Task] = k.withGold[row.Task] || !row.Skip
	}
	slices.SortFunc(k.order, func(a, b int32) int { return placeOf(source[a]).compare(placeOf(source[b])) })
	for i := 1; i < len(k.order); i++ {
		if row := source[k.order[i]]; placeOf(row) == placeOf(source[k.order[i-1]]) {
			return nil, fmt.Errorf("check: source %s has row %d of task %s twice", row.File, row.Row, row.Task)
		}
	}
	return &k, nil
}

// Summary counts what was compared of one task.
type Summary struct {
	Task, Language string
	// Source and Rows are the rows of both sides; Same those without a fault; Skipped
	// the source's rows without gold; Untranslated the texts that equal the source's, in
	// rows with gold, or in all rows of a task that has none with gold.
	Source, Rows, Same, Skipped, Untranslated int
	Faults                                    int
}

// Report is what Check found.
type Report struct {
	// Faults come by task, file, kind and row. Those that Most cut off are in More.
	Faults []Fault
	// More counts the faults that are not listed.
	More      int
	Summaries []Summary // by task, in the order of the source
}

// Check compares the translation into one language with the source: only the tasks
// of which it has at least a row, or those that are named.
func (k *Checker) Check(languageCode string, rows []schemas.Benchmark, tasks ...string) Report {
	c := k.Compare(languageCode, tasks...)
	for _, r := range rows {
		c.Row(r)
	}
	return c.Report()
}

// Compare begins a Check of rows that need not be in memory at once.
func (k *Checker) Compare(languageCode string, tasks ...string) *Comparison {
	w := Comparison{
		Checker: k, language: languageCode, scripts: language.Characters(languageCode), bad: map[place]bool{},
		seen: make([]bool, len(k.source)), lengths: make([]float64, len(k.source)),
		summaries: map[string]*Summary{}, wanted: map[string]bool{}, files: map[[2]string]*fileCheck{},
	}
	for _, t := range tasks {
		w.wanted[t] = true
	}
	return &w
}

// Comparison is one translation that is compared with the source, row by row.
type Comparison struct {
	*Checker
	language  string
	scripts   []*unicode.RangeTable // of the language
	faults    []Fault
	bad       map[place]bool // rows with a fault that was found elsewhere
	seen      []bool         // by source row
	lengths   []float64      // by source row, of the translation; 0 where none is compared
	next      int            // the source row after the one that was found last
	summaries map[string]*Summary
	wanted    map[string]bool
	files     map[[2]string]*fileCheck // by task and file
}

// Fault adds what was found elsewhere, such as in the files' bytes: it is sorted, counted
// and cut with the rest. A fault of a row comes before the row, which is not the source's
// then.
func (w *Comparison) Fault(f Fault) {
	w.faults = append(w.faults, f)
	w.bad[place{f.Task, f.File, f.Row}] = true
}

// Row compares the next row of the translation.
func (w *Comparison) Row(r schemas.Benchmark) {
	w.wanted[r.Task] = true
	s, previous := w.summary(r.Task), len(w.faults)
	s.Rows++
	if w.row(r); len(w.faults) == previous && !w.bad[placeOf(r)] {
		s.Same++
	}
}

// Report ends the comparison: it looks for what is missing, and at each file as a whole.
func (w *Comparison) Report() Report {
	w.missing()
	w.translated()
	w.alignment()
	return w.report()
}

// fileCheck is what is known of a file of a translation.
type fileCheck struct {
	last  int32 // row
	texts translations
}

func (w *Comparison) summary(task string) *Summary {
	s := w.summaries[task]
	if s == nil {
		s = &Summary{Task: task, Language: w.language}
		w.summaries[task] = s
	}
	return s
}

func (w *Comparison) fault(r schemas.Benchmark, kind, format string, args ...any) {
	w.faults = append(w.faults, Fault{r.Task, w.language, r.File, r.Row, kind, fmt.Sprintf(format, args...)})
}

// find returns the source's row, -1 for none: rows mostly come in its order.
func (w *Comparison) find(p place) int {
	index := w.next
	if index >= len(w.source) || placeOf(w.source[index]) != p {
		i, ok := slices.BinarySearchFunc(w.order, p, func(row int32, p place) int { return placeOf(w.source[row]).compare(p) })
		if !ok {
			return -1
		}
		index = int(w.order[i])
	}
	w.next = index + 1
	return index
}

func (w *Comparison) row(r schemas.Benchmark) {
	index := w.find(placeOf(r))
	if index < 0 {
		w.fault(r, FaultExtra, "the source has no such row")
		return
	}
	if w.seen[index] {
		w.fault(r, FaultRepeated, "the row occurs twice")
		return
	}
	w.seen[index] = true
	file := w.files[[2]string{r.Task, r.File}]
	if file == nil {
		file = &fileCheck{last: -1, texts: translations{kinds: map[uint64]struct{}{}, sourceKinds: map[uint64]struct{}{}}}
		w.files[[2]string{r.Task, r.File}] = file
	}
	if file.last > r.Row {
		w.fault(r, FaultOrder, "it comes after row %d", file.last)
	}
	file.last = r.Row
	s := w.source[index]
	w.gold(s, r)
	w.texts(s, r)
	if s.Skip && w.withGold[s.Task] { // nobody reads its texts, which may be the source's
		return
	}
	w.lengths[index] = logLength(r)
	if s.LanguageA != w.language {
		w.summary(r.Task).Untranslated += file.texts.add(s, r, w.scripts)
	}
}

// gold compares what is not text.
func (w *Comparison) gold(s, r schemas.Benchmark) {
	if r.ID != s.ID {
		w.fault(r, FaultID, "id %s, the source has %s", r.ID, s.ID)
	}
	for _, key := range [2][2]string{{r.KeyA, s.KeyA}, {r.KeyB, s.KeyB}} {
		if key[1] != "" && key[0] != key[1] {
			w.fault(r, FaultID, "id %q of the source's own, which has %q", key[0], key[1])
		}
	}
	if r.Split != s.Split {
		w.fault(r, FaultSplit, "split %q, the source has %q", r.Split, s.Split)
	}
	if deref(r.Fold) != deref(s.Fold) {
		w.fault(r, FaultFold, "fold %d, the source has %d", deref(r.Fold), deref(s.Fold))
	}
	if r.Label != s.Label {
		w.fault(r, FaultLabel, "label %q, the source has %q", r.Label, s.Label)
	}
	if r.Skip != s.Skip {
		w.fault(r, FaultSkip, "skip is %v, the source has %v", r.Skip, s.Skip)
	}
	if (r.Target == nil) != (s.Target == nil) || r.Target != nil && *r.Target != *s.Target {
		w.fault(r, FaultTarget, "score %s, the source has %s", score(r.Target), score(s.Target))
	}
}

func deref(fold *int32) int32 {
	if fold == nil {
		return -1
	}
	return *fold
}

func score(x *float64) string {
	if x == nil {
		return "none"
	}
	return fmt.Sprint(*x)
}

// isOriginal says whether a text is none, the source's, or what that was made of.
func isOriginal(text, source, original string) bool {
	return text == "" || text == source || text == original
}

func (w *Comparison) texts(s, r schemas.Benchmark) {
	if r.LanguageA != w.language || r.LanguageB != "" && r.LanguageB != w.language {
		w.fault(r, FaultLanguage, "languages %q and %q, want %q", r.LanguageA, r.LanguageB, w.language)
	}
	if !isOriginal(r.OriginalA, s.TextA, s.OriginalA) || !isOriginal(r.OriginalB, s.TextB, s.OriginalB) {
		w.fault(r, FaultOriginal, "original %q, the source has %q", clip(r.OriginalA+" "+r.OriginalB), clip(s.TextA+" "+s.TextB))
	}
	for _, side := range [2]struct{ name, text, source string }{{"text_a", r.TextA, s.TextA}, {"text_b", r.TextB, s.TextB}} {
		empty := strings.TrimSpace(side.text) == ""
		switch {
		case empty != (strings.TrimSpace(side.source) == ""):
			w.fault(r, FaultEmpty, "%s is %q, the source has %q", side.name, clip(side.text), clip(side.source))
		case !utf8.ValidString(side.text):
			w.fault(r, FaultEncoding, "%s is not UTF-8: %q", side.name, clip(side.text))
		case isMojibake(side.text) && !isMojibake(side.source):
			w.fault(r, FaultEncoding, "%s is UTF-8 that was read as Latin-1 or Windows-1252: %q", side.name, clip(side.text))
		case strings.Contains(side.text, "\ufffd") && !strings.Contains(side.source, "\ufffd"):
			w.fault(r, FaultEncoding, "%s has U+FFFD, which stands for lost characters: %q", side.name, clip(side.text))
		case Clean(side.text) != side.text && side.text != side.source:
			w.fault(r, FaultCharacters, "%s has %s, which cuts lines, fields or words", side.name, cutting(side.text))
		}
	}
}

// missing lists the rows that were not seen.
func (w *Comparison) missing() {
	for i, s := range w.source {
		if !w.wanted[s.Task] {
			continue
		}
		sum := w.summary(s.Task)
		sum.Source++
		if s.Skip {
			sum.Skipped++
		}
		if !w.seen[i] {
			w.fault(s, FaultMissing, "the row is not there: %q", clip(s.TextA))
		}
	}
}

// report sorts the faults and cuts them.
func (w *Comparison) report() Report {
	var r Report
	for _, s := range w.source {
		if sum := w.summaries[s.Task]; sum != nil {
			r.Summaries = append(r.Summaries, *sum)
			delete(w.summaries, s.Task)
		}
	}
	for _, task := range sortedKeys(w.summaries) {
		r.Summaries = append(r.Summaries, *w.summaries[task])
	}
	for i := range r.Summaries {
		for _, f := range w.faults {
			if f.Task == r.Summaries[i].Task {
				r.Summaries[i].Faults++
			}
		}
	}
	r.Faults, r.More = SortFaults(w.faults, w.config.Most)
	return r
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
