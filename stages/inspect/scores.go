package inspect

import (
	"context"
	"maps"
	"slices"
)

// scores returns the leaves of names and values of the list of scores that documents have, and whether there is one. The
// name of a score stands for its value in filters, as if it were a column; a row without the score has no value there.
func (s *Schema) scores() (names, values *Column, ok bool) {
	names, err := s.Column("scores.name")
	if err != nil {
		return nil, nil, false
	}
	values, err = s.Column("scores.value")
	return names, values, err == nil && names.Kind == text && values.Kind == float && names.depth == 1 && values.depth == 1
}

// listedScores is how many names of scores are listed at most.
const listedScores = 200

// score says whether a row has a score of that name. If none has, it returns the names of all scores, in order. It reads no
// more than names of scores, up to the one that it looks for, before the hashes of the files are checked.
func (t Table) score(ctx context.Context, name string) (found bool, others []string, err error) {
	column, _, ok := t.scores()
	if !ok {
		return false, nil, nil
	}
	selection := t.selection(column)
	names := map[string]bool{}
	for row, err := range t.read(ctx, selection, false) {
		if err != nil {
			return false, nil, err
		}
		for _, v := range row.values[column.first] {
			switch value := v.ByteArray(); {
			case v.IsNull() || names[string(value)]:
			case string(value) == name:
				return true, nil, nil
			case len(names) < listedScores:
				names[string(value)] = true
			}
		}
	}
	return false, slices.Sorted(maps.Keys(names)), nil
}

// operand is what a filter compares: a column, or a score, whose column is that of the values of scores.
type operand struct {
	*Column
	path string
	// names is the leaf of the names of scores, nil for a column.
	names *Column
}

// reads notes what a comparison reads.
func (c *compiler) reads(o operand, leaves ...int) {
	for _, leaf := range leaves {
		c.filter.Selection.leaves[leaf] = true
	}
	if !slices.Contains(c.filter.operands, o) {
		c.filter.operands = append(c.filter.operands, o)
	}
}

// scored compiles the comparison of a score.
func (c *compiler) scored(e *comparison) (predicate, error) {
	names, values, _ := c.schema.scores()
	c.reads(operand{values, e.path, names}, names.first, values.first)
	if e.kind == null {
		if e.Operator != "==" && e.Operator != "!=" {
			return nil, c.fault(e, onlyEqual)
		}
		return func(r *Row) bool { return (r.indexScore(names, e.path) < 0) == (e.Operator == "==") }, nil
	}
	holds, err := c.value(e, values)
	return func(r *Row) bool {
		i := r.indexScore(names, e.path)
		return i >= 0 && holds(r.values[values.first][i])
	}, err
}

// onlyEqual says how null compares.
const onlyEqual = "null compares by == and != only"

// appendCell appends the value of an operand for a table.
func (o operand) appendCell(dst []byte, r *Row, selection Selection) []byte {
	if o.names == nil {
		return r.AppendCell(dst, selection, o.Column)
	}
	if i := r.indexScore(o.names, o.path); i >= 0 {
		return o.appendValue(dst, r.values[o.first][i])
	}
	return dst
}

// indexScore returns the place of a score in the lists of names and values, -1 if the row does not have it.
func (r *Row) indexScore(names *Column, name string) int {
	for i, v := range r.values[names.first] {
		if !v.IsNull() && string(v.ByteArray()) == name {
			return i
		}
	}
	return -1
}
