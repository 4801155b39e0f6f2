// Package tmx reads and writes translation memories in TMX (Translation Memory
// eXchange, LISA OSCAR, versions 1.1 to 1.4b), unit by unit.
//
// # Behavior
//
// A unit holds the same text in several languages. Their codes are those of
// schemas/language: regions are dropped. Inside a segment, the text of the elements hi
// and sub and of unknown elements is read. The elements bpt, ept, it, ph and ut hold
// codes of the native format; they are left out with the sub elements in them unless
// Config.Codes keeps them. A break among them (type lb, pb or cb) is a space.
//
// # Bad data
//
// A unit that cannot be read becomes a Unit with a Reason, and reading continues with
// the next one. A file that is not TMX, or is cut, becomes one as well, and so does text that
// is in no unit. Behind a memory another one may follow, as where files were joined. Only failures
// of the source are errors. Of document types the entities are read that are text alone;
// others than these, the five of XML, and characters by number are not known. Characters that XML 1.0 forbids are read as
// spaces. Memory is bounded by Config.MaxUnit, whatever the input.
//
// # Determinism
//
// Units and files are functions of the input and the Config.
package tmx

import (
	"sentweave/schemas/fault"
)

// Reasons of units and variants that cannot be used.
const (
	// NotTMX: the file is something else.
	NotTMX = "not_tmx"
	// UnknownEncoding: the file declares an encoding that is not read.
	UnknownEncoding = "unknown_encoding"
	// Truncated: the file ends before its last element does.
	Truncated = "truncated"
	// Malformed: the unit is not XML.
	Malformed = "malformed_xml"
	// InvalidEncoding: bytes of the unit are not of the file's encoding.
	InvalidEncoding = "invalid_encoding"
	// TooLarge: the unit has more bytes than Config.MaxUnit.
	TooLarge = "too_large"
	// TooDeep: elements are nested deeper than Config.MaxDepth.
	TooDeep = "too_deep"
	// Outside: text is outside of the units, as where the start of one is missing.
	Outside = "outside_of_units"
	// NoVariant: the unit holds no text in any language.
	NoVariant = "no_variant"

	// NoLanguage: the variant does not tell its language.
	NoLanguage = "no_language"
	// UnknownLanguage: its language is not known by the tag.
	UnknownLanguage = "unknown_language"
	// NoSegment: the variant has no segment.
	NoSegment = "no_segment"
)

// allLanguages is the source language of a memory whose units may be read from any
// of their languages.
const allLanguages = "*all*"

// Config says how a memory is read.
type Config struct {
	// MaxUnit is the size of the largest unit, in bytes of UTF-8. Default 1 MiB.
	MaxUnit int
	// MaxDepth is how deep elements may be nested in a unit. Default 32.
	MaxDepth int
	// Codes keeps the codes of the native format as text.
	Codes bool
}

// DefaultConfig returns the configuration described above.
func DefaultConfig() Config { return Config{MaxUnit: 1 << 20, MaxDepth: 32} }

// Validate returns all faults of c, joined, or nil.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.MaxUnit >= 1, "MaxUnit %d: want at least 1", c.MaxUnit)
	errs.Check(c.MaxDepth >= 3, "MaxDepth %d: want at least 3, as of unit, variant and segment", c.MaxDepth)
	return errs.Err()
}

// Header is what the file says about the memory, unchanged.
type Header struct {
	// CreationTool is the program that made the memory, with its version.
	CreationTool, CreationToolVersion string
	// SourceLanguage is a tag of BCP 47 or allLanguages.
	SourceLanguage string
}

// Unit is a text in several languages.
type Unit struct {
	// Ordinal is the number of the unit in its file, from 0.
	Ordinal int64
	// ID is the unit's tuid, or "".
	ID string
	// Source is the code of the language that the others were translated from; "" where
	// the memory says that it may be any, or names none that is known.
	Source string
	// CreationTool and CreationToolVersion tell what made the unit: the header's unless
	// the unit has its own.
	CreationTool, CreationToolVersion string
	// Changed: the unit or one of its texts tells that it was changed after it was made.
	Changed bool
	// Properties are the values that tools keep with the unit, in the order of the
	// file.
	Properties []Property
	// Variants are the texts, in the order of the file. A variant with two segments is two.
	Variants []Variant
	// Reason is "" for a unit that was read, Detail says more, and Sample is the text
	// that was read before.
	Reason, Detail, Sample string
}

// Property is a value that a tool keeps with a unit. Types outside of the standard
// begin with x-.
type Property struct{ Type, Text string }

// OptionsProperty is the type of the property that keeps the options of the engine which
// made a unit, as the column options_xxh3 has them.
const OptionsProperty = "x-sentweave-options"

// Variant is the text of a unit in a language.
type Variant struct {
	// Tag is the language as it is in the file, Language its code.
	Tag, Language string
	// Text is the segment, valid UTF-8 without characters that XML forbids. It may have
	// line ends.
	Text string
	// Reason is "" unless the variant cannot be used.
	Reason string
}

// forbidden says whether XML 1.0 (2.2) has no place for a character, even by number.
func forbidden(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r >= 0xd800 && r <= 0xdfff || r == 0xfffe || r == 0xffff || r > 0x10ffff
}
