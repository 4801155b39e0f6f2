package dedup

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/filters/minhash"
)

// planNear adds the phases that find near duplicates, up to the losers. Documents spill the keys of their bands, and buckets of
// keys spill an edge from the first document of each key to each other one. A single unit joins the edges to clusters and spills
// the members of each, and buckets of clusters tell the units which document stays, and how many it stands for.
func (c Config) planNear(b *graph.Builder, copies units.Range, parts graph.Datasets, lists [][]dataset.Unit) error {
	numbering, err := numberingOf(parts, lists)
	if err != nil {
		return err
	}
	spilling := parts[0].To(parts[len(parts)-1].Range)
	buckets := b.Buckets(max(1, graph.Bucketing(spilling.Count, 2)))
	center := b.Buckets(1)
	clusters := b.Buckets(max(1, graph.Bucketing(spilling.Count, 8)))
	graph.Spill(b, "sign", spilling, &signTask{Config: c, Parts: parts, Numbering: numbering}, exchange.ByHash("bands", buckets))
	graph.Spill(b, "match", buckets, &matchTask{}, exchange.ToUnits("edges", center))
	graph.Spill(b, "join", center, &joinTask{Documents: numbering.documents(), Buckets: clusters.Count},
		exchange.ToUnits("clusters", clusters))
	graph.Spill(b, "choose", clusters, &chooseTask{Numbering: numbering}, exchange.ToUnits("losers", copies))
	return nil
}

// signTask spills a member for each key of a unit's documents.
type signTask struct {
	Config    Config
	Parts     graph.Datasets // the documents, then the datasets that they are compared with
	Numbering Numbering
	graph.Nothing
}

// Setup implements graph.Task.
func (t *signTask) Setup(ctx context.Context) error {
	return graph.Reopen[schemas.Document](ctx, t.Parts)
}

// Chains implements graph.Task.
func (t *signTask) Chains() []dataset.Chain { return chains(LevelDocument) }

// Spill implements graph.Spiller.
func (t *signTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	preset, err := minhash.PresetOf(t.Config.Near)
	if err != nil {
		return err
	}
	signer, err := minhash.New(preset)
	if err != nil {
		return err
	}
	input, number := t.Parts.Of(unit.Ordinal)
	m := member{own: number == 0, node: t.Numbering.of(unit.Ordinal)}
	var key, value []byte
	return units.DatasetRows(ctx, input, unit.Unit, func(d schemas.Document) error {
		if m.id, err = rawID(d.ID); err != nil {
			return err
		}
		value = m.append(value[:0])
		for _, k := range signer.Keys(d) {
			key = appendKey(key[:0], k)
			if err := output.Add(key, value); err != nil {
				return err
			}
		}
		m.node++
		return nil
	})
}

// matchTask spills an edge from the first member of each key in a bucket to each other one: a key of both numbers, with both
// members. Members of many keys give the same edge many times; one stays.
type matchTask struct{ graph.Nothing }

// Combine implements graph.Spiller.
func (*matchTask) Combine() exchange.Combine { return equalValue }

// equalValue keeps one of the values of a key, which are all equal.
func equalValue(dst, _ []byte) []byte { return dst }

// Spill implements graph.Spiller.
func (t *matchTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var band, first, key, value []byte
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		if len(record.Value) != memberSize {
			return fmt.Errorf("a key of a band has %d bytes, not %d", len(record.Value), memberSize)
		}
		if band == nil || !bytes.Equal(band, record.Key) {
			band, first = append(band[:0], record.Key...), append(first[:0], record.Value...)
			continue
		}
		key = append(append(exchange.UnitKey(key[:0], 0), first[memberSize-4:]...), record.Value[memberSize-4:]...)
		value = append(append(value[:0], first...), record.Value...)
		if err := output.Add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// joinTask joins the edges to clusters, and spills the members of each under the number of its smallest one. It reads the edges
// twice, and holds four bytes for each document.
type joinTask struct {
	Documents uint32
	Buckets   int
	graph.Nothing
}

// Combine implements graph.Spiller.
func (*joinTask) Combine() exchange.Combine { return equalValue }

// Spill implements graph.Spiller.
func (t *joinTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var clusters minhash.Components // made at the first edge
	joined := false
	err := t.edges(ctx, unit, func(a, b member) error {
		if !joined {
			clusters, joined = minhash.NewComponents(t.Documents), true
		}
		clusters.Join(a.node, b.node)
		return nil
	})
	if err != nil {
		return err
	}
	var key []byte
	return t.edges(ctx, unit, func(a, b member) error {
		root := clusters.Root(a.node)
		for _, m := range [2]member{a, b} {
			key = binary.BigEndian.AppendUint32(exchange.UnitKey(key[:0], int(root)%t.Buckets), root)
			key = m.append(key)
			if err := output.Add(key, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// edges calls use for both ends of each edge.
func (t *joinTask) edges(ctx context.Context, unit graph.Unit, use func(a, b member) error) error {
	for record, err := range unit.Merge(ctx, equalValue) {
		if err != nil {
			return err
		}
		if len(record.Value) != 2*memberSize {
			return fmt.Errorf("an edge of %d bytes, not %d", len(record.Value), 2*memberSize)
		}
		a, _ := parseMember(record.Value[:memberSize])
		b, _ := parseMember(record.Value[memberSize:])
		if max(a.node, b.node) >= t.Documents {
			return fmt.Errorf("an edge names document %d of %d", max(a.node, b.node), t.Documents)
		}
		if err := use(a, b); err != nil {
			return err
		}
	}
	return nil
}

// chooseTask tells the units of each cluster's members: the first one stays, with their number, the others are lost. If a document
// of another dataset is among them, all are lost.
type chooseTask struct {
	Numbering Numbering
	graph.Nothing
}

// Spill implements graph.Spiller.
func (t *chooseTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var cluster, key, value []byte
	var first member
	size := uint32(0)
	tell := func(m member, value []byte) error {
		unit, row := t.Numbering.place(m.node)
		key = loser{row, 0}.appendKey(key[:0], unit)
		return output.Add(key, value)
	}
	keep := func() error {
		if !first.own || size == 0 {
			return nil
		}
		value = binary.BigEndian.AppendUint32(append(value[:0], representative), size)
		return tell(first, value)
	}
	for record, err := range unit.Merge(ctx, equalValue) {
		if err != nil {
			return err
		}
		if len(record.Key) != 8+memberSize {
			return fmt.Errorf("a member of a cluster with a key of %d bytes, not %d", len(record.Key), 8+memberSize)
		}
		m, _ := parseMember(record.Key[8:])
		if cluster == nil || !bytes.Equal(cluster, record.Key[:8]) {
			if err := keep(); err != nil {
				return err
			}
			cluster, first, size = append(cluster[:0], record.Key[:8]...), m, 1
			continue
		}
		size++
		if !m.own {
			continue
		}
		why := nearDuplicate
		if !first.own {
			why = elsewhere
		}
		value = append(append(value[:0], why), first.id[:]...)
		if err := tell(m, value); err != nil {
			return err
		}
	}
	return keep()
}

// verdict completes the document that stays of a cluster, or the reject of one that goes, by what the exchange told of it beside
// the reason.
func verdict(d *schemas.Document, r *schemas.Reject, told []byte) {
	switch {
	case r.Reason != "" && len(told) == 16:
		r.Detail = "near duplicate of " + hex.EncodeToString(told)
	case r.Reason == "":
		size := uint32(1)
		if len(told) == 4 {
			size = binary.BigEndian.Uint32(told)
		}
		d.SetScore(schemas.ClusterScore, float32(size))
	}
}
