package corpus

import (
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/fault"
	"sentweave/transforms/random"
)

// Selection takes a part of the pages: those whose rank among the distinct page
// names, counted from 0 in byte order, leaves one of Ranks when divided by
// Modulus. So training, development and held-out data of one folder are made by
// the same rule with other ranks, and all translations of a page go together.
// Records of JSONL files and of web archives have no rank before they are read; there
// the hash of the record's identity takes its place: in JSONL its id, in web archives
// its address, so that a page is in the same part in every crawl, and as WARC and WET.
type Selection struct {
	Modulus int   `help:"Number of parts that pages are dealt into, by their rank in the order of names; 0 takes all." default:"0" json:"pages_modulus" name:"pages-modulus"`
	Ranks   []int `help:"Parts to take: ranks modulo --pages-modulus." json:"pages_ranks" name:"pages-ranks" placeholder:"N,…"`
	// Sample is a share, 0 for all. The pages are a function of their addresses alone, not of the seed.
	Sample float64 `help:"Share of the pages to take, as in 0.001: by hashes of their addresses or, of those without one, of ids, names of files or places in these. A smaller sample lies within a larger one, and all versions of a page by --layout go together; 0 takes all." default:"0" json:"sample,omitempty" placeholder:"SHARE"`
	Limit  int     `help:"Pages or texts to read of each file at most, from its beginning, which is all that is read of a web archive, of JSONL and of texts: for trials on large files. Those that --sample, --pages-ranks or --header-languages leave out and damaged ones do not count; 0 reads all." default:"0" json:"limit,omitempty" placeholder:"N"`
}

// Validate returns all faults.
func (s Selection) Validate() error {
	var errs fault.List
	switch {
	case s.Modulus < 0:
		errs.Addf("pages-modulus %d is negative", s.Modulus)
	case s.Modulus == 0 && len(s.Ranks) > 0:
		errs.Addf("pages-ranks needs pages-modulus")
	case s.Modulus > 0 && len(s.Ranks) == 0:
		errs.Addf("pages-modulus needs pages-ranks: which parts to take")
	}
	errs.Check(s.Limit >= 0, "limit %d is negative", s.Limit)
	errs.Check(s.Sample >= 0 && s.Sample <= 1, "sample %v is not from 0 to 1: give a share of the pages", s.Sample)
	for _, r := range s.Ranks {
		errs.Check(s.Modulus <= 0 || r >= 0 && r < s.Modulus, "pages-ranks: %d is not from 0 to %d", r, s.Modulus-1)
	}
	return errs.Err()
}

func (s Selection) takes(part uint64) bool {
	return s.Modulus == 0 || slices.Contains(s.Ranks, int(part%uint64(s.Modulus)))
}

// samples says whether a page is in the sample, by what identifies it.
func (s Selection) samples(id string) bool {
	stream := random.New(1, 0, "corpus sample", id, 0)
	return s.Sample == 0 || stream.Float64() < s.Sample
}

// takesRecord decides by a record's identity.
func (s Selection) takesRecord(id string) bool { return s.takes(xxh3.HashString(id)) }

// pages returns the set of pages to take out of all page names.
func (s Selection) pages(names []string) map[string]bool {
	slices.Sort(names)
	set := map[string]bool{}
	for rank, name := range slices.Compact(names) {
		if s.takes(uint64(rank)) {
			set[name] = true
		}
	}
	return set
}
