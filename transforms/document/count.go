package document

import (
	"strconv"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/clean/personal"
)

// Count adds the outcome to a funnel of Chains and offers what was dropped to
// the sample of rejects. Blocks and sentences count under the language of their
// document: what is dropped for being in another language is this document's
// loss. The sentences that go with their document have no sample of their own.
func (o *Outcome) Count(f *dataset.Funnel, r *dataset.Rejects) error {
	d := &o.Document
	if !o.Kept() {
		if err := f.Drop(Documents, d.Language, o.Step, o.Reason, 1); err != nil {
			return err
		}
		o.reject(r, d.ID, o.Verdict, o.sample())
	} else if err := f.Keep(Documents, d.Language, 1); err != nil {
		return err
	}
	if err := o.countDeclared(f); err != nil {
		return err
	}
	for kind, n := range o.personal {
		if n == 0 {
			continue
		}
		if err := f.Drop(Personal, d.Language, StepMask, personal.Kind(kind).String(), n); err != nil {
			return err
		}
	}
	if err := o.countItems(f, r, Blocks, o.Blocks); err != nil {
		return err
	}
	return o.countItems(f, r, Sentences, o.Sentences)
}

// countDeclared counts the document under the language that is declared.
func (o *Outcome) countDeclared(f *dataset.Funnel) error {
	switch l := o.declared; {
	case l.code == "":
		return nil
	case l.identified != "":
		return f.Drop(Declared, l.code, StepLanguage, ReasonIdentified+l.identified, 1)
	default:
		return f.Keep(Declared, l.code, 1)
	}
}

// countItems counts the items of a chain, kind by kind: a page has hundreds of
// items and few reasons.
func (o *Outcome) countItems(f *dataset.Funnel, r *dataset.Rejects, chain string, items []Item) error {
	type kind struct {
		step, reason string
		n            int64
	}
	passed, kinds := int64(0), make([]kind, 0, 8)
	for i := range items {
		item := &items[i]
		if item.Kept() {
			passed++
			continue
		}
		k := 0
		for k < len(kinds) && (kinds[k].reason != item.Reason || kinds[k].step != item.Step) {
			k++
		}
		if k == len(kinds) {
			kinds = append(kinds, kind{step: item.Step, reason: item.Reason})
		}
		kinds[k].n++
		if item.Step != StepDocument {
			o.reject(r, schemas.DerivedID(chain, o.Document.ID, strconv.Itoa(i)), item.Verdict, item.Text)
		}
	}
	if err := f.Keep(chain, o.Document.Language, passed); err != nil {
		return err
	}
	for _, k := range kinds {
		if err := f.Drop(chain, o.Document.Language, k.step, k.reason, k.n); err != nil {
			return err
		}
	}
	return nil
}

// sample is what tells best what a dropped document was.
func (o *Outcome) sample() string {
	if len(o.Sentences) > 0 {
		return o.Sentences[0].Text
	}
	for _, b := range o.Blocks {
		if b.Kept() {
			return b.Text
		}
	}
	return o.start
}

func (o *Outcome) reject(r *dataset.Rejects, id string, v Verdict, sample string) {
	d := &o.Document
	if !r.Wants(v.Step, v.Reason, d.Language, id) {
		return
	}
	r.Add(schemas.Reject{
		ID: id, Source: d.Source, Offset: d.Offset, Step: v.Step, Reason: v.Reason,
		Language: d.Language, Detail: v.Detail, Sample: o.masked(sample, new(personal.Counts)),
	})
}
