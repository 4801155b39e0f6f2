package mine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/net/idna"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/transforms/read/layout"
)

// What the documents of both sides of a pair have in common: values of --within.
const (
	withinHost = "host" // of their addresses
	withinDate = "date" // the day, UTC
	withinPage = "page" // by the layout of their files, such as {language}/{page}.html
)

// Restriction has the documents by whose keys candidates are restricted; the zero value restricts none.
type Restriction struct {
	Key       string
	Documents graph.Datasets // of the sources and of the targets
	Layouts   []string       // of their files
}

// restriction opens the documents of both sides, from which the vectors must have been made.
func (c Config) restriction(ctx context.Context, b *graph.Builder, sides []Side) (r Restriction, err error) {
	r.Key = c.Within
	if c.Within == "" {
		return r, nil
	}
	for side, location := range [2]string{c.SourceDocuments, c.TargetDocuments} {
		documents, err := units.OpenDataset[schemas.Document](ctx, location)
		if err != nil {
			return r, fmt.Errorf("%s-documents: %w", roles[side], err)
		}
		m := documents.Manifest()
		if made := sides[side].Rows.Manifest().Plan.InputHash("texts"); made != "" && made != m.Check {
			return r, fmt.Errorf("%s-documents: the vectors of %s are not of the documents in %s: give those that embed read", roles[side],
				roles[side], location)
		}
		l, err := layout.FromManifest(m)
		if err == nil && c.Within == withinPage {
			l, err = layout.OfPages(m)
		}
		if err != nil {
			return r, fmt.Errorf("%s-documents %s: %w", roles[side], location, err)
		}
		b.Input(m.Input(roles[side] + " documents"))
		r.Layouts = append(r.Layouts, l.String())
		r.Documents = append(r.Documents, graph.Part[*units.Dataset]{Range: b.Units(b.Pack(m)), From: documents})
	}
	return r, nil
}

// keyOf returns the hash of the key of a document, 0 if it has none.
func (r *Restriction) keyOf(d *schemas.Document, pages layout.Layout) uint64 {
	key := ""
	switch r.Key {
	case withinHost:
		if u, err := url.Parse(d.URL); err == nil {
			key = strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
			if ascii, err := idna.Lookup.ToASCII(key); err == nil { // of a name in other letters
				key = ascii
			}
		}
	case withinDate:
		if d.Date != 0 {
			const day = 24 * 60 * 60 * 1000
			key = strconv.FormatInt((d.Date-(d.Date%day+day)%day)/day, 10)
		}
	case withinPage:
		if _, page, ok := pages.Read(d.Source); ok {
			key = page
		}
	}
	if key == "" {
		return 0
	}
	return max(2, xxh3.HashString(key)&^1) // the last bit is for the side
}

// signDocuments spills the keys of a unit's documents.
func (t *signTask) signDocuments(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	documents, side := t.Documents.Of(unit.Ordinal)
	var pages layout.Layout
	if text := t.Layouts[side]; text != "" {
		var err error
		if pages, err = layout.Parse(text); err != nil {
			return err
		}
	}
	var key []byte
	return units.DatasetRows(ctx, documents, unit.Unit, func(d schemas.Document) error {
		hash := t.keyOf(&d, pages)
		if hash == 0 {
			return nil
		}
		key = append(documentKey(key[:0], side, d.ID), 0)
		return output.Add(key, binary.BigEndian.AppendUint64(nil, hash))
	})
}

// documentKey is the beginning of what is spilled of a document: 0 and its key follow, then 1 and each of its rows.
func documentKey(dst []byte, side int, id string) []byte {
	sum := xxh3.HashString128(id).Bytes()
	return append(append(exchange.UnitKey(dst, 0), byte(side), partDocuments), sum[:]...)
}

// keys are those of the rows of both sides, nil where candidates are not restricted.
type keys struct {
	rows     [2][]uint64
	document []byte // whose rows follow
	key      uint64
}

// join takes a record of documents and their rows.
func (k *keys) join(key, value []byte) {
	document, tag := key[:len(key)-1], key[len(key)-1]
	if tag == 0 {
		k.document, k.key = append(k.document[:0], document...), binary.BigEndian.Uint64(value)
	} else if bytes.Equal(k.document, document) {
		k.rows[key[4]][rowOf(value)] = k.key
	}
}

// of returns the key of a row, 0 where it has none.
func (k *keys) of(side int, row uint32) uint64 {
	if k.rows[side] == nil {
		return 0
	}
	return k.rows[side][row]
}

