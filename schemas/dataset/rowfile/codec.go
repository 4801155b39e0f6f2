package rowfile

import (
	"fmt"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"sentweave/schemas"
)

// The settings below decide the bytes of a shard. A golden hash in the tests
// guards them and the version of parquet-go.
const (
	zstdLevel  = zstd.SpeedDefault // level 3
	createdBy  = "sentweave"
	writtenBy  = "1" // the version of the writer
	schemaKey  = "sentweave.schema"
	versionKey = "sentweave.schema_version"
)

// Codec keeps encoders for the next shard: making one costs more than to encode a small
// shard. More goroutines in it would change the bytes.
var Codec compress.Codec = &zstd.Codec{Level: zstdLevel, Concurrency: 1}

func writerOptions(schema schemas.Schema) []parquet.WriterOption {
	options := []parquet.WriterOption{
		parquet.Compression(Codec),
		parquet.CreatedBy(createdBy, writtenBy, ""),
		parquet.KeyValueMetadata(schemaKey, schema.Name),
		parquet.KeyValueMetadata(versionKey, fmt.Sprint(schema.Version)),
		parquet.DefaultEncodingFor(
			parquet.ByteArray,
			&parquet.Plain,
		), // which every reader knows: fastparquet knows no DELTA_LENGTH_BYTE_ARRAY
		parquet.MaxRowsPerRowGroup(math.MaxInt64), // row groups are cut by our own count
	}
	if schema.Blob != "" {
		path := strings.Split(schema.Blob, ".")
		options = append(options, parquet.SkipPageBounds(path...), parquet.SkipPageStatistics(path...))
	}
	return options
}
