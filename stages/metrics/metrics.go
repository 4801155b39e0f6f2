// Package metrics names the metrics of results and says how a figure follows from items. Evaluation writes by it what
// report and diff read, and none of them knows more of a metric.
//
// A figure is a row of schemas.Result. What models made of the single items is beside the results: Items reads
// the rows, Compose finds the items that a figure is made of, and Hypothesis names what two models differ in.
package metrics

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/measure/bootstrap"
)

// Names of metrics.
const (
	// Accuracy is the share of queries whose nearest candidate is the one of the
	// same position; of equally near candidates the first counts. For classifiers it is the share of texts in the right class.
	Accuracy = "accuracy"
	// TextAccuracy also counts other candidates with exactly the right text.
	TextAccuracy = "text_accuracy"
	// SameLanguage is the share of texts whose nearest neighbour, among the
	// texts of all languages, is of the same language.
	SameLanguage = "same_language"
	// Spearman and Pearson are correlations of similarity with scores that people give.
	Spearman = "spearman"
	Pearson  = "pearson"
	// Mean is the average of figures that different tasks measure in different ways.
	Mean = "mean"

	// F1 is that of the positive class, or of the pairs that are mined.
	F1        = "f1"
	Precision = "precision"
	Recall    = "recall"
	// Threshold is the similarity from which on pairs are mined.
	Threshold = "threshold"
	// ErrorRate is the share of queries that do not find their translation.
	ErrorRate = "error"
	// Share is the share of a language among the nearest of texts in another one.
	Share = "share"
	// Entropy is that of these shares, by the logarithm of the number of languages: 1 is
	// neutral.
	Entropy = "entropy"
	// MAP is the mean average precision of the search for all translations of a text
	// among the texts of all languages.
	MAP = "map"
	// HubSkewness is that of how often a text is among the ten nearest of others.
	HubSkewness = "hub_skewness"
	// HubOrphans is the share of texts that are among the ten nearest of none.
	HubOrphans = "hub_orphans"
	// LanguageAccuracy is the accuracy of a linear classifier of languages.
	LanguageAccuracy = "language_accuracy"

	// UncontaminatedSuffix ends the metrics of figures that are given once more, without the items
	// of which a text is in the training.
	UncontaminatedSuffix = "_uncontaminated"
)

// Subtasks of aggregates: one figure over the items of all subtasks together, the
// plain mean over subtasks, and the mean weighted by their numbers of items; of
// tatoeba the mean over languages of both directions, to English and from English.
const (
	SubtaskAll          = "all"
	SubtaskMean         = "mean"
	SubtaskWeightedMean = "wmean"
	SubtaskMeanTo       = "mean-eng"
	SubtaskMeanFrom     = "eng-mean"
)

// RetrievalTask is the name of the task of parallel paragraphs.
const RetrievalTask = "retrieval"

// Metric says how the figures of one name are shown and compared, and how they follow from items. Evaluation, the report and
// diff know no more of a metric.
type Metric struct {
	Name string
	// Percent is set of shares and correlations, which are usually shown a hundred times
	// as great.
	Percent bool
	// Better is 1 where a greater figure is better, −1 where a smaller one is, and 0
	// where neither is.
	Better int
	// items says how a figure follows from items, so that it has an interval and differences are tested; nil where
	// a figure does not.
	items *statistic
}

// FollowsFromItems says whether figures of the metric are means or correlations over items.
func (m Metric) FollowsFromItems() bool { return m.items != nil }

// metrics are those that tasks give.
var metrics = []Metric{
	{Accuracy, true, 1, meanScore},
	{TextAccuracy, true, 1, &statistic{score: Group.same, takes: Group.isUnscored}},
	{SameLanguage, true, 0, meanScore},
	{Spearman, true, 1, &statistic{figure: bootstrap.Spearman, score: scores, gold: Group.scoresOfPeople, takes: Group.isScored}},
	{Pearson, true, 1, &statistic{figure: bootstrap.Pearson, score: scores, gold: Group.scoresOfPeople, takes: Group.isScored}},
	{F1, true, 1, &statistic{figure: bootstrap.F1, score: predictedPositives, gold: Group.positives, takes: Group.isLabelled}},
	{Precision, true, 1, nil},
	{Recall, true, 1, meanScore},
	{Threshold, false, 0, nil},
	{ErrorRate, true, -1, &statistic{score: scores, takes: Group.isUnscored, misses: true}},
	{MAP, true, 1, meanScore},
	{Share, true, 0, nil},
	{Entropy, true, 0, nil},
	{HubSkewness, false, 0, nil},
	{HubOrphans, true, 0, nil},
	{LanguageAccuracy, true, 0, meanScore},
	{Mean, true, 1, nil}, // of the figures of other metrics: see averageOf
}

// ByName returns the metric of a name. Of a metric that no task of ours gives nothing but the name is known.
func ByName(name string) Metric {
	if m, ok := Find(strings.TrimSuffix(name, UncontaminatedSuffix)); ok {
		return m
	}
	return Metric{Name: name}
}

// Find finds a metric that tasks give.
func Find(name string) (Metric, bool) {
	i := slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return metrics[i], true
}

// statistic says how a figure follows from the items of groups.
type statistic struct {
	// figure is what is made of the items' scores: their mean, or what compares them with gold.
	figure bootstrap.Metric
	score  func(g Group, o Outcome) []float64
	gold   func(g Group) []float64
	// takes says whether a group has what the statistic is made of.
	takes func(g Group) bool
	// misses says that the figure is 1 less the mean.
	misses bool
}

// meanScore is the mean of the scores.
var meanScore = &statistic{score: scores, takes: Group.isUnscored}

func scores(_ Group, o Outcome) []float64 { return o.Score }

func predictedPositives(_ Group, o Outcome) []float64 { return positives(o.Predicted) }

// Undefined is what UndefinedOf says of a single correlation.
const Undefined = "undefined"

// UndefinedOf returns what the settings of a figure say of correlations that count as 0 in it, since all
// similarities are equal: Undefined of one, "3 undefined" of a mean of several, "" where there are none.
func UndefinedOf(settings string) string {
	var s struct {
		Undefined any `json:"undefined"`
	}
	if jsonfile.Unmarshal([]byte(settings), &s) != nil || s.Undefined == nil { // settings of another shape say nothing
		return ""
	}
	if n, isMean := s.Undefined.(float64); isMean {
		return fmt.Sprintf("%.0f undefined", n)
	}
	return Undefined
}

// IsAggregate says whether a subtask is a figure of a whole task, or of a whole test set
// of a task that has several.
func IsAggregate(subtask string) bool {
	return slices.Contains([]string{SubtaskAll, SubtaskMean, SubtaskWeightedMean, SubtaskMeanTo, SubtaskMeanFrom}, path.Base(subtask))
}
