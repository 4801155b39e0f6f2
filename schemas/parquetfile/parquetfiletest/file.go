// Package parquetfiletest makes Parquet files by hand, byte by byte, including damaged
// and hostile ones that no real writer makes.
package parquetfiletest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Chunk is a column of texts in a row group.
type Chunk struct {
	Name     string
	Optional bool
	Repeated bool
	// Type is that of the values; texts by default.
	Type   format.Type
	Length int32 // of values of FIXED_LEN_BYTE_ARRAY
	Codec  format.CompressionCodec
	// Pages are headers and bodies, as Page gives them.
	Pages []byte
}

// marshal gives a struct in Thrift's compact protocol.
func marshal(t testing.TB, v any) []byte {
	t.Helper()
	data, err := thrift.Marshal(&thrift.CompactProtocol{}, v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Page gives a page of version 1, whose body is as it is given.
func Page(t testing.TB, body []byte, uncompressed int, values int32, encoding format.Encoding) []byte {
	return append(marshal(t, &format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(uncompressed), CompressedPageSize: int32(len(body)),
		DataPageHeader: thrift.Null[format.DataPageHeader]{Valid: true, V: format.DataPageHeader{
			NumValues: values, Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}},
	}), body...)
}

// Dictionary gives a page of a dictionary.
func Dictionary(t testing.TB, body []byte, uncompressed int, values int32) []byte {
	return append(marshal(t, &format.PageHeader{
		Type: format.DictionaryPage, UncompressedPageSize: int32(uncompressed), CompressedPageSize: int32(len(body)),
		DictionaryPageHeader: thrift.Null[format.DictionaryPageHeader]{Valid: true, V: format.DictionaryPageHeader{NumValues: values}},
	}), body...)
}

// File gives a file of one row group. Change may change the footer.
func File(t testing.TB, rows int64, chunks []Chunk, change func(*format.FileMetaData)) []byte {
	file := []byte("PAR1")
	m := &format.FileMetaData{Version: 1, NumRows: rows, Schema: []format.SchemaElement{{
		Name: "root", NumChildren: thrift.Null[int32]{Valid: true, V: int32(len(chunks))},
	}}}
	group := format.RowGroup{NumRows: rows}
	for _, c := range chunks {
		if c.Type == 0 {
			c.Type = format.ByteArray
		}
		element := format.SchemaElement{Name: c.Name, Type: thrift.Null[format.Type]{Valid: true, V: c.Type}}
		element.RepetitionType.Valid = true
		if c.Optional {
			element.RepetitionType.V = format.Optional
		} else if c.Repeated {
			element.RepetitionType.V = format.Repeated
		}
		if c.Length > 0 {
			element.TypeLength = thrift.Null[int32]{Valid: true, V: c.Length}
		}
		m.Schema = append(m.Schema, element)
		group.Columns = append(group.Columns, format.ColumnChunk{FileOffset: int64(len(file)), MetaData: format.ColumnMetaData{
			Type: c.Type, Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{c.Name}, Codec: c.Codec, NumValues: rows,
			TotalUncompressedSize: int64(len(c.Pages)), TotalCompressedSize: int64(len(c.Pages)), DataPageOffset: int64(len(file)),
		}})
		file = append(file, c.Pages...)
	}
	m.RowGroups = []format.RowGroup{group}
	if change != nil {
		change(m)
	}
	return footer(file, marshal(t, m))
}

// footer adds a footer to what comes before it.
func footer(file, footer []byte) []byte {
	file = append(file, footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	return append(file, "PAR1"...)
}

// Texts gives texts in the encoding PLAIN.
func Texts(texts ...string) []byte {
	var data []byte
	for _, text := range texts {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
		data = append(data, text...)
	}
	return data
}

// zeros compresses a prefix and so many zeros, without ever holding them.
func zeros(t testing.TB, prefix []byte, zeros int) []byte {
	var data bytes.Buffer
	w, err := zstd.NewWriter(&data, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 1<<20)
	_, err = w.Write(prefix)
	for ; zeros > 0 && err == nil; zeros -= len(block) {
		_, err = w.Write(block[:min(zeros, len(block))])
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// zeroLevels gives a run of so many zeros of one bit, in the hybrid encoding of levels and indexes.
func zeroLevels(count uint64) []byte { return append(binary.AppendUvarint(nil, count<<1), 0) }
