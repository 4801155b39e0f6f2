package dataset

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/parquetfile"
	"sentweave/schemas/storage"
)

// ReadAll returns all rows of a complete dataset, which must fit into memory.
func ReadAll[T schemas.Row](ctx context.Context, folder storage.Folder) ([]T, error) {
	m, err := LoadAs[T](ctx, folder)
	if err != nil {
		return nil, err
	}
	var rows []T
	for row, err := range Rows[T](ctx, folder, m) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Rows yields all rows of a complete dataset in order. Every shard is checked against
// the manifest before its first row is yielded. Memory is one batch of rows and one
// page a column.
func Rows[T schemas.Row](ctx context.Context, folder storage.Folder, m *Manifest) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, shard := range m.Shards {
			span := Span{Name: shard.Name, From: 0, To: m.rowGroups(shard)}
			if !(rowReader[T]{folder: folder, manifest: m, yield: yield}).span(ctx, shard, span) {
				return
			}
		}
	}
}

// SpanRows yields the rows that a span names. The span's shard is
// checked against the manifest before the first row is yielded.
func SpanRows[T schemas.Row](ctx context.Context, folder storage.Folder, m *Manifest, span Span) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		shard, ok := m.shard(span.Name)
		if !ok {
			var zero T
			yield(zero, fmt.Errorf("read %s in %s: the manifest does not list it", span.Name, folder))
			return
		}
		rowReader[T]{folder: folder, manifest: m, yield: yield}.span(ctx, shard, span)
	}
}

// Texts yields the values of some columns of text for each row of a shard, "" for those that a row has not. The columns are no lists,
// and no others are decoded; one may be named twice. The slice is valid until the next row. The shard is checked as by Rows.
func Texts(ctx context.Context, folder storage.Folder, m *Manifest, shard Shard, columns []string) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		err := readTexts(ctx, folder, shard, columns, func(values []string) bool { return yield(values, nil) })
		if errors.Is(err, ErrCorrupt) {
			err = fmt.Errorf("%w; %s", err, m.Plan.Mend())
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, fmt.Errorf("read %s in %s: %w", shard.Name, folder, err))
		}
	}
}

