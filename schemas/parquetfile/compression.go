package parquetfile

import (
	"bytes"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// unzstd decompresses whole frames into the room that it is given, and no further.
var unzstd = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxPage))
})

// decompress fills to, which is as long as a page says that it is decompressed.
// What is longer or shorter is damaged, as to the readers of Arrow.
func decompress(codec format.CompressionCodec, to, from []byte) error {
	if len(to) == 0 {
		return nil // some writers compress nothing to nothing, others do not
	}
	var length int
	var err error
	switch codec {
	case format.Uncompressed:
		length = copy(to, from)
		if len(from) != len(to) {
			length = len(from)
		}
	case format.Snappy:
		if length, err = snappy.DecodedLen(from); err == nil && length == len(to) {
			_, err = snappy.Decode(to, from)
		}
	case format.Zstd:
		var decoder *zstd.Decoder
		if decoder, err = unzstd(); err != nil {
			return err
		}
		var decoded []byte
		decoded, err = decoder.DecodeAll(from, to[:0:len(to)])
		length = len(decoded)
	case format.Gzip:
		var reader *gzip.Reader
		if reader, err = gzip.NewReader(bytes.NewReader(from)); err == nil {
			length, err = fill(to, reader)
		}
	case format.Brotli:
		length, err = fill(to, brotli.NewReader(bytes.NewReader(from)))
	case format.Lz4Raw:
		length, err = lz4.UncompressBlock(from, to)
	default:
		return damaged("the compression %v is not read", codec)
	}
	if err != nil {
		return damaged("%v: %w", codec, err)
	}
	if length != len(to) {
		return damaged("%v: it gives %d bytes or more, the page says %d", codec, length, len(to))
	}
	return nil
}

// fill reads all that there is; its length is one more than that of to if there is more.
func fill(to []byte, from io.Reader) (length int, err error) {
	if length, err = io.ReadFull(from, to); err != nil {
		return length, err
	}
	var excess [1]byte
	n, err := io.ReadFull(from, excess[:])
	if err == io.EOF {
		err = nil
	}
	return length + n, err
}
