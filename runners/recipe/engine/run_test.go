package engine

import (
	"strings"
	"testing"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/recipe"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

func TestCommandLineOf(t *testing.T) {
	got := commandLineOf([]string{"corpus", "--out=a b", "--layout={language}", "--x=it's"})
	if want := `sentweave corpus '--out=a b' '--layout={language}' '--x=it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Of a program that has said why it failed, a whole output tells of a refusal: the way out
// names what is made again, and never deletes a training on that ground.
func TestRebuilt(t *testing.T) {
	vectors := datasettest.Write(t, nil,
		[]schemas.Pair{{ID: schemas.DerivedID("test", "0"), Kind: schemas.KindBitext, Origin: "test", LanguageA: "eng", LanguageB: "deu",
			TextA: "red", TextB: "rot"}})
	verbs := []verb.Verb{
		{Name: "train", Libtorch: true, Makes: verb.Output{Costly: true}}, {Name: "embed", Libtorch: true}, {Name: "evaluate"},
		{Name: "report"},
	}
	step := func(name, verb, out string, needs ...string) recipe.Command {
		return recipe.Command{Step: name, Args: []string{verb, "--out=" + out}, Out: out, Needs: needs}
	}
	commands := []recipe.Command{step("encoder", "train", vectors, "examples"), step("vectors", "embed", vectors, "encoder"),
		step("other", "embed", vectors, "start"),
		step("results", "evaluate", t.TempDir(), "vectors", "other"), step("report", "report", t.TempDir(), "results")}
	if got := rebuilt(t.Context(), verbs, command.Said(1), commands[1], commands); !strings.Contains(
		got, "`--only vectors,results,report --overwrite`") || !strings.Contains(got, "step encoder stays as it is") {
		t.Errorf("got %q", got)
	}
	if got := rebuilt(t.Context(), verbs, dataset.ErrOtherPlan, commands[3], commands); !strings.HasSuffix(
		got, "; steps other and vectors stay as they are") {
		t.Errorf("got %q", got)
	}
	for _, i := range []int{0, 3} {
		if got := rebuilt(t.Context(), verbs, command.Said(1), commands[i], commands); got != "" {
			t.Errorf("step %s: got %q", commands[i].Step, got)
		}
	}
}
