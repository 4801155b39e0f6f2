// Package datasets holds the verbs that look at datasets.
package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sentweave/pipelines/erase"
	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/runners/pipeline"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/certificate"
	"sentweave/transforms/filters/blocklist"
)

// Verbs are the verbs of this package, in the order of help.
var Verbs = []verb.Verb{inspectVerb, traceVerb, diffVerb, exportVerb, verifyVerb, finalizeVerb}

// Argument is the folder that a verb looks at.
type Argument struct {
	Dataset string `arg:"" help:"Folder of the dataset." placeholder:"DIR"`
}

// Folder opens it. What holds no dataset but something else that a verb makes is an error.
func (d Argument) Folder(ctx context.Context, verbs []verb.Verb) (storage.Folder, error) {
	folder, err := storage.Locate(d.Dataset)
	if err != nil {
		return nil, err
	}
	if locations.HoldsDataset(ctx, folder) {
		return folder, nil
	}
	for _, kind := range locations.Marked(verbs) {
		if _, err := folder.Stat(ctx, kind.Mark); err == nil {
			return nil, fmt.Errorf("%s holds %s, as its %s shows, not a dataset", d.Dataset, kind.Is, kind.Mark)
		}
	}
	return folder, nil
}

// verifyVerb is what the programs know of the verb verify.
var verifyVerb = verb.Verb{
	Name: "verify", Group: verb.GroupLook,
	Help: "Read a whole dataset and check it against its manifest, and an erased one against its certificate. Prints one line for each fault.",
	Examples: []string{
		"verify documents",
		"verify erased --urls takedown.txt",
	},
	New: func() any { return new(verifyCommand) },
}

type verifyCommand struct {
	Argument
	URLs    string `name:"urls" help:"Of a dataset that was made by erase: the list of addresses, none of which may be in it." placeholder:"FILE" group:"Erasure" xor:"list"`
	Domains string `help:"The same for a list of domains." placeholder:"FILE" group:"Erasure" xor:"list"`
}

// Run implements the verb.
func (c *verifyCommand) Run(ctx context.Context, p *command.Program) error {
	folder, err := c.Folder(ctx, p.Verbs)
	if err != nil {
		return err
	}
	erased := erase.List{URLs: c.URLs, Domains: c.Domains}
	var list *blocklist.List
	if location, _ := erased.Location(); location != "" { // before the dataset, which takes longer
		if list, err = erased.Load(ctx); err != nil {
			return err
		}
	}
	m, err := dataset.Verify(ctx, folder)
	certified := ""
	if err == nil {
		certified, err = c.certified(ctx, folder, m, list)
	}
	faults := faultsOf(err)
	if ctx.Err() != nil || len(faults) == 0 && err != nil {
		return err
	}
	for _, fault := range faults {
		fmt.Fprintf(p.Stdout, "%s: %v\n", c.Dataset, fault)
	}
	if slices.ContainsFunc(faults, func(fault error) bool { return !ofRun(fault) }) {
		c.advise(ctx, p, folder, m, faults)
		return command.ErrSaid
	}
	fmt.Fprintf(p.Stdout, "%s is whole: %s of %s in %s, %s, content %s\n",
		c.Dataset, command.Counted(m.Rows, "row"), m.Schema(), command.Counted(int64(len(m.Shards)), "shard"), command.Size(m.Bytes),
		m.ContentXXH3)
	if certified != "" {
		fmt.Fprintf(p.Stdout, "%s: %s\n", storage.Join(c.Dataset, dataset.CertificateName), certified)
	}
	if len(faults) > 0 {
		fmt.Fprintf(p.Stdout, "%s: %s\n", c.Dataset, strings.Join(withoutRun(m, faults), "; "))
		return command.ErrSaid
	}
	return nil
}

// ofRun says whether a fault is none of the rows, but of a file that only what extends or repairs the dataset reads.
func ofRun(fault error) bool {
	return errors.Is(fault, dataset.ErrKept) || errors.Is(fault, dataset.ErrRun)
}

