package schemas

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Document is one page or text after extraction: its sentences, in order, with
// the language and the scores that filters used.
type Document struct {
	// ID is ID(Source, Offset).
	ID string `parquet:"id"`
	// Source is the input file, relative to the input folder, with slashes.
	Source string `parquet:"source,dict"`
	// Offset is the byte offset of the record in its (decompressed) file. For a record
	// of a web archive it is the offset of its gzip member, as in indexes.
	Offset int64 `parquet:"offset"`
	// URL is the page's address, if the input has it.
	URL string `parquet:"url,optional"`
	// Date is the capture time in milliseconds since 1970, UTC; 0 means unknown.
	Date int64 `parquet:"date,optional,timestamp(millisecond)"`
	// Language is the document's language: ISO 639-3 with an optional script, or "und".
	Language string `parquet:"language,dict"`
	// LanguageScore is the identifier's probability for Language, in [0, 1].
	LanguageScore float32 `parquet:"language_score"`
	// DeclaredLanguage is what the input declares (the layout of file names, the field
	// of a record, the attribute of a page); empty if it declares none. Language is
	// decided by the text, and language.Matches tells whether the two conflict.
	DeclaredLanguage string `parquet:"declared_language,optional,dict"`
	// License names the licences that the page gives itself, in order, with commas: SPDX identifiers in small letters such as cc-by-sa-4.0,
	// or "other"; empty if it names none.
	License string `parquet:"license,optional,dict"`
	// OptOut names the uses that the page or its server opts out of, in order, with commas, such as "noai,tdm-reservation"; empty if it
	// names none.
	OptOut string `parquet:"opt_out,optional,dict"`
	// Scores are measures of the document, sorted by name. "blocks" is the number of
	// blocks of the page before any filter.
	Scores []Score `parquet:"scores,list"`
	// Sentences are the kept sentences in the order of the page.
	Sentences []Sentence `parquet:"sentences,list"`
}

// Score is a named measure of a document.
type Score struct {
	Name  string  `parquet:"name,dict"`
	Value float32 `parquet:"value"`
}

// Sentence is a sentence of a document.
type Sentence struct {
	Text string `parquet:"text"`
	// Language and LanguageScore are the sentence's own, as for documents.
	Language      string  `parquet:"language,dict"`
	LanguageScore float32 `parquet:"language_score"`
	// Block is the ordinal of the block (paragraph, heading, cell) in the page,
	// counted before filters: pages that are translations of each other align on it.
	Block int32 `parquet:"block"`
	// Position is the ordinal of the sentence in the document, counted before
	// filters: sentences are consecutive only if their positions are.
	Position int32 `parquet:"position"`
	// BlockSentences is the number of sentences of the block before filters: if the
	// document has fewer of them, the block has lost some. 0 means unknown.
	BlockSentences int32 `parquet:"block_sentences"`
	// Main is how sure the extractor is that the sentence is main content, in [0, 1].
	Main float32 `parquet:"main"`
}

// JoinSentences returns the texts of sentences with a space between two.
func JoinSentences(sentences []Sentence) string {
	if len(sentences) == 1 {
		return sentences[0].Text
	}
	var b strings.Builder
	for i, s := range sentences {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

// BlocksScore is the name of the score that counts a page's blocks before filters.
const BlocksScore = "blocks"

// ClusterScore is the name of the score that counts the near duplicates of which a document was kept, with itself.
const ClusterScore = "cluster_size"

// KeptScore and DroppedScore are the verdict of filters that drop nothing (`corpus --scores`). A document that they would keep
// has the score KeptScore, which is 1. One that they would drop has a score of the name DroppedScore and the reason, which is the
// measure that decided.
const (
	KeptScore    = "kept"
	DroppedScore = "dropped_"
)

// Score returns the value of the score of that name.
func (d Document) Score(name string) (float32, bool) {
	for _, s := range d.Scores {
		if s.Name == name {
			return s.Value, true
		}
	}
	return 0, false
}

// SetScore sets the score of that name, in a list of its own.
func (d *Document) SetScore(name string, value float32) {
	i, found := slices.BinarySearchFunc(d.Scores, name, func(s Score, name string) int { return strings.Compare(s.Name, name) })
	list := slices.Clone(d.Scores)
	if !found {
		list = slices.Insert(list, i, Score{Name: name})
	}
	list[i].Value, d.Scores = value, list
}

// Schema implements Row.
func (Document) Schema() Schema {
	return Schema{Name: "document", Version: 4, Oldest: 3, RowGroup: documentRowGroup}
}

// Validate implements Row.
func (d Document) Validate() error {
	var f faults
	f.id("id", d.ID)
	f.required("source", d.Source)
	if d.Offset < 0 {
		f.Addf("offset %d is negative", d.Offset)
	}
	f.text("url", d.URL)
	f.language("language", d.Language)
	f.finite("language_score", float64(d.LanguageScore))
	f.text("declared_language", d.DeclaredLanguage)
	f.text("license", d.License)
	f.text("opt_out", d.OptOut)
	for i, s := range d.Scores {
		if i > 0 && d.Scores[i-1].Name >= s.Name {
			f.Addf("scores %q and %q are not in order", clip(d.Scores[i-1].Name), clip(s.Name))
		}
		if s.Name == "" || !utf8.ValidString(s.Name) || !isFinite(float64(s.Value)) {
			f.Addf("score %d is %q with value %v: it needs a name in UTF-8 and a finite value", i, clip(s.Name), s.Value)
		}
	}
	last := Sentence{Position: -1}
	for i := range d.Sentences {
		s := &d.Sentences[i]
		if s.Text == "" {
			f.Addf("sentence %d is empty", i)
		}
		if !utf8.ValidString(s.Text) {
			f.Addf("sentence %d is not UTF-8: %q", i, clip(s.Text))
		}
		if s.Language == "" {
			f.Addf("sentence %d has no language; unknown is \"und\"", i)
		}
		if !utf8.ValidString(s.Language) {
			f.Addf("sentence %d has a language that is not UTF-8: %q", i, clip(s.Language))
		}
		if !isFinite(float64(s.LanguageScore)) || !isFinite(float64(s.Main)) {
			f.Addf("sentence %d has language_score %v and main %v", i, s.LanguageScore, s.Main)
		}
		if s.BlockSentences < 0 {
			f.Addf("sentence %d has block_sentences %d", i, s.BlockSentences)
		}
		if s.Position <= last.Position {
			f.Addf("sentence %d has position %d after %d", i, s.Position, last.Position)
		}
		if s.Block < last.Block {
			f.Addf("sentence %d has block %d after %d", i, s.Block, last.Block)
		}
		last.Position, last.Block = s.Position, s.Block
	}
	return f.Err()
}
