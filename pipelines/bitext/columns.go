package bitext

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/bitext"
)

// Roles of columns beside languages.
const (
	roleScore  = "score"
	roleTarget = "target"
	roleLabel  = "label"
	roleSkip   = "-"
)

// roleOf is the role of the column that a kind needs beside two texts, or "".
func roleOf(kind string) string {
	switch kind {
	case schemas.KindSTS, schemas.KindQE:
		return roleTarget
	case schemas.KindNLI:
		return roleLabel
	}
	return ""
}

// column is what the user says of a column.
type column struct {
	role string // a role, or a code
	tag  string // the role as it was given
	name string // of the column, or ""
}

func (c column) isText() bool {
	return !slices.Contains([]string{roleScore, roleTarget, roleLabel, roleSkip}, c.role)
}

// parseColumns reads the columns that a user names.
func parseColumns(kind string, list []string) (columns []column, err error) {
	var errs fault.List
	count := map[string]int{}
	for _, text := range list {
		c := column{}
		c.tag, c.name, _ = strings.Cut(text, "=")
		c.role = c.tag
		if c.isText() {
			code, err := language.Parse(c.tag)
			if err != nil {
				errs.Addf("columns: %q is none of score, target, label and -, and no language: %w", c.tag, err)
				continue
			}
			c.role = code
			count["text"]++
			if kind == schemas.KindBitext {
				if count[code]++; count[code] == 2 {
					errs.Addf("columns: %s is named twice", code)
				}
			}
		} else {
			count[c.role]++
		}
		columns = append(columns, c)
	}
	if len(list) == 0 || len(errs) > 0 {
		return nil, errs.Err()
	}
	need := roleOf(kind)
	for _, role := range []string{roleScore, roleTarget, roleLabel} {
		errs.Check(count[role] <= 1, "columns: %s is named twice", role)
		errs.Check(count[role] == 0 || role == need || role == roleScore && need != roleTarget, "columns: pairs of kind %s have no %s", kind, role)
	}
	errs.Check(need == "" || count[need] > 0, "columns: pairs of kind %s need a column %s", kind, need)
	if kind == schemas.KindBitext {
		errs.Check(count["text"] >= 2, "columns: bitext needs the columns of two languages")
	} else {
		errs.Check(count["text"] == 2, "columns: pairs of kind %s have two texts, not %d", kind, count["text"])
	}
	return columns, errs.Err()
}

// tableColumns are the columns of a table.
type tableColumns struct {
	bitext.Layout
	Header bool
}

// fieldColumns are those of JSON and Parquet.
type fieldColumns struct {
	bitext.Fields
	// Languages are those of the texts, which may be several in one language.
	Languages []string
}

func (f *fieldColumns) add(code, name string) {
	f.Languages, f.Texts = append(f.Languages, code), append(f.Texts, name)
}

// sampled is the number of records that are looked at to find out what a file holds; all says that
// each is looked at where records tell the languages of their texts.
const (
	sampled = 100
	all     = -1
)

// describe finds out what the records of each source hold. Most is how many are looked at where
// they tell the languages of their texts; a source that has more is refused for none of them.
func (in *input) describe(ctx context.Context, c Config, most int64) error {
	columns, err := parseColumns(c.Kind, c.Columns)
	if err != nil {
		return err
	}
	wanted, err := c.wanted()
	if err != nil {
		return err
	}
	scans, faults := in.scans(ctx, c, columns, wanted, most)
	var errs fault.List
	kept, partly := in.sources[:0], false
	for i := range in.sources {
		s, scan := in.sources[i], scans[i]
		if s.isTatoeba() {
			errs.Check(c.Kind == schemas.KindBitext, "%s: pairs of kind %s are read from tables, JSON and Parquet", s.place(), c.Kind)
			kept = append(kept, s)
			continue
		}
		errs.Check(c.Kind == schemas.KindBitext || s.Format != formatAligned && s.Format != formatTMX,
			"%s: pairs of kind %s are read from tables, JSON and Parquet", s.place(), c.Kind)
		err := faults[i]
		switch {
		case s.Format == formatAligned:
			err = in.lookAtScores(ctx, &s)
		case scan == nil:
			err = in.look(ctx, &s, columns, c)
		}
		if in.skips(ctx, s.Files[0], err) {
			continue
		}
		if err != nil {
			errs.Addf("%s: %w", s.place(), err)
			continue
		}
		if scan != nil && scan.partly {
			kept, partly = append(kept, s), true
			continue
		}
		if c.Kind == schemas.KindBitext && (len(c.pairsOf(nil, s.Languages, wanted)) == 0 || scan != nil && !scan.paired) {
			note := fmt.Sprintf("%s is left out: it is in %s", s.place(), strings.Join(s.Languages, ", "))
			if len(c.pairsOf(nil, s.Languages, wanted)) > 0 {
				note += ", and none of its records is in two languages that are taken"
			}
			in.notes = append(in.notes, note)
			continue
		}
		kept = append(kept, s)
	}
	if in.sources = kept; len(kept) == 0 && len(errs) == 0 {
		what := "is in two languages"
		switch {
		case len(wanted) > 0:
			what = "is in two of the languages " + strings.Join(wanted, ", ")
		case len(in.closed) > 0:
			what = "can be read"
		}
		in.leave("read", nil)
		errs.Addf("no input %s; %s", what, strings.Join(in.notes, "; "))
	}
	if len(errs) == 0 && !partly {
		errs.Add(in.checkPivot(c, wanted))
	}
	return errs.Err()
}

