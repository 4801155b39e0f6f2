package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// Summary is an experiment in JSON, for programs. All shares are fractions; what is not
// there, or not known, is left out.
type Summary struct {
	// Retrieval is the mean accuracy over all directions, by the key of a model.
	Retrieval map[string]float64 `json:"retrieval,omitempty"`
	// SameLanguageShare is the share of texts whose nearest neighbour in the pool of
	// all languages has the same language, by the key of a model.
	SameLanguageShare map[string]float64 `json:"same_language_share,omitempty"`
	// N is the number of paragraphs, each of which is in all languages.
	N int64 `json:"n,omitempty"`
	// Results are the figures of all tasks, in the order in which they were read.
	Results []ResultSummary `json:"results,omitempty"`
	// Training has the periods of trainings.
	Training []TrainingSummary `json:"training,omitempty"`
	// WallSeconds is the time of all steps of a recipe, or, without one, of the
	// trainings; PeakRSSBytes the greatest resident memory of the same.
	WallSeconds  float64 `json:"wall_seconds,omitempty"`
	PeakRSSBytes int64   `json:"peak_rss_bytes,omitempty"`
	// Translations counts those of each dataset and pair of languages.
	Translations []TranslationSummary `json:"translations,omitempty"`
}

// ResultSummary is a row of results.
type ResultSummary struct {
	Model    string `json:"model"`
	Task     string `json:"task"`
	Subtask  string `json:"subtask,omitempty"`
	Language string `json:"language,omitempty"`
	Metric   string `json:"metric"`
	// Value is null where it is not finite.
	Value *float64 `json:"value"`
	N     int64    `json:"n"`
	// Low and High are the ends of the 95 % interval, where there is one.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

func summaryOf(row schemas.Result) ResultSummary {
	f := figureOf(row)
	optional := func(v float64) *float64 {
		if !markup.Finite(v) {
			return nil
		}
		return &v
	}
	return ResultSummary{
		Model: row.Model, Task: row.Task, Subtask: row.Subtask, Language: row.Language, Metric: row.Metric,
		Value: optional(f.value), N: row.N, Low: optional(f.low), High: optional(f.high),
	}
}

// TrainingSummary is a period of a training.
type TrainingSummary struct {
	Period  string  `json:"period"`
	Steps   int     `json:"steps"`
	Seconds float64 `json:"seconds"`
	Tokens  int64   `json:"tokens"`
}

// summary tells the experiment in figures.
func (e experiment) summary() (Summary, error) {
	s := Summary{WallSeconds: e.WallSeconds, PeakRSSBytes: e.PeakRSSBytes}
	r, err := newRetrieval(e.Results, e.Models)
	if err != nil {
		return s, err
	}
	s.Retrieval, s.SameLanguageShare = r.means(metrics.Accuracy), r.means(metrics.SameLanguage)
	_, s.N = r.extent()
	for _, row := range e.Results {
		s.Results = append(s.Results, summaryOf(row))
	}
	for _, v := range e.Speeds {
		s.Training = append(s.Training, TrainingSummary{v.Period, v.Steps, v.Seconds, v.Tokens})
	}
	for _, t := range e.Translations {
		s.Translations = append(s.Translations, t.summary()...)
	}
	if err := s.Validate(); err != nil {
		return Summary{}, fmt.Errorf("summary: %w", err)
	}
	return s, nil
}

// Validate returns all faults at once.
func (s Summary) Validate() error {
	var errs fault.List
	for _, part := range []struct {
		name   string
		shares map[string]float64
	}{{"retrieval", s.Retrieval}, {"same_language_share", s.SameLanguageShare}} {
		for _, key := range slices.Sorted(maps.Keys(part.shares)) {
			if v := part.shares[key]; !(v >= 0 && v <= 1) {
				errs.Addf("%s of %q is %v, want a fraction", part.name, key, v)
			}
		}
	}
	errs.Check(s.N >= 0 && s.PeakRSSBytes >= 0 && markup.Finite(s.WallSeconds) && s.WallSeconds >= 0,
		"n %d, wall_seconds %v, peak_rss_bytes %d: want finite values, none below 0", s.N, s.WallSeconds, s.PeakRSSBytes)
	for _, t := range s.Training {
		errs.Check(markup.Finite(t.Seconds) && t.Seconds >= 0 && t.Steps >= 0 && t.Tokens >= 0,
			"training %s: %d steps, %v seconds, %d tokens: want finite values, none below 0", t.Period, t.Steps, t.Seconds, t.Tokens)
	}
	return errs.Err()
}

// WriteTo writes the summary as indented JSON with a final line end.
func (s Summary) WriteTo(w io.Writer) (int64, error) {
	if err := s.Validate(); err != nil {
		return 0, fmt.Errorf("write summary: %w", err)
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return 0, fmt.Errorf("write summary: %w", err)
	}
	n, err := w.Write(append(data, '\n'))
	if err != nil {
		err = fmt.Errorf("write summary: %w", err)
	}
	return int64(n), err
}
