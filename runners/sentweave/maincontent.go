package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/maincontent"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/boost"
	mainlines "sentweave/transforms/clean/maincontent/lines"
	mainmodel "sentweave/transforms/clean/maincontent/trained"
	"sentweave/transforms/read/html"
)

// mainContentVerb is what the programs know of the verb maincontent.
var mainContentVerb = verb.Verb{
	Name: "maincontent", Group: verb.GroupCorpus,
	Help: "Train, measure and use models that tell the main content of pages from the rest.",
	Examples: []string{
		"maincontent train --data wcxb --out wcxb.model",
		"maincontent evaluate --data wcxb",
		"maincontent evaluate --data wcxb --bare",
		"maincontent extract --input pages --out pages.jsonl",
		"maincontent explain page.html",
		"maincontent explain page.html --model wcxb.model --parts 5",
	},
	New: func() any { return new(mainContentCommand) },
}

// mainContentCommand lists what can be done with models of main content.
type mainContentCommand struct {
	Train    trainMainContent    `cmd:"" help:"Train a model on pages and the texts that are their main content."`
	Evaluate evaluateMainContent `cmd:"" help:"Measure models on pages of domains that they have not seen, beside other programs."`
	Extract  extractMainContent  `cmd:"" help:"Write the main content of pages as JSON lines."`
	Explain  explainMainContent  `cmd:"" help:"Show each block of a page, how probable it is that it is main content, and what decided."`
}

// labelledPages are flags for data to train on.
type labelledPages struct {
	Data    []string `help:"Folders of labelled pages: ground-truth.jsonl (also .gz), a line a page with id, url, page_type and main_content, and html/ID.html (also .gz)." required:"" placeholder:"DIR,…" group:"Input"`
	Bare    bool     `help:"Reduce pages to their text and judge lines, as for WET and text files, which have nothing else." group:"Training"`
	Trees   int      `help:"Number of trees; 0 stands for 400, with --bare for 200." default:"0" group:"Training"`
	Seed    uint64   `help:"Seed of the random choices." default:"1" group:"Training"`
	Threads int      `help:"Threads at once; the result is the same." default:"2" group:"Training"`
}

// config is the configuration of the training.
func (c *labelledPages) config() mainmodel.Config {
	config := mainmodel.DefaultConfig()
	config.Trees.Trees, config.Seed, config.Threads = cmp.Or(c.Trees, config.Trees.Trees), c.Seed, c.Threads
	return config
}

// bareConfig is the configuration of the training of a model of lines.
func (c *labelledPages) bareConfig() boost.Config {
	config := mainlines.Config()
	config.Trees, config.Seed, config.Threads = cmp.Or(c.Trees, config.Trees), c.Seed, c.Threads
	return config
}

// Validate returns all faults of the flags.
func (c *labelledPages) Validate() error {
	var errs fault.List
	errs.Check(c.Trees >= 0 && c.Trees <= 10_000, "--trees is %d, it must be from 1 to 10000, or 0 for the default", c.Trees)
	errs.Check(c.Threads >= 1, "--threads is %d, it must be at least 1", c.Threads)
	return errs.Err()
}

