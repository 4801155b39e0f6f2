package bitext

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas/language"
	"sentweave/transforms/read/bitext"
	"sentweave/transforms/read/quoted"
)

// tableColumns are the columns of a table.
type tableColumns struct {
	bitext.Layout
	Header bool
	Comma  byte // of CSV
	// Told says that the first line tells the separator and is not a row.
	Told bool `json:",omitempty"`
}

// errNoRow is the error for tables, as for files without a line.
var errNoRow = errors.New("it has only the names of columns and no row: give the right file, or leave this one out by --paths")

// lookAtTable finds the columns of a table.
func (inputs *input) lookAtTable(s *Source, stream *bufio.Reader, columns []column, c Config) error {
	comma, told := byte(0), false
	head, err := stream.Peek(stream.Size()) // reading returns the error
	switch {
	case s.Format == formatCSV:
		comma, told = quoted.Separator(head, err != nil)
		if comma == '\t' && quoted.IsPlain(head, comma, err != nil) { // as in STS-B, which is TSV
			comma = 0
		}
	case quoted.IsQuoted(head, '\t', err != nil):
		comma = '\t'
		inputs.notes = append(inputs.notes, fmt.Sprintf("%s has quotes around values, as CSV has them, and is read so", s.place()))
	}
	layout := bitext.Layout{Score: bitext.NoColumn, Label: bitext.NoColumn}
	layout.Backslash = comma != 0 && quoted.IsBackslash(head, comma, err != nil)
	lines := bitext.NewLines(stream, true)
	if told {
		if _, _, err := lines.Next(); err != nil {
			return err
		}
	}
	table := bitext.NewTable(lines, layout, comma)
	var rows [][]string
	damage := ""
	for len(rows) < sampled {
		values, reason, detail, err := table.Values()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if reason != "" {
			damage = cmp.Or(damage, strings.TrimSuffix("; the first has the fault "+reason+", "+detail, ", "))
			continue
		}
		var row []string
		for _, v := range values {
			row = append(row, string(v))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return fmt.Errorf("it has no row that can be read%s", damage)
	}
	numbered := areNumbered(columns)
	first := headerOf(rows)
	if rows[0] = first; len(first) == 1 && !numbered {
		return fmt.Errorf("its first row has one column (%s): tabs part the values of .tsv, and commas, semicolons, tabs or bars those of .csv",
			cellsOf(first))
	}
	t := &tableColumns{Layout: layout, Header: c.Header, Comma: comma, Told: told}
	t.Count = len(first)
	widest := t.Count
	if numbered {
		widest = t.spread(columns, rows)
	}
	s.Table = t
	if note := s.otherLanguages(columns); note != "" {
		inputs.notes = append(inputs.notes, note)
	}
	ordered := columns != nil && !slices.ContainsFunc(columns, func(c column) bool { return c.name != "" })
	if columns == nil {
		byNames := false
		if columns = columnsOfHeader(rows, s.Languages); columns == nil {
			byNames, columns = true, columnsOfNames(rows, s.Languages)
		}
		t.Header = t.Header || columns != nil
		for i, column := range columns {
			if column.role == roleSkip {
				why := "it holds no texts, and is not named score"
				if byNames && areTexts(columnOf(rows[1:], i)) {
					why = "it names neither of the languages, nor a score"
				}
				inputs.notes = append(inputs.notes, fmt.Sprintf("column %s of %s is left out: %s",
					cmp.Or(column.tag, strconv.Itoa(i+1)), s.place(), why))
			}
		}
	}
	if columns == nil {
		data := rows
		if c.Header || len(rows) > 1 {
			data = rows[1:]
		}
		if columns, err = guessColumns(s.Languages, len(first), data); err != nil { // of its name
			return fmt.Errorf("%w; its first row is %s", err, cellsOf(first))
		}
		index := slices.IndexFunc(columns, func(c column) bool { return !c.isText() })
		if index >= 0 && !c.Header && !isNumber(first[index]) {
			t.Header = true
			inputs.notes = append(inputs.notes, fmt.Sprintf("the first line of %s, %s, has no number where those behind it have one, "+
				"and is taken for the names of the columns",
				s.place(), cellsOf(first)))
		}
		if index >= 0 && columns[index].role == roleSkip {
			inputs.notes = append(inputs.notes, fmt.Sprintf("column %d of %s is left out: it counts the rows and is not a score", index+1,
				s.place()))
		}
	} else if ordered && len(columns) != t.Count {
		return fmt.Errorf("its first row has %d columns (%s), and --columns names %d: name all in their order, with - for one to leave out, or take each by its number, as in eng=2",
			t.Count, cellsOf(first), len(columns))
	}
	hasNames := slices.ContainsFunc(columns, func(c column) bool { return c.name != "" && number(c.name) < 0 })
	t.Header = t.Header || hasNames
	s.Languages = nil
	for i, column := range columns {
		index := i
		switch {
		case column.role == roleSkip:
			continue
		case column.name != "" && number(column.name) >= 0:
			index = number(column.name)
		case t.Header && (hasNames || column.name != ""):
			name := column.name
			if name == "" {
				name = column.tag
			}
			if index = slices.IndexFunc(first, func(v string) bool { return strings.TrimSpace(v) == name }); index < 0 {
				return fmt.Errorf("its header has no column %q; it has %s", name, strings.Join(first, ", "))
			}
		}
		if index >= widest {
			return fmt.Errorf("its first rows have at most %d columns, and --columns names column %d", widest, index+1)
		}
		switch {
		case column.isText():
			t.Texts, s.Languages = append(t.Texts, index), append(s.Languages, column.role)
		case column.role == roleLabel:
			t.Label = index
		default:
			t.Score = index
		}
	}
	if ordered {
		if err := t.checkOrder(s.Languages, first); err != nil {
			return err
		}
	}
	if t.Score != bitext.NoColumn {
		values := columnOf(slices.DeleteFunc(slices.Clone(rows), func(row []string) bool { return !t.takes(row) }), t.Score)
		t.Decimal = decimalOf(values)
		if t.DecimalComma = comma != ',' || t.Decimal == ','; !t.DecimalComma { // quotes around commas may have thousands
			t.Decimal = 0
		}
		if !t.Header && t.takes(first) && !isNumber(first[t.Score]) && slices.ContainsFunc(values, isNumber) {
			return fmt.Errorf("its first line (%s) has no number in column %d, where the others have one: give --header if it names the columns, else mend it",
				cellsOf(first), t.Score+1)
		}
	}
	if t.Header {
		t.Names = first
	}
	if t.Header && len(rows) == 1 && damage != "" {
		return fmt.Errorf("no row behind the names of its columns can be read%s", damage)
	}
	if t.Header && len(rows) == 1 {
		return errNoRow
	}
	if !t.Header && t.takes(first) && t.namesColumns(s.Languages, first) {
		inputs.notes = append(inputs.notes, fmt.Sprintf("the first line of %s, %s, seems to name its columns and is read as a row: "+
			"--header leaves it out",
			s.place(), cellsOf(first)))
	}
	return nil
}

// otherLanguages returns a note on columns whose languages are not those that the name of the file tells, or "".
func (s *Source) otherLanguages(columns []column) string {
	var codes, bases []string
	for _, c := range columns {
		if c.isText() {
			codes, bases = append(codes, c.role), append(bases, language.Base(c.role))
		}
	}
	absent := func(code string) bool { return !slices.Contains(bases, language.Base(code)) }
	if len(codes) == 0 || !slices.ContainsFunc(s.Languages, absent) {
		return ""
	}
	return fmt.Sprintf("the name of %s tells the languages %s, and --columns names %s, which count", s.place(), cellsOf(s.Languages), cellsOf(codes))
}

// headerOf returns the first row of a table as the names of columns: without empty ones at its end that no row has a value
// for, and with an empty one before those of R, whose header has no name for the names of the rows.
func headerOf(rows [][]string) []string {
	first := rows[0]
	hasValue := func(index int) bool {
		return slices.ContainsFunc(columnOf(rows[1:], index), func(v string) bool { return v != "" })
	}
	for len(rows) > 1 && len(first) > 1 && first[len(first)-1] == "" && !hasValue(len(first)-1) {
		first = first[:len(first)-1]
	}
	n := len(first)
	shifted := len(rows) > 1 && n > 1 && !slices.ContainsFunc(rows[1:], func(row []string) bool { return len(row) != n+1 })
	if shifted && !areTexts(columnOf(rows[1:], 0)) && hasValue(n) {
		first = append([]string{""}, first...)
	}
	return first
}

// areNumbered says that all columns are given by their numbers.
func areNumbered(columns []column) bool {
	return len(columns) > 0 && !slices.ContainsFunc(columns, func(c column) bool { return c.role != roleSkip && number(c.name) < 0 })
}

// spread takes columns that are given by their numbers out of rows of any length that have them all, and returns the greatest.
func (t *tableColumns) spread(columns []column, rows [][]string) (widest int) {
	for _, c := range columns {
		t.Least = max(t.Least, number(c.name)+1)
	}
	t.Count = t.Least
	lengths := map[int]int{}
	for _, row := range rows {
		n := len(row)
		lengths[n]++
		widest = max(widest, n)
		if n > t.Least && lengths[n] > lengths[t.Count] {
			t.Count = n
		}
	}
	return widest
}

// takes says that a row has the columns that are asked for.
func (t *tableColumns) takes(row []string) bool {
	return len(row) == t.Count || t.Least > 0 && len(row) >= t.Least
}

// decimalOf returns the mark before decimals in numbers: a comma where any has one, or else a point, so that a comma of which nothing
// tells whether it parts thousands is none. The last mark of a number is before its decimals, unless it may part thousands; a mark that
// is there twice parts thousands.
func decimalOf(values []string) byte {
	others := map[byte]byte{',': '.', '.': ','}
	for _, v := range values {
		v = strings.TrimSpace(v)
		last := strings.LastIndexAny(v, ",.")
		if last < 0 {
			continue
		}
		_, isNumber := bitext.ParseNumber(v, true)
		decimal, other := v[last], others[v[last]]
		switch isGrouped := bitext.IsGrouped(v, other); {
		case isGrouped && strings.Count(v, v[last:last+1]) > 1:
			decimal = other
		case isGrouped || !isNumber:
			continue
		}
		if decimal == ',' {
			return ','
		}
	}
	return '.'
}

// columnsOfHeader returns the columns of a table whose first row names two languages or more by their
// codes, each once, and perhaps a score and columns that hold no texts, as in id, en, de, score; nil of
// another table. Where the name of the file tells two languages they must be these. Whether id or no is a
// language or numbers of rows is told by the rows behind.
func columnsOfHeader(rows [][]string, codes []string) (columns []column) {
	var roles []string
	texts := 0
	for i, value := range rows[0] {
		c := column{tag: strings.TrimSpace(value)}
		if c.role = roleScore; !strings.EqualFold(c.tag, roleScore) {
			c.role = codeOf(c.tag)
		}
		switch {
		case c.role == roleScore:
		case c.tag == "":
			columns = append(columns, column{role: roleSkip})
			continue
		case len(rows) > 1 && len(rows[0]) > 2 && !areTexts(columnOf(rows[1:], i)):
			columns = append(columns, column{role: roleSkip, tag: c.tag})
			continue
		case !isColumnOfLanguage(c.tag) || len(codes) == 2 && !slices.Contains(codes, c.role):
			return nil
		}
		if slices.Contains(roles, c.role) {
			return nil
		}
		if c.isText() {
			texts++
		}
		columns, roles = append(columns, c), append(roles, c.role)
	}
	if texts < 2 {
		return nil
	}
	complete := slices.DeleteFunc(slices.Clone(rows[1:]), func(row []string) bool { return len(row) < len(columns) })
	var indices []int
	var values [][]string
	for i, c := range columns {
		if c.isText() {
			indices, values = append(indices, i), append(values, columnOf(complete, i))
		}
	}
	if i := namesOfRows(values); i >= 0 {
		columns[indices[i]].role = roleSkip
	}
	return columns
}

// checkOrder returns an error for columns in their order, in the languages of the texts, where the first row names the same languages in
// another order.
func (t *tableColumns) checkOrder(languages, first []string) error {
	var order []string
	named := languageNames{codes: languages}
	for _, index := range t.Texts {
		order = append(order, named.code(first[index]))
	}
	if slices.Equal(order, languages) || !slices.Equal(slices.Sorted(slices.Values(order)), slices.Sorted(slices.Values(languages))) {
		return nil
	}
	return fmt.Errorf("its first row names the languages %s in this order, and --columns names %s: give them in the order of the file, or, if that row is wrong, by numbers, as in %s=%d",
		cellsOf(order), cellsOf(languages), languages[0], t.Texts[0]+1)
}

// namesColumns says whether all texts of a row are names of columns: headings, or their languages.
func (t *tableColumns) namesColumns(languages, row []string) bool {
	named := languageNames{codes: languages}
	for _, index := range t.Texts {
		value := strings.TrimSpace(row[index])
		if !slices.Contains(headings, strings.ToLower(value)) && named.code(value) == "" {
			return false
		}
	}
	return true
}

// number reads a number of a column, which counts from 1; -1 if it is none.
func number(name string) int {
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 {
		return -1
	}
	return n - 1
}

// isNumber says of a value that it may be in a column of numbers, as NaN and the marks of missing ones may, which are not scores.
func isNumber(value string) bool {
	value = strings.TrimSpace(value)
	if _, ok := bitext.ParseNumber(value, true); ok {
		return true
	}
	_, err := strconv.ParseFloat(value, 64)
	return err == nil || isMissing(value)
}

// isMissing says of a value that programs write it where a number is absent, beside NaN, which strconv reads.
func isMissing(value string) bool {
	return slices.Contains([]string{"", "-", "na", "n/a", "null", "none"}, strings.ToLower(strings.TrimSpace(value)))
}

// guessColumns finds the n columns of a table of two languages: both texts, and perhaps a score, or the
// numbers of the rows, before or behind them. Most values of a score are numbers: the others are faults of their rows.
func guessColumns(codes []string, n int, rows [][]string) ([]column, error) {
	texts := func() (list []column) {
		for _, code := range codes {
			list = append(list, column{role: code, tag: code})
		}
		return list
	}
	if len(codes) != 2 {
		return nil, errors.New("its columns are not known: --columns names them, as in --columns=eng,deu,score, or its name ends as in .de-en.tsv")
	}
	if len(rows) == 0 {
		return texts(), nil
	}
	numbers := func(index int) bool {
		balance := 0
		for _, row := range rows {
			switch {
			case len(row) != n || isMissing(row[index]):
			case isNumber(row[index]):
				balance++
			default:
				balance--
			}
		}
		return balance > 0
	}
	extra := func(index int) column {
		if areRowNumbers(columnOf(rows, index)) {
			return column{role: roleSkip, tag: roleSkip}
		}
		return column{role: roleScore, tag: roleScore}
	}
	switch {
	case n == 2:
		return texts(), nil
	case n == 3 && numbers(0) && !numbers(2):
		return append([]column{extra(0)}, texts()...), nil
	case n == 3 && numbers(2) && !numbers(0):
		return append(texts(), extra(2)), nil
	default:
		return nil, fmt.Errorf("it has %d columns, and it is not clear which of them are the texts: name them with --columns, as in --columns=score,%s",
			n, strings.Join(codes, ","))
	}
}
