package report

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

//go:embed published.yaml
var publishedFile []byte

//go:embed standard.yaml
var standardFile []byte

// publishedTable is a table of a paper; published.yaml says what its fields are.
type publishedTable struct {
	Paper    string            `yaml:"paper"`
	Table    string            `yaml:"table"`
	Columns  []string          `yaml:"columns"`
	Settings map[string]string `yaml:"settings"`
	Items    []int64           `yaml:"items"`
	Unstated string            `yaml:"unstated"`
	Note     string            `yaml:"note"`
	Lines    []publishedLine   `yaml:"lines"`
}

type publishedLine struct {
	Name    string `yaml:"name"`
	Vectors string `yaml:"vectors"`
	// Similarity is how texts were compared, if otherwise than the settings of the table say.
	Similarity string     `yaml:"similarity"`
	Values     []*float64 `yaml:"values"`
	Average    *float64   `yaml:"average"`
}

// testSets are the hashes of the usual test sets, by the task, the subtask and the language of a
// figure; standard.yaml says which.
type testSets map[string][]string

// readPublished reads the published figures, and what the usual test sets are.
func readPublished() (tables []publishedTable, standard testSets, err error) {
	if err := yaml.UnmarshalWithOptions(publishedFile, &tables, yaml.Strict()); err != nil {
		return nil, nil, fmt.Errorf("published figures: %w", err)
	}
	if err := yaml.UnmarshalWithOptions(standardFile, &standard, yaml.Strict()); err != nil {
		return nil, nil, fmt.Errorf("hashes of test sets: %w", err)
	}
	return tables, standard, nil
}

// of says whether the usual test set of a column is known, and whether a figure is over another one.
func (standard testSets) of(column string, f figure) (ok, differs bool) {
	hashes := standard[column[:strings.LastIndexByte(column, ' ')]] // without the metric
	return hashes != nil, hashes != nil && !slices.Contains(hashes, f.data)
}

// isMean says whether a column is an average of others, which the data of those decide.
func (c cell) isMean() bool {
	return metrics.IsAggregate(c.subtask) && c.subtask != metrics.SubtaskAll || strings.HasPrefix(c.subtask, "avg-")
}

// figureOfColumn names the figure of a column: task, subtask, language or a hyphen, metric.
func figureOfColumn(column string) cell {
	part := strings.Fields(column)
	return cell{task: part[0], subtask: part[1], language: strings.TrimPrefix(part[2], "-"), metric: part[3]}
}

// besidePublished shows each table of a paper of which there is a figure, with our models as
// further lines, and says of these whether they compare.
func (r *results) besidePublished() (blocks []markup.Block, err error) {
	tables, standard, err := readPublished()
	if err != nil {
		return nil, err
	}
	for _, p := range tables {
		if t, ok := r.beside(p, standard); ok {
			blocks = append(blocks, t)
		}
	}
	return blocks, nil
}

func (r *results) beside(p publishedTable, standard testSets) (markup.Table, bool) {
	t := markup.Table{Caption: p.Paper + ", table " + p.Table + ", × 100", Columns: []markup.Column{{Name: "Line"}, {Name: "Comparable"}},
		Note: p.Note, Sortable: true}
	var columns []int
	for i, column := range p.Columns {
		key := figureOfColumn(column)
		if slices.ContainsFunc(r.models, func(m Model) bool { _, ok := r.of(m, key); return ok }) {
			columns = append(columns, i)
			t.Columns = append(t.Columns, markup.Column{Name: p.header(i), Number: true})
		}
	}
	if len(columns) == 0 {
		return markup.Table{}, false
	}
	if n := len(p.Columns) - len(columns); n > 0 {
		t.Note = strings.TrimSpace(fmt.Sprintf("%s Columns of which nothing was measured are left out: %d of %d.", t.Note, n,
			len(p.Columns)))
	}
	averaged := slices.ContainsFunc(p.Lines, func(l publishedLine) bool { return l.Average != nil })
	if averaged {
		t.Columns = append(t.Columns, markup.Column{Name: fmt.Sprintf("average of %d", len(p.Columns)), Number: true})
	}
	digits := 1 // as many as the paper gives
	for _, line := range p.Lines {
		for _, v := range append([]*float64{line.Average}, line.Values...) {
			if v != nil && math.Abs(*v*10-math.Round(*v*10)) > 1e-9 {
				digits = 2
			}
		}
	}
	for _, line := range p.Lines {
		row := markup.Cells(line.Name, "published")
		value := func(v *float64) {
			c := markup.Cell{Text: markup.Absent}
			if v != nil {
				c.Text = markup.Number(*v, digits)
			}
			row = append(row, c)
		}
		for _, i := range columns {
			value(line.Values[i])
		}
		if averaged {
			value(line.Average)
		}
		t.Rows = append(t.Rows, row)
	}
	because := map[string][]string{} // models, by why they do not compare
	var order []string
	for _, m := range r.models {
		row, compared := markup.Cells(m.name(), ""), comparison{}
		var values []float64
		row[0].Strong = true
		for _, i := range columns {
			key := figureOfColumn(p.Columns[i])
			f, ok := r.of(m, key)
			c := markup.Cell{Text: markup.Absent}
			if ok {
				values = append(values, 100*f.value)
				c = markup.Cell{Text: f.text(true), Detail: f.detail(true)}
				compared.add(p, i, f, standard)
			}
			row = append(row, c)
		}
		if len(values) == 0 {
			continue
		}
		if averaged {
			c := markup.Cell{Text: markup.Absent}
			if len(values) == len(p.Columns) {
				sum := 0.0
				for _, v := range values {
					sum += v
				}
				c.Text, compared.beside = markup.Number(sum/float64(len(values)), 2), true
			}
			row = append(row, c)
		}
		verdict, reasons := compared.verdict(p)
		row[1].Text = verdict
		t.Rows = append(t.Rows, row)
		if reasons == "" {
			continue
		}
		why := verdict + ", because " + reasons
		if because[why] == nil {
			order = append(order, why)
		}
		because[why] = append(because[why], m.name())
	}
	for _, why := range order {
		t.Note = strings.TrimSpace(t.Note + " " + strings.Join(because[why], ", ") + ": " + why + ".")
	}
	return t, true
}