// load reads the pages and tells of those that are not used.
func (c *labelledPages) load(ctx context.Context, p *command.Program, verb string, sources bool) (*maincontent.Data, error) {
	d, err := maincontent.Load(ctx, c.Data, sources, func(count, total int) {
		if count%500 == 0 {
			fmt.Fprintf(p.Stderr, "maincontent %s: %s of %s pages read\n", verb, command.Count(int64(count)), command.Count(int64(total)))
		}
	})
	if err != nil {
		return nil, err
	}
	if n := len(d.Missing); n > 0 {
		fmt.Fprintf(p.Stderr, "maincontent %s: %s of the list without a file, such as html/%s.html\n", verb,
			command.Counted(int64(n), "page"), d.Missing[0])
	}
	rejected := map[string]int64{}
	for _, page := range d.Pages {
		if page.Sample == nil {
			rejected[page.Reason]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(rejected)) {
		fmt.Fprintf(p.Stderr, "maincontent %s: %s rejected: %s\n", verb, command.Counted(rejected[reason], "page"), reason)
	}
	return d, nil
}

type trainMainContent struct {
	labelledPages
	Out         string `help:"File of the model to write." required:"" placeholder:"FILE" group:"Output"`
	Name        string `help:"Name of the data, for the model's record; without it, the names of the folders." placeholder:"TEXT" group:"Output"`
	Licence     string `help:"Licence of the data, for the model's record." placeholder:"TEXT" group:"Output"`
	Attribution string `help:"Whom the licence asks to name." placeholder:"TEXT" group:"Output"`
}

// Run implements the verb.
func (c *trainMainContent) Run(ctx context.Context, p *command.Program) error {
	if _, _, _, err := storage.NewFile(ctx, c.Out, true); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	d, err := c.load(ctx, p, "train", false)
	if err != nil {
		return err
	}
	origin := mainmodel.Provenance{Data: c.Name, Licence: c.Licence, Attribution: c.Attribution}
	if origin.Data == "" {
		var names []string
		for _, folder := range c.Data {
			_, name, err := storage.Split(strings.TrimRight(folder, "/"))
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		origin.Data = strings.Join(names, ", ")
	}
	if c.Bare {
		m, err := d.Bare().Train(ctx, -1, mainlines.Provenance{Data: origin.Data, Licence: origin.Licence, Attribution: origin.Attribution},
			c.bareConfig())
		if err != nil {
			return err
		}
		if err := maincontent.WriteModel(ctx, c.Out, m); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s: model %s, trained on %s of %s\n", c.Out, m.Hash(), command.Counted(int64(m.Lines), "line"),
			command.Counted(int64(m.Pages), "page"))
		return nil
	}
	m, err := maincontent.Train(ctx, d, origin, c.config())
	if err != nil {
		return err
	}
	if err := maincontent.WriteModel(ctx, c.Out, m); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: model %s, trained on %s of %s\n", c.Out, m.Hash(), command.Counted(int64(m.Blocks), "block"),
		command.Counted(int64(m.Pages), "page"))
	return nil
}

type evaluateMainContent struct {
	labelledPages
	Model   string `help:"Measure this model on all pages, in the place of models of folds; it must not have been trained on them." placeholder:"FILE" group:"Input"`
	Compare bool   `help:"Measure also all text of pages, Trafilatura and jusText where $SENTWEAVE_PYTHON has them, and go-trafilatura where $SENTWEAVE_GO_TRAFILATURA is a program built of stages/maincontent/peers." default:"true" negatable:"" group:"Output"`
	JSON    bool   `name:"json" help:"Print JSON." group:"Output"`
}

// Run implements the verb.
func (c *evaluateMainContent) Run(ctx context.Context, p *command.Program) error {
	d, err := c.load(ctx, p, "evaluate", c.Compare && !c.Bare)
	if err != nil {
		return err
	}
	systems, err := c.systems(ctx, p, d)
	if err != nil {
		return err
	}
	if c.JSON {
		return command.PrintJSON(p.Stdout, d.Table(systems))
	}
	return printScores(p.Stdout, d.Table(systems))
}

// bareSystems measures the model of lines and what it is compared with.
func (c *evaluateMainContent) bareSystems(ctx context.Context, d *maincontent.Data, observe func(fold int)) ([]maincontent.System, error) {
	bare := d.Bare()
	var first maincontent.System
	if c.Model != "" {
		m, err := maincontent.ReadLines(ctx, c.Model)
		if err != nil {
			return nil, err
		}
		if first, err = bare.Score(ctx, m); err != nil {
			return nil, err
		}
	} else {
		var err error
		if first, err = bare.Evaluate(ctx, c.bareConfig(), observe); err != nil {
			return nil, err
		}
	}
	if !c.Compare {
		return []maincontent.System{first}, nil
	}
	return append([]maincontent.System{first}, bare.Others()...), nil
}

