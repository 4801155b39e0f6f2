package nli

import (
	"cmp"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/random"
)

// Item is what decides the languages of a premise and its hypothesis.
type Item struct {
	// ID is the item's, the same in all languages.
	ID string
	// Label is its label; languages are balanced within each.
	Label string
}

// LanguagePair is an ordered pair of languages.
type LanguagePair struct{ Premise, Hypothesis string }

// Cross draws for each item the language of its premise and that of its hypothesis,
// which differ. Result i is that of items[i].
//
// # Balance
//
// Items are put in a random order, which is that of numbers drawn by seed and id, label
// by label; the ordered pairs of languages are dealt to them by turns, in a random order
// of their own. So any two pairs differ by at most one item, over all and within each
// label, for any number of items; as premise or as hypothesis two languages differ
// little, by at most the number of other languages.
//
// # Determinism
//
// The result is a function of the seed, the languages as a set, and the items as a set:
// neither order matters. It is one of all items at once, so that one more item changes
// others; balance cannot be had otherwise. It takes n log n.
//
// Errors: fewer than two languages, one that is not a code or occurs twice, an id that
// occurs twice.
func Cross(seed uint64, languages []string, items []Item) ([]LanguagePair, error) {
	pairs, err := languagePairs(languages)
	if err != nil {
		return nil, err
	}
	order := random.New(Version, seed, "nli cross languages", "", 0)
	random.Shuffle(&order, pairs)

	type drawn struct {
		label, id string
		number    uint64
		at        int
	}
	list := make([]drawn, len(items))
	ids := make(map[string]struct{}, len(items))
	for i, item := range items {
		if _, ok := ids[item.ID]; ok {
			return nil, fmt.Errorf("draw languages: item %s occurs twice", item.ID)
		}
		ids[item.ID] = struct{}{}
		stream := random.New(Version, seed, "nli cross item", item.ID, 0)
		list[i] = drawn{item.Label, item.ID, stream.Uint64(), i}
	}
	slices.SortFunc(list, func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
	})
	result := make([]LanguagePair, len(items))
	for rank, d := range list {
		result[d.at] = pairs[rank%len(pairs)]
	}
	return result, nil
}

// languagePairs lists the ordered pairs of different languages.
func languagePairs(languages []string) ([]LanguagePair, error) {
	var faults fault.List
	codes := slices.Sorted(slices.Values(languages))
	for i, code := range codes {
		faults.Add(language.Check(code))
		faults.Check(i == 0 || codes[i-1] != code, "language %q occurs twice", code)
	}
	faults.Check(len(codes) >= 2, "%d languages, want at least two", len(codes))
	if len(faults) > 0 {
		return nil, fmt.Errorf("draw languages: %w", faults.Err())
	}
	pairs := make([]LanguagePair, 0, len(codes)*(len(codes)-1))
	for _, a := range codes {
		for _, b := range codes {
			if a != b {
				pairs = append(pairs, LanguagePair{a, b})
			}
		}
	}
	return pairs, nil
}

// Join makes the training pair of an item whose premise is that of one version and whose
// hypothesis is that of another. Error: rows that are not versions of one item with one
// label, or without text or gold.
func Join(premise, hypothesis schemas.Benchmark) (schemas.Pair, error) {
	switch {
	case premise.ID != hypothesis.ID || premise.Task != hypothesis.Task:
		return schemas.Pair{}, fmt.Errorf("join: item %s of %s and item %s of %s are not one", premise.ID, premise.Task, hypothesis.ID,
			hypothesis.Task)
	case premise.Label != hypothesis.Label:
		return schemas.Pair{}, fmt.Errorf("join %s: the label is %q in %s, %q in %s", premise.ID, premise.Label, premise.LanguageA,
			hypothesis.Label, hypothesis.LanguageB)
	case premise.Skip || hypothesis.Skip || premise.Label == "":
		return schemas.Pair{}, fmt.Errorf("join %s: it has no gold", premise.ID)
	case premise.TextA == "" || hypothesis.TextB == "":
		return schemas.Pair{}, fmt.Errorf("join %s: a text is empty", premise.ID)
	}
	return schemas.Pair{
		ID:   schemas.DerivedID("nli cross", premise.ID, premise.LanguageA, hypothesis.LanguageB),
		Kind: schemas.KindNLI, TextA: premise.TextA, TextB: hypothesis.TextB,
		LanguageA: premise.LanguageA, LanguageB: hypothesis.LanguageB, Label: premise.Label, Origin: premise.Task,
	}, nil
}