// checkPivot returns an error if no text is in the pivot's language. Those of Tatoeba's texts
// are not known but where they are asked for.
func (in *input) checkPivot(c Config, wanted []string) error {
	there := map[string]bool{}
	for _, s := range in.sources {
		codes := s.Languages
		if s.isTatoeba() {
			if codes = wanted; takes(wanted, c.Pivot) {
				return nil
			}
		}
		for _, code := range codes {
			if len(wanted) == 0 || takes(wanted, code) {
				there[code] = true
			}
		}
	}
	if c.Pivot == "" || len(there) == 0 || there[c.Pivot] {
		return nil
	}
	return fmt.Errorf("--pivot names %s, and no text that is taken is in it: the languages are %s", c.Pivot, strings.Join(slices.Sorted(maps.Keys(there)), ", "))
}

// look reads the beginning of a source.
func (in *input) look(ctx context.Context, s *Source, columns []column, c Config) error {
	folder, err := storage.At(in.folders[s.Files[0].Input])
	if err != nil {
		return err
	}
	if s.Format == formatParquet {
		return lookAtParquet(ctx, s, folder, columns)
	}
	stream, err := s.Files[0].open(ctx, folder, 0, s.Files[0].Bytes)
	if err != nil {
		return err
	}
	defer stream.Close()
	content, err := inUTF8(stream)
	if err != nil {
		return err
	}
	if s.Format == formatJSON {
		return s.setFields(columns, nil)
	}
	return in.lookAtTable(s, content, columns, c)
}

// inUTF8 returns what it is given, or errUTF16.
func inUTF8(stream io.Reader) (io.Reader, error) {
	content := bufio.NewReader(stream)
	head, err := content.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if isUTF16(head) {
		return nil, errUTF16
	}
	return content, nil
}

// translation is the field in which Hugging Face keeps the texts by language.
const translation = "translation"

// setFields sets what is read of JSON or Parquet: what columns name, or all fields of
// translation that names tells of.
func (s *Source) setFields(columns []column, names []string) error {
	s.Languages, s.Fields = nil, &fieldColumns{}
	if columns == nil {
		for _, name := range names {
			code := codeOf(name)
			if code == "" || code == language.Undetermined {
				continue
			}
			if s.Fields.add(code, translation+"."+name); !slices.Contains(s.Languages, code) {
				s.Languages = append(s.Languages, code)
			}
		}
		if len(s.Languages) == 1 {
			return fmt.Errorf("its field %q has texts in %s alone", translation, s.Languages[0])
		}
		if len(s.Languages) == 0 {
			return fmt.Errorf("it has no field %q with texts by the codes of their languages: --columns eng=FIELD,deu=FIELD names those of the texts", translation)
		}
		return nil
	}
	for _, c := range columns {
		name := c.name
		if name == "" {
			name = c.tag
		}
		switch {
		case c.isText():
			s.Languages = append(s.Languages, c.role)
			s.Fields.add(c.role, name)
		case c.role == roleLabel:
			s.Fields.Label = name
		case c.role != roleSkip:
			s.Fields.Score = name
		}
	}
	return nil
}

