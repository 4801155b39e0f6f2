package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/document"
)

// traceVerb is what the programs know of the verb trace.
var traceVerb = verb.Verb{
	Name: "trace", Group: verb.GroupLook,
	Help: "Show what each step of corpus says of one page.",
	Examples: []string{
		"trace documents eng/index.html --input pages",
	},
	New: func() any { return new(traceCommand) },
}

type traceCommand struct {
	Argument
	Page         string `arg:"" help:"Source (name of the input file), FILE:OFFSET, id or URL of the page."`
	Input        string `help:"Folder of the input; the dataset does not know where it lay." required:"" placeholder:"DIR"`
	Langid       string `help:"fastText model of languages that the dataset was made with." placeholder:"FILE"`
	QualityModel string `help:"fastText model of quality that the dataset was made with." placeholder:"FILE"`

	PerplexityModel map[string]string `help:"N-gram models that the dataset was made with." placeholder:"LANG=FILE" mapsep:","`
	Pieces          map[string]string `help:"Models of pieces that the dataset was made with." placeholder:"LANG=FILE" mapsep:","`
	Words           map[string]string `help:"Lists of words that the dataset was made with." placeholder:"LANG=FILE" mapsep:","`
}

// Run implements the verb: it reads the page again with the configuration that
// is in the plan, and prints what each step says.
func (c *traceCommand) Run(ctx context.Context, p *command.Program) error {
	folder, err := c.Folder(ctx, p.Verbs)
	if err != nil {
		return err
	}
	config := corpus.Config{Input: c.Input, Langid: c.Langid}
	config.QualityModel, config.PerplexityModel, config.Pieces, config.Words = c.QualityModel, c.PerplexityModel, c.Pieces, c.Words
	plan, err := CorpusOf(ctx, c.Dataset, folder, &config)
	if err != nil {
		return err
	}
	if _, err := os.Stat(c.Input); errors.Is(err, fs.ErrNotExist) && !storage.IsRemote(c.Input) {
		return fmt.Errorf("--input: %s does not exist; give the folder of pages that the dataset was made of, wherever that lies now",
			c.Input)
	}
	total := 0
	if err := EachChunk(ctx, plan, folder, func(units []dataset.Unit) error {
		n, err := config.Trace(ctx, units, c.Page, func(o *document.Outcome) error { return printOutcome(p, o) })
		total += n
		return err
	}); err != nil {
		return err
	}
	if total == 0 {
		return fmt.Errorf("%s: no record of the plan has the source, id or URL %q", c.Dataset, c.Page)
	}
	return nil
}

// CorpusOf returns the plan of a dataset of corpus, and adds the configuration that is in it to one that has the locations of the
// input and of the models.
func CorpusOf(ctx context.Context, name string, folder storage.Folder, config *corpus.Config) (*dataset.Plan, error) {
	plan, err := planOf(ctx, folder)
	if err != nil {
		return nil, err
	}
	if plan.Pipeline != "corpus" {
		return nil, command.Usage(fmt.Errorf("%s was made by %s; pages are traced in the output of corpus", name, plan.Pipeline))
	}
	if err := jsonfile.Unmarshal(plan.Config, config); err != nil {
		return nil, err
	}
	if config.Langid == "" { // the identifier of the program need not be named
		_, input, err := identifier.OpenFile(ctx, corpus.LangidRole, identifier.Embedded)
		if err == nil && input.XXH3 == plan.InputHash(corpus.LangidRole) {
			config.Langid = identifier.Embedded
		}
	}
	models := []model{
		{corpus.LangidRole, "langid", "a model that identifies languages", identifier.Location(config.Langid)},
		{corpus.QualityRole, "quality-model", "a model that tells good documents", config.QualityModel},
	}
	files, err := config.LanguageFiles()
	if err != nil {
		return nil, command.Usage(err)
	}
	for _, f := range files {
		models = append(models, languageModel(f.Role(), f.Location))
	}
	for _, role := range config.LanguageRoles {
		if !slices.ContainsFunc(files, func(f corpus.LanguageFile) bool { return f.Role() == role }) {
			models = append(models, languageModel(role, ""))
		}
	}
	for _, m := range models {
		if err := m.check(ctx, plan); err != nil {
			return nil, command.Usage(err)
		}
	}
	return plan, nil
}

// EachChunk calls use with the units of a plan, a file of them at a time.
func EachChunk(ctx context.Context, plan *dataset.Plan, folder storage.Folder, use func([]dataset.Unit) error) error {
	for i := range plan.Chunks() {
		units, err := plan.LoadUnits(ctx, folder, i)
		if err != nil {
			return err
		}
		if err := use(units); err != nil {
			return err
		}
	}
	return nil
}

// model is a model of a dataset, as its flag gives it.
type model struct{ role, flag, is, location string }

// languageModel is what a flag gives for one language, by its role.
func languageModel(role, location string) model {
	flag, code, _ := strings.Cut(role, " ")
	return model{role, flag, "a file of --" + flag + " for " + code, location}
}

// check returns an error unless the model is the one of the plan: with
// another, or none, the steps would say something else than they did.
func (m model) check(ctx context.Context, plan *dataset.Plan) error {
	hash := plan.InputHash(m.role)
	switch {
	case hash == "" && m.location == "":
		return nil
	case hash == "":
		return fmt.Errorf("the dataset was made without %s: leave --%s out", m.is, m.flag)
	case m.location == "":
		return fmt.Errorf("the dataset was made with %s: give it by --%s", m.is, m.flag)
	}
	open := units.OpenFile
	if m.location == identifier.Embedded && m.role == corpus.LangidRole {
		open = identifier.OpenFile
	}
	_, input, err := open(ctx, m.role, m.location)
	if err == nil && input.XXH3 != hash {
		err = fmt.Errorf("%s is not the model that the dataset was made with, or has another name", m.location)
	}
	return err
}

// planOf returns the plan of a dataset, complete or not.
func planOf(ctx context.Context, folder storage.Folder) (*dataset.Plan, error) {
	m, err := dataset.Load(ctx, folder)
	if err == nil {
		return &m.Plan, nil
	}
	if !errors.Is(err, dataset.ErrIncomplete) {
		return nil, err
	}
	return dataset.LoadPlan(ctx, folder)
}

func printOutcome(p *command.Program, o *document.Outcome) error {
	d := o.Document
	fmt.Fprintf(p.Stdout, "document %s, source %s, offset %d, language %s %.2f\n", d.ID, d.Source, d.Offset, d.Language, d.LanguageScore)
	fmt.Fprintf(p.Stdout, "  %s\n", verdict(o.Verdict))
	for _, block := range o.Blocks {
		fmt.Fprintf(p.Stdout, "  block %d, probability %.2f: %s: %s\n", block.Block, block.Main, verdict(block.Verdict),
			command.Shorten(block.Text))
	}
	for _, s := range o.Sentences {
		fmt.Fprintf(p.Stdout, "  sentence of block %d, %s: %s: %s\n", s.Block, s.Language, verdict(s.Verdict), command.Shorten(s.Text))
	}
	return nil
}

func verdict(v document.Verdict) string {
	if v.Kept() {
		return "kept"
	}
	if v.Detail == "" {
		return fmt.Sprintf("dropped by %s: %s", v.Step, v.Reason)
	}
	return fmt.Sprintf("dropped by %s: %s (%s)", v.Step, v.Reason, v.Detail)
}
