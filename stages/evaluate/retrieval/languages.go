package retrieval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/probe"
	"sentweave/transforms/random"
)

// languageShare is the share of the texts on which the classifier of languages is trained.
const languageShare = .01

type languageAccuracy struct {
	accuracy float64
	tested   int
	settings map[string]any
	// items are the texts that were tested.
	items protocol.Part
}

// classifyLanguages trains a classifier of languages on one text of a hundred, at least one of
// each language, and tests it on all others (Kiros 2020).
func classifyLanguages(ctx context.Context, v encoder.Dense, languages []string, sides [][]encoder.Text) (r languageAccuracy, err error) {
	var train, test probe.Rows
	var tested []encoder.Text
	offset := 0
	for l, side := range sides {
		order := make([]int, len(side))
		for i := range order {
			order[i] = offset + i
		}
		draw := random.New(1, 0, "evaluate languages", languages[l], 0)
		random.Shuffle(&draw, order)
		n := max(1, int(math.Round(languageShare*float64(len(side)))))
		for i, row := range order {
			target := &test
			if i < n {
				target = &train
			} else {
				tested = append(tested, side[row-offset])
			}
			target.Vectors, target.Classes = append(target.Vectors, v.Row(row)), append(target.Classes, l)
		}
		offset += len(side)
	}
	if len(test.Vectors) == 0 {
		return r, errors.New("classify languages: no text is left to test")
	}
	m, err := probe.Logistic(ctx, train, len(languages), 1)
	if err != nil {
		return r, fmt.Errorf("classify languages: %w", err)
	}
	right, predicted := 0, m(test)
	for i, class := range predicted {
		if class == test.Classes[i] {
			right++
		}
	}
	r.items = protocol.Part{A: tested}.Classified(languages, test.Classes, predicted)
	r.accuracy, r.tested = float64(right)/float64(len(test.Vectors)), len(test.Vectors)
	r.settings = map[string]any{"classifier": "logistic regression, C 1", "train": len(train.Vectors),
		"chance": 1 / float64(len(languages))}
	return r, nil
}

// TatoebaLanguages is the task tatoeba-languages.
var TatoebaLanguages = protocol.Task{
	Name: "tatoeba-languages", Measures: "a classifier of languages, trained on one Tatoeba sentence of a hundred (Kiros 2020)",
	From: []protocol.Source{protocol.FromData}, Languages: true, Dense: true,
	Read: func(reader *protocol.Input) (protocol.Protocol, error) {
		p, err := readTatoeba(reader, reader.Languages)
		if err != nil {
			return nil, err
		}
		if err := reader.Fault(); err != nil {
			return nil, err
		}
		var t languageTexts
		for _, part := range p.(*tatoeba).parts {
			t.languages, t.sides = append(t.languages, part.language), append(t.sides, part.foreign)
		}
		if len(t.languages) < 2 {
			return nil, protocol.Absent("%s: there is %s alone: want two languages", reader.Task,
				strings.Join(t.languages, ", "))
		}
		return &t, nil
	},
}

// languageTexts is the protocol that tells languages apart.
type languageTexts struct {
	languages []string
	sides     [][]encoder.Text
}

// Texts implements protocol.Protocol.
func (t *languageTexts) Texts() iter.Seq[encoder.Text] { return protocol.AllTexts(t.sides...) }

// Measure implements protocol.Protocol.
func (t *languageTexts) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (
	[]schemas.Result, error) {
	dense, err := encoder.EncodeDense(ctx, e, slices.Concat(t.sides...))
	if err != nil {
		return nil, err
	}
	r, err := classifyLanguages(ctx, dense, t.languages, t.sides)
	if err != nil {
		return nil, err
	}
	r.items.Subtask = metrics.SubtaskAll
	keep(r.items)
	base.Subtask, base.Metric, base.Value, base.N = metrics.SubtaskAll, metrics.LanguageAccuracy, r.accuracy, int64(r.tested)
	base.Settings = protocol.EncodeSettings(protocol.WithSetting(r.settings, "languages", len(t.languages)))
	return []schemas.Result{base}, nil
}
