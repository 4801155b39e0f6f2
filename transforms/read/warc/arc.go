package warc

import (
	"bytes"
	"strconv"
)

// convertARC says how ARC is read all the same.
const convertARC = "convert it to WARC, as by `warcio recompress FILE.arc.gz FILE.warc.gz`"

// longestARCLine is how long the header of a record of ARC may be, in bytes: it has an address in it.
const longestARCLine = 4 << 10

// passARC tells of a record of ARC, if one begins at the window, and moves past it.
func (r *Reader) passARC() bool {
	w := &r.window
	length, size := arcRecord(w.bytes()[:min(w.to-w.from, longestARCLine)])
	if length == 0 {
		return false
	}
	r.damage(arc, convertARC, r.sampleOf(w.bytes()))
	if size <= int64(r.config.MaxBlock) && r.have(length+int(size)) {
		end := length + int(size)
		if !r.have(end+1) || isSpace(w.bytes()[end]) {
			w.use(end)
			return true
		}
	}
	r.resync() // its length may be a lie
	return true
}

// arcRecord returns the length of the header line of a record of ARC at the start of b, and the size of its block;
// the length is 0 if none begins there. The line holds, parted by spaces, URL, IP address, date, type and size (version 1), or
// URL, IP address, date, type, status, checksum, location, offset, name of the file and size (version 2). Some URLs have spaces.
func arcRecord(b []byte) (length int, size int64) {
	line, _, ok := bytes.Cut(b, []byte("\n"))
	fields := bytes.Fields(line)
	if !ok || !bytes.Contains(line, []byte(":")) {
		return 0, 0
	}
	const afterDate1, afterDate2 = 3, 8
	for _, n := range []int{afterDate1, afterDate2} {
		if len(fields) < n+2 {
			break
		}
		date, size := fields[len(fields)-n], fields[len(fields)-1]
		bytesOfBlock, err := strconv.ParseInt(string(size), 10, 64)
		if _, bad := strconv.ParseUint(string(date), 10, 64); err == nil && bad == nil && bytesOfBlock >= 0 &&
			len(date) == len("20060102150405") {
			return len(line) + 1, bytesOfBlock
		}
	}
	return 0, 0
}
