// Package machine holds the verbs that are about this machine and about clusters.
package machine

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/verb"
	"sentweave/runners/beam/flink"
	"sentweave/runners/command"
	"sentweave/runners/libtorch"
	"sentweave/runners/locations"
	"sentweave/stages/doctor"
	"sentweave/transforms/engines/catalog"
)

// Verbs are the verbs of this package, in the order of help.
var Verbs = []verb.Verb{doctorVerb, jobsVerb, workerPoolVerb}

// doctorVerb is what the programs know of the verb doctor.
var doctorVerb = verb.Verb{
	Name: "doctor", Group: verb.GroupMachine,
	Help: "Say what is installed, what is missing, and how to get it.",
	Examples: []string{
		"doctor",
		"doctor --dir data",
		"doctor --install langid",
	},
	New: func() any { return new(doctorCommand) },
}

type doctorCommand struct {
	Dir    string `help:"Folder in which datasets are to be made: says whether it can be written, and how much room it has." placeholder:"DIR"`
	Python string `help:"Python interpreter to ask; python3 if not given." placeholder:"FILE" env:"SENTWEAVE_PYTHON"`
	JSON   bool   `name:"json" help:"Print the findings as JSON."`

	Install string `help:"Fetch something, instead of looking: apertium, langid, libtorch or flink." enum:",apertium,langid,libtorch,flink" default:"" placeholder:"NAME"`
}

// Run implements the verb.
func (c *doctorCommand) Run(ctx context.Context, p *command.Program) error {
	if c.Install != "" {
		return install(ctx, p, c.Install)
	}
	torch, err := libtorch.Program()
	if err != nil {
		torch = "" // the finding says so
	}
	findings := doctor.Check(ctx, doctor.Config{Folder: c.Dir, Python: c.Python, Torch: torch, Version: command.Version()})
	findings = append(findings, optional("langid", "--langid", locations.Langid))
	findings = append(findings, engineFindings(ctx)...)
	findings = append(findings, flinkFindings(ctx)...)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.print(p, findings); err != nil {
		return err
	}
	if !doctor.Healthy(findings) {
		return command.ErrSaid
	}
	return nil
}

// optional is a finding of what only a flag needs.
func optional(name, flag string, check func() (string, error)) doctor.Finding {
	text, err := check()
	if err != nil {
		return doctor.Finding{Name: name, Status: doctor.Optional, Found: "none for " + flag, Help: err.Error()}
	}
	return doctor.Finding{Name: name, Status: doctor.OK, Found: text}
}

// engineFindings say what is translated without a network.
func engineFindings(ctx context.Context) (findings []doctor.Finding) {
	var settings catalog.Settings
	unset := kong.ApplyDefaults(&settings) // as flags that are not given are
	for _, s := range settings.All() {
		if engine := s.Describe(); engine.Installed != nil {
			findings = append(findings, optional(engine.Name, "--engine "+engine.Name, func() (string, error) {
				text, err := engine.Installed(ctx)
				return text, errors.Join(unset, err)
			}))
		}
	}
	return findings
}

// flinkFindings say what the runner flink has.
func flinkFindings(ctx context.Context) []doctor.Finding {
	return []doctor.Finding{
		optional("java", "--runner flink", func() (string, error) {
			program, version, err := flink.Java(ctx)
			return fmt.Sprintf("%d, %s", version, program), err
		}),
		optional("flink", "--runner flink", flink.Installed),
	}
}

func (c *doctorCommand) print(p *command.Program, findings []doctor.Finding) error {
	if c.JSON {
		return command.PrintJSON(p.Stdout, findings)
	}
	status, name := 0, 0
	for _, f := range findings {
		status, name = max(status, len(f.Status)), max(name, len(f.Name))
	}
	width := command.Width(p.Stdout)
	if width > 0 {
		width = max(20, width-status-name-6)
	}
	for _, f := range findings {
		lines := command.Wrap(command.OneLine(f.Found), width+2)
		for _, help := range command.Wrap(command.OneLine(f.Help), width) {
			lines = append(lines, "  "+help)
		}
		for i, line := range lines {
			if i > 0 {
				f.Status, f.Name = "", ""
			}
			if _, err := fmt.Fprintf(p.Stdout, "%-*s  %-*s  %s\n", status, f.Status, name, f.Name, line); err != nil {
				return err
			}
		}
	}
	return nil
}
