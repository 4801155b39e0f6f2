package inputs

import "math"

// Piece is a span with its weight, before it is packed into units.
type Piece struct {
	Span Span
	// Weight is the piece's share of a unit, in bytes.
	Weight int64
	// Group ties neighbouring pieces together: pieces in a row with the same
	// non-empty group land in one unit.
	Group string
}

// Bounds of a unit whose size nobody chose, in bytes of its input. Rows are compressed:
// their least is about a mebibyte of texts.
const (
	LeastOfFiles = 1 << 20
	LeastOfRows  = 256 << 10
	MostOfUnit   = 64 << 20
	unitsOfInput = 64
)

// UnitBytes returns the size of a unit where nobody chose one: a 64th of the input, but
// at least so many bytes and at most 64 MiB. It follows from the input and not from the
// machine, so that every machine makes the same shards. On an input of some megabytes it
// gives all cores work, and an interrupt loses little.
func UnitBytes(total, minimum int64) int64 {
	return min(max((total+unitsOfInput-1)/unitsOfInput, minimum), MostOfUnit)
}

// Pack cuts the pieces into units of about shardBytes each, in order. A unit begins
// with the first piece after the running total passed a multiple of shardBytes. So
// there are at most total/shardBytes + 1 units, whatever the sizes are. Groups do not
// add units: a group that lies across a multiple only prevents a unit from beginning
// there. A unit is larger than shardBytes by at most its last piece or group. A
// shardBytes below 1 means one unit.
func Pack(pieces []Piece, shardBytes int64) []Unit {
	if shardBytes < 1 {
		shardBytes = math.MaxInt64
	}
	var units []Unit
	var total int64
	current := int64(-1)
	group := ""
	for _, p := range pieces {
		slot := total / shardBytes
		if slot != current && (p.Group == "" || p.Group != group) {
			units = append(units, Unit{Ordinal: len(units)})
			current = slot
		}
		group = p.Group
		last := &units[len(units)-1]
		last.Spans = append(last.Spans, p.Span)
		total += p.Weight
	}
	return units
}

// PackOnto packs pieces as Pack does, and adopts units of an earlier plan that have not changed: their pieces still follow each
// other, no group of pieces crosses their ends, and the files have the same hash. Digest returns the hash of the files of spans,
// which each unit gets; it is nil where spans have hashes. The pieces keep their order, so that the rows of the units are in the
// order of Pack's.
func PackOnto(earlier []Unit, pieces []Piece, shardBytes int64, digest func([]Span) string) []Unit {
	begins := make(map[Span]*Unit, len(earlier))
	for i, u := range earlier {
		if len(u.Spans) > 0 && (u.XXH3 != "" || digest == nil) {
			begins[u.Spans[0]] = &earlier[i]
		}
	}
	if digest == nil {
		digest = func([]Span) string { return "" }
	}
	var units []Unit
	packed := 0 // the number of the pieces that are in units
	pack := func(end int) {
		for _, u := range Pack(pieces[packed:end], shardBytes) {
			units = append(units, Unit{Ordinal: len(units), Spans: u.Spans, XXH3: digest(u.Spans)})
		}
	}
	for i := 0; i < len(pieces); i++ {
		u := begins[pieces[i].Span]
		if u == nil || !isUnit(pieces, i, u.Spans) || digest(u.Spans) != u.XXH3 {
			continue
		}
		pack(i)
		units = append(units, Unit{Ordinal: len(units), Spans: u.Spans, XXH3: u.XXH3, Adopts: &u.Ordinal})
		packed = i + len(u.Spans)
		i = packed - 1
	}
	pack(len(pieces))
	return units
}

// isUnit says whether the pieces from first on are these spans, and the groups of the first and the last of them are
// theirs alone.
func isUnit(pieces []Piece, first int, spans []Span) bool {
	end := first + len(spans)
	tied := func(i int) bool {
		return i > 0 && i < len(pieces) && pieces[i].Group != "" && pieces[i].Group == pieces[i-1].Group
	}
	if end > len(pieces) || tied(first) || tied(end) {
		return false
	}
	for i, span := range spans {
		if pieces[first+i].Span != span {
			return false
		}
	}
	return true
}

// SplitBytes cuts [0, size) of a file into ranges of at most shardBytes; an
// empty file is one empty range. A record belongs to the range in which its
// first byte lies. A shardBytes below 1 means one range.
func SplitBytes(name string, size, shardBytes int64) []Piece {
	if shardBytes < 1 || size <= shardBytes {
		return []Piece{{Span: Span{Name: name, To: size}, Weight: size}}
	}
	var pieces []Piece
	for from := int64(0); from < size; {
		to := from + min(shardBytes, size-from)
		pieces = append(pieces, Piece{Span: Span{Name: name, From: from, To: to}, Weight: to - from})
		from = to
	}
	return pieces
}
