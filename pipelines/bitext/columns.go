package bitext

import (
	"bufio"
	"bytes"
	"context"
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
	"sentweave/transforms/read/jsonfields"
	"sentweave/transforms/read/lineending"
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
				errs.Addf("columns: %q is neither score, target, label or - nor a language: %w", c.tag, err)
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
		errs.Check(count[role] == 0 || role == need || role == roleScore && need != roleTarget, "columns: pairs of kind %s have no %s",
			kind, role)
	}
	errs.Check(need == "" || count[need] > 0, "columns: pairs of kind %s need a column %s", kind, need)
	if kind == schemas.KindBitext {
		errs.Check(count["text"] >= 2, "columns: bitext needs the columns of two languages")
	} else {
		errs.Check(count["text"] == 2, "columns: pairs of kind %s have two texts, not %d", kind, count["text"])
	}
	return columns, errs.Err()
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

// sampled is the number of records that are looked at to find out what a file holds; everyRecord says that
// each is looked at where records tell the languages of their texts.
const (
	sampled     = 100
	everyRecord = -1
)

// describe finds out what the records of each source hold. Limit is how many are looked at where
// they tell the languages of their texts; a source that has more is refused for none of them.
func (inputs *input) describe(ctx context.Context, c Config, limit int64) error {
	columns, err := parseColumns(c.Kind, c.Columns)
	if err != nil {
		return err
	}
	codes, err := c.wanted()
	if err != nil {
		return err
	}
	scans, faults := inputs.scans(ctx, c, columns, codes, limit)
	var errs fault.List
	sources, partly, noted := inputs.sources[:0], false, ""
	for i := range inputs.sources {
		s, scan := inputs.sources[i], scans[i]
		if s.isTatoeba() {
			errs.Check(c.Kind == schemas.KindBitext, "%s: pairs of kind %s are read from tables, JSON and Parquet", s.place(), c.Kind)
			sources = append(sources, s)
			continue
		}
		errs.Check(c.Kind == schemas.KindBitext || s.Format != formatAligned && s.Format != formatTMX,
			"%s: pairs of kind %s are read from tables, JSON and Parquet", s.place(), c.Kind)
		err := faults[i]
		switch {
		case s.Format == formatAligned:
			err = inputs.lookAtScores(ctx, &s)
		case scan == nil:
			err = inputs.look(ctx, &s, columns, c)
		}
		if err == nil && len(s.Languages) > language.MostTogether && s.Format != formatTMX {
			err = errTooMany
		}
		if inputs.skips(ctx, s.Files[0], err) {
			continue
		}
		if err != nil && s.isAnyJSON() && len(inputs.sources) > 1 { // which is as often a description of the others
			inputs.notes = append(inputs.notes, fmt.Sprintf("%s is left out: %s", s.place(), err))
			continue
		}
		if err != nil {
			errs.Addf("%s: %w", s.place(), err)
			continue
		}
		if scan != nil && scan.partly {
			sources, partly = append(sources, s), true
			continue
		}
		if c.Kind == schemas.KindBitext && (!c.makesPairs(s.Languages, codes) || scan != nil && !scan.paired) {
			note := fmt.Sprintf("%s is left out: it is in %s", s.place(), cellsOf(s.Languages))
			if c.makesPairs(s.Languages, codes) {
				note += ", and none of its records is in two languages that are taken"
			}
			inputs.notes = append(inputs.notes, note)
			continue
		}
		if unread := cellsOf(s.unread); unread != "" && unread != noted { // of files that are alike, one is enough
			noted = unread
			what := "column"
			if s.Format == formatJSON {
				what = "field"
			}
			inputs.notes = append(inputs.notes, fmt.Sprintf("%s has no %s of numbers that is named score, and is read without %s: "+
				"--columns=score=NAME, and the %ss of the texts, takes another one", s.place(), what, unread, what))
		}
		sources = append(sources, s)
	}
	if inputs.sources = sources; len(sources) == 0 && len(errs) == 0 {
		what := "is in two languages"
		switch {
		case len(codes) > 0:
			what = "is in two of the languages " + strings.Join(codes, ", ")
		case len(inputs.closed) > 0:
			what = "can be read"
		}
		inputs.leave("read", nil)
		errs.Addf("no input %s; %s", what, strings.Join(inputs.notes, "; "))
	}
	if len(errs) == 0 && !partly {
		errs.Add(inputs.checkPivot(c, codes))
	}
	return errs.Err()
}

// errTooMany is found in a table, or in JSON or Parquet, whose every record has all its languages.
var errTooMany = fmt.Errorf("it has texts in more than %d languages, and so many are not paired: --columns names those to take",
	language.MostTogether)

