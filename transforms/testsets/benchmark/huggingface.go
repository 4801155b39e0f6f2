package benchmark

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
)

// File is a file of a folder that is written: its name with '/' between folders.
type File struct {
	Name string
	Data []byte
}

// Card is what a folder's README.md says.
type Card struct {
	// Title is the first heading, License the identifier of the terms by Hugging Face's
	// list ("cc-by-sa-4.0", "other"). A translation stays under its source's terms.
	Title, License string
	// Text follows the title: where the source is from, what translated it, when.
	Text string
}

// Validate returns all faults at once.
func (c Card) Validate() error {
	var faults fault.List
	faults.Check(c.Title != "" && !strings.ContainsAny(c.Title, "\r\n"), "title %q: want one line", c.Title)
	faults.Check(c.License != "" && Clean(c.License) == c.License, "license %q: want an identifier such as other", c.License)
	return faults.Err()
}

// Hub makes, task by task, the folder with the rows of one language that load_dataset
// of Hugging Face's datasets reads as it is: README.md, whose front matter names a
// configuration for each task with its columns, and data/TASK/SPLIT.jsonl. Rows keep
// their order in a split. Columns: id, file, row, text_a, text_b where the task has
// pairs, original_a, original_b where there are originals, label, target, fold where
// any row has them, skip. It keeps counts alone.
type Hub struct {
	card          Card
	language, tag string
	tasks         []*hubTask
	rows          int
}

// NewHub returns a maker of the folder of a language. Error: a fault of the card, a
// language that is not one.
func NewHub(c Card, languageCode string) (*Hub, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("write card: %w", err)
	}
	tag, err := language.BCP47(languageCode)
	if err != nil {
		return nil, fmt.Errorf("write card: %w", err)
	}
	return &Hub{card: c, language: languageCode, tag: tag}, nil
}

// Task returns the files of a task, made of all its rows.
func (h *Hub) Task(rows []schemas.Benchmark) ([]File, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	t := &hubTask{name: rows[0].Task, splits: map[string]*hubSplit{}}
	for _, task := range h.tasks {
		if fileName(task.name) == fileName(t.name) {
			return nil, fmt.Errorf("write %s: the files of the task %s have its names", t.name, task.name)
		}
	}
	for _, r := range rows {
		if err := r.Validate(); err != nil {
			return nil, fmt.Errorf("write %s row %d: %w", r.File, r.Row, err)
		}
		if r.LanguageA != h.language || r.LanguageB != "" && r.LanguageB != h.language {
			return nil, fmt.Errorf("write %s row %d: it is in %q and %q, the folder in %q", r.File, r.Row, r.LanguageA, r.LanguageB,
				h.language)
		}
		if r.Task != t.name {
			return nil, fmt.Errorf("write %s row %d: it is of the task %q, others of %q", r.File, r.Row, r.Task, t.name)
		}
		t.see(r)
		if err := t.split(r); err != nil {
			return nil, err
		}
	}
	var files []File
	for _, s := range t.order {
		data, err := t.lines(s.rows)
		if err != nil {
			return nil, err
		}
		files = append(files, File{t.path(s), data})
		s.rows = nil
	}
	h.tasks, h.rows = append(h.tasks, t), h.rows+len(rows)
	return files, nil
}

// Card returns README.md, after all tasks.
func (h *Hub) Card() File { return File{"README.md", card(h.card, h.tag, h.rows, h.tasks)} }

type hubSplit struct {
	name, source  string
	rows          []schemas.Benchmark // until they are written
	count, noGold int
}

// hubTask is one configuration.
type hubTask struct {
	name                                                         string
	order                                                        []*hubSplit
	splits                                                       map[string]*hubSplit
	pairs, keyA, keyB, originalA, originalB, label, target, fold bool
}

func (t *hubTask) see(r schemas.Benchmark) {
	t.pairs = t.pairs || r.TextB != ""
	t.keyA, t.keyB = t.keyA || r.KeyA != "", t.keyB || r.KeyB != ""
	t.originalA, t.originalB = t.originalA || r.OriginalA != "", t.originalB || r.OriginalB != ""
	t.label, t.target, t.fold = t.label || r.Label != "", t.target || r.Target != nil, t.fold || r.Fold != nil
}

func (t *hubTask) split(r schemas.Benchmark) error {
	name := splitName(r.Split)
	s := t.splits[name]
	if s == nil {
		s = &hubSplit{name: name, source: r.Split}
		t.splits[name] = s
		t.order = append(t.order, s)
	}
	if s.source != r.Split {
		return fmt.Errorf("write %s: splits %q and %q have one name, %q", t.name, s.source, r.Split, name)
	}
	s.rows = append(s.rows, r)
	s.count++
	if r.Skip {
		s.noGold++
	}
	return nil
}

func (t *hubTask) path(s *hubSplit) string {
	return path.Join("data", fileName(t.name), s.name+".jsonl")
}

// splitName gives a split the form that datasets asks for: words and dots.
func splitName(split string) string {
	name := strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, split)
	// "all" is what datasets calls all splits together.
	if name = strings.Trim(name, "."); name == "" || name == "all" {
		return "test"
	}
	return name
}

