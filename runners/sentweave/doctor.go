package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"sentweave/runners/beam/flink"
	"sentweave/runners/command"
	"sentweave/stages/doctor"
	"sentweave/transforms/engines/apertium"
)

type doctorCommand struct {
	Dir    string `help:"Folder in which datasets are to be made: says whether it can be written, and how much room it has." placeholder:"DIR"`
	Python string `help:"Python interpreter to ask; python3 if not given." placeholder:"FILE" env:"SENTWEAVE_PYTHON"`
	JSON   bool   `name:"json" help:"Print the findings as JSON."`

	Install string `help:"Fetch what a runner needs, instead of looking: flink." enum:",flink" default:"" placeholder:"flink"`
}

// Run implements the verb.
func (c *doctorCommand) Run(ctx context.Context, p *command.Program) error {
	if c.Install == "flink" {
		folder, err := flink.Install(ctx, p.Stderr)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "Flink %s with Beam's job server %s: %s\n", flink.FlinkVersion, flink.BeamVersion, folder)
		return nil
	}
	torch, err := torchProgram()
	if err != nil {
		torch = "" // the finding says so
	}
	findings := doctor.Check(ctx, doctor.Config{Folder: c.Dir, Python: c.Python, Torch: torch})
	findings = append(findings, apertiumFinding(ctx))
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

// apertiumFinding says which pairs of languages are translated without a network.
func apertiumFinding(ctx context.Context) doctor.Finding {
	config := apertium.DefaultConfig()
	config.Program = os.Getenv("SENTWEAVE_APERTIUM")
	e, err := apertium.Open(ctx, config)
	if err != nil {
		return doctor.Finding{Name: "apertium", Status: doctor.Optional, Found: "none for --engine apertium", Help: err.Error()}
	}
	defer e.Close()
	var pairs []string
	for _, p := range e.Pairs() {
		pairs = append(pairs, p.String())
	}
	return doctor.Finding{Name: "apertium", Status: doctor.OK, Found: e.Version() + ", " + strings.Join(pairs, " ")}
}

// flinkFindings say what the runner flink has.
func flinkFindings(ctx context.Context) []doctor.Finding {
	optional := func(name string, found func() (string, error)) doctor.Finding {
		text, err := found()
		if err != nil {
			return doctor.Finding{Name: name, Status: doctor.Optional, Found: "none for --runner flink", Help: err.Error()}
		}
		return doctor.Finding{Name: name, Status: doctor.OK, Found: text}
	}
	return []doctor.Finding{
		optional("java", func() (string, error) {
			program, version, err := flink.Java(ctx)
			return fmt.Sprintf("%d, %s", version, program), err
		}),
		optional("flink", flink.Installed),
	}
}

func (c *doctorCommand) print(p *command.Program, findings []doctor.Finding) error {
	if c.JSON {
		return command.PrintJSON(p.Stdout, findings)
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Status, f.Name, oneLine(f.Found))
		if f.Help != "" {
			fmt.Fprintf(t, "\t\t  %s\n", oneLine(f.Help))
		}
	}
	return t.Flush()
}
