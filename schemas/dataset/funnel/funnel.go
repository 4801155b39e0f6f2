// Package funnel counts what the steps of a pipeline kept and dropped, by language and reason, keeps samples of what they
// dropped, and merges both over units in bounded memory.
package funnel

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
)

// Funnel counts, for every step and language, the items that came in, the items that
// went out, and the items that were dropped for each reason. A pipeline has one chain
// for each kind of item that it judges: documents, and the sentences in them.
//
// An item is counted once, under its final language, for all the steps that it passed.
// So each step balances (in = out + Σ dropped), and the next step gets what it passed
// on, language by language.
type Funnel struct {
	Chains []Chain `json:"chains"`
}

// Chain is the ordered steps that one kind of item runs through.
type Chain struct {
	Items string `json:"items"`
	Steps []Step `json:"steps"`
}

// OthersKey is the key of what a funnel sums over many languages: a receipt over all of
// them, and a manifest over those beyond the MostLanguages with the most items of a chain.
const OthersKey = "others"

const (
	// MostLanguages is the number of languages, or pairs of languages, of a chain that a
	// manifest holds. A file of counts has all where there are more.
	MostLanguages = 1000
	// unitLanguages is the number of those that a unit tells apart, which bounds its memory:
	// the pairs of the most languages that a page may have. What comes behind counts as Others.
	unitLanguages = language.MostTogether * (language.MostTogether - 1) / 2
)

// Step is one step of a chain.
type Step struct {
	Name string `json:"name"`
	// Languages is keyed by the item's language; a pair has the form "deu-eng". Others
	// sums those that are in a file of counts alone.
	Languages map[string]Count `json:"languages"`
}

// Count is the balance of one step for one language.
type Count struct {
	In      int64            `json:"in"`
	Out     int64            `json:"out"`
	Dropped map[string]int64 `json:"dropped,omitempty"`
}

// NewChain returns an empty chain.
func NewChain(items string, steps ...string) Chain {
	c := Chain{Items: items}
	for _, name := range steps {
		c.Steps = append(c.Steps, Step{Name: name, Languages: map[string]Count{}})
	}
	return c
}

// New returns a funnel of these chains. They are copied, so funnels that were
// made of the same chains count separately.
func New(chains ...Chain) *Funnel {
	f := &Funnel{}
	if len(chains) > 0 {
		_ = f.Add(&Funnel{Chains: chains}) // an empty funnel takes any shape
	}
	return f
}

// Keep counts n items that passed all steps.
func (f *Funnel) Keep(items, language string, n int64) error {
	return f.count(items, language, "", "", n)
}

// Drop counts n items that passed all steps before the named one and were
// dropped there for the reason.
func (f *Funnel) Drop(items, language, step, reason string, n int64) error {
	if reason == "" {
		return fmt.Errorf("count a drop at step %q: the reason is empty", step)
	}
	return f.count(items, language, step, reason, n)
}

func (f *Funnel) count(items, language, step, reason string, n int64) error {
	if n < 0 {
		return fmt.Errorf("count items %q: %d of them", items, n)
	}
	if n == 0 {
		return nil
	}
	i := slices.IndexFunc(f.Chains, func(c Chain) bool { return c.Items == items })
	if i < 0 {
		return fmt.Errorf("count items %q: the funnel has no such chain", items)
	}
	steps := f.Chains[i].Steps
	if len(steps) > 0 && len(steps[0].Languages) >= unitLanguages {
		if _, ok := steps[0].Languages[language]; !ok {
			language = OthersKey
		}
	}
	end := len(steps)
	if step != "" {
		if end = slices.IndexFunc(steps, func(s Step) bool { return s.Name == step }); end < 0 {
			return fmt.Errorf("count items %q: the chain has no step %q", items, step)
		}
	}
	for i := range steps[:end] {
		steps[i].add(language, Count{In: n, Out: n})
	}
	if end < len(steps) {
		c := steps[end].Languages[language]
		c.In += n
		if c.Dropped == nil {
			c.Dropped = map[string]int64{}
		}
		c.Dropped[reason] += n
		steps[end].set(language, c)
	}
	return nil
}

