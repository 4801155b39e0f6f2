package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// mostClasses is the number of classes above which a table of them is left out.
const mostClasses = 12

// confusions are the tables of right and predicted classes of each task that has some, by the
// items of its models.
func confusions(items *metrics.Items, models []Model) (map[string]markup.Block, error) {
	var keys []string
	for _, m := range models {
		keys = append(keys, m.Key)
	}
	byTask := map[string]markup.Block{}
	for _, task := range items.Tasks() {
		groups, err := items.Task(task, keys)
		if err != nil {
			return nil, err
		}
		var blocks []markup.Block
		for _, g := range groups {
			var tables markup.SideBySide
			for i, outcomes := range g.Outcomes {
				if t, ok := confusion(g, outcomes, models[i].name()); ok {
					tables = append(tables, t)
				}
			}
			if len(tables) > 0 {
				blocks = append(blocks, tables)
			}
		}
		if len(blocks) > 0 {
			byTask[task] = markup.Folded{Summary: "Right and predicted classes", Blocks: blocks}
		}
	}
	return byTask, nil
}

// confusion counts how often each class is taken for each other one: a row for each right class.
// Several trainings are summed. The shades are shares of a row.
func confusion(g metrics.Group, outcomes []metrics.Outcome, model string) (t markup.Table, ok bool) {
	classes := slices.Clone(g.Labels)
	for _, o := range outcomes {
		classes = append(classes, o.Predicted...)
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	if len(g.Labels) == 0 || len(outcomes) == 0 || len(classes) > mostClasses {
		return t, false
	}
	counts := make([][]int64, len(classes))
	for i := range counts {
		counts[i] = make([]int64, len(classes))
	}
	for _, o := range outcomes {
		for i, right := range g.Labels {
			a, _ := slices.BinarySearch(classes, right)
			b, _ := slices.BinarySearch(classes, o.Predicted[i])
			counts[a][b]++
		}
	}
	t = markup.Table{Caption: strings.TrimSpace(fmt.Sprintf("%s %s, %s", g.Subtask, g.Language, model)),
		Columns: []markup.Column{{Name: "Right ↓ predicted →"}}}
	if len(outcomes) > 1 {
		t.Note = fmt.Sprintf("The sum of %d trainings.", len(outcomes))
	}
	for i, class := range classes {
		t.Columns = append(t.Columns, markup.Column{Name: class, Number: true})
		row, sum := markup.Cells(class), int64(0)
		for _, n := range counts[i] {
			sum += n
		}
		for k, n := range counts[i] {
			c := markup.Cell{Text: markup.Count(n), Strong: i == k}
			if n > 0 {
				c.Shade = int(math.Ceil(markup.Shades * float64(n) / float64(sum)))
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, true
}
