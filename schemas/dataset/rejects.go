package dataset

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/excerpt"
)

// SamplesKept is the number of rejected records that a dataset keeps for each
// step, reason and language.
const SamplesKept = 8

type rejectKind struct{ step, reason, language string }

// Rejects keeps the records with the smallest rank of each kind. The rank is a
// hash of the record's identity, so the choice is a uniform sample that depends
// neither on order nor on how the input was cut into units.
type Rejects struct {
	kept map[rejectKind][]schemas.Reject
}

// Wants says whether a record of this kind with this id would be kept, so that
// callers build samples only for those.
func (r *Rejects) Wants(step, reason, language, id string) bool {
	kept := r.kept[rejectKind{step, reason, language}]
	return len(kept) < SamplesKept || rank(step, reason, id) < kept[len(kept)-1].Rank
}

// Add keeps the record if its rank is among the smallest of its kind. It sets
// the rank and cuts the sample. Bytes that are not UTF-8, such as those for which
// a record was dropped, become U+FFFD.
func (r *Rejects) Add(record schemas.Reject) {
	record.Rank = rank(record.Step, record.Reason, record.ID)
	record.Sample = Sample(record.Sample)
	for _, text := range []*string{&record.ID, &record.Source, &record.Language, &record.Detail} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	r.insert(record)
}

func (r *Rejects) insert(record schemas.Reject) {
	if r.kept == nil {
		r.kept = map[rejectKind][]schemas.Reject{}
	}
	kind := rejectKind{record.Step, record.Reason, record.Language}
	kept := r.kept[kind]
	at, found := slices.BinarySearchFunc(kept, record, compareRejects)
	if found || at >= SamplesKept {
		return
	}
	// Cloned, since a sample of 500 bytes must not keep a page alive.
	record.Sample, record.Detail = strings.Clone(record.Sample), strings.Clone(record.Detail)
	kept = slices.Insert(kept, at, record)
	r.kept[kind] = kept[:min(len(kept), SamplesKept)]
}

// Sorted returns the kept records by step, reason, language and rank.
func (r *Rejects) Sorted() []schemas.Reject {
	var all []schemas.Reject
	for _, kept := range r.kept {
		all = append(all, kept...)
	}
	slices.SortFunc(all, func(a, b schemas.Reject) int {
		return cmp.Or(strings.Compare(a.Step, b.Step), strings.Compare(a.Reason, b.Reason),
			strings.Compare(a.Language, b.Language), compareRejects(a, b))
	})
	return all
}

func compareRejects(a, b schemas.Reject) int {
	return cmp.Or(cmp.Compare(a.Rank, b.Rank), strings.Compare(a.ID, b.ID), strings.Compare(a.Source, b.Source),
		cmp.Compare(a.Offset, b.Offset), strings.Compare(a.Detail, b.Detail), strings.Compare(a.Sample, b.Sample))
}

func rank(step, reason, id string) uint64 {
	var h xxh3.Hasher
	for _, s := range []string{"reject", step, reason, id} {
		h.WriteString(s)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// Sample cuts a text to what a reject keeps: at most schemas.MaxSample bytes of
// valid UTF-8. The cut never stands inside a character; bytes that belong to
// none become U+FFFD.
func Sample(text string) string {
	// Cut twice: the replacement is longer than the byte that it replaces.
	return excerpt.Bytes(strings.ToValidUTF8(excerpt.Bytes(text, schemas.MaxSample), "\uFFFD"), schemas.MaxSample)
}