func readTexts(ctx context.Context, folder storage.Folder, shard Shard, columns []string, use func([]string) bool) error {
	object, file, err := rowfile.Open(ctx, folder, shard, "manifest", rowfile.Unbuffered)
	if err != nil {
		return err
	}
	defer object.Close()
	r := textReader{file: file, numbers: make([]int, len(columns)), first: make([]int, len(columns)),
		values: make([]string, len(columns)), use: use}
	for i, name := range columns {
		if r.first[i] = slices.Index(columns, name); r.first[i] < i {
			r.numbers[i] = -1 // a file has one reader of a column
			continue
		}
		leaf, ok := file.Schema().Lookup(name)
		if !ok || leaf.MaxRepetitionLevel > 0 || leaf.Node.Type().Kind() != parquet.ByteArray {
			return fmt.Errorf("%w: there is no column %s of texts", ErrCorrupt, name)
		}
		r.numbers[i] = leaf.ColumnIndex
	}
	for _, group := range file.RowGroups() {
		if err := r.group(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// textReader reads columns of a file by their numbers.
type textReader struct {
	file    *parquetfile.File
	numbers []int // of columns in the file, -1 for one that was named before
	first   []int // for each column the first one of its name
	values  []string
	use     func(values []string) bool
}

func (r textReader) group(ctx context.Context, group parquet.RowGroup) error {
	columns, err := parquetfile.Columns(group, r.numbers)
	defer func() {
		for _, c := range columns {
			c.Close()
		}
	}()
	if err != nil {
		return rowfile.Damage(err)
	}
	for range group.NumRows() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.file.Next()
		for i, c := range columns {
			if c == nil {
				r.values[i] = r.values[r.first[i]]
				continue
			}
			v, err := c.Next()
			if err != nil {
				return rowfile.Damage(err)
			}
			r.values[i] = ""
			if !v.IsNull() {
				r.values[i] = string(v.ByteArray())
			}
		}
		if !r.use(r.values) {
			return errStopped
		}
	}
	return nil
}

// rowReader hands the rows of a dataset to their consumer.
type rowReader[T schemas.Row] struct {
	folder   storage.Folder
	manifest *Manifest
	yield    func(T, error) bool
	// conversion makes rows of an older version rows of the present one; nil for those.
	conversion parquet.Conversion
}

// conversionOf returns what makes rows of a file of an older version rows of the version of a row, which has all columns of the file; nil
// if the columns are equal.
func conversionOf(file *parquet.Schema, version int, row schemas.Row) (parquet.Conversion, error) {
	schema := parquet.SchemaOf(row)
	if parquet.EqualNodes(file, schema) {
		return nil, nil
	}
	if present := row.Schema(); version == present.Version || !present.Reads(version) {
		return nil, errors.New("the manifest is of another version")
	}
	for _, path := range file.Columns() {
		before, _ := file.Lookup(path...)
		if after, ok := schema.Lookup(path...); !ok || !parquet.EqualNodes(before.Node, after.Node) {
			return nil, fmt.Errorf("there is no such column %v", path)
		}
	}
	return parquet.Convert(schema, file)
}

// span yields the rows of a span of a shard, or an error, and says whether the consumer wants more.
func (r rowReader[T]) span(ctx context.Context, shard Shard, span Span) bool {
	err := r.shardRows(ctx, shard, span)
	if err != nil && !errors.Is(err, errStopped) {
		var zero T
		if errors.Is(err, ErrCorrupt) {
			err = fmt.Errorf("%w; %s", err, r.manifest.Plan.Mend())
		}
		r.yield(zero, fmt.Errorf("read %s in %s: %w", span.Name, r.folder, err))
	}
	return err == nil
}

func (r rowReader[T]) shardRows(ctx context.Context, shard Shard, span Span) error {
	object, file, err := rowfile.Open(ctx, r.folder, shard, "manifest", rowfile.Unbuffered)
	if err != nil {
		return err
	}
	defer object.Close()
	var zero T
	if r.conversion, err = conversionOf(file.Schema(), r.manifest.Plan.SchemaVersion, zero); err != nil {
		return fmt.Errorf("%w: its columns are not those of %s: %w", ErrCorrupt, zero.Schema(), err)
	}
	groups := file.RowGroups()
	if want := r.manifest.rowGroups(shard); int64(len(groups)) != want { // spans count on it
		return fmt.Errorf("%w: it has %d row groups, its %d rows make %d", ErrCorrupt, len(groups), shard.Rows, want)
	}
	if span.Rows {
		return r.rangeRows(ctx, file, groups, span)
	}
	if span.From < 0 || span.From > span.To || span.To > int64(len(groups)) {
		return fmt.Errorf("row groups %d to %d are asked for, it has %d", span.From, span.To, len(groups))
	}
	for _, group := range groups[span.From:span.To] {
		if err := r.groupRows(ctx, file, group, 0, group.NumRows()); err != nil {
			return err
		}
	}
	return nil
}

// rangeRows yields the rows of a span of rows, which may begin and end within row groups.
func (r rowReader[T]) rangeRows(ctx context.Context, file *parquetfile.File, groups []parquet.RowGroup, span Span) error {
	if span.From < 0 || span.From > span.To || span.To > file.NumRows() {
		return fmt.Errorf("rows %d to %d are asked for, it has %d", span.From, span.To, file.NumRows())
	}
	first := int64(0)
	for _, group := range groups {
		n := group.NumRows()
		from, to := max(span.From-first, 0), min(span.To-first, n)
		if from < to {
			if err := r.groupRows(ctx, file, group, from, to); err != nil {
				return err
			}
		}
		first += n
	}
	return nil
}

var (
	errStopped = errors.New("the reader of rows stopped")
	errEnough  = errors.New("the reader has all rows of its span")
)

// groupRows yields the rows [from, to) of a row group. Those before are decoded, too: a
// reader reads pages from the first one on.
func (r rowReader[T]) groupRows(ctx context.Context, file *parquetfile.File, group parquet.RowGroup, from, to int64) error {
	var zero T
	schema := parquet.SchemaOf(zero) // which knows the Go type; parquet-go keeps it
	rows := make([]T, rowfile.ReadBatch)
	position, complete := int64(0), to == group.NumRows() // a group that is read whole is checked for its end
	err := rowfile.ReadGroup(ctx, file, group, func(batch []parquet.Row) error {
		if r.conversion != nil {
			if err := parquetfile.Guard(func() error { _, err := r.conversion.Convert(batch); return err }); err != nil {
				return rowfile.Damage(err)
			}
		}
		for i := range batch {
			if position++; position <= from {
				continue
			}
			if position > to {
				return errEnough
			}
			row := &rows[i]
			if err := parquetfile.Guard(func() error { return schema.Reconstruct(row, batch[i]) }); err != nil {
				return rowfile.Damage(err)
			}
			decoded := *row
			*row = zero // rows are handed out one by one: several may be large
			if !r.yield(decoded, nil) {
				return errStopped
			}
		}
		if position == to && !complete {
			return errEnough
		}
		return nil
	})
	if err == errEnough {
		return nil
	}
	return err
}

func (m *Manifest) shard(name string) (Shard, bool) {
	for _, s := range m.Shards {
		if s.Name == name {
			return s, true
		}
	}
	return Shard{}, false
}

// rowGroups follows from the rows alone, since a writer cuts groups by count.
func (m *Manifest) rowGroups(shard Shard) int64 {
	size := m.groupRows()
	return (shard.Rows + size - 1) / size
}

// groupRows is the number of rows of a full row group.
func (m *Manifest) groupRows() int64 {
	for _, s := range schemas.List() {
		if s.Name == m.Plan.Schema {
			return int64(s.RowGroup)
		}
	}
	return 1
}

// Input returns the dataset as an input of another plan.
func (m *Manifest) Input(role string) Input {
	return Input{Role: role, Files: int64(len(m.Shards)), Bytes: m.Bytes, XXH3: m.Check}
}

// Pieces cuts the dataset's shards into pieces of about shardBytes at row group
// boundaries, in order. A shardBytes below 1 means one piece a shard.
func (m *Manifest) Pieces(shardBytes int64) []Piece {
	var pieces []Piece
	for _, s := range m.Shards {
		groups := m.rowGroups(s)
		parts := int64(1)
		if shardBytes > 0 {
			parts = max(1, min(groups, s.Bytes/shardBytes))
		}
		for i := range parts {
			from, to := groups*i/parts, groups*(i+1)/parts
			pieces = append(pieces, Piece{
				Span:   Span{Name: s.Name, From: from, To: to},
				Weight: s.Bytes*(i+1)/parts - s.Bytes*i/parts,
			})
		}
	}
	return pieces
}

// mostParts bounds the pieces of a shard, each of which hashes it, and partsOfGroup those
// of a row group, each of which decodes the rows before its own.
const (
	mostParts    = 16
	partsOfGroup = 4
)

// FinePieces cuts the dataset's shards into pieces of about unitBytes, in order. Unlike
// Pieces it also cuts within row groups, so that a dataset of few of them gives work to
// several cores; but it cuts no shard into pieces that are more than it is worth.
func (m *Manifest) FinePieces(unitBytes int64) []Piece {
	var pieces []Piece
	for _, s := range m.Shards {
		groups := m.rowGroups(s)
		limit := max(mostParts, s.Bytes/MostOfUnit)
		parts := max(1, min(s.Bytes/max(1, unitBytes), limit, partsOfGroup*groups, s.Rows))
		end := groups
		if parts > groups {
			end = s.Rows
		}
		for i := range parts {
			pieces = append(pieces, Piece{
				Span:   Span{Name: s.Name, From: end * i / parts, To: end * (i + 1) / parts, Rows: parts > groups},
				Weight: s.Bytes*(i+1)/parts - s.Bytes*i/parts,
			})
		}
	}
	return pieces
}

// RowsOf counts the rows that a span names.
func (m *Manifest) RowsOf(span Span) int64 {
	if span.Rows {
		return span.To - span.From
	}
	shard, _ := m.shard(span.Name)
	size := m.groupRows()
	return max(0, min(span.To*size, shard.Rows)-span.From*size)
}

// Identify gives the spans of units of the dataset the hashes of their shards.
func (m *Manifest) Identify(list []Unit) {
	hashes := make(map[string]string, len(m.Shards))
	for _, s := range m.Shards {
		hashes[s.Name] = s.XXH3
	}
	for _, u := range list {
		for i := range u.Spans {
			u.Spans[i].XXH3 = hashes[u.Spans[i].Name]
		}
	}
}

// WholeShards returns one piece for each shard, for pipelines that join neighbouring
// rows.
func (m *Manifest) WholeShards() []Piece {
	var pieces []Piece
	for _, s := range m.Shards {
		pieces = append(pieces, Piece{Span: Span{Name: s.Name, From: 0, To: m.rowGroups(s)}, Weight: s.Bytes})
	}
	return pieces
}
