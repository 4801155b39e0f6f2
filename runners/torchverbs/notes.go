package torchverbs

import (
	"fmt"
	"slices"

	"sentweave/runners/command"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// notes are what a training has to say of what it is asked for. They wait for its first step: a training that is complete
// has said them before.
type notes struct {
	p       *command.Program
	list    []string
	printed bool
}

func (n *notes) add(text string) {
	if n.list = append(n.list, text); n.printed {
		n.print()
	}
}

// print prints what has been added, and from then on at once.
func (n *notes) print() {
	for _, text := range n.list {
		fmt.Fprintf(n.p.Stderr, "train: %s\n", n.p.Advice(text))
	}
	n.list, n.printed = nil, true
}

// noteOrigin says what has no effect on the training, and what of the encoder of --from is left behind.
func (t *Train) noteOrigin(c train.Config, e *settings, note func(string)) error {
	for _, flag := range t.unused {
		note(fmt.Sprintf("--%s counts for nothing: --batch and --batch-tokens are for --examples, --bitext-batch for --bitext, and this training has no such batches",
			flag))
	}
	if lacking := t.Compute.LackingFor(e.folder.Config.HiddenSize); lacking != "" {
		note(lacking)
	}
	if e.folder.Prompt != "" {
		note(fmt.Sprintf("%s puts the prompt %q before texts; it is trained without, and so is what comes of it", t.From, e.folder.Prompt))
	}
	if _, listed := c.Objectives[objective.QuickThoughtName]; e.folder.Second && !listed {
		note(t.From + " has a second encoder; what is trained is the first one, and what comes of it has no other")
	}
	if len(e.folder.Dense) > 0 {
		note(t.From + " sends its vectors through Dense layers; what is trained are the vectors before them, and what comes of it has none")
	}
	if n := e.folder.Truncate; n > 0 {
		note(fmt.Sprintf("%s keeps the first %d numbers of its vectors; what is trained are whole vectors, and so is what comes of it",
			t.From, n))
	}
	return t.noteHead(c, e, note)
}

// opening is what opens an encoder or a model by a function, and says what that costs on a processor that lacks its precision.
func opening[C, M any](p *command.Program, verb string, compute torch.Compute, open func(C) (M, error)) func(C) (M, error) {
	return func(c C) (M, error) {
		if lacking := compute.Lacking(); lacking != "" {
			fmt.Fprintf(p.Stderr, "%s: %s\n", verb, p.Advice(lacking))
		}
		return open(c)
	}
}

// noteHead says so where a masked language model begins with an encoder and with a new head.
func (t *Train) noteHead(c train.Config, e *settings, note func(string)) error {
	predicts := slices.ContainsFunc(c.Periods, func(s train.Period) bool {
		return slices.ContainsFunc(s.Mixture, func(m batches.Source) bool {
			o, ok := objective.Find(m.Objective)
			return ok && o.Predicts
		})
	})
	if t.From == "" || !predicts {
		return nil
	}
	_, why, err := model.TiedHead(e.folder)
	if why != "" {
		note(fmt.Sprintf("%s: %s, so its training begins with a new one", t.From, why))
	}
	return err
}
