package document

import (
	"strings"
	"testing"

	"sentweave/transforms/read/html"
	"sentweave/transforms/read/rights"
)

// TestRights: what a page and its headers say is in the row, and drops it where that is asked for.
func TestRights(t *testing.T) {
	const license = `<p>Licensed under <a rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/">it</a>.`
	licensed := page(paragraphs(english+another, german) + license)
	reserved := page(paragraphs(english+another, german))
	reserved.Origin = html.Origin{OptOuts: rights.TDM("1") | rights.Robots("noai")}
	for _, tt := range []struct {
		record           Record
		licenses, optOut []string
		verdict          Verdict
	}{
		{licensed, nil, nil, Verdict{}},
		{licensed, []string{"cc0", "cc-by-sa"}, rights.Names(), Verdict{}},
		{licensed, []string{"cc-by"}, nil, Verdict{StepRights, ReasonLicense, "cc-by-sa-4.0"}},
		{reserved, []string{"cc-by"}, nil, Verdict{StepRights, ReasonNoLicense, ""}},
		{reserved, nil, []string{"noindex", "tdm-reservation"}, Verdict{StepRights, "tdm-reservation", "noai,tdm-reservation"}},
		{reserved, nil, []string{"noindex"}, Verdict{}},
		{Record{Source: "a.txt", Text: english + another}, []string{"cc-by"}, nil, Verdict{StepRights, ReasonNoLicense, ""}},
	} {
		c := DefaultConfig()
		c.Licenses, c.OptOuts = tt.licenses, tt.optOut
		b, err := NewBuilder(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := b.Build(tt.record)
		if o.Verdict != tt.verdict || o.Document.OptOut != tt.record.Origin.OptOuts.String() ||
			(o.Document.License == "cc-by-sa-4.0") != strings.Contains(string(tt.record.HTML), license) {
			t.Errorf("%v, %v: %+v, %q, %q", tt.licenses, tt.optOut, o.Verdict, o.Document.License, o.Document.OptOut)
		}
	}
	c := DefaultConfig()
	if c.Licenses, c.OptOuts = []string{"cc-by4"}, []string{"no"}; c.Validate() == nil {
		t.Error("takes cc-by4 and no")
	}
}
