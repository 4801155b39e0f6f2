package metrics

import (
	"math"
	"path"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/jsonfile"
	"sentweave/transforms/measure/bootstrap"
)

// Group is what models made of the items of a subtask in a language.
type Group struct {
	Subtask, Language string
	// A and B are the texts by schemas.TextID; B is nil where items have one.
	A, B []uint64
	// Gold and Labels are the scores and classes that people give; nil without.
	Gold   []float64
	Labels []string
	// Outcomes are by model: one, or as many as classifiers were trained. A model that lacks the
	// group has none.
	Outcomes [][]Outcome
}

// Outcome is what one model, with one classifier, made of the items of a group.
type Outcome struct {
	Score []float64
	// Found is the text that was found, 0 where none was; nil where none is sought.
	Found []uint64
	// Predicted are classes; nil without.
	Predicted []string
}

// items is the number of items.
func (g Group) items() int { return len(g.A) }

// same is 1 where the text that was found is the right one, at whatever place.
func (g Group) same(o Outcome) []float64 {
	list := make([]float64, min(len(o.Found), len(g.B)))
	for i := range list {
		if o.Found[i] == g.B[i] {
			list[i] = 1
		}
	}
	return list
}

// isScored says whether people gave scores, and isLabelled whether they gave classes alone.
func (g Group) isScored() bool { return g.Gold != nil }

func (g Group) isUnscored() bool { return g.Gold == nil }

func (g Group) isLabelled() bool { return g.Gold == nil && g.Labels != nil }

func (g Group) scoresOfPeople() []float64 { return g.Gold }

func (g Group) positives() []float64 { return positives(g.Labels) }

// Composition says how a figure of some models follows from items.
type Composition struct {
	bootstrap.Figure
	// Models are the places of the models among those of the groups.
	Models []int
	// groups are those of each term, whose items follow each other, by their places among all.
	groups [][]int
	all    []Group
}

// At returns the group of an item of a term, and its place there.
func (c Composition) At(term, item int) (group, place int) {
	for _, g := range c.groups[term] {
		if n := c.all[g].items(); item >= n {
			item -= n
			continue
		}
		return g, item
	}
	return -1, 0
}

// near is how near a figure must come to that of its items. An accuracy by folds is the mean of
// the folds, which differ by an item in size; any other way to combine items differs by more.
const near = 5e-4

// Compose returns how a figure of a task follows from the items of groups; ok is false where it
// does not, as precision. Value i belongs to the same model as outcome i of each group, and is NaN where
// that model has no such figure. Figures are those of the task, of whatever model: they name the parts of
// an aggregate. Values are compared with what the items give, so that a figure that is defined in another
// way is not taken for this one; models whose values differ are left out.
func Compose(r schemas.Result, values []float64, figures []schemas.Result, groups []Group) (c Composition, ok bool) {
	for _, candidate := range candidates(r, figures, groups) {
		remaining := slices.Clone(values)
		c := candidate.of(r.Metric, groups, remaining)
		for len(c.Models) > 0 {
			got, _ := c.Values(nil)
			wrong := 0
			for wrong < len(got) && math.Abs(got[wrong]-remaining[c.Models[wrong]]) <= near {
				wrong++
			}
			if wrong == len(got) {
				return c, true
			}
			remaining[c.Models[wrong]] = math.NaN()
			c = candidate.of(r.Metric, groups, remaining)
		}
	}
	return c, false
}

// combination is a way in which groups make a figure: a sum of terms, each over the items of
// some groups together.
type combination []summand

type summand struct {
	groups []int
	weight float64
	// metric is that of the term, if it is another one than that of the figure.
	metric string
}

// equally is the mean over groups.
func equally(groups []int) (c combination) {
	for _, g := range groups {
		c = append(c, summand{groups: []int{g}, weight: 1 / float64(len(groups))})
	}
	return c
}