// checkPivot returns an error if no text is in the pivot's language. Those of Tatoeba's texts
// are not known but where they are asked for.
func (inputs *input) checkPivot(c Config, languages []string) error {
	present := map[string]bool{}
	for _, s := range inputs.sources {
		codes := s.Languages
		if s.isTatoeba() {
			if codes = languages; language.MatchesAny(c.Pivot, languages) {
				return nil
			}
		}
		for _, code := range codes {
			if len(languages) == 0 || language.MatchesAny(code, languages) {
				present[code] = true
			}
		}
	}
	if c.Pivot == "" || len(present) == 0 || present[c.Pivot] {
		return nil
	}
	return fmt.Errorf("--pivot names %s, and no text that is taken is in it: the languages are %s", c.Pivot,
		cellsOf(slices.Sorted(maps.Keys(present))))
}

// look reads the beginning of a source.
func (inputs *input) look(ctx context.Context, s *Source, columns []column, c Config) error {
	folder, err := storage.Locate(inputs.folders[s.Files[0].Input])
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
	if s.Format == formatJSON {
		content, err := s.objects(stream)
		if err == nil {
			err = s.setFields(columns, nil, nil)
		}
		if err != nil {
			return err
		}
		return s.Fields.checkPresence(ctx, content)
	}
	content, err := inUTF8(stream)
	if err != nil {
		return err
	}
	return inputs.lookAtTable(s, content, columns, c)
}

// objects returns the stream of a source of JSON as lines, and sets whether that takes another reading: of an array, or of
// objects that take several lines each.
func (s *Source) objects(stream io.Reader) (io.Reader, error) {
	content, err := inUTF8(stream)
	if err != nil {
		return nil, err
	}
	if s.Elements = goesOn(content); s.Elements {
		return jsonfields.NewElements(content), nil
	}
	return content, nil
}

// goesOn says that a stream is one line with an array of JSON, or begins with a value that goes on behind its first
// line: "[", "[{…},", "{" or "{…,".
func goesOn(stream *bufio.Reader) bool {
	head, _ := stream.Peek(stream.Size()) // reading returns the error
	first, _, multiline := bytes.Cut(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte{'\n'})
	first = bytes.TrimSpace(first)
	if len(first) == 0 {
		return false
	}
	whole := jsonfields.New().Pick(first) == nil
	open := multiline && !whole && bytes.IndexByte([]byte("{[,:"), first[len(first)-1]) >= 0
	switch first[0] {
	case '[':
		return open || !multiline || whole && bytes.HasPrefix(bytes.TrimSpace(first[1:]), []byte{'{'})
	case '{':
		return open
	}
	return false
}

// inUTF8 returns what it is given, or the error of notText, or lineending.ErrReturns.
func inUTF8(stream io.Reader) (*bufio.Reader, error) {
	content := bufio.NewReaderSize(stream, 64<<10)
	head, err := content.Peek(10)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err := notText(head); err != nil {
		return nil, err
	}
	head, _ = content.Peek(content.Size()) // reading returns the error
	if bytes.IndexByte(head, '\n') < 0 {
		if err := lineending.Check(head); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// translation is the field in which Hugging Face keeps the texts by language.
const translation = "translation"

// isColumnOfLanguage says that a column, or a field outside of translation, has the code of a language for its name.
func isColumnOfLanguage(name string) bool {
	return isLanguage(name) && (len(name) == 2 || !isEnding(name))
}

// setFields sets what is read of JSON or Parquet: what columns name, or the fields of names, which are those of translation,
// or of languages. Fields are those of the file, for messages.
func (s *Source) setFields(columns []column, names, fields []string) error {
	s.Languages, s.Fields = nil, &fieldColumns{}
	if columns == nil {
		for _, name := range names {
			code := codeOf(strings.TrimPrefix(name, translation+"."))
			if code == "" || code == language.Undetermined {
				continue
			}
			if s.Fields.add(code, name); !slices.Contains(s.Languages, code) {
				s.Languages = append(s.Languages, code)
			}
		}
		if len(s.Languages) == 1 {
			return fmt.Errorf("it has texts only in the field %s: --columns=eng=FIELD,deu=FIELD names those of two languages%s", s.Fields.Texts[0],
				fieldsOf(fields))
		}
		if len(s.Languages) == 0 {
			return fmt.Errorf("it has no field %q with texts by the codes of their languages, and does not consist of such fields: "+
				"--columns=eng=FIELD,deu=FIELD names those of the texts%s",
				translation, fieldsOf(fields))
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

// guessScore takes the field score, which Columns do not name, where a record has a number there; the others may have none.
func (s *Source) guessScore(found bool) {
	if found {
		s.Fields.Score, s.Fields.Optional = roleScore, true
	}
}

// mostTold is how many fields or values a message tells.
const mostTold = 20

// fieldsOf shows the fields of a file in a message.
func fieldsOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; it has " + cellsOf(names)
}

// cellsOf shows the values of a row in a message.
func cellsOf(row []string) string {
	var cells []string
	for i, v := range row {
		if i == mostTold && len(row) > mostTold+1 {
			return strings.Join(cells, ", ") + fmt.Sprintf(" and %d more", len(row)-mostTold)
		}
		cell := strconv.Quote(excerpt.Characters(strings.TrimSpace(v), 30)) // which shows tabs, and what is not text
		cells = append(cells, cell[1:len(cell)-1])
	}
	return strings.Join(cells, ", ")
}
