package diff

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/schemas/spelling"
	"sentweave/stages/metrics"
)

// Models are two models that are compared, one of each dataset of results.
type Models struct {
	A string `json:"a"`
	B string `json:"b"`
}

// Task is how the items of a task changed from one model to another.
type Task struct {
	Models
	Task string `json:"task"`
	// Items counts those that both models have, Better and Worse those that changed sides.
	Items  int `json:"items"`
	Better int `json:"better"`
	Worse  int `json:"worse"`
	// Other counts the parts whose items are others in the two datasets, or in one alone.
	Other int `json:"other,omitempty"`
	// Changes are those that changed most, the worse ones first, each with the greatest change first.
	Changes []ItemChange `json:"changes,omitempty"`
}

// ItemChange is an item that changed sides, or came nearer to people's score or farther from it.
type ItemChange struct {
	Subtask  string `json:"subtask"`
	Language string `json:"language"`
	Position int    `json:"position"`
	TextA    string `json:"text_a"`
	TextB    string `json:"text_b,omitempty"`
	// Change is what the item gained. Of a right or wrong answer it is between −1 and 1. Of a
	// score it is how much nearer its rank came to that of people's score, in parts of all ranks.
	Change float64 `json:"change"`
	// Gold is people's score, and ScoreA and ScoreB are what the models gave.
	Gold   *float64 `json:"gold,omitempty"`
	ScoreA float64  `json:"score_a"`
	ScoreB float64  `json:"score_b"`
	// Label is the right class.
	Label string `json:"label,omitempty"`
	// ClassA and ClassB are predicted classes, and FoundA and FoundB the texts that were found;
	// of several trainings those of the first.
	ClassA string `json:"class_a,omitempty"`
	ClassB string `json:"class_b,omitempty"`
	FoundA string `json:"found_a,omitempty"`
	FoundB string `json:"found_b,omitempty"`
	ids    [4]uint64
}

// Items compares what models made of items, from two folders of results: those of some pairs,
// or else each model of a with that of the same name in b, or the only two. It gives up to limit
// items that became worse, and as many that became better, of each task. Memory is that of the
// items of one task.
func Items(ctx context.Context, a, b string, pairs []Models, limit int) (tasks []Task, err error) {
	var results [2]*metrics.Items
	for i, location := range []string{a, b} {
		if results[i], err = metrics.OpenItems(ctx, []string{location}); err != nil {
			return nil, err
		}
		if len(results[i].Tasks()) == 0 {
			return nil, fmt.Errorf("%s has no items: it was made by another verb than evaluate, or by an earlier version, and can be evaluated again",
				location)
		}
	}
	if pairs, err = chosen(results[0].Models(), results[1].Models(), pairs); err != nil {
		return nil, err
	}
	ids := map[uint64]bool{}
	for _, m := range pairs {
		for _, name := range results[0].Tasks() {
			if !slices.Contains(results[1].Tasks(), name) {
				continue
			}
			t := Task{Models: m, Task: name}
			groupsA, err := results[0].Task(name, []string{m.A})
			if err != nil {
				return nil, err
			}
			groupsB, err := results[1].Task(name, []string{m.B})
			if err != nil {
				return nil, err
			}
			t.compare(groupsA, groupsB, limit)
			for _, c := range t.Changes {
				for _, id := range c.ids {
					ids[id] = true
				}
			}
			tasks = append(tasks, t)
		}
	}
	texts, err := metrics.ReadTexts(ctx, a, ids)
	if err != nil {
		return nil, err
	}
	textsB, err := metrics.ReadTexts(ctx, b, ids) // what was found there
	if err != nil {
		return nil, err
	}
	text := func(id uint64) string {
		if t, ok := texts[id]; ok {
			return t.Text
		}
		return textsB[id].Text
	}
	for _, t := range tasks {
		for i := range t.Changes {
			c := &t.Changes[i]
			c.TextA, c.TextB, c.FoundA, c.FoundB = text(c.ids[0]), text(c.ids[1]), text(c.ids[2]), text(c.ids[3])
		}
	}
	return tasks, nil
}

