package unigram

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// charsmap is the precompiled normalizer of SentencePiece: a trie of strings in the units of
// Darts-clone, and what stands for each.
type charsmap struct {
	units []uint32
	// texts are those that stand for strings, each with a NUL behind it.
	texts []byte
	// plain are the characters of ASCII that stay as they are.
	plain [utf8.RuneSelf]bool
}

// newCharsmap reads the content of a map: the length of the units, the units, and the texts.
func newCharsmap(data []byte) (*charsmap, error) {
	if len(data) < 4 {
		return nil, errors.New("precompiled_charsmap is cut: its length is missing")
	}
	size := int(binary.LittleEndian.Uint32(data))
	if data = data[4:]; size%4 != 0 || size == 0 || size > len(data) {
		return nil, fmt.Errorf("precompiled_charsmap is cut: its trie has %d bytes, %d are there", size, len(data))
	}
	c := &charsmap{units: make([]uint32, size/4), texts: data[size:]}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	if !utf8.Valid(c.texts) {
		return nil, errors.New("precompiled_charsmap is broken: its texts are not UTF-8")
	}
	for i := range c.plain {
		_, found := c.find([]byte{byte(i)})
		c.plain[i] = i != '\r' && !found // which is one cluster with a line feed behind it
	}
	return c, nil
}

// find returns what stands for the shortest string of the map that a text begins with.
func (c *charsmap) find(key []byte) (replacement []byte, ok bool) {
	node, leaf := offset(c.units[0]), false
	for _, label := range key {
		if node, leaf, ok = c.child(node, label); !ok {
			break
		}
		if leaf {
			return c.text(node)
		}
	}
	return nil, false
}

// findLongest returns what stands for the longest one, and its size, 0 where there is none.
func (c *charsmap) findLongest(key []byte) (replacement []byte, size int) {
	node, leaf, ok := offset(c.units[0]), false, false
	for i, label := range key {
		if node, leaf, ok = c.child(node, label); !ok {
			break
		}
		if leaf {
			if text, ok := c.text(node); ok {
				replacement, size = text, i+1
			}
		}
	}
	return replacement, size
}

// child follows a byte from a node, and says whether a string of the map ends there.
func (c *charsmap) child(node uint32, label byte) (next uint32, leaf, ok bool) {
	node ^= uint32(label)
	if label == 0 || node >= uint32(len(c.units)) {
		return 0, false, false
	}
	unit := c.units[node]
	if unit&(1<<31|0xff) != uint32(label) {
		return 0, false, false
	}
	return node ^ offset(unit), unit>>8&1 != 0, true
}

// text returns what stands for the string that ends at a node.
func (c *charsmap) text(node uint32) ([]byte, bool) {
	if node >= uint32(len(c.units)) {
		return nil, false
	}
	start := c.units[node] &^ (1 << 31)
	if start >= uint32(len(c.texts)) || !utf8.RuneStart(c.texts[start]) {
		return nil, false
	}
	size := bytes.IndexByte(c.texts[start:], 0)
	if size < 0 {
		size = len(c.texts) - int(start)
	}
	return c.texts[start : int(start)+size], true
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// longCluster is how many bytes a grapheme cluster has that is never looked up as a whole.
const longCluster = 6

// apply looks up each grapheme cluster, if it is short, else each of its characters. What is found for a
// beginning stands for all of the cluster, as in the library.
func (c *charsmap) apply(s *scratch) {
	text := s.text.bytes
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && text[i] < utf8.RuneSelf && c.plain[text[i]] {
			i++
		}
		if i > start && i < len(text) && text[i] >= utf8.RuneSelf {
			i-- // which may belong to a cluster
		}
		if i > start {
			s.kept(text[start:i])
			continue
		}
		if s.clusters.SetText(text[i:]); !s.clusters.Next() {
			return // never, since something is left
		}
		i += s.cluster(c, s.clusters.Value())
	}
	s.realign()
}

func (s *scratch) cluster(c *charsmap, cluster []byte) (size int) {
	if len(cluster) < longCluster {
		if replacement, ok := c.find(cluster); ok {
			s.edited(cluster, replacement)
			return len(cluster)
		}
	}
	for rest := cluster; len(rest) > 0; {
		_, size := utf8.DecodeRune(rest)
		if replacement, ok := c.find(rest[:size]); ok {
			s.edited(rest[:size], replacement)
		} else {
			s.kept(rest[:size])
		}
		rest = rest[size:]
	}
	return len(cluster)
}

// kept appends characters that stay.
func (s *scratch) kept(text []byte) { s.edited(text, text) }
