package ingest

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/read/tmx"
	"sentweave/transforms/testsets/benchmark"
)

// The chains of the funnel and their steps. Its languages are pairs: "eng-spa".
const (
	// chainTranslations is the pairs of a text and its translation, in a direction, and
	// units of which there are none.
	chainTranslations = "translations"
	stepRead          = "read"
	stepLanguages     = "languages"
	stepTexts         = "texts"
	// chainOneLine is the texts and translations that were kept and changed: white space
	// and control characters became single spaces.
	chainOneLine = "texts made one line"
	stepOneLine  = "one_line"
)

// Reasons besides those of package tmx.
const (
	reasonGzip = "damaged_gzip"
	// ReasonNoSource: a unit does not have the source; or says that any language may be
	// it, and none was asked for.
	ReasonNoSource = "no_source"
	// ReasonNoTranslation: a unit has nothing but the source.
	ReasonNoTranslation    = "no_translation"
	reasonSameLanguage     = "same_language"
	reasonOtherLanguages   = "other_languages" // than were asked for
	reasonEmptyText        = "empty_text"
	reasonEmptyTranslation = "empty_translation"
	reasonWrongKey         = "wrong_key" // a row is not the one that its key is the identity of
	reasonInvalidRow       = "invalid_row"
)

const undetermined = language.Undetermined

// writer takes the records of a unit of work.
type writer struct {
	task    *task
	attempt *dataset.Attempt[schemas.Translation]
	file    string
	codes   map[string]string // of tags that were met
}

// record is a text and its translation.
type record struct {
	// offset is the number of the unit or row in its file, part that of the record in it.
	offset   int64
	part     int
	from, to string
	row      schemas.Translation
	// ours: the row is one of a dataset of translations, whose texts stay as they are.
	ours bool
}

func (r record) pair() string { return r.from + "-" + r.to }

// exported returns the engine of a unit that was a row of a dataset and is as it was: its
// id is the row's key, which engine, languages and text give.
func exported(u tmx.Unit, p engines.Pair, text string) (row schemas.Translation, ok bool) {
	row = schemas.Translation{Engine: u.CreationTool, Model: u.CreationToolVersion}
	for _, property := range u.Properties {
		if property.Type == tmx.OptionsProperty {
			row.OptionsXXH3 = property.Text
		}
	}
	return row, !u.Changed && u.ID == engines.Key(row.Engine, row.Model, row.OptionsXXH3, p, text)
}

// unit takes a unit of TMX.
func (w *writer) unit(ctx context.Context, u tmx.Unit) error {
	if u.Reason != "" {
		return w.reject(record{offset: u.Ordinal, from: undetermined, to: undetermined}, stepRead, u.Reason, u.Detail, u.Sample)
	}
	started := false
	part := 0
	for i, text := range u.Variants {
		if text.Reason != "" || !w.begins(text.Language, u) {
			continue
		}
		started = true
		for j, translation := range u.Variants {
			if i == j {
				continue
			}
			if _, reversed := exported(u, engines.Pair{Source: translation.Language, Target: text.Language}, translation.Text); reversed {
				continue // it names its engine, which translated the other way
			}
			r := record{offset: u.Ordinal, part: part, from: text.Language, to: cmp.Or(translation.Language, undetermined)}
			part++
			if translation.Reason != "" {
				if err := w.reject(r, stepLanguages, translation.Reason, translation.Tag, text.Text); err != nil {
					return err
				}
				continue
			}
			r.row = schemas.Translation{Engine: formatTMX, Model: benchmark.Clean(u.CreationTool), Text: text.Text,
				Translation: translation.Text}
			if row, ok := exported(u, engines.Pair{Source: r.from, Target: r.to}, text.Text); ok {
				r.row.Engine, r.row.Model, r.row.OptionsXXH3 = row.Engine, row.Model, row.OptionsXXH3
			}
			if err := w.add(ctx, r); err != nil {
				return err
			}
		}
	}
	if part > 0 {
		return nil
	}
	reason := ReasonNoSource
	if started {
		reason = ReasonNoTranslation
	}
	var tags []string
	for _, v := range u.Variants {
		tags = append(tags, v.Tag)
	}
	return w.reject(record{offset: u.Ordinal, from: cmp.Or(w.task.wanted.source, u.Source, undetermined), to: undetermined}, stepLanguages,
		reason, strings.Join(tags, ", "), u.Variants[0].Text)
}

// begins says whether texts of a language are those that were translated.
func (w *writer) begins(code string, u tmx.Unit) bool {
	if selection := w.task.wanted; selection.both {
		return true
	} else if selection.source != "" {
		return language.Matches(code, selection.source)
	}
	return u.Source != "" && language.Matches(code, u.Source)
}