func fileName(task string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, task)
}

// hubRow is a line; pointers are null where a row has nothing in a column.
type hubRow struct {
	ID        string       `json:"id"`
	File      string       `json:"file"`
	Row       int32        `json:"row"`
	KeyA      *string      `json:"key_a,omitempty"`
	KeyB      *string      `json:"key_b,omitempty"`
	TextA     string       `json:"text_a"`
	TextB     *string      `json:"text_b,omitempty"`
	OriginalA *string      `json:"original_a,omitempty"`
	OriginalB *string      `json:"original_b,omitempty"`
	Label     *string      `json:"label,omitempty"`
	Target    *json.Number `json:"target,omitempty"`
	Fold      *int32       `json:"fold,omitempty"`
	Skip      bool         `json:"skip"`
}

func (t *hubTask) lines(rows []schemas.Benchmark) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, r := range rows {
		row := hubRow{ID: r.ID, File: r.File, Row: r.Row, TextA: r.TextA, Fold: r.Fold, Skip: r.Skip}
		set := func(present bool, field **string, value string) {
			if present && value != "" {
				*field = &value
			}
		}
		set(t.keyA, &row.KeyA, r.KeyA)
		set(t.keyB, &row.KeyB, r.KeyB)
		set(t.pairs, &row.TextB, r.TextB)
		set(t.originalA, &row.OriginalA, r.OriginalA)
		set(t.originalB, &row.OriginalB, r.OriginalB)
		set(t.label, &row.Label, r.Label)
		if r.Target != nil {
			number := json.Number(decimal(*r.Target))
			row.Target = &number
		}
		if err := e.Encode(row); err != nil {
			return nil, fmt.Errorf("write %s row %d: %w", r.File, r.Row, err)
		}
	}
	return b.Bytes(), nil
}

// decimal writes a number that a reader of JSON takes for a float.
func decimal(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// card writes README.md. Strings of JSON are strings of YAML.
func card(c Card, tag string, n int, tasks []*hubTask) []byte {
	var b bytes.Buffer
	quote := func(s string) string {
		var q bytes.Buffer
		e := json.NewEncoder(&q)
		e.SetEscapeHTML(false)
		_ = e.Encode(s) // a string always encodes
		return strings.TrimSpace(q.String())
	}
	fmt.Fprintf(&b, "---\nlicense: %s\nlanguage:\n- %s\n", quote(c.License), quote(tag))
	fmt.Fprintf(&b, "pretty_name: %s\nsize_categories:\n- %s\ntask_categories:\n", quote(c.Title), SizeCategory(int64(n)))
	for _, category := range categories(tasks) {
		fmt.Fprintf(&b, "- %s\n", category)
	}
	b.WriteString("configs:\n")
	for _, t := range tasks {
		fmt.Fprintf(&b, "- config_name: %s\n  data_files:\n", quote(t.name))
		for _, s := range t.order {
			fmt.Fprintf(&b, "  - split: %s\n    path: %s\n", s.name, quote(t.path(s)))
		}
	}
	b.WriteString("dataset_info:\n")
	for _, t := range tasks {
		fmt.Fprintf(&b, "- config_name: %s\n  features:\n", quote(t.name))
		for _, f := range t.features() {
			fmt.Fprintf(&b, "  - name: %s\n    dtype: %s\n", f[0], f[1])
		}
	}
	fmt.Fprintf(&b, "---\n\n# %s\n", c.Title)
	if text := strings.TrimSpace(c.Text); text != "" {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	b.WriteString("\n| task | split | rows | without gold |\n|---|---|---|---|\n")
	for _, t := range tasks {
		for _, s := range t.order {
			fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", t.name, s.name, s.count, s.noGold)
		}
	}
	b.WriteString("\n`id` names an item and is the same in every language; `file` and `row` are where it is in the source. Leave rows with `skip` out of scores.\n")
	return b.Bytes()
}

// features lists the columns in their order in a line.
func (t *hubTask) features() [][2]string {
	var list [][2]string
	add := func(present bool, name, kind string) {
		if present {
			list = append(list, [2]string{name, kind})
		}
	}
	add(true, "id", "string")
	add(true, "file", "string")
	add(true, "row", "int32")
	add(t.keyA, "key_a", "string")
	add(t.keyB, "key_b", "string")
	add(true, "text_a", "string")
	add(t.pairs, "text_b", "string")
	add(t.originalA, "original_a", "string")
	add(t.originalB, "original_b", "string")
	add(t.label, "label", "string")
	add(t.target, "target", "float64")
	add(t.fold, "fold", "int32")
	add(true, "skip", "bool")
	return list
}

func categories(tasks []*hubTask) []string {
	var list []string
	for _, t := range tasks {
		if t.label {
			list = append(list, "text-classification")
		}
		if t.target {
			list = append(list, "sentence-similarity")
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// SizeCategory is the name by which the Hub knows numbers of rows like this one.
func SizeCategory(rows int64) string {
	limit := int64(1000)
	for _, name := range []string{"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B",
		"10B<n<100B", "100B<n<1T"} {
		if rows < limit {
			return name
		}
		limit *= 10
	}
	return "n>1T"
}
