package erase

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
)

// follow goes from the pairs through those that they were chosen from to some that the documents tell the addresses of, and returns those
// that it leaves behind. It is an error if it does not come there, or if one of the datasets is not on the way.
func (c Config) follow(ctx context.Context, documents, pairs *dataset.Manifest) (chosen []*dataset.Manifest, err error) {
	sources := map[string]*units.Dataset{}
	for _, location := range c.Through {
		d, err := units.OpenDataset[schemas.Pair](ctx, location)
		if err != nil {
			return nil, fmt.Errorf("through: %w", err)
		}
		sources[d.Check] = d
	}
	for m := pairs; !tell(documents, m); {
		read := m.Plan.InputHash(units.RolePairs)
		d := sources[read]
		if d == nil {
			return nil, c.unfollowed(&m.Plan)
		}
		delete(sources, read)
		chosen, m = append(chosen, m), d.Manifest()
	}
	for _, d := range sources {
		return nil, fmt.Errorf("through: %s is not between %s and %s: leave it out", d.Location, c.Documents, c.Pairs)
	}
	return chosen, nil
}

// unfollowed is the error where pairs of a plan were chosen from pairs that were not given, or from none.
func (c Config) unfollowed(p *dataset.Plan) error {
	const made = "%s was not made of %s, so the documents cannot tell which pairs go: "
	read := p.InputHash(units.RolePairs)
	if read == "" {
		return fmt.Errorf("pairs: "+made+"give the documents that it was made of", c.Pairs, c.Documents)
	}
	return fmt.Errorf("pairs: "+made+"name among --through the pairs that `sentweave %s` chose from, whose manifest has the check %s",
		c.Pairs, c.Documents, p.Pipeline, read)
}

// tell says that documents tell the addresses of all pairs: the pairs were made of the documents, or both are what one list has left
// of such pairs and documents.
func tell(documents, pairs *dataset.Manifest) bool {
	d, p := &documents.Plan, &pairs.Plan
	return slices.ContainsFunc(p.Inputs, func(i dataset.Input) bool { return i.XXH3 == documents.Check }) ||
		d.Pipeline == pipeline && p.Pipeline == pipeline && bytes.Equal(d.Config, p.Config) &&
			d.InputHash(roleList) == p.InputHash(roleList) && d.InputHash(units.RoleDocuments) == p.InputHash(units.RoleDocuments)
}

// note adds to a job the notes on rows that were left out of datasets in favour of others, and do not come back where these are erased. A
// pipeline that is not named here judges each row alone.
func note(job *units.Job, chosen ...*dataset.Manifest) {
	for _, m := range chosen {
		var config struct {
			K int `json:"k"` // of the margins of pairfilter
		}
		p := &m.Plan
		way := fmt.Sprintf("run the same `sentweave %s` again on what is left", p.Pipeline)
		switch _ = jsonfile.Unmarshal(p.Config, &config); {
		case p.Pipeline == "dedup" && p.SpillsKept != nil:
			way += ", with --extend"
		case p.Pipeline == "pairfilter" && config.K > 0:
		case p.Pipeline == "dedup", p.Pipeline == "sample", p.Pipeline == "pairnoise":
		default:
			continue
		}
		job.Notes = append(job.Notes, fmt.Sprintf("%s chose among rows, and what it left out in favour of an erased one does not come back: "+
			"to have it, erase from what %s read, and %s", p.Pipeline, p.Pipeline, way))
	}
}
