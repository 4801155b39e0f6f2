package parquetfile

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"strconv"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pages gives the pages of a chunk one after another, checked and decompressed, each
// behind a header that says so.
type pages struct {
	file       *File
	chunk      *chunk
	leaf       *leaf
	in         *bufio.Reader
	left       int64   // bytes of the chunk that are still to be read
	at         int64   // bytes that were taken
	head, body []byte  // what is to be taken next, in this order
	buffer     *[]byte // of the body
	values     int64   // of the pages so far
	dictionary int64   // bytes in memory
	page       int64
}

func (l leaf) page() string { return "a page of column " + strconv.Quote(l.name) }

// held is the bytes in memory.
func (p *pages) held() int64 { return p.dictionary + p.page }

// take copies what is to be taken next, at most to the end of a page, so that a page
// is loaded when it is needed.
func (p *pages) take(dst []byte) (int, error) {
	for len(p.head)+len(p.body) == 0 {
		if err := p.load(); err != nil {
			return 0, err
		}
	}
	n := copy(dst, p.head)
	p.head = p.head[n:]
	if n == 0 {
		n = copy(dst, p.body)
		p.body = p.body[n:]
	}
	if len(p.body) == 0 {
		releaseBuffer(p.buffer)
		p.body, p.buffer = nil, nil
	}
	p.at += int64(n)
	return n, nil
}

// load reads the next page. After the last one it returns io.EOF.
func (p *pages) load() error {
	if p.left == 0 {
		if p.in != nil {
			releaseReader(p.in)
			p.in = nil
		}
		return io.EOF
	}
	h, err := p.header()
	if err != nil {
		return err
	}
	compressed := int64(h.CompressedPageSize)
	if compressed < 0 || compressed > p.left || h.UncompressedPageSize < 0 {
		return damaged("a page of %d bytes, %d decompressed, in a column of which %d are left", compressed, h.UncompressedPageSize, p.left)
	}
	if h.Type != format.DataPage && h.Type != format.DataPageV2 && h.Type != format.DictionaryPage {
		p.left -= compressed
		_, err := p.in.Discard(int(compressed)) // an index, which no reader needs
		return err
	}
	if err := p.admit(h); err != nil {
		return err
	}
	data := buffer(int(compressed))
	if _, err := io.ReadFull(p.in, *data); err != nil {
		return fmt.Errorf("a page of %d bytes: %w", compressed, err)
	}
	p.left -= compressed
	if sum := uint32(h.CRC); sum != 0 && sum != crc32.ChecksumIEEE(*data) {
		return damaged("the checksum of a page is wrong")
	}
	if p.buffer, err = p.decompress(h, data); err != nil {
		return err
	}
	p.body = *p.buffer
	if err := p.check(h, p.body); err != nil {
		return err
	}
	h.CRC, h.CompressedPageSize, h.UncompressedPageSize = 0, int32(len(p.body)), int32(len(p.body))
	p.head, err = thrift.Marshal(&thrift.CompactProtocol{}, h)
	return err
}

// header reads a page's header, with what is needed of it.
func (p *pages) header() (*format.PageHeader, error) {
	limit := min(p.left, maxHeader)
	h := &format.PageHeader{}
	var fault error
	w := thriftWalk{from: p.in, left: limit}
	w.number = func(path []int16, value int64) error {
		if len(path) > 2 || len(path) == 2 && path[0] == 6 {
			return nil // statistics, or an index
		}
		if value != int64(int32(value)) {
			return damaged("a page's header has the number %d", value)
		}
		setHeader(h, path, int32(value))
		return fault
	}
	if err := w.structure(0); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, damaged("a page's header: %w", err)
	}
	p.left -= limit - w.left
	return h, nil
}

// setHeader sets a field of a page's header by its number in the format.
func setHeader(h *format.PageHeader, path []int16, value int32) {
	if len(path) == 1 {
		switch path[0] {
		case 1:
			h.Type = format.PageType(value)
		case 2:
			h.UncompressedPageSize = value
		case 3:
			h.CompressedPageSize = value
		case 4:
			h.CRC = value
		}
		return
	}
	switch path[0] {
	case 5:
		d := &h.DataPageHeader
		d.Valid = true
		switch path[1] {
		case 1:
			d.V.NumValues = value
		case 2:
			d.V.Encoding = format.Encoding(value)
		case 3:
			d.V.DefinitionLevelEncoding = format.Encoding(value)
		case 4:
			d.V.RepetitionLevelEncoding = format.Encoding(value)
		}
	case 7:
		d := &h.DictionaryPageHeader
		d.Valid = true
		switch path[1] {
		case 1:
			d.V.NumValues = value
		case 2:
			d.V.Encoding = format.Encoding(value)
		}
	case 8:
		d := &h.DataPageHeaderV2
		d.Valid = true
		switch path[1] {
		case 1:
			d.V.NumValues = value
		case 2:
			d.V.NumNulls = value
		case 3:
			d.V.NumRows = value
		case 4:
			d.V.Encoding = format.Encoding(value)
		case 5:
			d.V.DefinitionLevelsByteLength = value
		case 6:
			d.V.RepetitionLevelsByteLength = value
		case 7:
			d.V.IsCompressed.Valid, d.V.IsCompressed.V = true, value != 0
		}
	}
}

