package funnel

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/parquetfile"
	"sentweave/schemas/storage"
)

// SamplesKept is the number of rejected records that a unit and a dataset keep for each
// step and reason. Of each language they keep one more at least, unless there are more
// languages than FloorLanguages, and none of a pair of languages for its own sake: what is
// kept is bounded by the steps and reasons alone.
const (
	SamplesKept    = 32
	FloorLanguages = 128
)

type rejectKind struct{ step, reason string }

// Rejects keeps the records with the smallest ranks of each kind, and those that have the
// smallest rank of their kind and language. The rank is a hash of the record's identity,
// so the choice is a uniform sample that depends neither on order nor on how the input was
// cut into units.
type Rejects struct {
	kept map[rejectKind]*sample
}

// sample is what is kept of a kind.
type sample struct {
	// smallest are the SamplesKept records of the smallest ranks, in order.
	smallest []schemas.Reject
	// first are the smallest of the languages; of the FloorLanguages languages whose
	// smallest ones are the smallest, so that parts of the records give those of all.
	first map[string]schemas.Reject
	// last is the language of the largest of first.
	last string
}

// Wants says whether a record of this kind with this id would be kept, so that
// callers build samples only for those.
func (r *Rejects) Wants(step, reason, language, id string) bool {
	s := r.kept[rejectKind{step, reason}]
	return s == nil || s.wants(language, rank(step, reason, id))
}

func (s *sample) wants(language string, rank uint64) bool {
	if len(s.smallest) < SamplesKept || rank <= s.smallest[len(s.smallest)-1].Rank {
		return true
	}
	if first, ok := s.first[language]; ok {
		return rank <= first.Rank
	}
	return !isPair(language) && (len(s.first) < FloorLanguages || rank <= s.first[s.last].Rank)
}

// isPair says whether the language of a record is that of two texts: see schemas.LanguagePair.
func isPair(language string) bool { return strings.Contains(language, "-") }

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
		r.kept = map[rejectKind]*sample{}
	}
	kind := rejectKind{record.Step, record.Reason}
	s := r.kept[kind]
	if s == nil {
		s = &sample{first: map[string]schemas.Reject{}}
		r.kept[kind] = s
	}
	if !s.wants(record.Language, record.Rank) {
		return
	}
	// Cloned, since a sample of 500 bytes must not keep a page alive.
	record.Sample, record.Detail = strings.Clone(record.Sample), strings.Clone(record.Detail)
	index, exists := slices.BinarySearchFunc(s.smallest, record, compareRejects)
	if !exists && index < SamplesKept {
		s.smallest = slices.Insert(s.smallest, index, record)
		s.smallest = s.smallest[:min(len(s.smallest), SamplesKept)]
	}
	s.insertFirst(record)
}

func (s *sample) insertFirst(record schemas.Reject) {
	if current, ok := s.first[record.Language]; isPair(record.Language) || ok && compareRejects(record, current) >= 0 {
		return
	}
	s.first[record.Language] = record
	if len(s.first) > FloorLanguages {
		delete(s.first, s.largest())
	}
	s.last = s.largest()
}

// largest is the language whose smallest record is the largest.
func (s *sample) largest() (language string) {
	for code, record := range s.first {
		if largest, ok := s.first[language]; !ok || compareRejects(record, largest) > 0 {
			language = code
		}
	}
	return language
}

// Sorted returns the kept records by step, reason, language and rank.
func (r *Rejects) Sorted() []schemas.Reject {
	var records []schemas.Reject
	for _, s := range r.kept {
		records = append(records, s.smallest...)
		for _, record := range s.first {
			if _, exists := slices.BinarySearchFunc(s.smallest, record, compareRejects); !exists {
				records = append(records, record)
			}
		}
	}
	slices.SortFunc(records, func(a, b schemas.Reject) int {
		return cmp.Or(strings.Compare(a.Step, b.Step), strings.Compare(a.Reason, b.Reason),
			strings.Compare(a.Language, b.Language), compareRejects(a, b))
	})
	return records
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

// Columns of schemas.Reject.
const (
	rejectStep     = 3
	rejectReason   = 4
	rejectLanguage = 5
	rejectRank     = 8
)

// MergeRejects keeps of the samples of units those that a dataset keeps.
func MergeRejects(ctx context.Context, folder storage.Folder, files []rowfile.File) ([]schemas.Reject, error) {
	var merged Rejects
	schema := parquet.SchemaOf(schemas.Reject{})
	err := rowfile.EachRow[schemas.Reject](ctx, folder, files, func(rows []parquet.Row) error {
		for _, row := range rows {
			kind := rejectKind{string(row[rejectStep].ByteArray()), string(row[rejectReason].ByteArray())}
			if s := merged.kept[kind]; s != nil && !s.wants(string(row[rejectLanguage].ByteArray()), row[rejectRank].Uint64()) {
				continue
			}
			var record schemas.Reject
			if err := parquetfile.Guard(func() error { return schema.Reconstruct(&record, row) }); err != nil {
				return rowfile.Damage(err)
			}
			merged.insert(record)
		}
		return nil
	})
	return merged.Sorted(), err
}
