package markup

import (
	"fmt"

	"sentweave/schemas/language"
)

// Samples shows texts and their translations side by side, and below each other on
// narrow screens. Each text is set in its own direction.
type Samples struct {
	Caption string
	// Source and Target are the codes of the languages.
	Source, Target string
	Rows           []SampleRow
}

// SampleRow is a text with its translation; Verdict tells why that was rejected.
type SampleRow struct {
	Text, Translation, Verdict string
}

// Validate implements Block.
func (s Samples) Validate() error {
	if len(s.Rows) == 0 {
		return fmt.Errorf("samples %q have no rows", s.Caption)
	}
	return nil
}

// View implements Block.
func (s Samples) View() (string, any) {
	tag := func(code string) string {
		if tag, err := language.BCP47(code); err == nil {
			return tag
		}
		return "und"
	}
	return "samples", struct {
		Samples
		SourceName, TargetName, SourceTag, TargetTag string
	}{s, language.Name(s.Source), language.Name(s.Target), tag(s.Source), tag(s.Target)}
}