// chosen are the pairs of models to compare.
func chosen(a, b []string, pairs []Models) ([]Models, error) {
	for _, p := range pairs {
		for _, side := range []struct {
			name string
			of   []string
		}{{p.A, a}, {p.B, b}} {
			if slices.Contains(side.of, side.name) {
				continue
			}
			near := ""
			if n := spelling.Nearest(side.name, side.of); n != "" {
				near = ", did you mean " + n + "?"
			}
			return nil, fmt.Errorf("models: %q has no items: those that have some are %s%s", side.name, strings.Join(side.of, ", "), near)
		}
	}
	if pairs != nil {
		return pairs, nil
	}
	for _, name := range a {
		if slices.Contains(b, name) {
			pairs = append(pairs, Models{name, name})
		}
	}
	if pairs == nil && len(a) == 1 && len(b) == 1 {
		pairs = []Models{{a[0], b[0]}}
	}
	if pairs == nil {
		return nil, fmt.Errorf("no model has the same name in both: give --models A=B, of %s and of %s", strings.Join(a, ", "),
			strings.Join(b, ", "))
	}
	return pairs, nil
}

// compare fills the counts and the changes.
func (t *Task) compare(a, b []metrics.Group, limit int) {
	var worse, better []ItemChange
	for _, g := range a {
		index := slices.IndexFunc(b, func(o metrics.Group) bool { return o.Subtask == g.Subtask && o.Language == g.Language })
		if index < 0 || !g.SameItems(b[index]) {
			t.Other++
			continue
		}
		if g.B == nil && g.Outcomes[0][0].Found != nil {
			continue // it tells the language of the nearest text, which is neither right nor wrong
		}
		h := b[index]
		scoreA, scoreB := scores(g), scores(h)
		goodA, goodB := scoreA, scoreB
		if g.Gold != nil {
			goodA, goodB = nearness(scoreA, g.Gold), nearness(scoreB, g.Gold)
		}
		t.Items += len(g.A)
		for i := range g.A {
			c := ItemChange{Subtask: g.Subtask, Language: g.Language, Position: i, Change: goodB[i] - goodA[i], ScoreA: scoreA[i],
				ScoreB: scoreB[i]}
			if c.Change == 0 {
				continue
			}
			c.describe(g, h, i)
			if c.Change < 0 {
				t.Worse++
				worse = append(worse, c)
			} else {
				t.Better++
				better = append(better, c)
			}
		}
		worse, better = greatest(worse, limit), greatest(better, limit)
	}
	for _, o := range b {
		if !slices.ContainsFunc(a, func(g metrics.Group) bool { return o.Subtask == g.Subtask && o.Language == g.Language }) {
			t.Other++
		}
	}
	t.Changes = append(worse, better...)
}

// greatest are the greatest changes; of equal ones those that come first.
func greatest(list []ItemChange, limit int) []ItemChange {
	slices.SortStableFunc(list, func(a, b ItemChange) int { return cmp.Compare(math.Abs(b.Change), math.Abs(a.Change)) })
	return list[:min(limit, len(list))]
}

// describe names the texts and the answers.
func (c *ItemChange) describe(a, b metrics.Group, i int) {
	c.ids[0] = a.A[i]
	if a.B != nil {
		c.ids[1] = a.B[i]
	}
	if a.Gold != nil {
		c.Gold = &a.Gold[i]
	}
	if a.Labels != nil {
		c.Label, c.ClassA, c.ClassB = a.Labels[i], a.Outcomes[0][0].Predicted[i], b.Outcomes[0][0].Predicted[i]
	}
	if answers := a.Outcomes[0][0].Found; answers != nil {
		c.ids[2] = answers[i]
	}
	if answers := b.Outcomes[0][0].Found; answers != nil {
		c.ids[3] = answers[i]
	}
}

// scores are those of the items, the mean of several trainings.
func scores(g metrics.Group) []float64 {
	list := make([]float64, len(g.A))
	for _, o := range g.Outcomes[0] {
		for i, s := range o.Score {
			list[i] += s / float64(len(g.Outcomes[0]))
		}
	}
	return list
}

// nearness is how near the rank of each score is to that of its gold: 0 is equal, −1 as far as
// the ranks reach.
func nearness(scores, gold []float64) []float64 {
	a, b, n := metrics.Ranks(scores), metrics.Ranks(gold), float64(max(1, len(gold)-1))
	for i := range a {
		a[i] = -math.Abs(a[i]-b[i]) / n
	}
	return a
}
