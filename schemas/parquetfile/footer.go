package parquetfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const magic = "PAR1"

// trailer is what is behind the footer: its length and the magic bytes.
const trailer = 4 + len(magic)

// Fields of the footer whose lists are large in memory.
const (
	fieldSchema    = 2 // of FileMetaData
	fieldRowGroups = 4
	fieldColumns   = 1 // of RowGroup
)

// readFooter reads and checks the footer of a file.
func readFooter(source io.ReaderAt, size int64) (*format.FileMetaData, error) {
	if size < int64(len(magic)+trailer) {
		return nil, damaged("%d bytes are not a Parquet file", size)
	}
	var end [trailer]byte
	if _, err := source.ReadAt(end[:], size-int64(trailer)); err != nil && err != io.EOF {
		return nil, err
	}
	switch string(end[4:]) {
	case magic:
	case "PARE":
		return nil, damaged("it is encrypted, and no keys are known here")
	default:
		return nil, damaged("it does not end as Parquet does")
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-int64(len(magic)+trailer) {
		return nil, damaged("its footer claims %d bytes, the file has %d", length, size)
	}
	if err := bound("the footer", length, maxFooter, "bytes", fewerRowGroups); err != nil {
		return nil, err
	}
	data := make([]byte, length)
	if _, err := source.ReadAt(data, size-int64(trailer)-length); err != nil && err != io.EOF {
		return nil, err
	}
	if err := weigh(data); err != nil {
		return nil, err
	}
	metadata, protocol := &format.FileMetaData{}, thrift.CompactProtocol{}
	reader := protocol.NewReaderFromBytes(data)
	if err := thrift.NewDecoder(reader).Decode(metadata); err != nil {
		return nil, damaged("footer: %w", err)
	}
	if surplus := len(data) - reader.BytesRead(); surplus != 0 {
		return nil, damaged("%d bytes follow what its footer says", surplus)
	}
	return metadata, nil
}

// weigh estimates what a footer takes in memory, before anything is made of it.
func weigh(data []byte) error {
	var bytesInMemory, chunks int64
	w := thriftWalk{from: bufio.NewReader(bytes.NewReader(data)), left: int64(len(data))}
	w.list = func(path []int16, size int64, structs bool) error {
		cost := int64(16) // a text without its bytes
		switch {
		case len(path) == 1 && path[0] == fieldSchema:
			if err := bound("the file", size, maxElements, "columns", fewerColumns); err != nil {
				return err
			}
			cost = 512
		case len(path) == 1 && path[0] == fieldRowGroups:
			cost = 512
		case len(path) == 2 && path[0] == fieldRowGroups && path[1] == fieldColumns:
			if chunks += size; chunks > maxChunks {
				return bound("the file", chunks, maxChunks, "pieces of columns", fewerRowGroups)
			}
			cost = 1536 // as metadata, and as the column of an open file
		case structs:
			cost = 64
		}
		bytesInMemory += cost * size
		return bound("the footer, as it is in memory", bytesInMemory, maxMetadata+int64(len(data)), "bytes", fewerRowGroups)
	}
	err := w.structure(0)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if tooMuch := (*BoundError)(nil); err == nil || errors.As(err, &tooMuch) || errors.Is(err, ErrDamaged) {
		return err
	}
	return damaged("its footer: %w", err)
}

// leaf is a column that holds values.
type leaf struct {
	name                   string // of the column, or of the one of the first level that it is in
	kind                   format.Type
	length                 int64 // of each value of FIXED_LEN_BYTE_ARRAY
	repetition, definition int   // the highest levels

	// What the values mean.
	logical   format.LogicalTypeValue
	converted thrift.Null[deprecated.ConvertedType]
	scale     int32 // of decimals
}

// leavesOf lists the columns of a schema, whose tree is in a list, in the order
// of a walk from the root.
func leavesOf(schema []format.SchemaElement) ([]leaf, error) {
	if len(schema) == 0 || schema[0].Type.Valid {
		return nil, damaged("its schema has no root")
	}
	type group struct {
		left                   int32 // children that are still to come
		repetition, definition int
		name                   string
		path                   int64 // the length of all names from the root
	}
	open := []group{{left: schema[0].NumChildren.V}}
	var leaves []leaf
	var paths int64
	for i := range schema[1:] {
		e := &schema[i+1]
		for len(open) > 0 && open[len(open)-1].left == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return nil, damaged("its schema has %d elements besides its tree", len(schema)-1-i)
		}
		parent := &open[len(open)-1]
		parent.left--
		inner := *parent
		if inner.path += int64(len(e.Name)); len(open) == 1 {
			inner.name = e.Name
		}
		switch e.RepetitionType.V {
		case format.Optional:
			inner.definition++
		case format.Repeated:
			inner.repetition++
			inner.definition++
		}
		if !e.Type.Valid {
			if inner.left = e.NumChildren.V; inner.left < 0 || len(open) >= maxDepth {
				return nil, damaged("column %.200q: a group of %d columns, %d deep", inner.name, inner.left, len(open))
			}
			open = append(open, inner)
			continue
		}
		if e.NumChildren.V != 0 || e.TypeLength.V < 0 || e.TypeLength.V > maxPage {
			return nil, damaged("column %.200q has %d columns in it, and values of %d bytes", inner.name, e.NumChildren.V, e.TypeLength.V)
		}
		if paths += inner.path; paths > maxFooter {
			return nil, bound("the names of its columns", paths, maxFooter, "bytes", fewerColumns)
		}
		leaves = append(leaves, leaf{
			name: inner.name, kind: e.Type.V, length: int64(e.TypeLength.V), repetition: inner.repetition, definition: inner.definition,
			logical: e.LogicalType.Value, converted: e.ConvertedType, scale: e.Scale.V,
		})
	}
	for _, g := range open {
		if g.left != 0 {
			return nil, damaged("its schema lacks %d elements", g.left)
		}
	}
	return leaves, nil
}

