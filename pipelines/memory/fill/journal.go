package fill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/transforms/engines"
)

// answer is what an engine said of a text.
type answer struct {
	text string
	// reason is why there is none, or why it cannot be used, and detail what shows that:
	// the engine's words, or the text that came back.
	reason, detail string
}

// record is an answer in the journal. Try is 1, or 2 for a text that was sent again
// because its first translation could not be used.
type record struct {
	Text        string `json:"text"`
	Try         int    `json:"try"`
	Translation string `json:"translation,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Detail      string `json:"detail,omitempty"`
}

// entry is what the journal has of one request. It tells all that a translation memory
// must know, so that what was paid for outlives the job that paid.
type entry struct {
	Source  string   `json:"source"`
	Target  string   `json:"target"`
	Engine  string   `json:"engine"`
	Model   string   `json:"model"`
	Options string   `json:"options_xxh3"`
	Answers []record `json:"answers"`
}

func parseEntry(data []byte) (e entry, err error) {
	if err = jsonfile.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("read journal: %w", err)
	}
	for _, r := range e.Answers {
		if r.Try != 1 && r.Try != 2 {
			return e, fmt.Errorf("read journal: a %d. try", r.Try)
		}
	}
	return e, nil
}

// Answered returns the answers of an entry of a journal as rows, of which no check has
// been made: the translations of datasets that were not finished.
func Answered(data []byte) ([]schemas.Translation, error) {
	e, err := parseEntry(data)
	if err != nil {
		return nil, err
	}
	rows := make([]schemas.Translation, len(e.Answers))
	for i, r := range e.Answers {
		rows[i] = schemas.Translation{
			Key: engines.Key(e.Engine, e.Model, e.Options, engines.Pair{Source: e.Source, Target: e.Target}, r.Text), Engine: e.Engine,
			Model: e.Model, OptionsXXH3: e.Options,
			SourceLanguage: e.Source, TargetLanguage: e.Target, Text: r.Text, Translation: r.Translation, Status: schemas.TranslationOK,
			Reason: r.Reason,
		}
		if r.Reason != "" {
			rows[i].Status = schemas.TranslationRejected
		}
	}
	return rows, nil
}

// request is a text that an engine was asked to translate.
type request struct {
	pair engines.Pair
	text xxh3.Uint128
}

func askedOf(p engines.Pair, text string) request { return request{p, xxh3.HashString128(text)} }

// past is what the journal of a unit knows: the answers of the first and the second
// try. After it was read it does not change.
type past [2]map[request]answer

// readJournal reads the journal of a unit. Where two attempts were given different
// answers, the same one counts for all who read.
func readJournal(ctx context.Context, j *dataset.Journal) (*past, error) {
	p := &past{{}, {}}
	for data, err := range j.Entries(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		e, err := parseEntry(data)
		if err != nil {
			return nil, err
		}
		for _, r := range e.Answers {
			key := askedOf(engines.Pair{Source: e.Source, Target: e.Target}, r.Text)
			if _, ok := p[r.Try-1][key]; !ok {
				p[r.Try-1][key] = answer{text: r.Translation, reason: r.Reason, detail: r.Detail}
			}
		}
	}
	return p, nil
}

// journalled returns a function that writes the answers of requests for these texts into
// the journal.
func (a asker) journalled(ctx context.Context, p pairEngine, try int, texts []string) func(engines.Batch) error {
	gauge := units.GaugeOf(ctx)
	return func(b engines.Batch) error {
		a.service.answered.Add(int64(len(b.Texts)))
		if try == 1 {
			gauge.Answer(len(b.Texts))
		}
		e := entry{
			Source: p.Pair.Source, Target: p.Pair.Target, Engine: p.Identity.Engine, Model: p.Identity.Model,
			Options: p.Identity.OptionsXXH3(),
			Answers: make([]record, len(b.Texts)),
		}
		for i, given := range b.Answers {
			said := answerOf(given)
			e.Answers[i] = record{Text: texts[b.Indices[i]], Try: try, Translation: said.text, Reason: said.reason, Detail: said.detail}
		}
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		// What was paid for is kept, also when the work is being ended.
		if err := a.journal.Write(context.WithoutCancel(ctx), data); err != nil {
			return fmt.Errorf("record %d answers: %w", len(e.Answers), err)
		}
		return nil
	}
}

// answerOf returns what an engine's answer means for the row.
func answerOf(a engines.Answer) answer {
	switch {
	case a.Err == nil:
		return answer{text: strings.ToValidUTF8(a.Text, "\ufffd")} // as a journal can hold it
	case errors.Is(a.Err, engines.ErrTooLong):
		return answer{reason: reasonTooLong, detail: a.Err.Error()}
	}
	return answer{reason: engines.KindOf(a.Err).String(), detail: strings.ToValidUTF8(engines.Said(a.Err), "\ufffd")}
}

const reasonTooLong = "too_long"
