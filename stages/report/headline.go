package report

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// headline is a model that may be on top of the page, and what speaks for it.
type headline struct{ model, why string }

func headlinesOf(list []string) (headlines []headline) {
	for _, text := range list {
		model, why, _ := strings.Cut(text, "=")
		headlines = append(headlines, headline{model, why})
	}
	return headlines
}

// measuredHeadline is one with its mean accuracy in retrieval.
type measuredHeadline struct {
	headline
	figure
}

// headlines are those with an accuracy, the best first; of equal ones the first that was given.
func (e experiment) headlines(r Retrieval) (list []measuredHeadline) {
	for _, h := range e.Headlines {
		for _, m := range r.results.models {
			if f, ok := r.results.of(m, mean(metrics.Accuracy)); ok && m.Key == h.model && markup.Finite(f.value) {
				list = append(list, measuredHeadline{h, f})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b measuredHeadline) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	return list
}

// advice says which of several headlines to take: the best, if its difference to each of the others
// holds, else any, by what speaks for them. It is empty where there is no choice.
func (e experiment) advice(r Retrieval) string {
	list := e.headlines(r)
	if len(list) < 2 {
		return ""
	}
	var scores, reasons []string
	holds := true
	for i, h := range list {
		scores = append(scores, fmt.Sprintf("%s finds %s %%", e.nameOf(h.model), markup.Percent(h.value)))
		if h.why != "" {
			reasons = append(reasons, fmt.Sprintf("- %s: %s", e.nameOf(h.model), h.why))
		}
		if i > 0 {
			key := mean(metrics.Accuracy)
			key.model = h.model
			c, compared := e.Comparisons.by[key]
			holds = holds && compared && c.best == list[0].model && c.holds()
		}
	}
	advice := fmt.Sprintf("Take the model named %s. Of the translations, %s, and the difference holds.", e.nameOf(list[0].model),
		strings.Join(scores, ", "))
	if !holds {
		advice = fmt.Sprintf("Of the translations, %s. The difference may be chance: corrected for all comparisons on this page, it does not say which to take.",
			strings.Join(scores, ", "))
	}
	if reasons != nil {
		advice += "\n\nWhat speaks for each:\n" + strings.Join(reasons, "\n")
	}
	return advice
}
