// Package warc reads web archives: the records of WARC files (ISO 28500, versions 1.0
// and 1.1, and its drafts from 0.16 on, whose fields have the same names), plain or compressed with gzip, and the pages in them.
//
// A Reader yields records one after another. A Decoder takes the page out of a record:
// it reads the HTTP response, undoes chunks and compression, and rejects what is not
// an HTML page. WET files of Common Crawl are WARC files whose records, of type
// conversion, hold text.
//
// # Compression
//
// Common Crawl and most crawlers compress each record into a gzip member of its own.
// Other divisions work as well: one member for the whole file, plain files, and
// mixtures of these. Frames of Zstandard are members, too, with the dictionary that the file may begin with (IIPC, Zstandard
// Compression for WARC Files 1.0). The bytes decide, not the name of the file.
//
// # Offsets
//
// The offset of a record is the position of its first byte in the file as it is
// stored: of its gzip member, or of the line WARC/1.0 in a plain file. Indexes of
// Common Crawl name the same offset. Where a member holds several records, each one
// after the first has the offset of the one before plus one. So offsets increase, and
// no two records of a file have the same.
//
// # Ranges
//
// A file of which each record is a gzip member can be read in ranges of bytes, by several readers at once: see
// Reader.ResetRange.
//
// # Damage
//
// A damaged part of a file becomes a Record with a Reason, and reading continues with
// the next record that can be found: the next gzip member that begins with a record,
// or the next line that begins with WARC/ and a version. Only failures of the storage are errors. A
// loss is reported once, by the record at which it began. What is behind a whole record, and is none, costs
// that record nothing.
//
// # Memory
//
// At most one record is held, up to Config.MaxBlock bytes; a larger one is skipped as
// a stream. A record's declared length costs no memory before that much has been read.
package warc

import (
	"sentweave/schemas/fault"
)

// Reasons of records that a Reader cannot use.
const (
	// notWARC: bytes that are not a record, at a place where one should begin.
	notWARC = "not_warc"
	// arc: the file, or a record between those of WARC, is in the older format ARC, which is not read.
	arc = "arc"
	// unsupportedVersion: a record of a version of WARC that is not read.
	unsupportedVersion = "unsupported_version"
	// damagedHeader: the header of a record has no end, no Content-Length or a bad one, or the next record begins in it.
	damagedHeader = "damaged_header"
	// damagedGzip: a gzip member that cannot be decompressed, or has another checksum.
	damagedGzip = "damaged_gzip"
	// damagedZstd: a frame of Zstandard that cannot be decompressed, or gives more than texts do, or a dictionary that cannot be read.
	damagedZstd = "damaged_zst"
	// Truncated: the file or its gzip member ends before the record does.
	truncated = "truncated"
	// wrongLength: no record begins, and the file does not end, where the record says
	// that it ends, nor is there a blank line.
	wrongLength = "wrong_length"
	// tooLarge: the block has more bytes than Config.MaxBlock.
	tooLarge = "too_large"
	// digestMismatch: the block or the payload has another digest than its header says.
	digestMismatch = "digest_mismatch"
)

// Types of records.
const (
	Warcinfo   = "warcinfo"
	Response   = "response"
	Resource   = "resource"
	Request    = "request"
	Metadata   = "metadata"
	Revisit    = "revisit"
	Conversion = "conversion"
)

// Config is the configuration of a Reader.
type Config struct {
	// Types are the types of records that are read; those of others are counted and
	// passed over. Empty reads all.
	Types []string
	// MaxHeader and MaxBlock are the sizes of the largest header and block, in bytes.
	MaxHeader, MaxBlock int
	// VerifyDigests compares blocks and payloads with the digests in their headers.
	VerifyDigests bool
}

// DefaultConfig returns the configuration that reads records of all types, with
// headers of up to 64 KiB and blocks of up to 16 MiB: Common Crawl cuts pages at
// 1 MiB, later at 5 MiB.
func DefaultConfig() Config { return Config{MaxHeader: 64 << 10, MaxBlock: 16 << 20} }

// Validate reports all faults of the configuration.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.MaxHeader >= 1, "warc: MaxHeader is %d; it must be at least 1", c.MaxHeader)
	faults.Check(c.MaxBlock >= 1, "warc: MaxBlock is %d; it must be at least 1", c.MaxBlock)
	return faults.Err()
}

// Record is a record, or what is left of a damaged one. Header and Block are those of
// the reader: they hold until it reads on.
type Record struct {
	// Offset is the record's place in the file, unique in it.
	Offset int64
	// Type is that of the record in lower case, "" where it is unknown.
	Type   string
	Header Header
	// Block is the content, of a damaged record what was readable of its start.
	Block []byte
	// Reason is "" for a good record; Detail gives the measure that decided.
	Reason, Detail string
}
