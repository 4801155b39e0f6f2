package vectors

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/neighbors"
)

// Bounds of the queries that are shown: their number, and their lengths, if there are such texts.
const (
	shownQueries                   = 5
	shortestQuery, longestQuery    = 30, 200
	queryCharacters                = 240 // of a text that is shown
	queryLanguage                  = "eng"
	rightAnswer, equalAnswer, miss = "translation", "equal text", "another text"
)

// query is a text with the nearest text of each other language.
type query struct {
	group   uint64
	text    schemas.Embedding
	nearest map[string]answer
	right   map[string]string // the texts of its translations, by language
}

// answer is a text that was found.
type answer struct {
	group  uint64
	text   string
	cosine float64
}

// Queries shows texts of one language, English if it is among them, with the text of each other
// language whose vector has the greatest cosine, of all that were embedded. The embeddings are read
// once, and held are those of the queries alone. It is nil if no text can be one.
func (t *Parallel) Queries(ctx context.Context) (markup.Block, error) {
	list := t.chooseQueries()
	if len(list) == 0 {
		return nil, nil
	}
	err := t.each(ctx, func(e schemas.Embedding, group uint64) {
		for i := range list {
			q := &list[i]
			if e.Language == q.text.Language || len(e.Vector) != len(q.text.Vector) {
				continue
			}
			if group == q.group {
				q.right[e.Language] = e.Text
			}
			cosine := neighbors.Cosine(q.text.Vector, e.Vector)
			if best, ok := q.nearest[e.Language]; cosine == cosine && (!ok || cosine > best.cosine) {
				q.nearest[e.Language] = answer{group, e.Text, cosine}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	table := markup.Table{
		Caption: fmt.Sprintf("Texts in %s and the nearest text of each other language, by %s", language.Name(list[0].text.Language),
			path.Base(strings.TrimRight(t.config.Embeddings, "/"))),
		Columns: []markup.Column{{Name: "Query"}, {Name: "Language"}, {Name: "Nearest text"}, {Name: "Cosine", Number: true},
			{Name: "It is"}},
		Note: "The queries were taken evenly from the list of texts, without a look at what is nearest to them.",
	}
	for _, q := range list {
		text := excerpt.Characters(q.text.Text, queryCharacters)
		for _, l := range slices.Sorted(maps.Keys(q.nearest)) {
			nearest, verdict := q.nearest[l], miss
			switch {
			case nearest.group == q.group:
				verdict = rightAnswer
			case nearest.text == q.right[l]:
				verdict = equalAnswer
			}
			row := markup.Cells(text, language.Name(l), excerpt.Characters(nearest.text, queryCharacters), markup.Number(nearest.cosine, 2),
				verdict)
			row[4].Strong = verdict == miss
			table.Rows = append(table.Rows, row)
			text = "" // is above
		}
	}
	return table, nil
}

// chooseQueries takes texts evenly from those that are shown.
func (t *Parallel) chooseQueries() (list []query) {
	counts := map[string]int{}
	for _, texts := range t.shown {
		for l := range texts {
			counts[l]++
		}
	}
	code := queryLanguage
	if counts[code] == 0 {
		for _, l := range slices.Sorted(maps.Keys(counts)) {
			if counts[l] > counts[code] {
				code = l
			}
		}
	}
	var groups, fitting []uint64
	listed := map[string]bool{}
	for _, group := range slices.Sorted(maps.Keys(t.shown)) {
		text := t.shown[group][code].Text
		if text == "" || listed[text] {
			continue
		}
		listed[text] = true
		groups = append(groups, group)
		if n := utf8.RuneCountInString(text); n >= shortestQuery && n <= longestQuery {
			fitting = append(fitting, group)
		}
	}
	if len(fitting) >= shownQueries {
		groups = fitting
	}
	n := min(shownQueries, len(groups))
	for i := range n {
		group := groups[i*len(groups)/n]
		list = append(list, query{group, t.shown[group][code], map[string]answer{}, map[string]string{}})
	}
	return list
}
