package dedup

import (
	"encoding/binary"
	"fmt"
	"slices"

	"sentweave/pipelines/graph"
	"sentweave/schemas/dataset"
)

// member is a document of a cluster of near duplicates. Its bytes sort in the order in which documents stay: those of other
// datasets first, then by id.
type member struct {
	own  bool // of the documents, not of a dataset they are compared with
	id   [16]byte
	node uint32 // the number of the document
}

const memberSize = 1 + 16 + 4

func (m member) append(dst []byte) []byte {
	first := byte(0)
	if m.own {
		first = 1
	}
	return binary.BigEndian.AppendUint32(append(append(dst, first), m.id[:]...), m.node)
}

func parseMember(value []byte) (member, error) {
	if len(value) != memberSize {
		return member{}, fmt.Errorf("a member of %d bytes, not %d", len(value), memberSize)
	}
	return member{value[0] == 1, [16]byte(value[1:17]), binary.BigEndian.Uint32(value[17:])}, nil
}

// Numbering numbers the documents of all units that read, from First on, in their order.
type Numbering struct {
	First int
	// Starts has the number of the first document of each unit, and the number of all documents.
	Starts []uint32
}

// numberingOf numbers what the parts hold, whose units were planned as the lists say. Their order is that of the ordinals.
func numberingOf(parts graph.Datasets, lists [][]dataset.Unit) (Numbering, error) {
	n := Numbering{First: parts[0].First, Starts: []uint32{0}}
	total := int64(0)
	for i, list := range lists {
		for _, unit := range list {
			for _, span := range unit.Spans {
				total += parts[i].From.Manifest().RowsOf(span)
			}
			if total > maxDocuments {
				return Numbering{}, fmt.Errorf("near: more than %d documents cannot be compared at once: compare parts of them, such as "+
					"those of a language", int64(maxDocuments))
			}
			n.Starts = append(n.Starts, uint32(total))
		}
	}
	return n, nil
}

// maxDocuments are the documents that are compared at once: each takes four bytes of memory where clusters are made.
const maxDocuments = 1<<32 - 1

func (n Numbering) documents() uint32 { return n.Starts[len(n.Starts)-1] }

// of returns the number of the first document of a unit.
func (n Numbering) of(unit int) uint32 { return n.Starts[unit-n.First] }

// place returns which of the units has a document, counted from the first, and the row there.
func (n Numbering) place(node uint32) (unit, row uint32) {
	i, _ := slices.BinarySearchFunc(n.Starts, node, func(start, node uint32) int {
		if start <= node {
			return -1
		}
		return 1
	})
	return uint32(i - 1), node - n.Starts[i-1]
}
