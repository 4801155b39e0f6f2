package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/publish"
	"sentweave/stages/publish/hub"
	"sentweave/transforms/engines"
)

// publishVerb is what the programs know of the verb publish.
var publishVerb = verb.Verb{
	Name: "publish", Group: verb.GroupLook,
	Help: "Publish an encoder or a dataset, with a card, in a folder or at the Hub of Hugging Face.",
	Examples: []string{
		"publish encoder --out encoder-published",
		"publish encoder --results results --license apache-2.0 --hub OWNER/NAME",
		"publish documents --hub OWNER/NAME --private",
	},
	New: func() any { return new(publishCommand) },
}

type publishCommand struct {
	Folder string `arg:"" help:"Folder of the encoder or the dataset." placeholder:"DIR"`
	publish.Config
	Out       string `help:"Folder in which the files of the repository are written." placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Replace files of --out that differ." group:"Output"`
	hubFlags
}

// hubFlags say where an upload goes.
type hubFlags struct {
	Hub         string `help:"Repository to upload to, by one commit; it is made if there is none. Files that are equal there are not sent; those that others would take for a part of the encoder or the dataset, and that are not, are deleted." placeholder:"OWNER/NAME" group:"Hub"`
	Private     bool   `help:"Make a private repository if there is none." group:"Hub"`
	Branch      string `help:"Branch of the repository." default:"main" placeholder:"NAME" group:"Hub"`
	Message     string `help:"Message of the commit." placeholder:"TEXT" group:"Hub"`
	HubAddress  string `help:"Address of the Hub." default:"https://huggingface.co" placeholder:"URL" group:"Hub"`
	KeyVariable string `help:"Environment variable with the token." default:"HF_TOKEN" placeholder:"NAME" group:"Hub"`
	KeyFile     string `help:"File with the token, which counts before the variable." placeholder:"FILE" group:"Hub"`
}

// Validate returns all faults at once.
func (c *publishCommand) Validate() error {
	var errs fault.List
	errs.Check(c.Out+c.Hub != "", "give --out, --hub or both: there is nowhere to publish")
	errs.Check(c.Hub != "" || !c.Private && c.Message+c.KeyFile == "", "private, message and key-file are for --hub")
	errs.Check(c.Out != "" || !c.Overwrite, "overwrite is for --out")
	return errors.Join(errs.Err(), c.Config.Validate())
}

// repository opens the one at the Hub.
func (c *hubFlags) repository(kind string) (*hub.Repository, error) {
	variable := c.KeyVariable
	if c.KeyFile != "" {
		variable = ""
	}
	token, err := engines.ReadSecret(variable, c.KeyFile)
	if err != nil {
		return nil, err
	}
	r := &hub.Repository{Kind: kind, Name: c.Hub, Revision: c.Branch, Private: c.Private}
	return r, r.Open(c.HubAddress, token, time.Second)
}

// Run implements the verb.
func (c *publishCommand) Run(ctx context.Context, p *command.Program) error {
	name := c.Hub
	if name == "" {
		name = filepath.Base(filepath.Clean(c.Folder))
	}
	if c.Hub != "" { // a fault of the token shows before hashes are taken
		if _, err := c.repository(hub.Model); err != nil {
			return err
		}
	}
	r, err := publish.Open(ctx, c.Folder, name, c.Config)
	if err != nil {
		return err
	}
	bytes := int64(0)
	for _, f := range r.Files {
		bytes += f.Size
	}
	files := fmt.Sprintf("%s of %s", command.Counted(int64(len(r.Files)), "file"), command.Size(bytes))
	if c.Out != "" {
		folder, err := storage.Locate(c.Out)
		if err != nil {
			return command.Usage(err)
		}
		if local, ok := folder.(*storage.Local); ok {
			folder = local.Beside() // nothing but files of the repository
		}
		if err := r.Write(ctx, folder, c.Overwrite); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s: %s\n", c.Out, files)
	}
	if c.Hub == "" {
		return nil
	}
	repository, err := c.repository(r.Kind)
	if err != nil {
		return err
	}
	message := c.Message
	if message == "" {
		message = "Publish " + filepath.Base(filepath.Clean(c.Folder))
	}
	commit, err := repository.Upload(ctx, r.Files, message, r.Stale, func(f hub.File) {
		if !p.Quiet {
			fmt.Fprintf(p.Stderr, "publish: sending %s, %s\n", f.Name, command.Size(f.Size))
		}
	})
	if hub.Refused(err) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w; run the same command again: what has arrived is not sent again", err)
	}
	if commit.ID == "" {
		fmt.Fprintf(p.Stdout, "%s has these files already: %s\n", repository.Address(), files)
		return nil
	}
	fmt.Fprintf(p.Stdout, "%s: commit %s, %d files sent, %d unchanged, %d deleted\n", repository.Address(), commit.ID, commit.Uploaded,
		commit.Unchanged, commit.Deleted)
	return nil
}
