package warc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
)

const (
	// smallBlock is the size up to which a block that is not wanted is read whole all
	// the same, so that its end is checked like that of others.
	smallBlock = 1 << 20
	// strayBytes may stand between a block and the next record: crawls have been
	// published whose Content-Length is too small by two (CC-MAIN-2018-34).
	strayBytes = 4
	// blankBytes is how many line ends after a block are looked at.
	blankBytes = 64
	// sampled is how much is kept of a block that is not read.
	sampled = 512
)

// mark is the byte order mark of UTF-8, which editors write at the start of a file.
var mark = []byte("\ufeff")

// blanks stand between records; tapes and block devices pad with zeros.
const blanks = "\r\n\x00"

// Reader reads the records of a file. It is not safe for concurrent use.
type Reader struct {
	config Config
	file   stored
	packed inflating
	unpack unpacker
	probe  prober
	window window
	// member says that the window is on a gzip member, which begins at memberAt; the
	// window's offset then counts decompressed bytes.
	member   bool
	memberAt int64
	// told says that the damage of this member has been told.
	told bool
	// last is the greatest offset that was given to a record.
	last   int64
	record Record
	header []byte // a copy of the record's, since the window moves
	sample []byte
	done   bool
	// from is where the range that is read begins, 0 once that is found; before end no range behind it begins.
	from, end int64
	// dictionary says that the decoders have that of the file.
	dictionary bool
	// counts are the records of each type, wanted or not, damaged ones left out.
	counts map[string]int64
}

// NewReader returns a reader of the records of source, which has size bytes.
func NewReader(source io.ReaderAt, size int64, config Config) (*Reader, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	r := &Reader{}
	r.init(source, size, config)
	return r, nil
}

// Reset makes the reader one of another file, with the same configuration.
func (r *Reader) Reset(source io.ReaderAt, size int64) { r.init(source, size, r.config) }

func (r *Reader) init(source io.ReaderAt, size int64, config Config) {
	r.config, r.last, r.member, r.told, r.done, r.from, r.end = config, -1, false, false, false, 0, size
	r.file = stored{source: source, size: size}
	if r.packed.buffered == nil {
		r.packed = inflating{stored: &r.file, buffered: bufio.NewReaderSize(nil, chunk)}
	}
	r.packed.buffered.Reset(&r.file)
	r.window.reset(&r.file, 0)
	r.counts = map[string]int64{}
	if r.dictionary {
		r.unpack.zstd, r.probe.unpack.zstd, r.dictionary = nil, nil, false
	}
}

// Counts returns how many records of each type have been read or passed over,
// without damaged ones.
func (r *Reader) Counts() map[string]int64 { return r.counts }

// Next returns the next record of a wanted type or the next damage, or io.EOF after
// the last. Another error is one of reading; the reader is of no use after it.
func (r *Reader) Next() (Record, error) {
	for !r.done {
		ok := r.step()
		if r.file.err != nil {
			r.done = true
			return Record{}, fmt.Errorf("read WARC at byte %d: %w", r.file.next, r.file.err)
		}
		if ok {
			return r.record, nil
		}
	}
	return Record{}, io.EOF
}

// step moves on by a record or a member, and says whether there is something to hand
// out.
func (r *Reader) step() bool {
	w := &r.window
	if r.from > 0 {
		return r.start()
	}
	if r.member {
		if w.skip("\r\n") {
			return r.read()
		}
		return r.closeMember()
	}
	if !w.skip(blanks) {
		r.finish()
		return false
	}
	w.have(len(mark))
	if w.offset == 0 && bytes.HasPrefix(w.bytes(), mark) {
		w.use(len(mark))
		return false
	}
	w.have(len(zstdMagic))
	switch b := w.bytes(); {
	case isMember(b):
		return r.openMember(w.offset)
	case isSkippable(b):
		return r.passSkippable()
	}
	return r.read()
}

// openMember begins to decompress at a position of the file.
func (r *Reader) openMember(offset int64) bool {
	if r.done = r.ends(offset); r.done {
		return false
	}
	r.packed.seek(offset)
	r.member, r.memberAt, r.told = true, offset, false
	if err := r.unpack.reset(r.packed.buffered); err != nil {
		r.begin()
		r.damage(r.unpack.damaged(), err.Error(), nil)
		r.leaveMember(offset + 1)
		return true
	}
	r.window.reset(&r.unpack, 0)
	return false
}

// closeMember goes on behind a member that has been used up, and tells of its damage
// if no record did.
func (r *Reader) closeMember() bool {
	fault, tell := r.window.fault, !r.told
	if fault == nil {
		next := r.packed.at()
		if b, _ := r.packed.buffered.Peek(len(zstdMagic)); isMember(b) {
			return r.openMember(next)
		}
		r.leavePlain(next)
		return false
	}
	if tell {
		r.begin()
		r.damage(r.unpack.damaged(), fault.Error(), nil)
	}
	// The decompressor may have run on into the next member before it noticed.
	const overrun = 128 << 10
	r.leaveMember(max(r.memberAt+1, r.packed.at()-overrun))
	return tell
}

// leaveMember gives a damaged member up and looks for the next record from a
// position on.
func (r *Reader) leaveMember(offset int64) {
	r.leavePlain(offset)
	r.resync()
}

// leavePlain goes on with the file as it is stored.
func (r *Reader) leavePlain(offset int64) {
	r.member = false
	r.file.next = offset
	r.packed.buffered.Reset(&r.file)
	r.window.reset(&r.file, offset)
}

// begin gives the record that begins here its offset.
func (r *Reader) begin() {
	offset := r.window.offset
	if r.member {
		offset = r.memberAt
	}
	r.last = max(offset, r.last+1)
	r.record = Record{Offset: r.last, Header: Header{fields: r.record.Header.fields[:0]}}
}

