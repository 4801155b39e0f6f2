// Package erasure finds the rows of datasets that come from listed addresses: documents by their addresses, and what was made of
// documents by the identities that its rows name.
package erasure

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/filters/blocklist"
)

// form is what the rows of a schema tell of where they come from.
type form struct {
	// languages are the columns of a row's language or two.
	languages []string
	// keys are the columns that name the origin: the address of a page, or identities of rows of the schemas in of. What follows a slash
	// in an identity is a place within that row.
	keys []string
	of   []string
}

const document, pair, example = "document", "pair", "example"

var forms = map[string]form{
	document:        {[]string{"language"}, []string{"url"}, nil},
	pair:            {[]string{"language_a", "language_b"}, []string{"document_a", "document_b"}, []string{document, pair}},
	"pairscore":     {[]string{"language_a", "language_b"}, []string{"id"}, []string{pair}},
	example:         {[]string{"language_a", "language_b"}, []string{"id"}, []string{pair}},
	"embedding":     {[]string{"language"}, []string{"id"}, []string{document, pair}},
	"state":         {nil, []string{"id"}, []string{example}},
	"contamination": {[]string{"language"}, []string{"row"}, []string{document, pair}},
}

// Searches says whether rows of a schema tell where they come from. Documents tell their address, whatever they were made of; others are of
// a schema, of which they name rows: see Names.
func Searches(schema string) bool { return forms[schema].keys != nil }

// Names says whether rows of a schema tell of which rows of another one they were made.
func Names(schema, of string) bool {
	f := forms[schema]
	return f.keys != nil && (f.of == nil || slices.Contains(f.of, of))
}

// mostRows bounds the rows whose identities are held, at eight bytes each. Of so many, one of a trillion other rows is taken for one
// of them.
const mostRows = 1 << 24

// Selection is the rows that come from the addresses of a list. Rows may be asked for from many goroutines, unless one of them learns.
type Selection struct {
	list *blocklist.List
	ids  []uint64 // hashes of identities, in order
}

// New returns the selection of a list.
func New(list *blocklist.List) *Selection { return &Selection{list: list} }

// Row is what a row tells.
type Row struct {
	ID, Language string
	// Found says that the row is of the selection; Nameless that the row names no origin, so that nothing can be found.
	Found, Nameless bool
}

// Rows yields what the rows of a shard tell, in order. The shard must be of a schema that is searched.
func (s *Selection) Rows(ctx context.Context, folder storage.Folder, m *dataset.Manifest, shard dataset.Shard) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		f := forms[m.Plan.Schema]
		columns := slices.Concat([]string{"id"}, f.languages, f.keys)
		for values, err := range dataset.Texts(ctx, folder, m, shard, columns) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			row := Row{ID: values[0], Nameless: true}
			switch languages := values[1 : 1+len(f.languages)]; len(languages) {
			case 1:
				row.Language = languages[0]
			case 2:
				row.Language = schemas.LanguagePair(languages[0], languages[1])
			}
			for _, key := range values[1+len(f.languages):] {
				row.Nameless = row.Nameless && key == ""
				row.Found = row.Found || s.has(f, key)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (s *Selection) has(f form, key string) bool {
	if f.of == nil {
		return s.list.Blocks(key)
	}
	id, _, _ := strings.Cut(key, "/")
	_, found := slices.BinarySearch(s.ids, xxh3.HashString(id))
	return found
}

// Count is what was found in a dataset.
type Count struct {
	Rows, Found, Nameless int64
}

// Learn counts the rows of a dataset that are of the selection. Rows that name these are of the selection from then on.
func (s *Selection) Learn(ctx context.Context, folder storage.Folder, m *dataset.Manifest) (c Count, err error) {
	var ids []uint64
	for _, shard := range m.Shards {
		for row, err := range s.Rows(ctx, folder, m, shard) {
			if err != nil {
				return c, err
			}
			c.Rows++
			if row.Nameless {
				c.Nameless++
			}
			if row.Found {
				c.Found++
				ids = append(ids, xxh3.HashString(row.ID))
			}
			if len(ids)+len(s.ids) > mostRows {
				return c, fmt.Errorf("more than %d rows come from the addresses of the list: erase by one part of it after another", mostRows)
			}
		}
	}
	s.ids = append(s.ids, ids...)
	slices.Sort(s.ids)
	s.ids = slices.Compact(s.ids)
	return c, nil
}