// admit looks at what a page claims, before it is read.
func (p *pages) admit(h *format.PageHeader) error {
	var values int64
	switch {
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		values = int64(h.DataPageHeader.V.NumValues)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		d := &h.DataPageHeaderV2.V
		values = int64(d.NumValues)
		levels := int64(d.RepetitionLevelsByteLength) + int64(d.DefinitionLevelsByteLength)
		if d.RepetitionLevelsByteLength < 0 || d.DefinitionLevelsByteLength < 0 ||
			levels > int64(min(h.CompressedPageSize, h.UncompressedPageSize)) ||
			d.NumNulls < 0 || d.NumNulls > d.NumValues || d.NumRows < 0 {
			return damaged("a page of %d bytes has levels of %d, and %d nulls among %d values", h.CompressedPageSize, levels, d.NumNulls,
				values)
		}
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		values = int64(h.DictionaryPageHeader.V.NumValues)
	default:
		return damaged("a page of type %v without its header", h.Type)
	}
	if values < 0 {
		return damaged("a page has %d values", values)
	}
	size := int64(h.UncompressedPageSize)
	if err := bound(p.leaf.page(), size, maxPage, "bytes, decompressed", smallerGroups); err != nil {
		return err
	}
	if err := bound(p.leaf.page(), values, maxValues, "values", smallerGroups); err != nil {
		return err
	}
	if h.Type == format.DictionaryPage {
		if p.dictionary > 0 {
			return damaged("it has two dictionaries")
		}
		p.dictionary = size + 4*values
	} else {
		p.page = size + 4*values
		p.values += values
		if p.leaf.repetition == 0 && p.values > p.chunk.rows {
			return damaged("it has more values than its row group has rows, which are %d", p.chunk.rows)
		}
		if err := bound("column "+strconv.Quote(p.leaf.name), p.values, maxValues, "values in a row group",
			smallerGroups); p.leaf.repetition > 0 && err != nil {
			return err
		}
	}
	return p.file.admit(size + 4*values)
}

// decompress returns the page without compression, where levels of version 2 stand
// before what is compressed. It takes the buffer.
func (p *pages) decompress(h *format.PageHeader, data *[]byte) (*[]byte, error) {
	levels, compressed := 0, p.chunk.codec != format.Uncompressed
	if h.Type == format.DataPageV2 {
		d := &h.DataPageHeaderV2.V
		levels = int(d.RepetitionLevelsByteLength + d.DefinitionLevelsByteLength)
		compressed = compressed && (!d.IsCompressed.Valid || d.IsCompressed.V)
	}
	if !compressed {
		return data, nil
	}
	defer releaseBuffer(data)
	page := buffer(int(h.UncompressedPageSize))
	copy(*page, (*data)[:levels])
	return page, decompress(p.chunk.codec, (*page)[levels:], (*data)[levels:])
}

// check looks whether levels and values decode to no more than the page says.
func (p *pages) check(h *format.PageHeader, data []byte) (err error) {
	switch h.Type {
	case format.DictionaryPage:
		d := &h.DictionaryPageHeader.V
		if d.Encoding != format.Plain && d.Encoding != plainDictionary {
			return damaged("a dictionary in the encoding %v is not read", d.Encoding)
		}
		return bound(p.leaf.page(), int64(d.NumValues)*p.leaf.width(), maxPage, "bytes, decoded", smallerGroups)
	case format.DataPage:
		d := &h.DataPageHeader.V
		if data, err = levels(data, p.leaf.repetition, d.RepetitionLevelEncoding, int64(d.NumValues)); err == nil {
			data, err = levels(data, p.leaf.definition, d.DefinitionLevelEncoding, int64(d.NumValues))
		}
		if err == nil {
			err = p.leaf.checkValues(data, d.Encoding, int64(d.NumValues))
		}
		return err
	default:
		d := &h.DataPageHeaderV2.V
		repetition, definition := data[:d.RepetitionLevelsByteLength], data[d.RepetitionLevelsByteLength:]
		definition, data = definition[:d.DefinitionLevelsByteLength], definition[d.DefinitionLevelsByteLength:]
		if err := checkRuns(repetition, bits.Len(uint(p.leaf.repetition)), int64(d.NumValues)); err != nil {
			return err
		}
		if err := checkRuns(definition, bits.Len(uint(p.leaf.definition)), int64(d.NumValues)); err != nil {
			return err
		}
		return p.leaf.checkValues(data, d.Encoding, int64(d.NumValues))
	}
}
