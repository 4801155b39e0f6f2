// Package minhash finds documents that are nearly equal: MinHash (Broder 1997) with locality-sensitive hashing in bands (Leskovec,
// Rajaraman and Ullman 2014, chapter 3). It gives each document a key for each band. Two documents whose sets of shingles have the
// Jaccard similarity s share a key with the probability 1-(1-s^rows)^bands, and nearly never by chance.
//
// # Shingles
//
// A document is its sentences in the normal form of package dedup, with a space between two. Its shingles are all runs of so many
// words or characters. Words are the units of package characters, in which a letter of a script without spaces is a word, with its
// marks. A document that is shorter than a shingle is one shingle; one without text has no keys.
//
// # Signatures
//
// A shingle is the XXH3-64 of its bytes, h. Function i of the signature is the least a[i]*h+b[i] modulo 2^64 of all shingles, where
// a[i] is odd. The numbers are those of package random for the version, fixed for all data. The key of a band is the XXH3-128 of the
// number of the band and its rows.
//
// # Cost
//
// A document costs shingles × bands × rows multiplications: 0.1 ms for 1,000 words with the preset datatrove.
package minhash

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters/dedup"
	"sentweave/transforms/random"
)

// version is raised when the same text gets other keys.
const version = 1

// Preset says what is compared, and how surely near duplicates are found.
type Preset struct {
	Name string
	// Shingle is the length of a shingle in words, or in Characters.
	Shingle    int
	Characters bool
	// Bands and Rows are the number of keys, and of hashes in each.
	Bands, Rows int
	// Normal says which differences between texts do not count.
	Normal dedup.Config
}

// Presets are the published settings of other programs. Their normal forms and hashes are ours.
var Presets = []Preset{
	// MinhashConfig and TextNormConfig of datatrove 0.10, which FineWeb was made with: similarity .69 is found half of the time.
	{Name: "datatrove", Shingle: 5, Bands: 14, Rows: 8, Normal: dedup.LooseConfig()},
	// FuzzyDeduplicationWorkflow of NeMo Curator, as of August 2026, whose texts are compared as they are: .77 is found half of the time.
	{Name: "nemo", Shingle: 24, Characters: true, Bands: 20, Rows: 13, Normal: dedup.DefaultConfig()},
}

// Names returns the names of the presets.
func Names() (list []string) {
	for _, p := range Presets {
		list = append(list, p.Name)
	}
	return list
}

// PresetOf returns the preset of a name, or an error that lists all.
func PresetOf(name string) (Preset, error) {
	for _, p := range Presets {
		if p.Name == name {
			return p, nil
		}
	}
	return Preset{}, fmt.Errorf("preset %q is not one of %s", name, strings.Join(Names(), ", "))
}

// Found returns the probability that two documents of the Jaccard similarity s share a key.
func (p Preset) Found(s float64) float64 {
	return 1 - math.Pow(1-math.Pow(s, float64(p.Rows)), float64(p.Bands))
}

// Signer makes the keys of documents. It holds working memory: use one per goroutine.
type Signer struct {
	preset              Preset
	keyer               *dedup.Keyer
	factors, summands   []uint64
	normal, rows        []byte
	units               []characters.Unit
	shingles, signature []uint64
	keys                []dedup.Key
}

// New returns a signer, or the fault of the preset.
func New(p Preset) (*Signer, error) {
	keyer, err := dedup.New(p.Normal)
	if err != nil {
		return nil, err
	}
	if p.Shingle < 1 || p.Bands < 1 || p.Rows < 1 {
		return nil, fmt.Errorf("preset %q: shingle, bands and rows are %d, %d and %d, all must be at least 1", p.Name, p.Shingle, p.Bands, p.Rows)
	}
	s := &Signer{preset: p, keyer: keyer, signature: make([]uint64, p.Bands*p.Rows)}
	stream := random.New(version, 0, "minhash", "", 0)
	for range s.signature {
		s.factors = append(s.factors, stream.Uint64()|1)
		s.summands = append(s.summands, stream.Uint64())
	}
	return s, nil
}

// Keys returns the key of each band of a document, none if the document has no text. The slice is valid until the next call.
func (s *Signer) Keys(document schemas.Document) []dedup.Key {
	if s.shingle(document); len(s.shingles) == 0 {
		return nil
	}
	s.sign()
	return s.band()
}

// shingle sets the shingles of a document.
func (s *Signer) shingle(document schemas.Document) {
	s.normal, s.units, s.shingles = s.normal[:0], s.units[:0], s.shingles[:0]
	for _, sentence := range document.Sentences {
		if len(s.normal) > 0 {
			s.normal = append(s.normal, ' ')
		}
		s.normal = s.keyer.AppendNormal(s.normal, sentence.Text)
	}
	text := string(s.normal)
	if s.preset.Characters {
		for i := range text {
			s.units = append(s.units, characters.Unit{Start: i})
		}
		for i := range s.units {
			s.units[i].End = len(text)
			if i+1 < len(s.units) {
				s.units[i].End = s.units[i+1].Start
			}
		}
	} else {
		s.units = characters.AppendUnits(s.units, text)
	}
	for i := range s.units {
		last := min(i+s.preset.Shingle, len(s.units)) - 1
		s.shingles = append(s.shingles, xxh3.HashString(text[s.units[i].Start:s.units[last].End]))
		if last == len(s.units)-1 {
			break
		}
	}
}

// sign sets the signature of the shingles: four functions at a time, which a processor computes side by side.
func (s *Signer) sign() {
	i := 0
	for ; i+4 <= len(s.signature); i += 4 {
		a, b, least := (*[4]uint64)(s.factors[i:]), (*[4]uint64)(s.summands[i:]), (*[4]uint64)(s.signature[i:])
		m0, m1, m2, m3 := uint64(math.MaxUint64), uint64(math.MaxUint64), uint64(math.MaxUint64), uint64(math.MaxUint64)
		a0, a1, a2, a3, b0, b1, b2, b3 := a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]
		for _, h := range s.shingles {
			m0, m1, m2, m3 = min(m0, h*a0+b0), min(m1, h*a1+b1), min(m2, h*a2+b2), min(m3, h*a3+b3)
		}
		least[0], least[1], least[2], least[3] = m0, m1, m2, m3
	}
	for ; i < len(s.signature); i++ {
		s.signature[i] = math.MaxUint64
		for _, h := range s.shingles {
			s.signature[i] = min(s.signature[i], h*s.factors[i]+s.summands[i])
		}
	}
}

// band returns the keys of the signature.
func (s *Signer) band() []dedup.Key {
	s.keys = s.keys[:0]
	for band := range s.preset.Bands {
		s.rows = binary.LittleEndian.AppendUint64(s.rows[:0], uint64(band))
		for _, least := range s.signature[band*s.preset.Rows : (band+1)*s.preset.Rows] {
			s.rows = binary.LittleEndian.AppendUint64(s.rows, least)
		}
		sum := xxh3.Hash128(s.rows)
		s.keys = append(s.keys, dedup.Key{Hi: sum.Hi, Lo: sum.Lo})
	}
	return s.keys
}
