// Package certificate is the stage that certifies an erasure: what was asked for, what is gone, that nothing of it is in the new
// dataset, and what else in the folders that a user names was made of the rows that are gone.
package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
	"sentweave/stages/lineage"
	"sentweave/transforms/filters/blocklist"
	"sentweave/transforms/filters/erasure"
)

// Version of the certificate: raised when the same erasure gives another one. 2: what was erased earlier.
const Version = 2

// Verdicts on what is related to the dataset that was read.
const (
	HasRows = "has rows"
	HasNone = "has none"
	// Learned is the verdict on a training that has drawn all rows of a dataset that has rows.
	Learned = "learned of them"
	// MayHave: it has no identities of rows, or it was learned from what has rows, or may have them; it keeps samples of rejects, which do
	// not tell where they come from; or it is unreadable.
	MayHave = "may have"
)

// Removal is what one erasure took out.
type Removal struct {
	// List is what was to be erased, of which the certificate holds only the hash.
	List List `json:"list"`
	// From is the dataset that was read, To the one without the rows.
	From Dataset `json:"from"`
	To   Dataset `json:"to"`
	// Rows are gone. WithoutOrigin are those left that name neither an address nor a document, of which nothing can be told.
	Rows          int64 `json:"rows"`
	WithoutOrigin int64 `json:"without_origin"`
}

// Certificate is the content of erasure.json. It has no clock, and the paths are those that were given.
type Certificate struct {
	Stage   string `json:"stage"`
	Version int    `json:"version"`
	Removal
	// Earlier are the removals by which the dataset that was read had come about, the first one first.
	Earlier []Removal `json:"earlier,omitempty"`
	// Kept shards have the bytes that they had, Rewritten ones have lost rows, Gone ones all of them.
	Kept      int `json:"shards_kept"`
	Rewritten int `json:"shards_rewritten"`
	Gone      int `json:"shards_gone"`
	// Searched are the folders that were searched for what is related to the dataset that was read, Related what was found.
	Searched []string  `json:"searched"`
	Related  []Related `json:"related"`
	Check    string    `json:"check"`
}

// Removals are all by which the dataset came about, the first one first.
func (c *Certificate) Removals() []Removal { return append(slices.Clone(c.Earlier), c.Removal) }

// List is a list by its hash.
type List struct {
	// Kind is "urls" or "domains".
	Kind    string `json:"kind"`
	Entries int    `json:"entries"`
	XXH3    string `json:"xxh3"`
}

// Dataset is a dataset by its hashes.
type Dataset struct {
	Manifest    string `json:"manifest"`
	Schema      string `json:"schema"`
	Rows        int64  `json:"rows"`
	ContentXXH3 string `json:"content_xxh3"`
}

// Related is what was made of the dataset that was read, or of what that was made of, or is one of these.
type Related struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Hash string `json:"hash,omitempty"`
	// Verdict is one of the constants; Rows count what was found.
	Verdict string `json:"verdict"`
	Rows    int64  `json:"rows,omitempty"`
}

// CheckField makes it a record that is sealed.
func (c *Certificate) CheckField() *string { return &c.Check }

// maxCertificate bounds what is read.
const maxCertificate = 64 << 20

// Erasure is what is certified.
type Erasure struct {
	Kind string
	List *blocklist.List
	// From is the location of the dataset that was read, Documents that of the documents of pairs, "" for documents.
	From, Documents string
	// Through are the locations of datasets between the documents and the pairs.
	Through []string
	// To is the location of the new dataset, where the certificate is written.
	To string
	// Search are folders.
	Search []string
}

