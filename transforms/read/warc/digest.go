package warc

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// hashes are the algorithms of digests. Crawlers write sha1 in base32, some of them
// others in hexadecimal digits.
var hashes = map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha-256": sha256.New, "md5": md5.New}

// verify compares a record with the digests in its header. A digest of another
// algorithm proves nothing and is passed over.
//
// The digest of a payload is, by the standard, that of the HTTP entity: programs take
// it before or after chunks are undone, so that either may agree.
func verify(r Record) (reason, detail string) {
	if stated := r.Header.Get("WARC-Block-Digest"); !agrees(stated, r.Block) {
		return digestMismatch, "WARC-Block-Digest is " + stated
	}
	stated := r.Header.Get("WARC-Payload-Digest")
	if stated == "" || r.Type != Response && r.Type != Resource {
		return "", "" // a revisit has the digest of what it leaves out
	}
	payload := r.Block
	var decoder Decoder
	if r.isHTTP() {
		body, ok := decoder.head(r.Block)
		if !ok {
			return "", "" // it is dropped for that
		}
		payload = body
	}
	if agrees(stated, payload) {
		return "", ""
	}
	if joined, _, chunked := decoder.unchunked(payload, true, true); chunked && agrees(stated, joined) {
		return "", ""
	}
	return digestMismatch, fmt.Sprintf("WARC-Payload-Digest is %s", stated)
}

// agrees says whether data has the digest that is stated, or nothing can be said.
func agrees(stated string, data []byte) bool {
	name, value, ok := strings.Cut(stated, ":")
	algorithm := hashes[strings.ToLower(name)]
	if !ok || algorithm == nil {
		return true
	}
	h := algorithm()
	h.Write(data)
	sum := h.Sum(nil)
	want, err := hex.DecodeString(value)
	if err != nil || len(want) != len(sum) {
		want, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(strings.TrimRight(value, "=")))
	}
	return err != nil || len(want) != len(sum) || bytes.Equal(want, sum)
}