// candidates are the ways in which a figure may follow from groups, the likeliest first.
func candidates(r schemas.Result, figures []schemas.Result, groups []Group) (list []combination) {
	place := func(subtask, language string) int {
		return slices.IndexFunc(groups, func(g Group) bool { return g.Subtask == subtask && g.Language == language })
	}
	if g := place(r.Subtask, r.Language); g >= 0 {
		list = append(list, combination{{groups: []int{g}, weight: 1}})
	}
	if average := averageOf(r, place, groups); average != nil {
		list = append(list, average)
	}
	// Parts are the other figures of this metric, in this language if the figure has one.
	parts := func(takes func(f schemas.Result) bool) (list []int) {
		for _, f := range figures {
			if f.Metric != r.Metric || f.Subtask == r.Subtask || IsAggregate(f.Subtask) || r.Language != "" && f.Language != r.Language ||
				!takes(f) {
				continue
			}
			if g := place(f.Subtask, f.Language); g >= 0 && !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
		return list
	}
	dir, base := path.Split(r.Subtask)
	// A mean over a group of languages names them, and its parts are under no group.
	var settings struct {
		Languages string `json:"languages"`
	}
	_ = jsonfile.Unmarshal([]byte(r.Settings), &settings) // elsewhere it is a number
	languages := strings.Fields(settings.Languages)
	sibling := func(f schemas.Result) bool {
		d, _ := path.Split(f.Subtask)
		return d == dir || d == "" && slices.Contains(languages, f.Language)
	}
	switch base {
	case SubtaskAll:
		return append(list, combination{{groups: parts(sibling), weight: 1}})
	case SubtaskMean:
		return append(list, equally(parts(sibling)))
	case SubtaskWeightedMean:
		c, total := equally(parts(sibling)), 0
		for _, s := range c {
			total += groups[s.groups[0]].items()
		}
		for i, s := range c {
			c[i].weight = float64(groups[s.groups[0]].items()) / float64(total)
		}
		return append(list, c)
	case SubtaskMeanTo:
		return append(list, equally(parts(func(f schemas.Result) bool { return sibling(f) && strings.HasSuffix(f.Subtask, "-eng") })))
	case SubtaskMeanFrom:
		return append(list, equally(parts(func(f schemas.Result) bool { return sibling(f) && strings.HasPrefix(f.Subtask, "eng-") })))
	}
	// Both directions of a language, or all from or to one.
	language := r.Language
	r.Language = ""
	return append(list,
		equally(parts(func(f schemas.Result) bool { return f.Subtask == language+"-eng" || f.Subtask == "eng-"+language })),
		equally(parts(func(f schemas.Result) bool { return dir == "from/" && strings.HasPrefix(f.Subtask, language+"-") })),
		equally(parts(func(f schemas.Result) bool { return dir == "to/" && strings.HasSuffix(f.Subtask, "-"+language) })))
}

// averageOf is that of the members that the settings name, with accuracy and Pearson's
// correlation; nil if they name none, or one is missing.
func averageOf(r schemas.Result, place func(subtask, language string) int, groups []Group) (c combination) {
	var settings struct {
		Of string `json:"of"`
	}
	if jsonfile.Unmarshal([]byte(r.Settings), &settings) != nil || settings.Of == "" {
		return nil
	}
	prefix, _ := path.Split(r.Subtask)
	members := strings.Fields(settings.Of)
	for _, member := range members {
		g := place(prefix+member, r.Language)
		if g < 0 {
			return nil
		}
		metric := Accuracy
		if groups[g].Gold != nil {
			metric = Pearson
		}
		c = append(c, summand{[]int{g}, 1 / float64(len(members)), metric})
	}
	return c
}

// of makes the figure of a combination, of the models that have all of its groups. Without any it
// has no models.
func (combination combination) of(metric string, groups []Group, values []float64) (c Composition) {
	if len(combination) == 0 {
		return c
	}
	for m, v := range values {
		lacks := func(s summand) bool {
			return slices.ContainsFunc(s.groups, func(g int) bool { return len(groups[g].Outcomes[m]) == 0 })
		}
		if !math.IsNaN(v) && !slices.ContainsFunc(combination, lacks) {
			c.Models = append(c.Models, m)
		}
	}
	c.all = groups
	for _, s := range combination {
		termMetric := metric
		if s.metric != "" {
			termMetric = s.metric
		}
		t, ok := termOf(termMetric, s, groups, c.Models)
		if !ok {
			return Composition{}
		}
		if t.Weight < 0 { // 1 less the mean
			c.Constant += s.weight
		}
		c.Terms, c.groups = append(c.Terms, t), append(c.groups, s.groups)
	}
	return c
}

// termOf makes a term of some models; ok is false where groups have not what the metric takes.
func termOf(metric string, s summand, groups []Group, models []int) (t bootstrap.Term, ok bool) {
	if len(s.groups) == 0 {
		return t, false
	}
	definition, ok := Find(metric)
	itemMetric := definition.items
	if !ok || itemMetric == nil {
		return t, false
	}
	if t.Metric, t.Weight = itemMetric.figure, s.weight; itemMetric.misses {
		t.Weight = -s.weight
	}
	for _, g := range s.groups {
		if !itemMetric.takes(groups[g]) {
			return t, false
		}
		if itemMetric.gold != nil {
			t.Gold = append(t.Gold, itemMetric.gold(groups[g])...)
		}
	}
	items := 0
	for _, g := range s.groups {
		items += groups[g].items()
	}
	for _, m := range models {
		var runs [][]float64
		for k, first := range groups[s.groups[0]].Outcomes[m] {
			list := itemMetric.score(groups[s.groups[0]], first)
			for _, g := range s.groups[1:] {
				if k >= len(groups[g].Outcomes[m]) {
					return t, false
				}
				list = append(slices.Clip(list), itemMetric.score(groups[g], groups[g].Outcomes[m][k])...)
			}
			if len(list) != items {
				return t, false
			}
			runs = append(runs, list)
		}
		t.Scores = append(t.Scores, runs)
	}
	return t, true
}

// positives are 1 for the class of F1, which SentEval calls 1.
func positives(labels []string) []float64 {
	list := make([]float64, len(labels))
	for i, l := range labels {
		if l == "1" {
			list[i] = 1
		}
	}
	return list
}

// SameItems says that the items of two groups are the same ones, in the same order.
func (g Group) SameItems(o Group) bool {
	return slices.Equal(g.A, o.A) && slices.Equal(g.B, o.B) && slices.Equal(g.Gold, o.Gold) && slices.Equal(g.Labels, o.Labels)
}
