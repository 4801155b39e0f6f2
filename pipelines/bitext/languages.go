package bitext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/bitext"
	"sentweave/transforms/read/jsonfields"
	"sentweave/transforms/read/tmx"
)

// scan is what the records of a source hold that tell the languages of their texts: units of
// TMX, and lines of JSON with their translation. No record speaks for those behind it.
type scan struct {
	config Config
	wanted []string
	// most is how many records are looked at.
	most int64

	// languages are those of all texts, names the fields of JSON that have them.
	languages, names []string
	// texts counts the records with a text in a language, count all records.
	texts map[string]int64
	count int64
	// paired says that a record has texts in two of the languages that are taken.
	paired bool
	// partly says that there may be more records than were looked at.
	partly bool
	// damage is the first one, for messages.
	damage string
	// other says that a text of a line without translation is in a field that no language is called by: it may belong to the others.
	other bool
	// objects says that a line is a JSON object, fields are those of the first one that are texts, numbers those that are numbers.
	objects         bool
	fields, numbers []string
	// score says that the field score of a line is a number.
	score bool

	isText map[string]bool     // fields of JSON that hold texts
	own    []string            // the languages of a record
	shapes map[string][]string // those of lines that were looked at, by their shapes
	shape  []byte
}

// scans looks at the sources whose records tell their languages; the others have no scan.
func (inputs *input) scans(ctx context.Context, c Config, columns []column, codes []string, limit int64) ([]*scan, []error) {
	scans, faults := make([]*scan, len(inputs.sources)), make([]error, len(inputs.sources))
	var group errgroup.Group
	group.SetLimit(surveyors)
	for i := range inputs.sources {
		s := &inputs.sources[i]
		if s.Format != formatTMX && (s.Format != formatJSON || columns != nil) {
			continue
		}
		scans[i] = &scan{config: c, wanted: codes, most: limit, texts: map[string]int64{}, shapes: map[string][]string{},
			isText: map[string]bool{}}
		group.Go(func() error {
			faults[i] = scans[i].source(ctx, s, inputs.folders[s.Files[0].Input])
			return nil
		})
	}
	_ = group.Wait() // the faults are told in the order of the sources
	return scans, faults
}

// source sets the languages of a source, and the fields of JSON.
func (l *scan) source(ctx context.Context, s *Source, location string) error {
	folder, err := storage.Locate(location)
	if err != nil {
		return err
	}
	stream, err := s.Files[0].open(ctx, folder, 0, s.Files[0].Bytes)
	if err != nil {
		return err
	}
	defer stream.Close()
	measured := &measured{from: stream}
	if s.Format == formatJSON {
		err = l.lines(ctx, s, measured)
	} else {
		err = l.units(ctx, measured)
	}
	if err != nil {
		return err
	}
	s.texts, s.lines, s.Files[0].expanded = l.texts, l.count, measured.bytes
	switch s.Languages = l.languages; {
	case len(l.languages) < 2 && l.partly:
		return nil
	case s.Format == formatJSON && !l.objects:
		return errors.New("it has no line that is a JSON object")
	case s.Format == formatJSON:
		if l.other {
			l.names = slices.DeleteFunc(l.names, func(path string) bool { return !strings.HasPrefix(path, translation+".") })
		}
		err := s.setFields(nil, l.names, l.fields)
		if s.guessScore(l.score); !l.score {
			s.unread = l.numbers
		}
		return err
	case len(l.languages) == 0:
		return fmt.Errorf("it has no text in a language that is known%s", l.damage)
	case len(l.languages) == 1:
		return fmt.Errorf("its texts are only in %s%s", l.languages[0], l.damage)
	}
	return nil
}

// measured counts what is read.
type measured struct {
	from  io.Reader
	bytes int64
}

// Read implements io.Reader.
func (m *measured) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.bytes += int64(n)
	return n, err
}

// record takes the languages of a record.
func (l *scan) record() {
	for _, code := range l.own {
		l.texts[code]++
		if !slices.Contains(l.languages, code) {
			l.languages = append(l.languages, code)
		}
	}
	l.paired = l.paired || len(l.own) <= language.MostTogether && l.config.makesPairs(l.own, l.wanted)
}

// units looks at TMX.
func (l *scan) units(ctx context.Context, stream io.Reader) error {
	reader, err := tmx.NewReader(stream, tmx.DefaultConfig())
	if err != nil {
		return err
	}
	for ; l.count != l.most; l.count++ {
		if l.count%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if u.Reason == tmx.NotTMX || u.Reason == tmx.UnknownEncoding {
			reason := strings.TrimSuffix(fmt.Sprintf("%s, %s", u.Reason, u.Detail), ", ")
			return unreadable{errors.New("it is not a TMX file that can be read: " + reason)}
		}
		if u.Reason == tmx.Truncated {
			return unreadable{fmt.Errorf("it is cut: it ends in or behind unit %d", u.Ordinal+1)}
		}
		if u.Reason != "" && u.Reason != tmx.NoVariant && l.damage == "" {
			l.damage = strings.TrimSuffix(fmt.Sprintf("; it is damaged: unit %d, %s: %s", u.Ordinal+1, u.Reason, u.Detail), ": ")
		}
		l.own = l.own[:0]
		for _, v := range u.Variants {
			if v.Reason != "" && l.damage == "" {
				l.damage = fmt.Sprintf("; in unit %d the variant %q has the fault %s", u.Ordinal+1, v.Tag, v.Reason)
				if v.Reason == tmx.NoSegment {
					l.damage = fmt.Sprintf("; in unit %d the variant %q has no element seg, in which texts stand", u.Ordinal+1, v.Tag)
				}
			}
			if v.Reason == "" && v.Language != language.Undetermined && !slices.Contains(l.own, v.Language) {
				l.own = append(l.own, v.Language)
			}
		}
		l.record()
	}
	l.partly = true
	return nil
}

