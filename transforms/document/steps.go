package document

import (
	"slices"

	"sentweave/schemas/dataset"
	"sentweave/transforms/filters"
	"sentweave/transforms/read/html"
	"sentweave/transforms/read/rights"
)

// step is a step on the way from a record to a document.
type step struct {
	// does names the step.
	does string
	// name is the one under which funnel, rejects and trace show what the step drops. Several steps may share a name.
	name string
	// drops are the chains of the funnel from which the step drops items: documents, their blocks or their sentences.
	drops []string
	// run does the step's work on a draft. Where the document cannot be kept it returns the reason, and the measure
	// that decided as the detail; otherwise the reason is "".
	run func(b *Builder, d *draft) (reason, detail string)
}

// steps are all that happens to a record, in this order. The first step with a reason is the last that runs.
var steps = []step{
	{"read", StepRead, []string{Documents}, (*Builder).read},
	{"parse", StepParse, []string{Documents}, (*Builder).parse},
	{"rights", StepRights, []string{Documents}, (*Builder).rights},
	{"main content", StepMainContent, []string{Documents, Blocks}, (*Builder).mainContent},
	{"language", StepLanguage, []string{Documents, Declared}, (*Builder).language},
	{"sentences", StepQuality, []string{Documents}, (*Builder).split},
	{"languages of sentences", StepLanguage, []string{Sentences}, (*Builder).sentenceLanguages},
	{"filters of sentences", StepQuality, []string{Sentences}, (*Builder).filterSentences},
	{"declared language", StepLanguage, []string{Documents}, (*Builder).translated},
	{"filters of documents", StepQuality, []string{Documents}, (*Builder).filterDocument},
	{"personal data", StepMask, []string{Personal}, (*Builder).mask},
}

// draft is a record on its way through the steps.
type draft struct {
	*Outcome
	record Record
	// page is what the record was parsed into, from parse to main content; nil for a text.
	page    *html.Page
	optOuts rights.OptOuts
	// ordinals is the number of ordinals of the blocks.
	ordinals int32
	// filters judge the sentences, and the document of those that are left.
	filters *filters.Page
}

// Build runs the steps on one record.
func (b *Builder) Build(r Record) *Outcome {
	d := draft{Outcome: newOutcome(r), record: r, filters: b.filters.Page()}
	d.masker = b.masker
	defer d.filters.Close()
	for _, s := range steps {
		if reason, detail := s.run(b, &d); reason != "" {
			d.Verdict = Verdict{s.name, reason, detail}
			d.dropSentences()
			break
		}
	}
	return d.Outcome
}

// dropSentences drops the sentences that are kept so far with their document.
func (o *Outcome) dropSentences() {
	for i := range o.Sentences {
		if o.Sentences[i].Kept() {
			o.Sentences[i].Verdict = Verdict{StepDocument, ReasonDocument, o.Step + " " + o.Reason}
		}
	}
}

// Chains returns the empty chains of the funnel; that of declared languages is
// there for records that declare them only, and that of personal data where it is masked.
func Chains(declared, masked bool) []dataset.Chain {
	chains := []dataset.Chain{
		dataset.NewChain(Documents, dropping(Documents)...),
		dataset.NewChain(Blocks, dropping(Blocks)...),
		dataset.NewChain(Sentences, append(dropping(Sentences), StepDocument)...),
	}
	if declared {
		chains = append(chains, dataset.NewChain(Declared, dropping(Declared)...))
	}
	if masked {
		chains = append(chains, dataset.NewChain(Personal, dropping(Personal)...))
	}
	return chains
}

// dropping returns the names of the steps that drop items of a chain, each once, in the order of the steps.
func dropping(chain string) (names []string) {
	for _, s := range steps {
		if slices.Contains(s.drops, chain) && !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}
