package langid

import (
	"slices"
	"unicode"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/langid/fasttext"
)

// scripts are those of the labels of a model.
type scripts struct {
	byLabel map[string][]*unicode.RangeTable // none of labels whose scripts are not known
	all     []*unicode.RangeTable
}

func newScripts(languages map[string]string) *scripts {
	s := &scripts{byLabel: map[string][]*unicode.RangeTable{}}
	for label, code := range languages {
		s.byLabel[label] = language.Characters(code)
		for _, script := range s.byLabel[label] {
			if !slices.Contains(s.all, script) { // their order does not matter: no character is in two
				s.all = append(s.all, script)
			}
		}
	}
	return s
}

// writes reports whether a letter of the text is in a script of the label. The first letter of most texts is.
func (s *scripts) writes(label, text string) bool {
	tables := s.byLabel[label]
	if tables == nil {
		return true
	}
	for _, r := range text {
		if unicode.IsLetter(r) && unicode.In(r, tables...) {
			return true
		}
	}
	return false
}

// found returns the scripts of the letters of a text.
func (s *scripts) found(text string) (present []*unicode.RangeTable) {
	for _, r := range text {
		if !unicode.IsLetter(r) || unicode.In(r, present...) {
			continue
		}
		if i := slices.IndexFunc(s.all, func(script *unicode.RangeTable) bool { return unicode.Is(script, r) }); i >= 0 {
			present = append(present, s.all[i])
		}
	}
	return present
}

// fits reports whether a label has one of the scripts.
func (s *scripts) fits(label string, present []*unicode.RangeTable) bool {
	tables := s.byLabel[label]
	return tables == nil || slices.ContainsFunc(tables, func(script *unicode.RangeTable) bool { return slices.Contains(present, script) })
}

// withinScripts predicts again, all labels, for a text in none of the scripts of the model's answer. Left are the labels that have a script
// of the text, with their probabilities among themselves; where the model gives none of them any, but only one
// language has such a script, that one is certain. A text in other scripts than those of the model keeps its answer.
func (f *FastText) withinScripts(text string) {
	present := f.scripts.found(text)
	if len(present) == 0 {
		return
	}
	f.predictions = f.classifier.Predict(f.predictions[:0], text, len(f.languages))
	sum := float32(0)
	f.predictions = slices.DeleteFunc(f.predictions, func(p fasttext.Prediction) bool {
		fits := f.scripts.fits(p.Label, present)
		if fits {
			sum += p.Probability
		}
		return !fits
	})
	for i := range f.predictions {
		f.predictions[i].Probability /= sum
	}
	if len(f.predictions) > 0 {
		return
	}
	only := ""
	for label := range f.languages {
		if f.scripts.byLabel[label] == nil || !f.scripts.fits(label, present) {
			continue
		}
		if only != "" && f.languages[only] != f.languages[label] {
			return
		}
		only = label
	}
	f.predictions = append(f.predictions, fasttext.Prediction{Label: only, Probability: 1})
}