// systems measures the model and what it is compared with.
func (c *evaluateMainContent) systems(ctx context.Context, p *command.Program, d *maincontent.Data) ([]maincontent.System, error) {
	observe := func(fold int) {
		fmt.Fprintf(p.Stderr, "maincontent evaluate: fold %d of %d is done\n", fold+1, maincontent.Folds)
	}
	if c.Bare {
		return c.bareSystems(ctx, d, observe)
	}
	var first maincontent.System
	if c.Model != "" {
		m, err := maincontent.ReadModel(ctx, c.Model)
		if err != nil {
			return nil, err
		}
		if first, err = maincontent.Score(ctx, d, m); err != nil {
			return nil, err
		}
	} else {
		var err error
		if first, err = maincontent.Evaluate(ctx, d, c.config(), observe); err != nil {
			return nil, err
		}
	}
	if !c.Compare {
		return []maincontent.System{first}, nil
	}
	comparisons, err := c.others(ctx, d)
	return append([]maincontent.System{first}, comparisons...), err
}

// others measures the systems beside the model.
func (c *evaluateMainContent) others(ctx context.Context, d *maincontent.Data) ([]maincontent.System, error) {
	var peers []maincontent.Peer
	if program := os.Getenv("SENTWEAVE_GO_TRAFILATURA"); program != "" {
		peers = append(peers, maincontent.GoTrafilatura(program))
	}
	if python := os.Getenv("SENTWEAVE_PYTHON"); python != "" {
		peers = append(peers, maincontent.PythonPeers(ctx, python)...)
	}
	systems := []maincontent.System{maincontent.Everything(d)}
	for _, p := range peers {
		s, err := p.Score(ctx, d)
		if err != nil {
			return nil, err
		}
		systems = append(systems, s)
	}
	return systems, nil
}

// printScores prints a table: a line a system, a column a kind of page.
func printScores(w io.Writer, list []maincontent.Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "system\tF1\tprecision\trecall")
	for _, k := range list[0].Kinds {
		fmt.Fprintf(t, "\t%s (%d)", k.Kind, k.Pages)
	}
	fmt.Fprintln(t, "\tfirst less this")
	for i, r := range list {
		fmt.Fprintf(t, "%s\t%.4f\t%.3f\t%.3f", r.System, r.All.F1, r.All.Precision, r.All.Recall)
		for _, k := range r.Kinds {
			fmt.Fprintf(t, "\t%.3f", k.F1)
		}
		if i > 0 {
			fmt.Fprintf(t, "\t%+.4f ± %.4f", r.Difference, r.StandardError)
		}
		fmt.Fprintln(t)
	}
	if languages := list[0].Languages; len(languages) > 1 {
		fmt.Fprint(t, "\nby declared language")
		for _, l := range languages {
			fmt.Fprintf(t, "\t%s (%d)", l.Kind, l.Pages)
		}
		fmt.Fprintln(t)
		for _, r := range list {
			fmt.Fprint(t, r.System)
			for _, l := range r.Languages {
				fmt.Fprintf(t, "\t%.3f", l.F1)
			}
			fmt.Fprintln(t)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "mean F1 of words over %s; ± is a standard error of the difference over pages\n",
		command.Counted(int64(list[0].All.Pages), "page"))
	return err
}

// modelAt reads a model, or returns that of the program.
func modelAt(ctx context.Context, location string) (*mainmodel.Model, error) {
	if location == "" {
		return mainmodel.Default()
	}
	return maincontent.ReadModel(ctx, location)
}

type extractMainContent struct {
	Input string `help:"Folder of HTML files and web archives: .html, .htm, .xhtml, .warc, also with .gz." required:"" placeholder:"DIR" group:"Input"`
	Model string `help:"File of the model; without it, the one of the program." placeholder:"FILE" group:"Input"`
	Out   string `help:"File to write: a line of JSON a page, with source, title, kind, language and text." required:"" placeholder:"FILE" group:"Output"`
}

