package train

import (
	"errors"
	"fmt"
	"strings"

	"sentweave/stages/objective"
)

// Names of the recipes. The papers' own labels of multi-stage training are used
// with more than one sense, so each name says what is trained when.
const (
	RecipeCMLM           = "cmlm"
	RecipeCMLMBR         = "cmlm+br"
	RecipeCMLMThenBR     = "cmlm-then-br"
	RecipeCMLMThenCMLMBR = "cmlm-then-cmlm+br"
)

// Recipes lists the names in a fixed order.
func Recipes() []string {
	return []string{RecipeCMLM, RecipeCMLMBR, RecipeCMLMThenBR, RecipeCMLMThenCMLMBR}
}

// Parameters are what a recipe leaves open.
type Parameters struct {
	// CMLM and Bitext are the sources; their objectives are set by the recipe. One
	// that the recipe has no use for is ignored. The paper weights bitext retrieval
	// with .2.
	CMLM   Source `json:"cmlm" yaml:"cmlm"`
	Bitext Source `json:"bitext" yaml:"bitext"`
	// First and Second are the schedules of the stages. A recipe of one stage takes
	// the first only.
	First  Schedule `json:"first" yaml:"first"`
	Second Schedule `json:"second" yaml:"second"`
}

// Recipe returns the stages of a named recipe. A source that it needs and that
// has no dataset is an error; all else is left to Config.Validate.
func Recipe(name string, p Parameters) ([]Stage, error) {
	p.CMLM.Objective, p.Bitext.Objective = objective.CMLMName, objective.BitextName
	cmlm := Stage{Name: "cmlm", Mixture: []Source{p.CMLM}}
	br := Stage{Name: "br", Mixture: []Source{p.Bitext}}
	both := Stage{Name: "cmlm+br", Mixture: []Source{p.CMLM, p.Bitext}}
	var stages []Stage
	switch name {
	case RecipeCMLM:
		stages = []Stage{cmlm}
	case RecipeCMLMBR:
		stages = []Stage{both}
	case RecipeCMLMThenBR:
		stages = []Stage{cmlm, br}
	case RecipeCMLMThenCMLMBR:
		stages = []Stage{cmlm, both}
	default:
		return nil, fmt.Errorf("recipe %q is none of %s", name, strings.Join(Recipes(), ", "))
	}
	var errs []error
	if name != RecipeCMLM && p.Bitext.Dataset == "" {
		errs = append(errs, fmt.Errorf("recipe %s needs a dataset of bitext examples", name))
	}
	if p.CMLM.Dataset == "" {
		errs = append(errs, fmt.Errorf("recipe %s needs a dataset of consecutive examples", name))
	}
	for i := range stages {
		stages[i].Schedule = p.First
		if i > 0 {
			stages[i].Schedule = p.Second
		}
	}
	return stages, errors.Join(errs...)
}