// certified compares the certificate of an erased dataset, and says in a line what it certifies; "" for other datasets.
func (c *verifyCommand) certified(ctx context.Context, folder storage.Folder, m *dataset.Manifest, list *blocklist.List) (string, error) {
	if m.Plan.Pipeline != erase.Verb.Name {
		if list != nil {
			return "", command.Usage(fmt.Errorf("%s was not made by `sentweave erase`: a list is compared with a certificate", c.Dataset))
		}
		return "", nil
	}
	_, kind := erase.List{URLs: c.URLs, Domains: c.Domains}.Location()
	issued, err := certificate.Verify(ctx, folder, m, kind, list)
	if err != nil {
		return "", err
	}
	searched := "; --urls or --domains searches for the list itself"
	switch {
	case list != nil && m.Plan.InputHash("pairs") == "":
		searched = ", of which none is left"
	case list != nil:
		searched = "; pairs have no addresses, so the list is compared by its hash alone"
	}
	var went []string
	for _, r := range issued.Removals() {
		if list == nil || r.List == certificate.ListOf(kind, list) {
			went = append(went, fmt.Sprintf("%s of manifest %s went by the list %s", command.Counted(r.Rows, "row"), r.From.Manifest,
				r.List.XXH3))
		}
	}
	return strings.Join(went, ", then ") + searched, nil
}

// withoutRun says what to do where files are damaged that a complete dataset keeps for what extends or repairs it.
func withoutRun(m *dataset.Manifest, faults []error) (ways []string) {
	if slices.ContainsFunc(faults, func(fault error) bool { return errors.Is(fault, dataset.ErrKept) }) {
		ways = append(ways, fmt.Sprintf("only `sentweave %s --extend` reads a file of %s; delete what is damaged there, and it reads the rows of that unit instead",
			m.Plan.Pipeline, path.Dir(dataset.SpillName(0))))
	}
	if slices.ContainsFunc(faults, func(fault error) bool { return errors.Is(fault, dataset.ErrRun) }) {
		ways = append(ways, fmt.Sprintf("without these files of _run no row is lost, but the dataset cannot be extended or repaired: put them back from a copy, or make all anew by `sentweave %s --overwrite`",
			m.Plan.Pipeline))
	}
	return ways
}

// advise says what to do about faults.
func (c *verifyCommand) advise(ctx context.Context, p *command.Program, folder storage.Folder, m *dataset.Manifest, faults []error) {
	if m == nil {
		return
	}
	var ways []string
	leftover := func(fault error) bool { return errors.Is(fault, dataset.ErrLeftover) }
	if slices.ContainsFunc(faults, leftover) {
		way := fmt.Sprintf("`sentweave finalize %s` removes what runs have left that were overwritten or killed", c.Dataset)
		if _, err := dataset.LoadPlan(ctx, folder); err != nil { // a copy
			way = "delete the files that are not part of this dataset"
		}
		ways = append(ways, way)
	}
	if slices.ContainsFunc(faults, func(fault error) bool { return !leftover(fault) && !ofRun(fault) }) {
		ways = append(ways, m.Plan.Mend())
	}
	ways = append(ways, withoutRun(m, faults)...)
	fmt.Fprintf(p.Stdout, "%s: %s\n", c.Dataset, strings.Join(ways, "; "))
}

// faultsOf takes the joined faults out of the error of dataset.Verify. An error
// that is not about the data, such as a folder without any, has none.
func faultsOf(err error) []error {
	if !errors.Is(err, dataset.ErrCorrupt) {
		return nil
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if joined, ok := inner.(interface{ Unwrap() []error }); ok && isJoin(inner) {
			return joined.Unwrap()
		}
	}
	return []error{err}
}

// isJoin tells errors.Join from fmt.Errorf with several %w, which has a text of its own.
func isJoin(err error) bool {
	joined := err.(interface{ Unwrap() []error }).Unwrap()
	return err.Error() == errors.Join(joined...).Error()
}

// finalizeVerb is what the programs know of the verb finalize.
var finalizeVerb = verb.Verb{
	Name: "finalize", Group: verb.GroupLook,
	Help: "Write the manifest of a dataset whose units are all done.",
	Examples: []string{
		"finalize documents",
	},
	New: func() any { return new(finalizeCommand) },
}

type finalizeCommand struct{ Argument }

// Run implements the verb.
func (c *finalizeCommand) Run(ctx context.Context, p *command.Program) error {
	folder, err := c.Folder(ctx, p.Verbs)
	if err != nil {
		return err
	}
	m, err := dataset.Load(ctx, folder)
	complete := err == nil
	plan, planErr := dataset.LoadPlan(ctx, folder)
	switch {
	case planErr == nil && (complete || errors.Is(err, dataset.ErrIncomplete) || errors.Is(err, dataset.ErrCorrupt)):
		m, err = plan.FinalizeChecked(ctx, folder)
	case complete && errors.Is(planErr, fs.ErrNotExist): // a copy without _run
		err = m.CheckHashes(ctx, folder)
	case complete:
		err = planErr
	}
	if err != nil {
		return err
	}
	if complete {
		fmt.Fprintf(p.Stderr, "finalize: %s is complete\n", c.Dataset)
	}
	pipeline.PrintSummary(p, c.Dataset, m)
	return nil
}