// Issue looks for listed rows in the new dataset and in what is related to the old one, and writes the certificate. A listed row in the new
// dataset is an error. The cost is a reading of the columns that tell origins, and of related encoders whole.
func Issue(ctx context.Context, e Erasure) (*Certificate, error) {
	from, before, err := dataset.Open(ctx, e.From)
	if err != nil {
		return nil, err
	}
	to, after, err := dataset.Open(ctx, e.To)
	if err != nil {
		return nil, err
	}
	selection := erasure.New(e.List)
	if e.Documents != "" {
		folder, m, err := dataset.Open(ctx, e.Documents)
		if err == nil {
			_, err = selection.Learn(ctx, folder, m)
		}
		if err != nil {
			return nil, err
		}
	}
	left, err := selection.Learn(ctx, to, after)
	if err != nil {
		return nil, err
	}
	if left.Found > 0 {
		return nil, fmt.Errorf("%s still has %s on the list: give --overwrite to make it anew", e.To,
			spelling.Number(left.Found, "row"))
	}
	earlier, err := Earlier(ctx, from, before)
	if err != nil {
		return nil, err
	}
	removal := Removal{ListOf(e.Kind, e.List), datasetOf(before), datasetOf(after), before.Rows - after.Rows, left.Nameless}
	c := &Certificate{Stage: "erase", Version: Version, Removal: removal, Earlier: earlier, Searched: append([]string{}, e.Search...),
		Related: []Related{}}
	c.countShards(before, after)
	if len(e.Search) > 0 {
		if _, err := selection.Learn(ctx, from, before); err != nil {
			return nil, err
		}
		folders := slices.Concat(e.Search, []string{e.From}, e.Through) // what these were made of may lie in no folder
		if e.Documents != "" {
			folders = append(folders, e.Documents)
		}
		if c.Related, err = related(ctx, selection, folders, before.Check, after.Check); err != nil {
			return nil, err
		}
	}
	data, err := dataset.Seal(c)
	if err != nil {
		return nil, err
	}
	return c, storage.WriteFile(ctx, to, dataset.CertificateName, data, storage.Replace)
}

// Earlier are the removals by which a dataset came about, none unless it was made by erase. The error says which fault its certificate has.
func Earlier(ctx context.Context, folder storage.Folder, m *dataset.Manifest) ([]Removal, error) {
	if m.Plan.Pipeline != "erase" {
		return nil, nil
	}
	c, err := Verify(ctx, folder, m, "", nil)
	if err != nil {
		return nil, fmt.Errorf("the certificate of %s: %w", folder, err)
	}
	return c.Removals(), nil
}

// ListOf is a list of a kind by its hash.
func ListOf(kind string, l *blocklist.List) List {
	return List{kind, l.Len(), dataset.HashString(l.XXH3())}
}

func datasetOf(m *dataset.Manifest) Dataset {
	return Dataset{m.Check, m.Plan.Schema, m.Rows, m.ContentXXH3}
}

// countShards compares the shards: each of those before is a unit of the dataset after.
func (c *Certificate) countShards(before, after *dataset.Manifest) {
	made := map[string]string{}
	for _, s := range after.Shards {
		made[s.Name] = s.XXH3
	}
	for unit, s := range before.Shards {
		switch hash, ok := made[dataset.ShardName(unit)]; {
		case !ok:
			c.Gone++
		case hash == s.XXH3:
			c.Kept++
		default:
			c.Rewritten++
		}
	}
}

// related judges what is related to a dataset.
func related(ctx context.Context, selection *erasure.Selection, folders []string, check, without string) ([]Related, error) {
	archive, err := lineage.Open(ctx, folders)
	if err != nil {
		return nil, err
	}
	products, err := archive.Related(ctx, check, without)
	if err != nil {
		return nil, err
	}
	j := judge{selection: selection, products: products, byHash: map[string][]int{}, list: make([]Related, len(products)),
		uncertain: make([]bool, len(products))}
	for i, p := range products {
		if p.Hash != "" {
			j.byHash[p.Hash] = append(j.byHash[p.Hash], i)
		}
	}
	for i := range products {
		if err := j.judge(ctx, i); err != nil {
			return nil, err
		}
	}
	for i, p := range products { // after all: what was made of a dataset was not made of its rejects
		if p.Kind == lineage.Unreadable || j.list[i].Verdict == HasNone && p.Manifest != nil && p.Manifest.Rejects != nil {
			j.list[i].Verdict = MayHave
		}
	}
	return j.list, nil
}

// judge finds verdicts, those of what something was made of first.
type judge struct {
	selection *erasure.Selection
	products  []lineage.Product
	byHash    map[string][]int
	list      []Related // without a path where there is no verdict yet
	// uncertain are datasets in which rows of the selection may not have been found: what names these rows may have some, too.
	uncertain []bool
}

