package translations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"sentweave/schemas/dataset"
	"sentweave/transforms/engines"
)

// answer is what an engine said of a text.
type answer struct {
	text string
	// reason is why there is none.
	reason string
}

// record is an answer in the journal. Try is 1, or 2 for a text that was sent again
// because its first translation could not be used.
type record struct {
	Key    []byte `json:"key"`
	Try    int    `json:"try"`
	Text   string `json:"text,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// entry is what the journal has of one request.
type entry struct {
	Pair       int      `json:"pair"`
	Characters int64    `json:"characters"`
	Answers    []record `json:"answers"`
}

// past is what the journal of a unit knows. After it was read it does not change.
type past struct {
	// tries are the answers by key, of the first and the second try.
	tries [2]map[string]answer
	// characters are those that were sent, by pair.
	characters map[int]int64
}

// readJournal reads the journal of a unit. Where two attempts were given different
// answers, the same one counts for all who read.
func readJournal(ctx context.Context, j *dataset.Journal) (*past, error) {
	p := &past{tries: [2]map[string]answer{{}, {}}, characters: map[int]int64{}}
	for data, err := range j.Entries(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		var e entry
		if err := json.Unmarshal(data, &e); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		p.characters[e.Pair] += e.Characters
		for _, r := range e.Answers {
			if r.Try != 1 && r.Try != 2 {
				return nil, fmt.Errorf("read journal: a %d. try", r.Try)
			}
			if _, ok := p.tries[r.Try-1][string(r.Key)]; !ok {
				p.tries[r.Try-1][string(r.Key)] = answer{text: r.Text, reason: r.Reason}
			}
		}
	}
	return p, nil
}

// journalled returns what writes the answers of requests into the journal. Keys are
// those of the texts that are translated.
func journalled(ctx context.Context, j *dataset.Journal, answered *atomic.Int64, pair, try int, keys []string) func(engines.Batch) error {
	return func(b engines.Batch) error {
		answered.Add(int64(len(b.Texts)))
		e := entry{Pair: pair, Characters: b.Characters, Answers: make([]record, len(b.Texts))}
		for i, a := range b.Answers {
			said := answerOf(a)
			e.Answers[i] = record{Key: []byte(keys[b.Indices[i]]), Try: try, Text: said.text, Reason: said.reason}
		}
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		// What was paid for is kept, also when the work is being ended.
		return j.Write(context.WithoutCancel(ctx), data)
	}
}

// answerOf returns what an engine's answer means for the row.
func answerOf(a engines.Answer) answer {
	switch {
	case a.Err == nil:
		return answer{text: strings.ToValidUTF8(a.Text, "\ufffd")} // as a journal can hold it
	case errors.Is(a.Err, engines.ErrTooLong):
		return answer{reason: reasonTooLong}
	}
	return answer{reason: engines.KindOf(a.Err).String()}
}

const reasonTooLong = "too_long"
