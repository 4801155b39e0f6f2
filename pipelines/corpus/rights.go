package corpus

// Rights are the flags of what may be in a corpus: by the law, by the will of its authors, or by taste.
type Rights struct {
	MaskPII []string `name:"mask-pii" help:"Personal data for which placeholders are put into sentences and rejects (${personal}). A telephone number without its country's code is read as one of the country of the page's domain, or else of its language." placeholder:"KIND,…" group:"Rights and safety" json:"mask_pii,omitempty"`
}