// row takes a row of Parquet.
func (w *writer) row(ctx context.Context, number int64, row tableRow) error {
	r := record{offset: number, from: w.code(row[columnSource]), to: w.code(row[columnTarget])}
	r.row = schemas.Translation{
		Key: row[columnKey], Engine: row[columnEngine], Model: row[columnModel], OptionsXXH3: row[columnOptions],
		Text: row[columnText], Translation: row[columnTranslation], Status: row[columnStatus], Reason: row[columnReason],
	}
	if column, size := row.tooLarge(); column != "" {
		// The writer keeps its rows until a row group is full.
		return w.reject(r, stepRead, tmx.TooLarge, fmt.Sprintf("%s of %d bytes", column, size), "")
	}
	if r.row.Key != "" {
		pair := engines.Pair{Source: row[columnSource], Target: row[columnTarget]}
		if want := engines.Key(r.row.Engine, r.row.Model, r.row.OptionsXXH3, pair, r.row.Text); r.row.Key != want {
			return w.reject(r, stepRead, reasonWrongKey, "its key is "+r.row.Key+", want "+want, r.row.Text)
		}
		complete := r.row
		complete.SourceLanguage, complete.TargetLanguage = r.from, r.to
		r.ours = pair == engines.Pair{Source: r.from, Target: r.to} && complete.Validate() == nil
	}
	if r.from == undetermined || r.to == undetermined {
		return w.reject(r, stepLanguages, tmx.UnknownLanguage, row[columnSource]+" to "+row[columnTarget], r.row.Text)
	}
	if r.row.Engine != "" {
		return w.add(ctx, r)
	}
	r.row.Engine = formatParquet
	if err := w.add(ctx, r); err != nil || !w.task.wanted.both {
		return err
	}
	r.part, r.from, r.to = 1, r.to, r.from
	r.row.Text, r.row.Translation = r.row.Translation, r.row.Text
	return w.add(ctx, r)
}

// code returns the code of a language by its tag.
func (w *writer) code(tag string) string {
	code, ok := w.codes[tag]
	if !ok {
		var err error
		if code, err = language.Parse(tag); err != nil {
			code = undetermined
		}
		if len(w.codes) < 10_000 { // whatever the file invents
			w.codes[tag] = code
		}
	}
	return code
}

// add judges a record whose languages are known, and writes it.
func (w *writer) add(ctx context.Context, r record) error {
	row := &r.row
	if r.from == r.to {
		return w.reject(r, stepLanguages, reasonSameLanguage, "", row.Text)
	}
	if !w.task.wanted.takes(r.from, r.to) {
		return w.reject(r, stepLanguages, reasonOtherLanguages, "", "")
	}
	text, translation := row.Text, row.Translation
	if !r.ours {
		text, translation = benchmark.Clean(text), benchmark.Clean(translation)
	}
	changed := int64(0)
	for _, b := range []bool{text != row.Text, translation != row.Translation} {
		if b {
			changed++
		}
	}
	row.Text, row.Translation, row.SourceLanguage, row.TargetLanguage = text, translation, r.from, r.to
	row.Status = cmp.Or(row.Status, schemas.TranslationOK)
	switch {
	case text == "":
		return w.reject(r, stepTexts, reasonEmptyText, "", translation)
	case translation == "" && row.Status == schemas.TranslationOK:
		return w.reject(r, stepTexts, reasonEmptyTranslation, "", text)
	}
	config := w.task.Config
	row.Engine, row.Model = cmp.Or(config.EngineName, row.Engine), cmp.Or(config.ModelName, row.Model)
	row.OptionsXXH3 = cmp.Or(row.OptionsXXH3, engines.Identity{}.OptionsXXH3())
	row.Key = engines.Key(row.Engine, row.Model, row.OptionsXXH3, engines.Pair{Source: r.from, Target: r.to}, text)
	row.Characters = int32(engines.Characters(text))
	if err := row.Validate(); err != nil {
		return w.reject(r, stepTexts, reasonInvalidRow, err.Error(), text)
	}
	f := w.attempt.Funnel()
	if err := f.Keep(chainTranslations, r.pair(), 1); err != nil {
		return err
	}
	if changed > 0 {
		if err := f.Keep(chainOneLine, r.pair(), changed); err != nil {
			return err
		}
	}
	return w.attempt.Write(ctx, *row)
}

// reject counts a record that is not used, and may keep it as a sample.
func (w *writer) reject(r record, step, reason, detail, sample string) error {
	if err := w.attempt.Funnel().Drop(chainTranslations, r.pair(), step, reason, 1); err != nil {
		return err
	}
	id := schemas.DerivedID("memory", w.file, strconv.FormatInt(r.offset, 10), strconv.Itoa(r.part))
	if !w.attempt.Rejects().Wants(step, reason, r.pair(), id) {
		return nil
	}
	w.attempt.Rejects().Add(schemas.Reject{
		ID: id, Source: w.file, Offset: r.offset, Step: step, Reason: reason, Language: r.pair(),
		Detail: strings.ToValidUTF8(fmt.Sprintf("%.300s", detail), "\ufffd"),
		Sample: dataset.Sample(strings.ToValidUTF8(strings.TrimSpace(sample), "\ufffd")),
	})
	return nil
}
