package corpus

// Rights are the flags of what may be in a corpus: by the law, by the will of its authors, or by taste.
type Rights struct {
	Licenses []string `help:"Keep only pages that give themselves one of these licences, and no other: names such as cc-by-4.0, or families such as cc-by." placeholder:"NAME,…" group:"Rights and safety" json:"licenses,omitempty"`
	OptOuts  []string `name:"drop-opt-out" help:"Drop pages that opt out of uses, by the meta element robots or tdm-reservation, or the headers X-Robots-Tag or TDM-Reservation (${opt_outs})." placeholder:"NAME,…" group:"Rights and safety" json:"drop_opt_out,omitempty"`
	MaskPII  []string `name:"mask-pii" help:"Personal data for which placeholders are put into sentences and rejects (${personal}). A telephone number without its country's code is read as one of the country of the page's domain, or else of its language." placeholder:"KIND,…" group:"Rights and safety" json:"mask_pii,omitempty"`
}
