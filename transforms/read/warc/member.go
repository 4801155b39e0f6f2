package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sentweave/transforms/read/compressed"
)

// Beginnings of members.
var (
	// gzipMagic is that of gzip with deflate, the only method.
	gzipMagic = []byte{0x1f, 0x8b, 0x08}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	// dictionaryMagic begins a dictionary, and dictionaryFrame, at the start of a file, the frame that holds one.
	dictionaryMagic = []byte{0x37, 0xa4, 0x30, 0xec}
	dictionaryFrame = []byte{0x5d, 0x2a, 0x4d, 0x18}
)

const (
	// maxDictionary is the largest dictionary, in bytes, and the largest frame of one: those that readers must take by the specification.
	maxDictionary = 8 << 20
	// skippable is the length of the header of a frame that holds no data of the archive.
	skippable = 8
	// leastExpansion is what any frame may give.
	leastExpansion = 64 << 20
)

func isGzip(b []byte) bool { return len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b }

func isZstd(b []byte) bool { return bytes.HasPrefix(b, zstdMagic) }

func isMember(b []byte) bool { return isGzip(b) || isZstd(b) }

func isSkippable(b []byte) bool {
	return len(b) >= 4 && b[0]&0xf0 == 0x50 && bytes.Equal(b[1:4], dictionaryFrame[1:])
}

// skipped is the length of a frame that holds no data of the archive, by its header.
func skipped(header []byte) int64 { return skippable + int64(binary.LittleEndian.Uint32(header[4:])) }

// unpacker decompresses members of gzip and frames of Zstandard, one at a time. It takes no byte behind them.
type unpacker struct {
	gunzip *gzip.Reader
	zstd   *zstd.Decoder
	frame  frame
	// framed says that the member is a frame, of which given bytes were read.
	framed bool
	given  int64
}

// damaged is the reason of damage to the member.
func (u *unpacker) damaged() string {
	if u.framed {
		return damagedZstd
	}
	return damagedGzip
}

// reset begins with the member at which a stream is.
func (u *unpacker) reset(from *bufio.Reader) (err error) {
	b, _ := from.Peek(len(zstdMagic))
	if u.framed = isZstd(b); u.framed {
		u.frame, u.given = frame{from: from}, 0
		if u.zstd == nil {
			err = u.use()
		}
		if err == nil {
			err = u.zstd.Reset(&u.frame)
		}
		return err
	}
	if u.gunzip == nil {
		u.gunzip = new(gzip.Reader)
	}
	if err := u.gunzip.Reset(from); err != nil {
		return err
	}
	u.gunzip.Multistream(false)
	return nil
}

// use takes the dictionaries of the frames that follow.
func (u *unpacker) use(dictionaries ...[]byte) (err error) {
	u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(compressed.MaxWindow), zstd.WithDecoderDicts(dictionaries...))
	return err
}

// Read implements io.Reader.
func (u *unpacker) Read(p []byte) (int, error) {
	if !u.framed {
		return u.gunzip.Read(p)
	}
	n, err := u.zstd.Read(p)
	if u.given += int64(n); u.given > leastExpansion && u.given > compressed.MaxExpansion*u.frame.read {
		return 0, compressed.ErrBomb
	}
	return n, err
}

// frame is the bytes of one frame of Zstandard (RFC 8878, section 3.1.1): a header, blocks, each with its length before it, and perhaps a
// checksum. The decoder would read on into the next one.
type frame struct {
	from *bufio.Reader
	read int64
	left int // of the part that is being read
	// begun: the header was read; last: the last block was begun; checked: a checksum is still to come.
	begun, last, checked bool
}

// errCut is not io.ErrUnexpectedEOF, which the decoder takes for the end before the first byte of a frame.
var errCut = errors.New("the file ends within a frame")

// Read implements io.Reader.
func (f *frame) Read(p []byte) (int, error) {
	if f.left == 0 {
		if err := f.part(); err != nil {
			return 0, err
		}
	}
	n, err := f.from.Read(p[:min(len(p), f.left)])
	f.left -= n
	f.read += int64(n)
	if err == io.EOF {
		err = errCut
	}
	return n, err
}

// part finds the length of the next part.
func (f *frame) part() error {
	const header, block = 5, 3
	switch {
	case !f.begun:
		b, err := f.from.Peek(header)
		if err != nil {
			return errCut
		}
		f.begun, f.checked = true, b[4]&4 != 0
		f.left = header + []int{0, 1, 2, 4}[b[4]&3] + []int{0, 2, 4, 8}[b[4]>>6]
		if single := b[4]&0x20 != 0; !single || b[4]>>6 == 0 { // the size of the window, or a short one of the content
			f.left++
		}
	case !f.last:
		b, err := f.from.Peek(block)
		if err != nil {
			return errCut
		}
		h := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		f.last, f.left = h&1 != 0, block+h>>3
		if h>>1&3 == 1 { // one byte that is repeated
			f.left = block + 1
		}
	case f.checked:
		f.checked, f.left = false, 4
	default:
		return io.EOF
	}
	return nil
}

// passSkippable moves past a frame that holds no data of the archive. That at the start of a file may be a dictionary.
//
// Source: IIPC, Zstandard Compression for WARC Files 1.0.
func (r *Reader) passSkippable() bool {
	w := &r.window
	if !w.have(skippable) {
		return r.read() // which tells what is wrong
	}
	size := skipped(w.bytes())
	if w.offset == 0 && bytes.HasPrefix(w.bytes(), dictionaryFrame) {
		if err := r.readDictionary(size); err != nil {
			r.begin()
			r.damage(damagedZstd, err.Error(), nil)
			r.finish() // no record can be read without it
			return true
		}
	}
	r.leavePlain(w.offset + size)
	return false
}

func (r *Reader) readDictionary(size int64) error {
	if size > maxDictionary || !r.window.have(int(size)) {
		return fmt.Errorf("the frame of the dictionary has %d bytes; it must have at most %d, and be there", size, maxDictionary)
	}
	dictionary := bytes.Clone(r.window.bytes()[skippable:size])
	if isZstd(dictionary) {
		var u unpacker
		err := u.reset(bufio.NewReader(bytes.NewReader(dictionary)))
		if err == nil {
			dictionary, err = io.ReadAll(io.LimitReader(&u, maxDictionary+1))
		}
		if err != nil {
			return fmt.Errorf("the dictionary cannot be decompressed: %w", err)
		}
	}
	if len(dictionary) > maxDictionary || !bytes.HasPrefix(dictionary, dictionaryMagic) {
		return errors.New("what should be a dictionary of Zstandard is not one, or has more than 8 MiB")
	}
	err := errors.Join(r.unpack.use(dictionary), r.probe.unpack.use(dictionary))
	if r.dictionary = err == nil; err != nil {
		return fmt.Errorf("the dictionary cannot be read: %w", err)
	}
	return nil
}
