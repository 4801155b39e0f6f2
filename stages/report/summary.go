package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"sentweave/stages/evaluate"
)

// Summary is the demo's figures in a few lines of JSON. All shares are fractions.
type Summary struct {
	// Retrieval is the mean accuracy over all directions, by the key of a model.
	Retrieval map[string]float64 `json:"retrieval"`
	// SameLanguageShare is the share of texts whose nearest neighbour in the pool of
	// all languages has the same language, by the key of a model.
	SameLanguageShare map[string]float64 `json:"same_language_share"`
	// N is the number of paragraphs, each of which stands in all languages.
	N            int64   `json:"n"`
	WallSeconds  float64 `json:"wall_seconds"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"`
	// Translations counts those of each dataset and pair of languages.
	Translations []TranslationSummary `json:"translations,omitempty"`
}

// SummaryKeys are the models whose accuracy a summary of the demo holds.
func SummaryKeys() []string {
	return []string{"untrained", "char3", "bag", "cmlm", "cmlm_br", "cmlm_br_views", "cmlm_br_pcr"}
}

// Summary takes the means of the models of these keys. One that has no mean
// accuracy is an error; a share of the same language is taken where there is one.
func (r Retrieval) Summary(keys []string, wallSeconds float64, peakRSSBytes int64) (Summary, error) {
	s := Summary{Retrieval: map[string]float64{}, SameLanguageShare: map[string]float64{}, WallSeconds: wallSeconds, PeakRSSBytes: peakRSSBytes}
	var errs []error
	for _, key := range keys {
		if v := r.mean(key, evaluate.MetricAccuracy); finite(v) {
			s.Retrieval[key] = v
		} else {
			errs = append(errs, fmt.Errorf("model %q has no mean accuracy of retrieval", key))
		}
		if v := r.mean(key, evaluate.MetricSameLanguage); finite(v) {
			s.SameLanguageShare[key] = v
		}
	}
	_, s.N = r.extent()
	if err := errors.Join(append(errs, s.Validate())...); err != nil {
		return Summary{}, fmt.Errorf("summary: %w", err)
	}
	return s, nil
}

// Validate returns all faults at once.
func (s Summary) Validate() error {
	var errs []error
	for _, part := range []struct {
		name   string
		shares map[string]float64
	}{{"retrieval", s.Retrieval}, {"same_language_share", s.SameLanguageShare}} {
		for _, key := range slices.Sorted(maps.Keys(part.shares)) {
			if v := part.shares[key]; !(v >= 0 && v <= 1) {
				errs = append(errs, fmt.Errorf("%s of %q is %v, want a fraction", part.name, key, v))
			}
		}
	}
	if s.N < 0 || s.PeakRSSBytes < 0 || !finite(s.WallSeconds) || s.WallSeconds < 0 {
		errs = append(errs, fmt.Errorf("n %d, wall_seconds %v, peak_rss_bytes %d: want finite values, none below 0", s.N, s.WallSeconds, s.PeakRSSBytes))
	}
	return errors.Join(errs...)
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
