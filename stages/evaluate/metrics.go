package evaluate

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
	// MetricAccuracy is the share of queries whose nearest candidate is the one of the
	// same position; of equally near candidates the first counts. For classifiers it is the share of texts in the right class.
	MetricAccuracy = "accuracy"
	// MetricTextAccuracy also counts other candidates with exactly the right text.
	MetricTextAccuracy = "text_accuracy"
	// MetricSameLanguage is the share of texts whose nearest neighbour, among the
	// texts of all languages, is of the same language.
	MetricSameLanguage = "same_language"
	// MetricSpearman and MetricPearson are correlations of similarity with scores that people give.
	MetricSpearman = "spearman"
	MetricPearson  = "pearson"
	// MetricMean is the average of figures that different tasks measure in different ways.
	MetricMean = "mean"

	// metricF1 is that of the positive class, or of the pairs that are mined.
	metricF1        = "f1"
	metricPrecision = "precision"
	metricRecall    = "recall"
	// metricThreshold is the similarity from which on pairs are mined.
	metricThreshold = "threshold"
	// metricError is the share of queries that do not find their translation.
	metricError = "error"
	// metricShare is the share of a language among the nearest of texts in another one.
	metricShare = "share"
	// metricEntropy is that of these shares, by the logarithm of the number of languages: 1 is
	// neutral.
	metricEntropy = "entropy"
	// metricMAP is the mean average precision of the search for all translations of a text
	// among the texts of all languages.
	metricMAP = "map"
	// metricSkewness is that of how often a text is among the ten nearest of others.
	metricSkewness = "hub_skewness"
	// metricOrphans is the share of texts that are among the ten nearest of none.
	metricOrphans = "hub_orphans"
	// metricLanguage is the accuracy of a linear classifier of languages.
	metricLanguage = "language_accuracy"

	// metricUncontaminated ends the metrics of figures that are given once more, without the items
	// of which a text stands in the training.
	metricUncontaminated = "_uncontaminated"
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
	{MetricAccuracy, true, 1, meanScore},
	{MetricTextAccuracy, true, 1, &statistic{score: Group.same, takes: Group.isUnscored}},
	{MetricSameLanguage, true, 0, meanScore},
	{MetricSpearman, true, 1, &statistic{figure: bootstrap.Spearman, score: scores, gold: Group.scoresOfPeople, takes: Group.isScored}},
	{MetricPearson, true, 1, &statistic{figure: bootstrap.Pearson, score: scores, gold: Group.scoresOfPeople, takes: Group.isScored}},
	{metricF1, true, 1, &statistic{figure: bootstrap.F1, score: predictedPositives, gold: Group.positives, takes: Group.isLabelled}},
	{metricPrecision, true, 1, nil},
	{metricRecall, true, 1, meanScore},
	{metricThreshold, false, 0, nil},
	{metricError, true, -1, &statistic{score: scores, takes: Group.isUnscored, misses: true}},
	{metricMAP, true, 1, meanScore},
	{metricShare, true, 0, nil},
	{metricEntropy, true, 0, nil},
	{metricSkewness, false, 0, nil},
	{metricOrphans, true, 0, nil},
	{metricLanguage, true, 0, meanScore},
	{MetricMean, true, 1, nil}, // of the figures of other metrics: see averageOf
}

// MetricOf returns the metric of a name. Of a metric that no task of ours gives nothing but the name is known.
func MetricOf(name string) Metric {
	if m, ok := metricNamed(strings.TrimSuffix(name, metricUncontaminated)); ok {
		return m
	}
	return Metric{Name: name}
}

// metricNamed finds a metric that tasks give.
func metricNamed(name string) (Metric, bool) {
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
