package engine

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/runners/recipe"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/stages/vocab"
	"sentweave/transforms/tokens/formats"
)

// outputs returns what each step of a recipe makes. The commands are those of all its steps.
func outputs(verbs []verb.Verb, r *recipe.Recipe, commands []recipe.Command) map[string]verb.Product {
	products := map[string]verb.Product{}
	for i, s := range r.Steps {
		v, _ := verb.Find(verbs, s.Run)
		if v.Made == nil {
			v.Made = verb.Making(v.Makes.Rows, v.Makes.Rows)
		}
		products[s.Name] = v.Made(verb.Step{
			Value: func(flag string) string { return valueIn(commands[i].Args, flag) },
			From: func(flag string) (verb.Product, bool) {
				name, ok := readOf(s, flag)
				return products[name], ok
			},
		})
	}
	return products
}

// readOf returns the first step whose output a flag of a step takes.
func readOf(s recipe.Step, flag string) (name string, ok bool) {
	for _, input := range s.From {
		if input.Flag == flag && len(input.From) > 0 {
			return input.From[0].Step, true
		}
	}
	return "", false
}

// checkInputs says which inputs of a step are outputs of another kind than it takes.
func checkInputs(r *recipe.Recipe, step string, makes map[string]verb.Product, verbs map[string]command.Flags) error {
	var errs fault.List
	s, _ := r.Find(step)
	for _, input := range s.From {
		want := verbs[s.Run][input.Flag].Takes
		for _, ref := range input.From {
			kind := makes[ref.Step].Rows
			if kind == "encoder" && slices.Contains(want, "vocabulary") { // which is in the folder, in one of several files
				continue
			}
			switch {
			case len(want) > 0 && kind != "" && !slices.Contains(want, kind):
				errs.Addf("%s takes %s, step %s makes %s", input.Flag, locations.Article(want...), ref.Step, locations.Article(kind))
			case kind == "vocabulary" && ref.File != vocab.FileName && ref.File != formats.SerializedName:
				errs.Addf("%s takes the file of a vocabulary: write %s/%s, not %s", input.Flag, ref.Step, vocab.FileName,
					path.Join(ref.Step, ref.File))
			case kind != "vocabulary" && kind != "" && len(want) > 0 && ref.File != "":
				errs.Addf("%s takes the folder that step %s makes: write %s, not %s", input.Flag, ref.Step, ref.Step,
					path.Join(ref.Step, ref.File))
			}
		}
	}
	return errs.Err()
}

// kinds says which inputs of a step are of another kind than it takes, as the recipe tells them.
func (l *preparation) kinds(step recipe.Command) error {
	var errs fault.List
	s, _ := l.recipe.Find(step.Step)
	for _, input := range s.From {
		want := l.verbs[step.Verb()][input.Flag].Kinds
		for _, ref := range input.From {
			product := l.makes[ref.Step]
			if want != nil && product.Kinds != nil && !slices.ContainsFunc(product.Kinds,
				func(kind string) bool { return slices.Contains(want, kind) }) {
				errs.Addf("%s takes %s of the kind %s, step %s makes those of the kind %s", input.Flag, locations.Plural(product.Rows),
					strings.Join(want, " or "), ref.Step, strings.Join(product.Kinds, " or "))
			}
		}
	}
	if verb, ok := l.parsed[step.Step].(kindChecker); ok {
		errs.Add(verb.CheckKinds(func(location string) (step string, kinds []string) {
			for name, product := range l.makes { // one of them has the folder
				if location == storage.Join(l.Out, name) {
					return "step " + name, product.Kinds
				}
			}
			return "", nil
		}))
	}
	return errs.Err()
}

// unknownFlags returns an error for flags that are set of steps which are left out and whose verbs do
// not have them: the parser does not see these.
func unknownFlags(r, chosen *recipe.Recipe, set map[string]string, verbs map[string]command.Flags) error {
	var errs fault.List
	for _, name := range slices.Sorted(maps.Keys(set)) {
		step, flag, dotted := strings.Cut(name, ".")
		flags, ok := verbs[verbOf(r, step)]
		if _, exists := flags[flag]; dotted && ok && !exists && verbOf(chosen, step) == "" {
			errs.Addf("step %s: unknown flag --%s of %s", step, flag, verbOf(r, step))
		}
	}
	return errs.Err()
}

// untranslated returns an error if a step pairs parallel pages, or retrieves texts in other languages,
// and the corpus that its documents come from finds no page that is there in two languages.
func (l *preparation) untranslated(ctx context.Context, step recipe.Command) error {
	reader, ok := l.parsed[step.Step].(translationReader)
	if !ok {
		return nil
	}
	flag, tags, pivot := reader.Translations()
	if flag == "" {
		return nil
	}
	name := step.Step
	for {
		s, _ := l.recipe.Find(name)
		maker, ok := readOf(s, flag)
		if !ok {
			break
		}
		name, flag = maker, "documents"
		if l.makes[name].Rows != "document" {
			return nil
		}
	}
	source, ok := l.parsed[name].(translationSource)
	if !ok || l.bad[name] { // it is not among the steps of this run, or has said more
		return nil
	}
	if err := source.LookTranslated(ctx, codesOf(tags), strings.Join(codesOf([]string{pivot}), "")); err != nil {
		return fmt.Errorf("it takes pages of step %s that are translations of each other: %s", name,
			inRecipe(err.Error(), l.recipe, name, l.verbs))
	}
	return nil
}

// codesOf returns the codes of languages. What is none is told by the parser.
func codesOf(tags []string) (codes []string) {
	for _, tag := range tags {
		if code, err := language.Parse(tag); err == nil {
			codes = append(codes, code)
		}
	}
	return codes
}
