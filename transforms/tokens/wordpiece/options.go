package wordpiece

import "fmt"

// MaxCharacters is the longest word that the published models split.
const MaxCharacters = 100

// Options are the settings of BERT's tokenizer. The zero value cleans, sets
// ideographs apart and strips accents, but keeps case; Uncased and Cased are the
// settings of the published models.
type Options struct {
	// Lowercase folds case, character by character. Its table is that of Unicode 17.
	Lowercase bool `json:"lowercase"`
	// KeepAccents leaves text as it is composed. Otherwise text is decomposed (NFD)
	// and its non-spacing marks are dropped.
	KeepAccents bool `json:"keep_accents"`
	// KeepControls leaves out cleaning, which drops control characters, formats,
	// private use and U+FFFD without ending the word.
	KeepControls bool `json:"keep_controls,omitempty"`
	// JoinIdeographs leaves out the splitting of Chinese ideographs, each of which is
	// a word of its own otherwise.
	JoinIdeographs bool `json:"join_ideographs,omitempty"`
	// MaxCharacters is the length, in code points after folding, of the longest word
	// that is split; a longer one is unknown. Zero means MaxCharacters, 100.
	MaxCharacters int `json:"max_characters,omitempty"`
}

var (
	// Uncased are the settings of BERT's uncased models: case folded, accents stripped.
	Uncased = Options{Lowercase: true}
	// Cased are the settings of BERT's cased models: case and accents kept.
	Cased = Options{KeepAccents: true}
)

// IsPreset says whether text becomes pieces as by Cased, or by Uncased.
func (o Options) IsPreset(cased bool) bool {
	o.MaxCharacters = o.maxCharacters()
	preset := Uncased
	if cased {
		preset = Cased
	}
	preset.MaxCharacters = MaxCharacters
	return o == preset
}

// Validate returns the fault of o, or nil.
func (o Options) Validate() error {
	const limit = 1 << 20
	if o.MaxCharacters < 0 || o.MaxCharacters > limit {
		return fmt.Errorf("max_characters %d: want 1 to %d, or 0 for %d", o.MaxCharacters, limit, MaxCharacters)
	}
	return nil
}

func (o Options) maxCharacters() int {
	if o.MaxCharacters == 0 {
		return MaxCharacters
	}
	return o.MaxCharacters
}