// tell spills the keys of the rows of a unit.
func (k *keys) tell(output *exchange.Output, unit, side int, first, last uint32) error {
	const most = 1 << 13 // keys of a record
	var key, value []byte
	for ; first < last; first += most {
		key = binary.BigEndian.AppendUint32(append(exchange.UnitKey(key[:0], unit), ownKeys), first)
		value = value[:0]
		for _, x := range k.rows[side][first:min(first+most, last)] {
			value = binary.BigEndian.AppendUint64(value, x)
		}
		if err := output.Add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// spreadTask spills the sentences of a unit to the units of their keys.
type spreadTask struct {
	Work
	units.Range
	Buckets int
}

// Spill implements graph.Spiller.
func (t *spreadTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	told, err := t.told(ctx, unit, unit.Ordinal-t.First)
	if err != nil {
		return err
	}
	var key, value []byte
	return t.sentences(ctx, unit, &told, output, func(row uint32, hash uint64, e *schemas.Embedding) error {
		key = binary.BigEndian.AppendUint64(exchange.UnitKey(key[:0], int(hash>>1%uint64(t.Buckets))), hash)
		key = binary.BigEndian.AppendUint32(append(key, byte(told.side)), row)
		value = value[:0]
		for _, text := range []string{e.ID, e.Language, e.Text} {
			value = append(binary.AppendUvarint(value, uint64(len(text))), text...)
		}
		for _, x := range e.Vector {
			value = binary.LittleEndian.AppendUint32(value, math.Float32bits(x))
		}
		return output.Add(key, value)
	})
}

// withinTask finds the nearest sentences of all sentences of its keys. It reads the vectors of the keys once more for each
// block of them.
type withinTask struct {
	Config Config
	Work
}

// Setup implements graph.Task: the datasets are not read.
func (t *withinTask) Setup(context.Context) error { return nil }

// Spill implements graph.Spiller.
func (t *withinTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	s := newSearch(t.Config, t.Dimensions, output)
	var e schemas.Embedding
	s.feed = func(add func(vector []float32, row uint32) error) error {
		wanted, last := map[uint64]bool{}, uint64(0)
		for _, key := range s.queries.keys {
			wanted[key], last = true, max(last, key|1)
		}
		for record, err := range unit.Merge(ctx, nil) {
			if err != nil {
				return err
			}
			key := binary.BigEndian.Uint64(record.Key[4:]) | uint64(record.Key[12])
			if key > last {
				break
			}
			if !wanted[key] {
				continue
			}
			parseSentence(&e, record.Value)
			s.candidates.keys = append(s.candidates.keys, key)
			if err := add(e.Vector, rowOf(record.Key[13:])); err != nil {
				return err
			}
		}
		return nil
	}
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		parseSentence(&e, record.Value)
		side := record.Key[12]
		s.queries.keys = append(s.queries.keys, binary.BigEndian.Uint64(record.Key[4:])|uint64(1-side))
		s.queries.addQuery(side, rowOf(record.Key[13:]), &e)
		if s.queries.full() {
			if err := s.block(ctx); err != nil {
				return err
			}
		}
	}
	return s.block(ctx)
}

// parseSentence reads what spreadTask spills, into the memory of the vector.
func parseSentence(e *schemas.Embedding, value []byte) {
	for _, text := range []*string{&e.ID, &e.Language, &e.Text} {
		length, prefix := binary.Uvarint(value)
		value = value[prefix:]
		*text, value = string(value[:length]), value[length:]
	}
	for e.Vector = e.Vector[:0]; len(value) >= 4; value = value[4:] {
		e.Vector = append(e.Vector, math.Float32frombits(binary.LittleEndian.Uint32(value)))
	}
}

// compareWithin compares the queries of each key with its candidates, which all have queries.
func (s *search) compareWithin(ctx context.Context) error {
	queries, candidates := byKey(s.queries.keys), byKey(s.candidates.keys)
	for len(candidates) > 0 {
		key := s.candidates.keys[candidates[0]]
		for s.queries.keys[queries[0]] < key {
			queries = queries[1:]
		}
		asking, asked := run(queries, s.queries.keys, key), run(candidates, s.candidates.keys, key)
		if err := s.match(ctx, queries[:asking], candidates[:asked]); err != nil {
			return err
		}
		queries, candidates = queries[asking:], candidates[asked:]
	}
	return nil
}

// byKey returns the places of keys in the order of the keys, those of equal ones in theirs.
func byKey(keys []uint64) []int {
	list := make([]int, len(keys))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
	return list
}

// run is how many of the first places have a key.
func run(places []int, keys []uint64, key uint64) (n int) {
	for n < len(places) && keys[places[n]] == key {
		n++
	}
	return n
}
