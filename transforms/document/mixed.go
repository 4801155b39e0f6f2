package document

import (
	"maps"
	"slices"
	"unicode/utf8"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/transforms/clean/sentences"
)

const (
	// inOneLanguage is the probability from which on the beginning of a text is in one language. Of six sentences in English and
	// four in German an identifier says that all is German, with .59: its answer is not a mean over the text.
	inOneLanguage = .9
	// middleBytes is how much of the middle of a long text is identified: of a text in two parts the longer part is there.
	middleBytes = 2 << 10
	// nearly is how much of the commonest language's share is enough for the language that a page declares.
	nearly = .8
	// leastText is the share of what is certain of a text that must be in a language for the rest to be noise in it; else all is noise.
	leastText = .1
)

// commonest returns the language in which most of the main content is, and the share of it in that language, by sentences. It returns the
// language that was identified in the beginning of the text where nothing speaks for several languages, or where no language
// of at least half of the text is certain. Of two languages that are nearly as common, the declared one is right. Noise is the answer only
// where less than a tenth of what is certain is in one language.
func (b *Builder) commonest(d *draft, identified string, score float32) (code string, share float32) {
	if !b.mayBeMixed(d, identified, score) {
		return identified, score
	}
	votes, total, known := map[string]int{}, 0, 0
	splitter := sentences.New(identified)
	for _, block := range d.Blocks {
		if !block.Kept() {
			continue
		}
		for sentence := range splitter.All(block.Text) {
			n := utf8.RuneCountInString(sentence)
			total += n
			found, certainty := b.identifier.Identify(excerpt.Bytes(sentence, identifiedBytes))
			if float64(certainty) < b.config.OtherLanguageScore {
				continue
			}
			known += n
			if found = b.withScript(found, sentence); language.Matches(found, identified) {
				found = identified
			}
			votes[found] += n
		}
	}
	if noise := votes[language.NoContent]; noise > 0 {
		delete(votes, language.NoContent)
		most := slices.Max(append(slices.Collect(maps.Values(votes)), 0))
		if float64(most) < leastText*float64(known) && 2*known >= total {
			return language.NoContent, score
		}
		known, total = known-noise, total-noise
	}
	code, declared := identified, ""
	for _, candidate := range slices.Sorted(maps.Keys(votes)) {
		if votes[candidate] > votes[code] {
			code = candidate
		}
		if language.Matches(candidate, d.Document.Language) && votes[candidate] > votes[declared] {
			declared = candidate
		}
	}
	if float64(votes[declared]) >= nearly*float64(votes[code]) && declared != "" {
		code = declared
	}
	if code == identified || 2*known < total {
		return identified, score
	}
	return code, float32(votes[code]) / float32(known)
}

// mayBeMixed says whether parts of a text may be in another language than its beginning.
func (b *Builder) mayBeMixed(d *draft, identified string, score float32) bool {
	if score < inOneLanguage || identified == language.NoContent {
		return true
	}
	total := 0
	for i := range d.Blocks {
		if d.Blocks[i].Kept() {
			total += len(d.Blocks[i].Text)
		}
	}
	if total <= identifiedBytes {
		return false
	}
	var middle []byte
	before := 0
	for i := range d.Blocks {
		if !d.Blocks[i].Kept() || len(middle) >= middleBytes {
			continue
		}
		if before += len(d.Blocks[i].Text); before > total/2 {
			middle = append(append(middle, excerpt.Bytes(d.Blocks[i].Text, middleBytes-len(middle))...), ' ')
		}
	}
	found, _ := b.identifier.Identify(string(middle))
	return !language.Matches(found, identified)
}
