package mine

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/url"
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