func (s *Step) add(language string, count Count) {
	c := s.Languages[language]
	c.In += count.In
	c.Out += count.Out
	for reason, n := range count.Dropped {
		if c.Dropped == nil {
			c.Dropped = make(map[string]int64, len(count.Dropped))
		}
		c.Dropped[reason] += n
	}
	s.set(language, c)
}

// set is needed for steps that were not made by NewChain.
func (s *Step) set(language string, c Count) {
	if s.Languages == nil {
		s.Languages = map[string]Count{}
	}
	s.Languages[language] = c
}

// Bare is the funnel without its counts.
func (f *Funnel) Bare() *Funnel {
	b := &Funnel{}
	for _, c := range f.Chains {
		names := make([]string, len(c.Steps))
		for i, s := range c.Steps {
			names[i] = s.Name
		}
		b.Chains = append(b.Chains, NewChain(c.Items, names...))
	}
	return b
}

// Whole is a copy of the funnel that sums all languages.
func (f *Funnel) Whole() *Funnel {
	w := f.Bare()
	for i, c := range f.Chains {
		for k, s := range c.Steps {
			if total := s.Total(); total.In > 0 {
				w.Chains[i].Steps[k].add(OthersKey, total)
			}
		}
	}
	return w
}

// Add adds the counts of another funnel with the same chains and steps. An
// empty funnel takes over the shape of the other.
func (f *Funnel) Add(g *Funnel) error {
	if len(g.Chains) == 0 {
		return nil // a unit that judges nothing
	}
	if len(f.Chains) == 0 {
		f.Chains = g.Bare().Chains
	}
	if len(f.Chains) != len(g.Chains) {
		return fmt.Errorf("add funnels: %d chains and %d", len(f.Chains), len(g.Chains))
	}
	for i, c := range g.Chains { // all of the shape before the first count, so that an error changes nothing
		if f.Chains[i].Items != c.Items || len(f.Chains[i].Steps) != len(c.Steps) {
			return fmt.Errorf(
				"add funnels: chains %q of %d steps and %q of %d differ",
				f.Chains[i].Items,
				len(f.Chains[i].Steps),
				c.Items,
				len(c.Steps),
			)
		}
		for j, s := range c.Steps {
			if into := f.Chains[i].Steps[j]; into.Name != s.Name {
				return fmt.Errorf("add funnels: steps %q and %q of %s differ", into.Name, s.Name, c.Items)
			}
		}
	}
	for i, c := range g.Chains {
		for j, s := range c.Steps {
			for language, count := range s.Languages {
				f.Chains[i].Steps[j].add(language, count)
			}
		}
	}
	return nil
}

// fold sums the languages of each chain but the limit with the most items into Others. It
// says whether there were any.
func (f *Funnel) fold(limit int) (folded bool) {
	for _, c := range f.Chains {
		if len(c.Steps) == 0 {
			continue
		}
		languages := c.Steps[0].Languages
		list := slices.DeleteFunc(slices.Collect(maps.Keys(languages)), func(code string) bool { return code == OthersKey })
		if len(list) <= limit {
			continue
		}
		slices.SortFunc(list, func(a, b string) int {
			return cmp.Or(cmp.Compare(languages[b].In, languages[a].In), strings.Compare(a, b))
		})
		for i := range c.Steps {
			step := &c.Steps[i]
			for _, code := range list[limit:] {
				if count, ok := step.Languages[code]; ok {
					delete(step.Languages, code)
					step.add(OthersKey, count)
				}
			}
		}
		folded = true
	}
	return folded
}