// header names a column: its task and subtask, its language where several columns differ by it alone, and its
// metric.
func (p publishedTable) header(column int) string {
	key := figureOfColumn(p.Columns[column])
	alone := cell{task: key.task, subtask: key.subtask, metric: key.metric}
	words := []string{key.task, key.subtask}
	for i, name := range p.Columns {
		o := figureOfColumn(name)
		if i != column && alone == (cell{task: o.task, subtask: o.subtask, metric: o.metric}) {
			words = append(words, key.language)
			break
		}
	}
	return strings.Join(slices.DeleteFunc(append(words, key.metric), func(s string) bool { return s == metrics.SubtaskAll }), " ")
}

// comparison is what is known of the figures of a model that are beside those of a table.
type comparison struct {
	// differences are what forbids to compare them, and others the columns whose data are not the usual ones.
	differences, others []string
	// unknown are the columns of whose usual data nothing is known, and means those of them that are
	// averages.
	unknown, means []string
	// parts says that some columns are not averages, and beside that the table has values beside some figures.
	parts, beside bool
}

// add takes the figure of a column.
func (c *comparison) add(p publishedTable, column int, f figure, standard testSets) {
	insert := func(list *[]string, text string) {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for _, reason := range p.differences(f, column) {
		insert(&c.differences, reason)
	}
	key := figureOfColumn(p.Columns[column])
	name := strings.TrimSuffix(key.task+" "+key.subtask, " all")
	c.parts = c.parts || !key.isMean()
	c.beside = c.beside || slices.ContainsFunc(p.Lines, func(l publishedLine) bool { return l.Values[column] != nil })
	switch ok, differs := standard.of(p.Columns[column], f); {
	case differs:
		insert(&c.others, name)
	case !ok && key.isMean():
		insert(&c.means, name)
	case !ok:
		insert(&c.unknown, name)
	}
}

// verdict says whether the figures compare, and why not.
func (c comparison) verdict(p publishedTable) (verdict, reasons string) {
	unknown := c.unknown
	if !c.parts { // whose data would be those of the averages
		unknown = c.means
	}
	if len(c.others) > 0 {
		c.differences = append(c.differences, "its data of "+namesOf(c.others)+" are not those of the usual test set")
	}
	switch {
	case !c.beside:
		return "no", "the table has averages alone"
	case len(c.differences) > 0:
		return "no", strings.Join(c.differences, "; ")
	case p.Unstated != "":
		return "not known", p.Unstated
	case len(unknown) > 0:
		return "not known", "the usual data of " + namesOf(unknown) + " are not known here"
	}
	return "yes", ""
}

// namesOf lists columns, many of one task by its name alone.
func namesOf(columns []string) string {
	const many = 4
	counts := map[string]int{}
	task := func(column string) string { return strings.Fields(column)[0] }
	for _, column := range columns {
		counts[task(column)]++
	}
	var names []string
	for _, column := range columns {
		name := column
		if counts[task(column)] >= many {
			name = task(column)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// differences says what forbids to compare a figure with those of a column.
func (p publishedTable) differences(f figure, column int) (reasons []string) {
	ours := choices(f.raw)
	for _, key := range slices.Sorted(maps.Keys(p.Settings)) {
		switch got, want := ours[key], p.Settings[key]; {
		case key == "similarity" && slices.ContainsFunc(
			p.Lines, func(l publishedLine) bool { return l.Similarity != "" && l.Similarity == got }):
		case got == "":
			reasons = append(reasons, fmt.Sprintf("the result does not say its %s, which is %s there", key, want))
		case got != want:
			reasons = append(reasons, fmt.Sprintf("its %s is %s, not %s", key, got, want))
		}
	}
	if p.Items != nil && p.Items[column] > 0 && p.Items[column] != f.n {
		c := figureOfColumn(p.Columns[column])
		reasons = append(reasons, fmt.Sprintf("%s has %s items, not %s", strings.TrimSuffix(c.task+" "+c.subtask, " "+metrics.SubtaskAll),
			markup.Count(f.n), markup.Count(p.Items[column])))
	}
	if languages := f.settings.languages(); languages > 0 && p.languages(column) > 0 && languages != p.languages(column) {
		reasons = append(reasons, fmt.Sprintf("its mean is over %d languages, not %d", languages, p.languages(column)))
	}
	asPublished := func(l publishedLine) bool { return l.Vectors == f.settings.Vectors }
	if f.settings.Vectors != "" && !slices.ContainsFunc(p.Lines, asPublished) {
		reasons = append(reasons, "its vectors were treated: "+f.settings.Vectors)
	}
	return reasons
}

// languages is the number of languages of a mean over them, 0 of another column: the table has
// each of them beside it.
func (p publishedTable) languages(column int) (n int) {
	key := figureOfColumn(p.Columns[column])
	if key.language != "" || path.Base(key.subtask) != metrics.SubtaskMean {
		return 0
	}
	for _, name := range p.Columns {
		if o := figureOfColumn(name); o.task == key.task && o.metric == key.metric && o.language != "" {
			n++
		}
	}
	return n
}
