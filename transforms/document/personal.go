package document

import "sentweave/transforms/clean/personal"

// Personal is the chain of the personal data that was masked, and StepMask is the step that masks it: the reasons are its kinds.
const (
	Personal = "personal"
	StepMask = "mask"
)

// mask puts placeholders in the place of personal data in the sentences that are left. It is the last step: what is kept, and where
// sentences end, does not depend on it.
func (b *Builder) mask(d *draft) (reason, detail string) {
	if b.masker == nil {
		return "", ""
	}
	kept := d.Document.Sentences
	for i := range d.Sentences {
		if s := &d.Sentences[i]; s.Kept() {
			s.Text = d.masked(s.Text, &d.personal)
			kept[0].Text, kept = s.Text, kept[1:]
		}
	}
	return "", ""
}

// masked returns a text of the document without personal data, if that is to be masked.
func (o *Outcome) masked(text string, counts *personal.Counts) string {
	if o.masker == nil {
		return text
	}
	if !o.hasRegion {
		o.region, o.hasRegion = personal.Region(o.Document.URL, o.Document.Language), true
	}
	return o.masker.Mask(text, o.region, counts)
}
