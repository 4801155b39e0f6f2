package corpus

import (
	"context"
	"fmt"

	"sentweave/transforms/filters/blocklist"
)

// roleBlock is the role of the list of blocked sites among the plan's inputs.
const roleBlock = "block"

// Rights are the flags of what may be in a corpus: by the law, by the will of its authors, or by taste.
type Rights struct {
	Block    string   `help:"List of blocked sites, of which no page is parsed: domains, which stand for all domains below them too, and addresses, which stand for all below them; one a line, also compressed." placeholder:"FILE" group:"Rights and safety" json:"-"`
	Licenses []string `help:"Keep only pages that give themselves one of these licences, and no other: names such as cc-by-4.0, or families such as cc-by." placeholder:"NAME,…" group:"Rights and safety" json:"licenses,omitempty"`
	OptOuts  []string `name:"drop-opt-out" help:"Drop pages that opt out of uses, by the meta element robots or tdm-reservation, or the headers X-Robots-Tag or TDM-Reservation (${opt_outs})." placeholder:"NAME,…" group:"Rights and safety" json:"drop_opt_out,omitempty"`
	MaskPII  []string `name:"mask-pii" help:"Personal data for which placeholders are put into sentences and rejects (${personal}). A telephone number without its country's code is read as one of the country of the page's domain, or else of its language." placeholder:"KIND,…" group:"Rights and safety" json:"mask_pii,omitempty"`
}

// readBlocked returns what says whether an address is on a list; nil for no list.
func readBlocked(ctx context.Context, location string) (func(address string) bool, error) {
	if location == "" {
		return nil, nil
	}
	list, err := blocklist.Load(ctx, location, blocklist.Read)
	if err != nil {
		return nil, fmt.Errorf("block: %w", err)
	}
	return list.Blocks, nil
}