// Run implements the verb.
func (c *extractMainContent) Run(ctx context.Context, p *command.Program) error {
	m, err := modelAt(ctx, c.Model)
	if err != nil {
		return err
	}
	counts, err := maincontent.ExtractFolder(ctx, c.Input, c.Out, m, func(e *maincontent.Extracted) {
		if e.Files%1000 == 0 {
			fmt.Fprintf(p.Stderr, "maincontent extract: %s, %s\n", command.Counted(e.Files, "file"), command.Counted(e.Pages, "page"))
		}
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %s of %s", c.Out, command.Counted(counts.Pages, "page"), command.Counted(counts.Files, "file"))
	if counts.Empty > 0 {
		fmt.Fprintf(p.Stdout, ", %s without main content", command.Count(counts.Empty))
	}
	fmt.Fprintln(p.Stdout)
	for _, reason := range slices.Sorted(maps.Keys(counts.Rejected)) {
		fmt.Fprintf(p.Stdout, "left out: %s, %s, such as %s\n", command.Counted(counts.Rejected[reason], "page"), reason,
			counts.First[reason])
	}
	return nil
}

type explainMainContent struct {
	Page  string `arg:"" help:"File of the page: HTML, also compressed (.gz)."`
	Model string `help:"File of the model; without it, the one of the program." placeholder:"FILE" group:"Input"`
	Parts int    `help:"How many of the things that decided to print of each block." default:"3" group:"Output"`
	HTML  string `name:"html" help:"Write a page for the browser to this file, with each block and what decided." placeholder:"FILE" group:"Output"`
	JSON  bool   `name:"json" help:"Print JSON." group:"Output"`
}

// Validate returns all faults of the flags.
func (c *explainMainContent) Validate() error {
	var errs fault.List
	errs.Check(c.Parts >= 0, "--parts is %d, it must not be negative", c.Parts)
	errs.Check(c.HTML == "" || !c.JSON, "--html and --json are two forms of output: give one of them")
	return errs.Err()
}

// Run implements the verb.
func (c *explainMainContent) Run(ctx context.Context, p *command.Program) error {
	if c.HTML != "" {
		if _, _, _, err := storage.NewFile(ctx, c.HTML, true); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	m, err := modelAt(ctx, c.Model)
	if err != nil {
		return err
	}
	switch info, err := os.Stat(c.Page); {
	case storage.IsRemote(c.Page): // reading tells
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("PAGE: %s does not exist", c.Page)
	case err == nil && info.IsDir():
		return fmt.Errorf("PAGE: %s is a folder; give the file of a page", c.Page)
	}
	data, err := maincontent.ReadPage(ctx, c.Page)
	if err != nil {
		return err
	}
	page, reason, detail := html.Parse(data, html.Origin{}, mainmodel.HTML())
	if reason != "" {
		return errors.New(strings.TrimSuffix(fmt.Sprintf("%s is not a page that can be read: %s, %s", c.Page, reason, detail), ", "))
	}
	j, list := m.Explain(blocks.Describe(page), c.Parts)
	if c.JSON {
		return command.PrintJSON(p.Stdout, map[string]any{"kind": j.Kind, "expected_f1": j.Expected, "blocks": list})
	}
	if c.HTML != "" {
		if err := (maincontent.Explanation{Source: c.Page, Title: page.Title, Judgement: j, Blocks: list}).Write(ctx, c.HTML); err != nil {
			return err
		}
		fmt.Fprintln(p.Stdout, c.HTML)
		return nil
	}
	fmt.Fprintf(p.Stdout, "%s: kind %s, expected F1 %.2f\n", c.Page, j.Kind, j.Expected)
	for _, e := range list {
		fate := "kept   "
		if !e.Chosen {
			fate = "dropped"
		}
		fmt.Fprintf(p.Stdout, "%s %.2f  %s", fate, e.Probability, e.Markup)
		if e.Place != "" {
			fmt.Fprintf(p.Stdout, " (%s)", e.Place)
		}
		fmt.Fprintf(p.Stdout, ": %s\n", command.Shorten(e.Text))
		for _, part := range e.Parts {
			fmt.Fprintf(p.Stdout, "    %v\n", part)
		}
	}
	return nil
}