func (j *judge) judge(ctx context.Context, i int) error {
	p := j.products[i]
	if j.list[i].Path != "" {
		return nil
	}
	j.list[i] = Related{Path: p.Location, Kind: p.Kind, Hash: p.Hash, Verdict: HasNone}
	searched := p.Manifest != nil && erasure.Searches(p.Kind)
	ownAddress := p.Kind == (schemas.Document{}).Schema().Name
	for _, hash := range p.Inputs {
		for _, parent := range j.byHash[hash] {
			if parent == i {
				continue
			}
			if err := j.judge(ctx, parent); err != nil {
				return err
			}
			switch {
			case j.list[parent].Verdict == HasRows && slices.Contains(p.Drawn, hash):
				j.list[i].Verdict = Learned
			case j.list[parent].Verdict != HasNone && j.list[i].Verdict != Learned:
				j.list[i].Verdict = MayHave
			}
			if origin := j.products[parent]; origin.Manifest != nil {
				searched = searched && erasure.Names(p.Kind, origin.Kind)
				j.uncertain[i] = j.uncertain[i] || j.uncertain[parent] && !ownAddress
			}
		}
	}
	if !searched {
		return nil
	}
	folder, err := storage.Locate(p.Location)
	if err != nil {
		return err
	}
	count, err := j.selection.Learn(ctx, folder, p.Manifest)
	if errors.Is(err, dataset.ErrCorrupt) {
		j.list[i].Verdict, j.uncertain[i] = MayHave, true
		return nil
	}
	if err != nil {
		return err
	}
	j.list[i].Rows = count.Found
	j.uncertain[i] = j.uncertain[i] || count.Nameless > 0 && !ownAddress
	switch {
	case count.Found > 0:
		j.list[i].Verdict = HasRows
	case !j.uncertain[i]:
		j.list[i].Verdict = HasNone
	}
	return nil
}

// Load reads the certificate of a dataset. Errors match fs.ErrNotExist or dataset.ErrCorrupt.
func Load(ctx context.Context, folder storage.Folder) (*Certificate, error) {
	var c Certificate
	if err := dataset.ReadSealed(ctx, folder, dataset.CertificateName, maxCertificate, &c); err != nil {
		return nil, err
	}
	return &c, nil
}

// Verify compares the certificate of a dataset that was made by erase with its manifest, and returns all faults, joined. With a list, of a
// kind, it also compares this list with those that were erased, and looks for its addresses in documents.
func Verify(ctx context.Context, folder storage.Folder, m *dataset.Manifest, kind string, list *blocklist.List) (*Certificate, error) {
	c, err := Load(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; the same `sentweave erase` writes it again", dataset.ErrCorrupt, err)
	}
	var faults fault.List
	check := func(holds bool, format string, args ...any) {
		if !holds {
			faults.Addf("%s: %w: "+format, append([]any{dataset.CertificateName, dataset.ErrCorrupt}, args...)...)
		}
	}
	check(c.To == datasetOf(m), "it is of another dataset, with manifest %s", c.To.Manifest)
	check(m.Plan.InputHash(c.From.Schema+"s") == c.From.Manifest, "the dataset was not made of %s", c.From.Manifest)
	check(m.Plan.InputHash("list") == c.List.XXH3, "the list %s was not the one that was erased", c.List.XXH3)
	check(c.From.Rows-c.Rows == m.Rows, "%d of %d rows are gone, and %d are left", c.Rows, c.From.Rows, m.Rows)
	removals := c.Removals()
	for i, r := range c.Earlier {
		check(r.To == removals[i+1].From && r.From.Rows-r.Rows == r.To.Rows, "removal %d does not lead to the next one", i+1)
	}
	dropped := int64(0)
	for _, chain := range m.Funnel.Chains {
		for _, step := range chain.Steps {
			total := step.Total()
			dropped += total.In - total.Out
		}
	}
	check(dropped == c.Rows, "%d rows are gone, the funnel drops %d", c.Rows, dropped)
	check(c.Kept+c.Rewritten == len(m.Shards) && c.Kept+c.Rewritten+c.Gone == m.Plan.Units,
		"%d shards are kept, %d rewritten and %d gone, of %d units with %d shards", c.Kept, c.Rewritten, c.Gone, m.Plan.Units, len(m.Shards))
	if list == nil {
		return c, faults.Err()
	}
	given, lists := ListOf(kind, list), []string(nil)
	for _, r := range removals {
		lists = append(lists, fmt.Sprintf("%s of --%s with hash %s", spelling.Number(r.List.Entries, "line"), r.List.Kind, r.List.XXH3))
	}
	if !slices.ContainsFunc(removals, func(r Removal) bool { return r.List == given }) {
		return c, errors.Join(faults.Err(), fmt.Errorf("another list was erased: %s, and this one has %s of --%s with hash %s",
			strings.Join(lists, ", then "), spelling.Number(given.Entries, "line"), given.Kind, given.XXH3))
	}
	if m.Plan.Schema == (schemas.Document{}).Schema().Name {
		left, err := erasure.New(list).Learn(ctx, folder, m)
		if err != nil {
			return c, err
		}
		check(left.Found == 0, "%d rows of the dataset are on the list", left.Found)
	}
	return c, faults.Err()
}