// lookAtTable finds the columns of a table.
func (in *input) lookAtTable(s *Source, stream io.Reader, columns []column, c Config) error {
	table := bitext.NewTable(bitext.NewLines(stream, true), bitext.Layout{Score: bitext.None, Label: bitext.None}, s.Format == formatCSV)
	var rows [][]string
	for len(rows) < sampled {
		values, reason, _, err := table.Values()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if reason != "" {
			continue
		}
		var row []string
		for _, v := range values {
			row = append(row, string(v))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return errors.New("it has no row that can be read")
	}
	first := rows[0]
	if len(first) == 1 {
		return fmt.Errorf("its first row has one column (%s): tabs part the values of .tsv, and commas those of .csv", cellsOf(first))
	}
	t := &tableColumns{Layout: bitext.Layout{Score: bitext.None, Label: bitext.None, Count: len(first)}, Header: c.Header}
	s.Table = t
	if columns == nil {
		data := rows
		if c.Header {
			data = rows[1:]
		}
		guess, err := guessColumns(s.Languages, data) // of its name
		if err != nil {
			return err
		}
		columns = guess
	} else if placed := !slices.ContainsFunc(columns, func(c column) bool { return c.name != "" }); placed && len(columns) != t.Count {
		return fmt.Errorf("its first row has %d columns (%s), and --columns names %d: name all in their order, with - for one to leave out, or take each by its number, as in eng=2", t.Count, cellsOf(first), len(columns))
	}
	named := slices.ContainsFunc(columns, func(c column) bool { return c.name != "" && number(c.name) < 0 })
	t.Header = t.Header || named
	s.Languages = nil
	for i, column := range columns {
		at := i
		switch {
		case column.role == roleSkip:
			continue
		case column.name != "" && number(column.name) >= 0:
			at = number(column.name)
		case t.Header && (named || column.name != ""):
			name := column.name
			if name == "" {
				name = column.tag
			}
			if at = slices.IndexFunc(first, func(v string) bool { return strings.TrimSpace(v) == name }); at < 0 {
				return fmt.Errorf("its header has no column %q; it has %s", name, strings.Join(first, ", "))
			}
		}
		if at >= t.Count {
			return fmt.Errorf("its first row has %d columns, and --columns names column %d", t.Count, at+1)
		}
		switch {
		case column.isText():
			t.Texts, s.Languages = append(t.Texts, at), append(s.Languages, column.role)
		case column.role == roleLabel:
			t.Label = at
		default:
			t.Score = at
		}
	}
	if !t.Header && t.Score != bitext.None && !isNumber(first[t.Score]) && slices.ContainsFunc(rows[1:], func(row []string) bool {
		return len(row) == t.Count && isNumber(row[t.Score])
	}) {
		return fmt.Errorf("its first line (%s) has no number in column %d, where the others have one: give --header if it names the columns, else mend it", cellsOf(first), t.Score+1)
	}
	if !t.Header && t.namesColumns(s.Languages, first) {
		in.notes = append(in.notes, fmt.Sprintf("the first line of %s, %s, seems to name its columns and is read as a row: --header leaves it out", s.place(), cellsOf(first)))
	}
	return nil
}

// cellsOf shows the values of a row in a message.
func cellsOf(row []string) string {
	var cells []string
	for _, v := range row {
		cell := strconv.Quote(excerpt.Characters(strings.TrimSpace(v), 30)) // which shows tabs, and what is no text
		cells = append(cells, cell[1:len(cell)-1])
	}
	return strings.Join(cells, ", ")
}

// headings are names that columns of texts have.
var headings = []string{"source", "target", "src", "tgt", "trg", "text", "text1", "text2", "text_a", "text_b", "sentence1", "sentence2", "original", "translation", "premise", "hypothesis"}

// namesColumns says whether all texts of a row are names of columns: headings, or their languages.
func (t *tableColumns) namesColumns(languages, row []string) bool {
	for i, at := range t.Texts {
		value := strings.TrimSpace(row[at])
		if !slices.Contains(headings, strings.ToLower(value)) && codeOf(value) != languages[i] && !strings.EqualFold(value, language.Name(languages[i])) {
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

func isNumber(value string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil
}

// guessColumns finds the columns of a table of two languages: both texts, and perhaps a score
// before or behind them.
func guessColumns(codes []string, rows [][]string) ([]column, error) {
	texts := func() (list []column) {
		for _, code := range codes {
			list = append(list, column{role: code, tag: code})
		}
		return list
	}
	if len(codes) != 2 {
		return nil, errors.New("its columns are not known: --columns names them, as in --columns eng,deu,score, or its name ends as in .de-en.tsv")
	}
	if len(rows) == 0 {
		return texts(), nil
	}
	numbers := func(at int) bool {
		return !slices.ContainsFunc(rows, func(row []string) bool {
			if len(row) != 3 {
				return false
			}
			return !isNumber(row[at])
		})
	}
	score := column{role: roleScore, tag: roleScore}
	switch n := len(rows[0]); {
	case n == 2:
		return texts(), nil
	case n == 3 && numbers(0) && !numbers(2):
		return append([]column{score}, texts()...), nil
	case n == 3 && numbers(2) && !numbers(0):
		return append(texts(), score), nil
	default:
		return nil, fmt.Errorf("it has %d columns, of which it is not plain which are the texts: --columns names them, as in --columns score,%s", n, strings.Join(codes, ","))
	}
}