// Check returns every imbalance: a step whose in is not the sum of out and dropped,
// and a step whose in is not the out of the step before.
func (f *Funnel) Check() error {
	var errs fault.List
	for _, c := range f.Chains {
		for i, s := range c.Steps {
			for _, language := range slices.Sorted(maps.Keys(s.Languages)) {
				n := s.Languages[language]
				dropped, negative := int64(0), n.In < 0 || n.Out < 0
				for _, d := range n.Dropped {
					dropped += d
					negative = negative || d < 0
				}
				errs.Check(!negative, "funnel: %s step %s, language %s: a count is negative: %+v", c.Items, s.Name, language, n)
				errs.Check(n.In == n.Out+dropped, "funnel: %s step %s, language %s: in %d, out %d, dropped %d", c.Items, s.Name, language,
					n.In, n.Out, dropped)
				if i > 0 && c.Steps[i-1].Languages[language].Out != n.In {
					errs.Addf("funnel: %s step %s, language %s: in %d, but step %s passed on %d", c.Items, s.Name, language, n.In,
						c.Steps[i-1].Name, c.Steps[i-1].Languages[language].Out)
				}
			}
			if i == 0 {
				continue
			}
			for _, language := range slices.Sorted(maps.Keys(c.Steps[i-1].Languages)) {
				if _, ok := s.Languages[language]; !ok && c.Steps[i-1].Languages[language].Out > 0 {
					errs.Addf("funnel: %s step %s passed on %d in language %s, step %s got none", c.Items, c.Steps[i-1].Name,
						c.Steps[i-1].Languages[language].Out, language, s.Name)
				}
			}
		}
	}
	return errs.Err()
}

// Total sums a step over its languages.
func (s Step) Total() Count {
	sum := Count{Dropped: map[string]int64{}}
	for _, c := range s.Languages {
		sum.In += c.In
		sum.Out += c.Out
		for reason, n := range c.Dropped {
			sum.Dropped[reason] += n
		}
	}
	return sum
}

// Out returns how many items passed the last step of a chain, by language. It is nil
// if the funnel has no such chain.
func (f *Funnel) Out(items string) map[string]int64 {
	for _, c := range f.Chains {
		if c.Items != items || len(c.Steps) == 0 {
			continue
		}
		counts := map[string]int64{}
		for language, n := range c.Steps[len(c.Steps)-1].Languages {
			if n.Out > 0 {
				counts[language] = n.Out
			}
		}
		return counts
	}
	return nil
}

// Loss says how many items a step dropped, which reason dropped the most, and how many those are.
type Loss struct {
	Items, Step, Reason    string
	Dropped, In, Commonest int64
}

// Suspicious names the steps that dropped all but a twentieth of their items, and the
// steps that dropped nothing. A filter that drops nothing or nearly
// everything more often has a wrong setting than an unusual corpus.
func (f *Funnel) Suspicious() (dropMost []Loss, dropNone []string) {
	for _, c := range f.Chains {
		for _, s := range c.Steps {
			t := s.Total()
			switch {
			case t.In == 0:
			case 20*t.Out <= t.In:
				reason := slices.MaxFunc(
					slices.Sorted(maps.Keys(t.Dropped)),
					func(a, b string) int { return cmp.Compare(t.Dropped[a], t.Dropped[b]) },
				)
				dropMost = append(dropMost, Loss{c.Items, s.Name, reason, t.In - t.Out, t.In, t.Dropped[reason]})
			case t.Out == t.In:
				dropNone = append(dropNone, c.Items+" "+s.Name)
			}
		}
	}
	return dropMost, dropNone
}

// CheckChains returns an error for chains that cannot be told apart, or whose
// steps cannot.
func CheckChains(chains []Chain) error {
	items := map[string]bool{}
	for _, c := range chains {
		switch {
		case c.Items == "":
			return errors.New("a chain of the funnel has no name")
		case items[c.Items]:
			return fmt.Errorf("two chains of the funnel have the items %q", c.Items)
		}
		items[c.Items] = true
		steps := map[string]bool{}
		for _, s := range c.Steps {
			switch {
			case s.Name == "":
				return fmt.Errorf("a step of the chain of %s has no name", c.Items)
			case steps[s.Name]:
				return fmt.Errorf("two steps of the chain of %s have the name %q", c.Items, s.Name)
			}
			steps[s.Name] = true
		}
	}
	return nil
}