// lines looks at JSON. The order of the fields is that of the pairs.
func (l *scan) lines(ctx context.Context, s *Source, stream io.Reader) error {
	content, err := s.objects(stream)
	if err != nil {
		return err
	}
	lines := bitext.NewLines(content, true)
	picker := jsonfields.New(translation, roleScore)
	for ; l.count != l.most; l.count++ {
		if l.count%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, tooLong, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		// A line of the same shape tells nothing new.
		l.shape = shape(l.shape[:0], line)
		if codes, ok := l.shapes[string(l.shape)]; ok {
			for _, code := range codes {
				l.texts[code]++
			}
			continue
		}
		if tooLong || picker.Pick(line) != nil {
			continue
		}
		object := bytes.TrimSpace(line)
		if !l.objects && bytes.HasPrefix(object, []byte{'{'}) {
			l.objects, l.fields, l.numbers = true, textFields(picker, object), numberFields(object)
		}
		l.own = l.own[:0]
		score := picker.Value(1)
		unscored := !l.score && score.Kind != jsonfields.Absent // a line of this shape may have a number
		_, isScore := bitext.ParseNumber(strings.Trim(string(score.Raw), `" `), false)
		l.score = l.score || isScore
		told, err := l.translations(picker, object)
		if err != nil {
			return err
		}
		if told && !unscored && len(l.shape) <= longestShape && len(l.shapes) < mostShapes {
			l.shapes[string(l.shape)] = slices.Clone(l.own)
		}
		l.record()
	}
	l.partly = true
	return nil
}

// translations adds the languages of a line: those of its translation, or of its own fields if it has none. A field whose values are
// numbers or names of rows, as translation.id may be, or, outside of translation, single words, is in none as long as no other value
// was seen; told says that there is no such field.
func (l *scan) translations(picker *jsonfields.Picker, object []byte) (told bool, err error) {
	told = true
	texts, prefix := picker.Value(0), translation+"."
	if texts.Kind == jsonfields.Absent {
		texts, prefix = jsonfields.Value{Raw: object}, ""
	}
	picker.Strings(texts, func(name, value []byte) {
		path, code := prefix+string(name), codeOf(string(name))
		if prefix == "" && !isColumnOfLanguage(path) {
			l.other = l.other || bytes.IndexByte(value, ' ') >= 0
			return
		}
		if code == "" || code == language.Undetermined || err != nil {
			return
		}
		if !l.isText[path] {
			text := bytes.TrimSpace(value)
			word := prefix == "" && !bytes.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf }) // cat: news
			if len(text) == 0 || word || isIdentifier(string(text)) {
				told = false
				return
			}
			l.isText[path] = true
			if l.names = append(l.names, path); len(l.names) > language.MostTogether {
				err = errTooMany
			}
		}
		if !slices.Contains(l.own, code) {
			l.own = append(l.own, code)
		}
	})
	return told, err
}

// What is remembered of the lines is bounded, whatever the file invents.
const (
	longestShape = 1 << 10
	mostShapes   = 10_000
)

// shape appends what a line of JSON is without its values: the names of fields, an empty text for
// each text, and nothing for a number, a truth value or null.
func shape(dst, line []byte) []byte {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{', '}', '[', ']', ':', ',':
			dst = append(dst, line[i])
		case '"':
			start := i
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			rest := line[min(i+1, len(line)):]
			if bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte{':'}) {
				dst = append(dst, line[start:i]...)
			}
			dst = append(dst, '"')
		}
	}
	return dst
}

// textFields returns the fields of an object that are texts, in their order.
func textFields(picker *jsonfields.Picker, object []byte) (names []string) {
	picker.Strings(jsonfields.Value{Raw: object}, func(name, _ []byte) {
		if len(names) <= mostTold {
			names = append(names, string(name))
		}
	})
	return names
}

// numberFields returns the fields of an object that are numbers, and that of the score whatever it is but null, by their names.
func numberFields(object []byte) (names []string) {
	var fields map[string]json.RawMessage
	if jsonfile.Unmarshal(object, &fields) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		first := fields[name][0]
		if first == '-' || first >= '0' && first <= '9' || name == roleScore && first != 'n' {
			names = append(names, name)
		}
	}
	return names
}
