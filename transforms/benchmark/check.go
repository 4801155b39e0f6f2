package benchmark

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"sentweave/schemas"
)

// CheckConfig says what is compared.
type CheckConfig struct {
	// Most is the number of faults of one kind that are listed for one file and
	// language; the rest are counted. Default 5; 0 lists all.
	Most int
	// MaxUntranslated is the share of a file's texts with letters that may be equal to
	// the source's: names and titles are. Default .2; phrases of MPQA and questions
	// reach a few percent. 1 turns this off.
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
	var faults []error
	if c.Most < 0 {
		faults = append(faults, fmt.Errorf("most %d: want 0 or more", c.Most))
	}
	if !(c.MaxUntranslated >= 0 && c.MaxUntranslated <= 1) {
		faults = append(faults, fmt.Errorf("max_untranslated %v: want a share in [0, 1]", c.MaxUntranslated))
	}
	if !(c.MinCorrelation >= 0 && c.MinCorrelation <= 1) {
		faults = append(faults, fmt.Errorf("min_correlation %v: want it in [0, 1]", c.MinCorrelation))
	}
	return errors.Join(faults...)
}

// Checker compares translations with their source. It holds the source in memory.
type Checker struct {
	config CheckConfig
	source []schemas.Benchmark
	at     map[place]int
}

type place struct {
	task, file string
	row        int32
}

func placeOf(b schemas.Benchmark) place { return place{b.Task, b.File, b.Row} }

// NewChecker returns a checker of translations of these rows, in their order. Error:
// a fault of the configuration, or of the source: a row twice, or not valid.
func NewChecker(c CheckConfig, source []schemas.Benchmark) (*Checker, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	k := Checker{config: c, source: source, at: make(map[place]int, len(source))}
	for i, row := range source {
		if err := row.Validate(); err != nil {
			return nil, fmt.Errorf("check: source %s row %d: %w", row.File, row.Row, err)
		}
		if _, ok := k.at[placeOf(row)]; ok {
			return nil, fmt.Errorf("check: source %s has row %d of task %s twice", row.File, row.Row, row.Task)
		}
		k.at[placeOf(row)] = i
	}
	return &k, nil
}

// Summary counts what was compared of one task.
type Summary struct {
	Task, Language string
	// Source and Rows are the rows of both sides; Same those without a fault; Skipped
	// the source's rows without gold; Untranslated the texts that equal the source's.
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
	return k.CheckWith(nil, languageCode, rows, tasks...)
}

// CheckWith is Check with faults that were found before, such as of the files' bytes:
// they are sorted, counted and cut with the others.
func (k *Checker) CheckWith(faults []Fault, languageCode string, rows []schemas.Benchmark, tasks ...string) Report {
	w := check{Checker: k, language: languageCode, faults: slices.Clone(faults), seen: make([]bool, len(k.source)), bad: map[int]bool{}, summaries: map[string]*Summary{}, wanted: map[string]bool{}}
	for _, t := range tasks {
		w.wanted[t] = true
	}
	for _, r := range rows {
		w.wanted[r.Task] = true
	}
	last := map[[2]string]int32{}
	for i, r := range rows {
		w.row(i, r, last)
	}
	w.missing()
	w.untranslated(rows)
	w.alignment(rows)
	for i, r := range rows {
		s := w.summary(r.Task)
		s.Rows++
		if !w.bad[i] {
			s.Same++
		}
	}
	return w.report()
}

// check is one comparison.
type check struct {
	*Checker
	language  string
	seen      []bool       // by source row
	bad       map[int]bool // by translated row
	faults    []Fault
	summaries map[string]*Summary
	wanted    map[string]bool
	current   int // the row that is looked at, -1 for none
}

func (w *check) summary(task string) *Summary {
	s := w.summaries[task]
	if s == nil {
		s = &Summary{Task: task, Language: w.language}
		w.summaries[task] = s
	}
	return s
}

func (w *check) fault(r schemas.Benchmark, kind, format string, args ...any) {
	if w.current >= 0 {
		w.bad[w.current] = true
	}
	w.faults = append(w.faults, Fault{r.Task, w.language, r.File, r.Row, kind, fmt.Sprintf(format, args...)})
}

func (w *check) row(i int, r schemas.Benchmark, last map[[2]string]int32) {
	w.current = i
	at, ok := w.at[placeOf(r)]
	if !ok {
		w.fault(r, FaultExtra, "the source has no such row")
		return
	}
	if w.seen[at] {
		w.fault(r, FaultRepeated, "the row stands twice")
		return
	}
	w.seen[at] = true
	file := [2]string{r.Task, r.File}
	if before, ok := last[file]; ok && before > r.Row {
		w.fault(r, FaultOrder, "it comes after row %d", before)
	}
	last[file] = r.Row
	s := w.source[at]
	w.gold(s, r)
	w.texts(s, r)
}

// gold compares what is not text.
func (w *check) gold(s, r schemas.Benchmark) {
	if r.ID != s.ID {
		w.fault(r, FaultID, "id %s, the source has %s", r.ID, s.ID)
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

func (w *check) texts(s, r schemas.Benchmark) {
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
		case Clean(side.text) != side.text:
			w.fault(r, FaultCharacters, "%s has %s, which cuts lines, fields or words", side.name, cutting(side.text))
		}
	}
}

// missing lists the rows that were not seen.
func (w *check) missing() {
	w.current = -1
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

// untranslated compares texts of each file with the source's.
func (w *check) untranslated(rows []schemas.Benchmark) {
	type count struct{ same, texts int }
	counts := map[[2]string]*count{}
	for _, r := range rows {
		at, ok := w.at[placeOf(r)]
		if !ok || w.source[at].LanguageA == w.language {
			continue
		}
		file := [2]string{r.Task, r.File}
		if counts[file] == nil {
			counts[file] = &count{}
		}
		for _, side := range [2][2]string{{r.TextA, w.source[at].TextA}, {r.TextB, w.source[at].TextB}} {
			if hasLetter(side[0]) {
				counts[file].texts++
				if side[0] == side[1] {
					counts[file].same++
					w.summary(r.Task).Untranslated++
				}
			}
		}
	}
	for file, c := range counts {
		if c.same > 0 && float64(c.same) > w.config.MaxUntranslated*float64(c.texts) {
			w.fault(schemas.Benchmark{Task: file[0], File: file[1], Row: -1}, FaultUntranslated, "%d of %d texts are the source's", c.same, c.texts)
		}
	}
}

// report sorts the faults and cuts them.
func (w *check) report() Report {
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
