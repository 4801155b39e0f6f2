package mine

import (
	"context"
	"encoding/binary"
	"encoding/json"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/transforms/measure/mining"
	"sentweave/transforms/read/texts"
)

// targetsTask adds the texts of a unit's targets to the pairs that are chosen.
type targetsTask struct {
	Work
	units.Range
}

// chosen is a pair on its way to the unit of its source.
type chosen struct {
	Score                        float64
	ID, Language, Text, Document string // of the target
}

// Spill implements graph.Spiller.
func (t *targetsTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var key []byte
	first := t.Sides[target].Firsts[unit.Ordinal-t.First]
	return t.Sides[target].join(ctx, unit, first, func(e schemas.Embedding, r spill.Record) error {
		row := rowOf(r.Key[8:])
		key = binary.BigEndian.AppendUint32(exchange.UnitKey(key[:0], t.Sides[source].unitOf(row)), row)
		key = append(append(key, r.Value[0]), r.Key[4:8]...) // by rank and target
		value, err := json.Marshal(chosen{floatOf(r.Value[1:]), e.ID, e.Language, e.Text, e.Document()})
		if err != nil {
			return err
		}
		return output.Add(key, value)
	})
}

// writeTask writes the pairs of a unit's sources, or their negatives.
type writeTask struct {
	Config Config
	Work
	units.Range
}

// originMined is the origin of mined pairs, originNegative that of hard negatives.
const (
	originMined    = "mined"
	originNegative = "hard negative"
)

// Write implements graph.Writer.
func (t *writeTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	first := t.Sides[source].Firsts[unit.Ordinal-t.First]
	return t.Sides[source].join(ctx, unit, first, func(e schemas.Embedding, r spill.Record) error {
		var other chosen
		if err := jsonfile.Unmarshal(r.Value, &other); err != nil {
			return err
		}
		score := float32(other.Score)
		p := schemas.Pair{
			Kind: schemas.KindBitext, TextA: e.Text, TextB: other.Text, LanguageA: e.Language, LanguageB: other.Language,
			DocumentA: e.Document(), DocumentB: other.Document, Score: &score, Origin: originMined,
		}
		if t.Config.Negatives > 0 {
			p.Kind, p.Label, p.Origin = schemas.KindNLI, "contradiction", originNegative
		} else {
			group := texts.Text{Text: other.Text}.Meaning() // of forward pairs several may have one target
			if t.Config.Retrieval == mining.Backward {
				group = texts.Text{Text: e.Text}.Meaning()
			}
			p.Group = &group
		}
		p.ID = schemas.DerivedID(p.Origin, e.ID, other.ID)
		if err := attempt.Funnel().Keep(chainPairs, schemas.LanguagePair(e.Language, other.Language), 1); err != nil {
			return err
		}
		return attempt.Write(ctx, p)
	})
}