// chunk is the pages of a column in a row group.
type chunk struct {
	column     int
	from, size int64 // in the file, in bytes
	rows       int64
	codec      format.CompressionCodec
}

// stride is the distance of chunks in the file that parquet-go sees: more than
// any of them has, decompressed.
const stride = 1 << 44

// chunksOf checks where the chunks lie, and describes them anew: uncompressed, one
// after another at the stride.
func chunksOf(metadata *format.FileMetaData, leaves []leaf, size int64) ([]chunk, error) {
	var chunks []chunk
	var total int64
	for i := range metadata.RowGroups {
		g := &metadata.RowGroups[i]
		if len(g.Columns) != len(leaves) {
			return nil, damaged("row group %d has %d columns, the schema %d", i, len(g.Columns), len(leaves))
		}
		if g.NumRows < 0 {
			return nil, damaged("row group %d has %d rows", i, g.NumRows)
		}
		for j := range g.Columns {
			m := &g.Columns[j].MetaData
			if g.Columns[j].FilePath != "" || g.Columns[j].CryptoMetadata.Value != nil {
				return nil, damaged("column %.200q of row group %d is encrypted, or in another file", leaves[j].name, i)
			}
			c := chunk{column: j, from: m.DataPageOffset, size: m.TotalCompressedSize, rows: g.NumRows, codec: m.Codec}
			if dictionary := m.DictionaryPageOffset; dictionary > 0 && (dictionary < c.from || c.from == 0) {
				c.from = dictionary
			}
			if total += c.size; c.size == 0 {
				c.from = int64(len(magic)) // wherever it is said to be
			}
			if c.from < int64(len(magic)) || c.size < 0 || c.from > size || c.size > size-c.from || total > size {
				return nil, damaged("column %.200q of row group %d claims %d bytes at %d, the file has %d", leaves[j].name, i, c.size,
					c.from, size)
			}
			offset := int64(len(chunks)+1) * stride
			g.Columns[j] = format.ColumnChunk{FileOffset: offset, MetaData: format.ColumnMetaData{
				Type: m.Type, Encoding: m.Encoding, PathInSchema: m.PathInSchema, Codec: format.Uncompressed,
				NumValues: m.NumValues, Statistics: format.Statistics{NullCount: m.Statistics.NullCount}, TotalUncompressedSize: stride,
				TotalCompressedSize: stride, DataPageOffset: offset,
			}}
			chunks = append(chunks, c)
		}
		g.SortingColumns, g.TotalCompressedSize, g.FileOffset = nil, 0, 0
	}
	metadata.KeyValueMetadata, metadata.ColumnOrders = nil, nil
	return chunks, nil
}
