package crosslingual

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/testsets/nli"
)

// Chains, steps and reasons of the funnel. Versions are counted by their language,
// items by the pair of languages that they were dealt.
const (
	chainVersions = "versions"
	chainItems    = "items"
	stepLanguage  = "language"
	stepSplit     = "split"
	stepGold      = "gold"
	stepVersions  = "versions"

	reasonLanguage = "other_language"
	// ReasonSplit: the item is of a split that was not asked for.
	ReasonSplit = "other_split"
	// reasonNoGold: the item has no label.
	reasonNoGold = "no_gold"
	// reasonUnknownLabel: the item is not one of inference.
	reasonUnknownLabel = "unknown_label"
	// reasonMissing…: there is no version in the language that was dealt.
	reasonMissingPremise    = "missing_premise"
	reasonMissingHypothesis = "missing_hypothesis"
	// reasonNoText: the version has not the text that is wanted of it.
	reasonNoText = "no_text"
	// reasonLabels: the two versions have different labels.
	reasonLabels = "labels_differ"
)

func chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainVersions, stepLanguage, stepSplit), dataset.NewChain(chainItems, stepGold, stepVersions)}
}

// dealTask deals languages to all items, and asks for the texts of those versions.
type dealTask struct {
	Languages []string
	Seed      uint64
	graph.Nothing
}

// Chains implements graph.Task.
func (t *dealTask) Chains() []dataset.Chain { return chains() }

// Spill implements graph.Spiller. It reads the versions twice: for the items, which are
// dealt all at once, and for where the dealt versions are.
func (t *dealTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	records := unit.Merge(ctx, nil)
	var items []nli.Item
	labels := map[string]string{} // one string for each
	for item, err := range itemsOf(records) {
		if err != nil {
			return err
		}
		label := item.label()
		if _, ok := labels[label]; !ok {
			labels[label] = label
		}
		items = append(items, nli.Item{ID: item.id, Label: labels[label]})
	}
	dealt, err := nli.Cross(t.Seed, t.Languages, items)
	if err != nil {
		return err
	}
	d := dealer{out: output}
	index := 0
	for item, err := range itemsOf(records) {
		if err != nil {
			return err
		}
		if index == len(items) || items[index].ID != item.id {
			return fmt.Errorf("item %s: the exchange gives other records the second time", item.id)
		}
		if err := d.deal(item, dealt[index]); err != nil {
			return err
		}
		index++
	}
	return nil
}

// item is the versions of one item, by their language.
type item struct {
	id       string
	versions []version
}

// label is that of the first version with gold, "" if none has.
func (i item) label() string {
	for _, v := range i.versions {
		if !v.skip {
			return v.label
		}
	}
	return ""
}

func (i item) in(language string) (version, bool) {
	for _, v := range i.versions {
		if v.language == language {
			return v, true
		}
	}
	return version{}, false
}

// itemsOf groups the records of versions by item. What it yields is valid until the
// next one is asked for. Error: two versions in one language.
func itemsOf(records iter.Seq2[spill.Record, error]) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		var current item
		for record, err := range records {
			var v version
			if err == nil {
				v, err = parseVersion(record.Value)
			}
			if err != nil {
				yield(item{}, err)
				return
			}
			if string(record.Key) != current.id {
				if current.id != "" && !yield(current, nil) {
					return
				}
				current = item{id: string(record.Key), versions: current.versions[:0]}
			}
			if _, twice := current.in(v.language); twice {
				yield(item{}, fmt.Errorf("item %s occurs twice in %s: give each dataset once, and one corpus only", current.id, v.language))
				return
			}
			current.versions = append(current.versions, v)
		}
		if current.id != "" {
			yield(current, nil)
		}
	}
}

// dealer asks for the texts of dealt items.
type dealer struct {
	out *exchange.Output
	key []byte
}

func (d *dealer) deal(i item, p nli.LanguagePair) error {
	premise, hasPremise := i.in(p.Premise)
	hypothesis, hasHypothesis := i.in(p.Hypothesis)
	switch {
	case i.label() == "":
		return d.drop(i, p, stepGold, reasonNoGold)
	case !slices.Contains(nli.Labels(), i.label()):
		return d.drop(i, p, stepGold, reasonUnknownLabel)
	case !hasPremise:
		return d.drop(i, p, stepVersions, reasonMissingPremise)
	case !hasHypothesis:
		return d.drop(i, p, stepVersions, reasonMissingHypothesis)
	case premise.skip || hypothesis.skip || premise.label != hypothesis.label:
		return d.drop(i, p, stepVersions, reasonLabels)
	case !premise.premise || !hypothesis.hypothesis:
		return d.drop(i, p, stepVersions, reasonNoText)
	}
	for _, choice := range [...]struct {
		version
		flag byte
	}{{premise, flagPremise}, {hypothesis, flagHypothesis}} {
		d.key = appendWanted(d.key[:0], choice.unit, choice.row)
		if err := d.out.Add(d.key, []byte{choice.flag}); err != nil {
			return err
		}
	}
	return nil // it is counted where it is written
}

func (d *dealer) drop(i item, p nli.LanguagePair, step, reason string) error {
	languages := languagePair(p.Premise, p.Hypothesis)
	if d.out.Rejects().Wants(step, reason, languages, i.id) {
		d.out.Rejects().Add(schemas.Reject{
			ID: i.id, Step: step, Reason: reason, Language: languages,
			Detail: fmt.Sprintf("premise in %s, hypothesis in %s, %d versions, label %q", p.Premise, p.Hypothesis, len(i.versions),
				i.label()),
		})
	}
	return d.out.Funnel().Drop(chainItems, languages, step, reason, 1)
}

// languagePair is the language of a pair in a funnel: the codes in their order.
func languagePair(a, b string) string { return min(a, b) + "-" + max(a, b) }
