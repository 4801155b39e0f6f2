package langid

import (
	"context"
	"maps"
	"slices"
	"time"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/clean/langid/fasttext"
)

// Model is an identifier and its name in the figures.
type Model struct {
	Name       string
	Identifier langid.Identifier
}

// Means of languages, in the place of a language: of all those of the texts, of those that the model knows, and of those that all models
// know. The texts of the others then do not count.
const (
	All    = "(all)"
	Known  = "(known)"
	Shared = "(known to all)"
)

// Figures tell how a model identifies a language, or the mean over languages. An answer is right if language.Matches says so of the
// answer and the language of the text: nor for a text in nob.
type Figures struct {
	Language string `json:"language"`
	Model    string `json:"model"`
	// Languages is the number of languages that the mean is of; 1 for a language.
	Languages int   `json:"languages"`
	Texts     int64 `json:"texts"`
	// Precision, Recall and F1 are those of the language, or the means of them (macro averages). What never was answered has precision 0.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	// FalsePositiveRate is the share of the texts in other languages that the model takes for the language.
	FalsePositiveRate float64 `json:"false_positive_rate"`
	// Accuracy is the share of the texts whose answer is right.
	Accuracy float64 `json:"accuracy"`
	// Microseconds of one core a text takes. Only means have them.
	Microseconds float64 `json:"microseconds,omitempty"`
}

// Evaluate measures models on texts whose labels are codes of languages: for each language and model, then the means. All but the time is
// a function of the texts and models.
func Evaluate(ctx context.Context, texts []fasttext.LabelledText, models []Model) ([]Figures, error) {
	answers, times := make([]answered, len(models)), make([]float64, len(models))
	for i, m := range models {
		answers[i] = answered{}
		start := time.Now()
		for j, t := range texts {
			if j%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			code, _ := m.Identifier.Identify(t.Text)
			answers[i].add(t.Label, code)
		}
		times[i] = 1e6 * time.Since(start).Seconds() / float64(max(1, len(texts)))
	}
	var list, means []Figures
	if len(models) == 0 || len(texts) == 0 {
		return nil, nil
	}
	codes := slices.Sorted(maps.Keys(answers[0]))
	shared := slices.DeleteFunc(slices.Clone(codes), func(code string) bool {
		return slices.ContainsFunc(models, func(m Model) bool { return !m.Identifier.Knows(code) })
	})
	for i, m := range models {
		known := slices.DeleteFunc(slices.Clone(codes), func(code string) bool { return !m.Identifier.Knows(code) })
		for _, over := range []struct {
			name  string
			codes []string
		}{{All, codes}, {Known, known}, {Shared, shared}} {
			figures := answers[i].figures(over.codes)
			for j := range figures {
				figures[j].Model = m.Name
			}
			if over.name == All {
				list = append(list, figures...)
			}
			mean := meanOf(figures)
			mean.Language, mean.Model, mean.Microseconds = over.name, m.Name, times[i]
			means = append(means, mean)
		}
	}
	byLanguage := func(a, b Figures) int { return slices.Index(codes, a.Language) - slices.Index(codes, b.Language) }
	slices.SortStableFunc(list, byLanguage)
	order := []string{All, Known, Shared}
	slices.SortStableFunc(means, func(a, b Figures) int { return slices.Index(order, a.Language) - slices.Index(order, b.Language) })
	return append(list, means...), nil
}

// answered counts the texts by language and answer.
type answered map[string]map[string]int64

func (a answered) add(code, answer string) {
	if a[code] == nil {
		a[code] = map[string]int64{}
	}
	a[code][answer]++
}

// figures are those of some languages, on their texts alone.
func (a answered) figures(codes []string) []Figures {
	list := make([]Figures, len(codes))
	right, wrong, all := make([]int64, len(codes)), make([]int64, len(codes)), int64(0)
	for i, code := range codes {
		f := Figures{Language: code, Languages: 1}
		for answer, n := range a[code] {
			f.Texts += n
			if language.Matches(answer, code) {
				right[i] += n
				continue
			}
			for j, other := range codes {
				if language.Matches(answer, other) {
					wrong[j] += n
				}
			}
		}
		list[i] = f
		all += f.Texts
	}
	for i := range list {
		f := &list[i]
		f.Precision = ratio(right[i], right[i]+wrong[i])
		f.Recall = ratio(right[i], f.Texts)
		f.F1 = ratio(2*right[i], right[i]+wrong[i]+f.Texts)
		f.FalsePositiveRate = ratio(wrong[i], all-f.Texts)
		f.Accuracy = ratio(all-wrong[i]-f.Texts+right[i], all)
	}
	return list
}

// meanOf is the mean of the figures of languages, and the accuracy over all their texts.
func meanOf(list []Figures) Figures {
	mean := Figures{Languages: len(list)}
	right := 0.
	for _, f := range list {
		mean.Texts += f.Texts
		mean.Precision += f.Precision / float64(len(list))
		mean.Recall += f.Recall / float64(len(list))
		mean.F1 += f.F1 / float64(len(list))
		mean.FalsePositiveRate += f.FalsePositiveRate / float64(len(list))
		right += f.Recall * float64(f.Texts)
	}
	if mean.Texts > 0 {
		mean.Accuracy = right / float64(mean.Texts)
	}
	return mean
}

func ratio(a, b int64) float64 { return float64(a) / float64(max(1, b)) }