// damage makes the record one that tells of damage.
func (r *Reader) damage(reason, detail string, block []byte) {
	r.told = true
	r.record.Block, r.record.Reason, r.record.Detail = block, reason, detail
}

// have reads until the window has n bytes. A record that does not end with its member
// goes on in the next one, unless that begins with a record: programs for block-wise
// compression, such as bgzip, end members anywhere.
func (r *Reader) have(n int) bool {
	for !r.window.have(n) {
		if !r.extend() {
			return false
		}
	}
	return true
}

// extend lets the window go on with the next member.
func (r *Reader) extend() bool {
	if !r.member || r.window.fault != nil {
		return false
	}
	b, _ := r.packed.buffered.Peek(skippable)
	for len(b) == skippable && isSkippable(b) { // pzstd writes one before each frame
		r.packed.seek(r.packed.at() + skipped(b))
		b, _ = r.packed.buffered.Peek(skippable)
	}
	offset := r.packed.at()
	if !isMember(b) || r.holdsRecord(offset) {
		return false
	}
	if r.unpack.reset(r.packed.buffered) != nil {
		r.packed.seek(offset)
		return false
	}
	r.memberAt, r.window.ended = offset, false
	return true
}

// read reads a record at the window. It is false for one that is passed over.
func (r *Reader) read() bool {
	w := &r.window
	r.begin()
	r.have(len("filedesc://"))
	if b := w.bytes(); !bytes.HasPrefix(b, []byte("WARC/")) {
		return r.foreign(b)
	}
	first, length, ok := r.findHeader()
	if !ok {
		return true
	}
	r.header = append(r.header[:0], w.bytes()[:length]...)
	if i := recordLine(r.header); i >= 0 {
		r.damage(damagedHeader, "the next record begins in it", r.header[:i])
		w.use(i)
		return true
	}
	size, reason, fault := r.parse(first)
	if reason != "" {
		r.damage(reason, fault, r.header)
		w.use(length - 1) // the next record may begin at once
		r.resync()
		return true
	}
	selected := len(r.config.Types) == 0 || slices.Contains(r.config.Types, r.record.Type)
	if size <= smallBlock || selected && size <= int64(r.config.MaxBlock) {
		return r.readBlock(length, int(size), selected)
	}
	return r.passBlock(length, size, selected)
}

// parse reads the header of the record, whose first line has first bytes, and returns
// the size of its block, or what is wrong. The drafts before 1.0 have the same fields, but for the oldest, whose fields have no
// names and are in the first line.
func (r *Reader) parse(first int) (size int64, reason, fault string) {
	h := &r.record.Header
	h.parse(r.header[first:])
	r.record.Type = string(bytes.ToLower(h.get("WARC-Type")))
	version := bytes.TrimSpace(r.header[len("WARC/"):first])
	draft := bytes.HasPrefix(version, []byte("0."))
	switch {
	case !hasVersion(r.header):
		return 0, damagedHeader, fmt.Sprintf("the version is %.20q", version)
	case !draft && version[0] != '1', draft && r.record.Type == "":
		return 0, unsupportedVersion, fmt.Sprintf("the version is %.20q", version)
	case r.record.Type == "":
		return 0, damagedHeader, "there is no WARC-Type"
	}
	size, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil || size < 0 {
		return 0, damagedHeader, fmt.Sprintf("Content-Length is %.40q", h.Get("Content-Length"))
	}
	return size, "", ""
}

// foreign tells what is where a record should begin.
func (r *Reader) foreign(b []byte) bool {
	w := &r.window
	if bytes.HasPrefix(b, []byte("filedesc://")) && r.last == 0 {
		r.damage(arc, convertARC, b[:min(len(b), sampled)])
		r.finish()
		return true
	}
	w.have(longestARCLine)
	if w.fault != nil && r.member { // decompressed bytes that damage has made
		if r.told {
			return r.closeMember()
		}
		r.damage(r.unpack.damaged(), w.fault.Error(), nil)
		r.closeMember()
		return true
	}
	if r.passARC() {
		return true
	}
	b = r.sampleOf(w.bytes())
	r.damage(notWARC, fmt.Sprintf("it begins with %.24q", b), b)
	r.resync()
	return true
}

// sampleOf keeps the start of what the window will move past.
func (r *Reader) sampleOf(b []byte) []byte {
	r.sample = append(r.sample[:0], b[:min(len(b), sampled)]...)
	return r.sample
}

// findHeader returns the length of the header at the window and that of its first
// line. Without one it tells of the damage.
func (r *Reader) findHeader() (first, length int, ok bool) {
	w := &r.window
	for want := 1 << 10; ; want *= 2 {
		want = min(want, r.config.MaxHeader)
		complete := w.have(want)
		b := w.bytes()
		b = b[:min(len(b), r.config.MaxHeader)]
		if first, length, ok = headerEnd(b); ok {
			return first, length, true
		}
		// Only now, since a member without the end of a header goes on in the next.
		if len(b) < r.config.MaxHeader && (complete || r.extend()) {
			continue
		}
		start := r.sampleOf(b)
		switch {
		case w.fault != nil && r.member:
			r.damage(r.unpack.damaged(), w.fault.Error(), start)
		case len(b) < r.config.MaxHeader:
			r.damage(truncated, fmt.Sprintf("%d bytes of a header, without its end", len(b)), start)
		default:
			r.damage(damagedHeader, fmt.Sprintf("no blank line in %d bytes", len(b)), start)
		}
		w.use(len("WARC/"))
		r.resync()
		return 0, 0, false
	}
}
