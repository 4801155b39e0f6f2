package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pairs"
	"sentweave/runners/command"
	"sentweave/runners/recipe"
	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/vocab"
)

// base is a verb without its kind.
func base(verb string) string {
	verb, _, _ = strings.Cut(verb, " ")
	return verb
}

// output is what lies in the folder of a step: what rowsOf names and, of pairs and of examples,
// the kinds that they may have (schemas.Kinds), nil where the recipe does not tell them.
type output struct {
	rows  string
	kinds []string
}

// outputs returns what each step of a recipe makes. The commands are those of all its steps.
func outputs(r *recipe.Recipe, commands []recipe.Command) map[string]output {
	made := map[string]output{}
	for i, s := range r.Steps {
		args := commands[i].Args
		o := output{rows: rowsOf[base(s.Run)]}
		reads, _ := readOf(s, "pairs")
		switch base(s.Run) {
		case "dedup": // which makes what it reads
			if reads != "" || valueIn(args, "pairs") != "" {
				o = output{"pair", made[reads].kinds}
			}
		case "pairs":
			kind := cmp.Or(valueIn(args, "kind"), schemas.KindConsecutive)
			if kind == pairs.Parallel {
				kind = schemas.KindBitext
			}
			o.kinds = []string{kind}
		case "views": // of another language they are translations
			o.kinds = []string{schemas.KindView, schemas.KindBitext}
		case "replace":
			o.kinds = []string{schemas.KindView}
		case "crosslingual":
			o.kinds = []string{schemas.KindNLI}
		case "examples":
			o.kinds = made[reads].kinds
			if _, ofDocuments := readOf(s, "documents"); ofDocuments || valueIn(args, "documents") != "" {
				o.kinds = []string{schemas.KindConsecutive}
			}
		}
		made[s.Name] = o
	}
	return made
}

// readOf returns the first step whose output a flag of a step takes.
func readOf(s recipe.Step, flag string) (name string, ok bool) {
	for _, in := range s.From {
		if in.Flag == flag && len(in.From) > 0 {
			return in.From[0].Step, true
		}
	}
	return "", false
}

// checkInputs says which inputs of a step are outputs of another kind than it takes.
func checkInputs(r *recipe.Recipe, step string, makes map[string]output) error {
	var errs fault.List
	for _, s := range r.Steps {
		if s.Name != step {
			continue
		}
		for _, in := range s.From {
			want := taken(s.Run, in.Flag)
			for _, ref := range in.From {
				made := makes[ref.Step].rows
				if made == "encoder" && ref.File == vocab.FileName { // which is in the folder of an encoder, too
					made = "vocabulary"
				}
				if len(want) > 0 && made != "" && !slices.Contains(want, made) {
					errs.Addf("%s takes %s, step %s makes %s", in.Flag, article(want...), ref.Step, article(made))
				}
			}
		}
	}
	return errs.Err()
}

// checkExamples says which examples of a training are of kinds that its objectives do not take.
func checkExamples(verb any, commands []recipe.Command, makes map[string]output) error {
	t, ok := verb.(*trainCommand)
	if !ok {
		return nil
	}
	return t.CheckKinds(func(location string) (step string, kinds []string) {
		for _, c := range commands {
			if c.Out == location {
				return "step " + c.Step, makes[c.Step].kinds
			}
		}
		return "", nil
	})
}

// unknownFlags returns an error for flags that are set of steps which are left out and whose verbs do
// not have them: the parser does not see these.
func unknownFlags(r, chosen *recipe.Recipe, set map[string]string, verbs map[string]command.Flags) error {
	var errs fault.List
	for _, name := range slices.Sorted(maps.Keys(set)) {
		step, flag, dotted := strings.Cut(name, ".")
		flags, known := verbs[verbOf(r, step)]
		if _, has := flags[flag]; dotted && known && !has && verbOf(chosen, step) == "" {
			errs.Addf("step %s: unknown flag --%s of %s", step, flag, verbOf(r, step))
		}
	}
	return errs.Err()
}

// untranslated returns an error if a step makes pairs of parallel pages, and the corpus that its
// documents come from finds none that is there in two languages.
func (l *preparation) untranslated(ctx context.Context, step recipe.Command) error {
	if step.Verb() != "pairs" || valueIn(step.Args, "kind") != pairs.Parallel {
		return nil
	}
	name := step.Step
	for {
		at := slices.IndexFunc(l.recipe.Steps, func(s recipe.Step) bool { return s.Name == name })
		if at < 0 {
			return nil
		}
		from, ok := readOf(l.recipe.Steps[at], "documents")
		if !ok {
			break
		}
		name = from
	}
	parsed, ok := l.parsed[name].(*pipelineCommand[corpus.Config])
	if !ok || l.bad[name] { // it is not among the steps of this run, or has said more
		return nil
	}
	if err := lookTranslated(ctx, parsed); err != nil {
		return fmt.Errorf("--kind=parallel pairs translations of the pages of step %s: %s", name, inRecipe(err.Error(), l.recipe, name, l.verbs))
	}
	return nil
}

// lookTranslated looks at the pages of a corpus.
func lookTranslated(ctx context.Context, c *pipelineCommand[corpus.Config]) error {
	output, err := storage.Absolute(c.Out)
	if err != nil {
		return err
	}
	return c.Config.LookTranslated(ctx, output)
}
