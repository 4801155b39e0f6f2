// Package compressed decompresses streams, by the ends of their names: .bz2, .gz, .zst and .xz.
//
// Memory is bounded, whatever the stream claims: windows of zstd and the first dictionary of
// xz have at most MaxWindow bytes. A stream that gives more than MaxExpansion times its own bytes is taken
// for a bomb: text shrinks to a tenth, seldom to a thirtieth.
package compressed

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"sentweave/schemas/storage"
)

const (
	// MaxWindow is the largest window, in bytes: that of `zstd --long` and `xz -9`, with room.
	MaxWindow = 128 << 20
	// MaxExpansion is how many times its own bytes a stream may give.
	MaxExpansion = 200
	// leastExpansion is what any stream may give.
	leastExpansion = 64 << 20
)

// ErrBomb: a stream gives more bytes than texts do.
var ErrBomb = errors.New("it expands to more than texts do, and may be a bomb")

// extensions are those of names of compressed files.
var extensions = []string{".gz", ".zst", ".xz", ".bz2"}

// Endings names the ends of names in a sentence.
const Endings = ".gz, .zst, .xz or .bz2"

// Cut returns a name without the end that says how the file is compressed, and that end.
func Cut(name string) (rest, extension string) {
	for _, e := range extensions {
		if len(name) > len(e) && strings.EqualFold(name[len(name)-len(e):], e) {
			return name[:len(name)-len(e)], e
		}
	}
	return name, ""
}

// Unnamed returns the error for a file that begins as one that is compressed, or an archive, and whose name does not say so.
func Unnamed(head []byte) error {
	for magic, end := range map[string]string{"\x1f\x8b\b": ".gz", "\x28\xb5\x2f\xfd": ".zst", "\xfd7zXZ\x00": ".xz", "BZh91AY&SY": ".bz2",
		"PK\x03\x04": ".zip"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return fmt.Errorf("it is compressed, as what ends in %s is, and its name does not say so: rename or unpack it", end)
		}
	}
	return nil
}

// OpenFile returns the content of a file that is compressed as the end of its name says, or of one that is not. The file
// is closed by whoever opened it, after the content.
func OpenFile(name string, file interface {
	io.ReaderAt
	Size() int64
}) (io.ReadCloser, error) {
	_, extension := Cut(name)
	return Open(io.NewSectionReader(file, 0, file.Size()), extension)
}

// Read reads the content of the file at a location, compressed or not. Errors, those of read too, name the location.
func Read(ctx context.Context, location string, read func(io.Reader) error) error {
	file, err := storage.OpenFile(ctx, location)
	if err != nil {
		return err
	}
	defer file.Close()
	content, err := OpenFile(location, file)
	if err == nil {
		defer content.Close()
		err = read(content)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", location, err)
	}
	return nil
}

// Open returns the content of a stream that is compressed as an extension says; that of "" is
// the stream itself. Errors of the stream come through; others are those of the format.
func Open(stream io.Reader, extension string) (io.ReadCloser, error) {
	counted := &counter{from: stream}
	switch extension {
	case "":
		return io.NopCloser(stream), nil
	case ".gz":
		buffered := bufio.NewReaderSize(counted, 64<<10)
		r, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		return &bounded{counted: counted, from: &members{buffered, r}, close: r.Close}, nil
	case ".zst":
		r, err := zstd.NewReader(counted, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderMaxMemory(MaxWindow*2))
		if err != nil {
			return nil, tooWide(err)
		}
		return &bounded{counted: counted, from: r, close: func() error { r.Close(); return nil }}, nil
	case ".xz":
		buffered := bufio.NewReaderSize(counted, 64<<10)
		if err := checkDictionary(buffered); err != nil {
			return nil, err
		}
		r, err := xz.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		return &bounded{counted: counted, from: r, close: func() error { return nil }}, nil
	case ".bz2":
		return &bounded{counted: counted, from: bzip2.NewReader(counted), close: func() error { return nil }}, nil
	}
	return nil, fmt.Errorf("%s is not one of %v", extension, extensions)
}

// errBehind is the error for bytes behind a gzip stream that begin no other one.
var errBehind = errors.New("its gzip stream ends, and something that is no gzip follows: `gzip -dc` gives what is before that")

// members are those of a gzip file, with zeros behind any of them, which fill blocks of tapes and of
// archives: gzip(1) takes them for nothing.
type members struct {
	buffered *bufio.Reader
	gunzip   *gzip.Reader
}

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	m.gunzip.Multistream(false)
	for {
		n, err := m.gunzip.Read(p)
		if n > 0 || err != io.EOF {
			if err == io.EOF { // the next call looks behind the member
				err = nil
			}
			return n, err
		}
		for first := byte(0); first == 0; {
			if first, err = m.buffered.ReadByte(); err != nil {
				return 0, err
			}
		}
		if err := m.buffered.UnreadByte(); err != nil {
			return 0, err
		}
		if head, _ := m.buffered.Peek(2); !strings.HasPrefix("\x1f\x8b", string(head)) {
			return 0, errBehind
		}
		if err := m.gunzip.Reset(m.buffered); err != nil {
			return 0, err
		}
		m.gunzip.Multistream(false)
	}
}

// checkDictionary looks at the size of the dictionary in the header of the first block,
// which the reader makes at once.
func checkDictionary(stream *bufio.Reader) error {
	const streamHeader = 12
	head, err := stream.Peek(streamHeader + 1)
	if err != nil {
		return nil // which the reader says
	}
	size := (int(head[streamHeader]) + 1) * 4 // of the header of the block
	if head, err = stream.Peek(streamHeader + size); err != nil || size < 8 {
		return nil
	}
	// Size, flags, two optional sizes of variable length, then the filters: of LZMA2 alone
	// it is the identity 0x21, one byte of properties, which are the size.
	block := head[streamHeader:]
	offset := 2
	for _, flag := range []byte{0x40, 0x80} {
		if block[1]&flag == 0 {
			continue
		}
		for offset < len(block) && block[offset]&0x80 != 0 {
			offset++
		}
		offset++
	}
	if offset+2 >= len(block) || block[offset] != 0x21 {
		return nil
	}
	if dictionary, err := lzma.DecodeDictCap(block[offset+2]); err == nil && dictionary > MaxWindow {
		return fmt.Errorf("its dictionary has %d bytes, more than %d; compress it anew, as by `xz -9`", dictionary, int64(MaxWindow))
	}
	return nil
}

// counter counts the bytes that are read.
type counter struct {
	from io.Reader
	n    int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded ends a stream that gives too much.
type bounded struct {
	counted *counter
	from    io.Reader
	close   func() error
	given   int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	err = tooWide(err)
	if b.given += int64(n); b.given > leastExpansion && b.given > MaxExpansion*b.counted.n {
		return 0, ErrBomb
	}
	return n, err
}

// tooWide says of an error of zstd what helps where a frame asks for a window beyond MaxWindow.
func tooWide(err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return fmt.Errorf("its window has more than %d bytes; compress it anew, as by `zstd -dc --long=31 FILE | zstd --long=27`: %w",
			int64(MaxWindow), err)
	}
	return err
}

// Close implements io.Closer.
func (b *bounded) Close() error { return b.close() }
