package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"sentweave/pipelines/erase"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/certificate"
	"sentweave/stages/lineage"
)

// eraseCommand is embedded under a name that is not exported, as translationsCommand is.
type eraseCommand = Command[erase.Config]

// Erase is the verb of the pipeline that erases, and certifies what it has erased.
type Erase struct {
	Search []string `help:"Folders in which to look, up to two levels below, for what the dataset was made of and what was made of it: datasets, vocabularies, encoders, checkpoints. The certificate says which of these have the rows, or may have learned of them." placeholder:"DIR,…" group:"Erasure"`
	eraseCommand
}

// Standing implements engine.Stander: without its certificate an erased dataset is not complete.
func (c *Erase) Standing(ctx context.Context) (dataset.Fate, error) {
	fate, err := c.eraseCommand.Standing(ctx)
	if err == nil && fate == dataset.Complete && c.issued(ctx) == nil {
		fate = dataset.Resumed
	}
	return fate, err
}

// issued returns the certificate that is there, nil if it is of another dataset or another search.
func (c *Erase) issued(ctx context.Context) *certificate.Certificate {
	folder, m, err := dataset.Open(ctx, c.Out)
	if err != nil {
		return nil
	}
	issued, err := certificate.Load(ctx, folder)
	if err != nil || issued.To.Manifest != m.Check || len(c.Search) > 0 && !slices.Equal(c.Search, issued.Searched) {
		return nil
	}
	return issued
}

// Run implements the verb.
func (c *Erase) Run(ctx context.Context, p *command.Program) error {
	parent, _, err := storage.Split(c.Out)
	if err == nil && locations.RefuseInside(ctx, parent) != nil {
		return command.Usage(fmt.Errorf("--out: %s lies in a dataset, and would go with it: choose another folder", c.Out))
	}
	if _, err := lineage.Open(ctx, c.Search); err != nil { // before the work, which comes first
		return fmt.Errorf("search: %w", err)
	}
	if err := c.checkEarlier(ctx); err != nil {
		return err
	}
	if err := c.eraseCommand.Run(ctx, p); err != nil || c.DryRun {
		return err
	}
	if _, _, err := dataset.Open(ctx, c.Out); errors.Is(err, dataset.ErrIncomplete) {
		return nil // it goes on without its launcher, and the same command certifies it
	}
	issued := c.issued(ctx)
	if issued == nil {
		if issued, err = c.certify(ctx); err != nil {
			return fmt.Errorf("certify: %w", err)
		}
	}
	if p.Quiet {
		return nil
	}
	if issued.Rows == 0 {
		fmt.Fprintln(p.Stderr, "note: no row is on the list, so nothing was erased")
	}
	return printCertificate(p.Stdout, issued, storage.Join(c.Out, dataset.CertificateName))
}

// from is the location of the dataset to erase from.
func (c *Erase) from() string { return cmp.Or(c.Config.Pairs, c.Config.Documents) }

// checkEarlier returns an error if the dataset to erase from was erased from and has lost its certificate. What else is wrong with it, the
// plan says.
func (c *Erase) checkEarlier(ctx context.Context) error {
	folder, m, err := dataset.Open(ctx, c.from())
	if err != nil {
		return nil
	}
	_, err = certificate.Earlier(ctx, folder, m)
	return err
}

func (c *Erase) certify(ctx context.Context) (*certificate.Certificate, error) {
	list, err := c.Config.Load(ctx)
	if err != nil {
		return nil, err
	}
	_, kind := c.Config.Location()
	e := certificate.Erasure{Kind: kind, List: list, From: c.from(), Through: c.Config.Through, To: c.Out, Search: c.Search}
	if c.Config.Pairs != "" {
		e.Documents = c.Config.Documents
	}
	return certificate.Issue(ctx, e)
}

func printCertificate(w io.Writer, c *certificate.Certificate, location string) error {
	fmt.Fprintf(w, "erased %s of %s, by a list of %s; shards: %d kept byte for byte, %d rewritten, %d gone\n",
		command.Count(c.Rows), command.Counted(c.From.Rows, c.From.Schema), command.Counted(int64(c.List.Entries), "different line"),
		c.Kept, c.Rewritten, c.Gone)
	if c.WithoutOrigin > 0 {
		fmt.Fprintf(w, "note: %s of those left name no origin, so no list can find them\n", command.Counted(c.WithoutOrigin, c.From.Schema))
	}
	fmt.Fprintf(w, "%s certifies it\n", location)
	if len(c.Related) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nrelated\tkind\trows of the list")
	for _, r := range c.Related {
		verdict := r.Verdict
		if r.Rows > 0 {
			verdict = command.Count(r.Rows)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", r.Path, r.Kind, verdict)
	}
	return t.Flush()
}
