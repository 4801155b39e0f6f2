package document

import "sentweave/transforms/read/rights"

// StepRights drops documents by their licences, and by what their authors opt out of. The reason is the name of the opt-out, or one of
// these.
const (
	StepRights = "rights"
	// ReasonNoLicense: a page that names no licence, while some are wanted.
	ReasonNoLicense = "no_license"
	// ReasonLicense: a page that names a licence that is not wanted.
	ReasonLicense = "license"
	// ReasonBlocked: a page whose address is blocked. The step is the first one that knows the address, read or this one.
	ReasonBlocked = "blocked"
)

func (b *Builder) rights(d *draft) (reason, detail string) {
	if d.record.URL == "" && b.config.Blocks != nil && b.config.Blocks(d.Document.URL) {
		return ReasonBlocked, d.Document.URL
	}
	for _, name := range b.config.OptOuts {
		if d.optOuts.Has(name) {
			return name, d.Document.OptOut
		}
	}
	switch {
	case len(b.config.Licenses) == 0:
		return "", ""
	case d.Document.License == "":
		return ReasonNoLicense, ""
	case !rights.Allowed(d.Document.License, b.config.Licenses):
		return ReasonLicense, d.Document.License
	}
	return "", ""
}
