package batches

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/transforms/random"
)

// Sampling draws the examples of rare languages or small sources more often than they occur,
// and the others less often (Conneau and Lample 2019, section 3.1, over examples).
//
// An epoch over languages has as many examples as the dataset. Of each language it has the same
// number every time, the nearest to its share; which ones are drawn differs from epoch to epoch.
// Sources of one objective take turns instead of giving a batch each; see Draws.
type Sampling struct {
	// By is what tells examples apart: "language" (default), that of a text, or both of a pair;
	// "source", the datasets of one objective in a period; or "both".
	By string `json:"by" yaml:"by" name:"sample-by" help:"What tells examples apart that are drawn more often or less: language, of a text or of both sides; source, so that the datasets for one objective take turns in giving a batch to a step; or both." placeholder:"NAME" group:"Data"`
	// Alpha is the exponent: a language or source with the share p of the examples is drawn in
	// proportion to p^Alpha. It is above 0; 1 draws them as they occur. Default .7.
	Alpha float64 `json:"alpha" yaml:"alpha" zero:"refused" name:"sample-alpha" help:"Draw examples of a language or dataset that has the share p of them in proportion to p^ALPHA, such as 0.7." placeholder:"ALPHA" group:"Data"`
}

// What Sampling.By may be.
const (
	byLanguage = "language"
	bySource   = "source"
	byBoth     = "both"
)

// Languages says whether examples are drawn by language.
func (s *Sampling) Languages() bool { return s != nil && s.By != bySource }

// Sources says whether sources take turns.
func (s *Sampling) Sources() bool { return s != nil && s.By != byLanguage }

// WithDefaults returns the configuration with the defaults in the place of zero values.
func (s *Sampling) WithDefaults() *Sampling {
	if s == nil {
		return nil
	}
	return &Sampling{cmp.Or(s.By, byLanguage), cmp.Or(s.Alpha, .7)}
}

// Validate returns all faults at once, with those of the mixtures that it draws from.
func (s *Sampling) Validate(mixtures []Mixture) error {
	if s == nil {
		return nil
	}
	var errs fault.List
	if s.By == byLanguage || s.By == bySource || s.By == byBoth {
		errs.Add(s.validateDraws(mixtures))
	} else {
		errs.Addf("by is %q, it must be %s, %s or %s", s.By, byLanguage, bySource, byBoth)
	}
	errs.Check(s.Alpha > 0 && s.Alpha <= 1, "alpha is %v, it must be above 0 and at most 1", s.Alpha)
	return errs.Err()
}

// classOf names the languages of an example, whatever the order of its sides.
func classOf(a, b string) string {
	if b == "" || b == a {
		return a
	}
	return min(a, b) + "-" + max(a, b)
}

// classes say how many examples of each class a dataset has.
type classes struct {
	names []string // in their order
	// before has for each class the number of its examples before each row group, and that
	// of all at the end.
	before [][]int64
}

func (c *classes) place(name string) int {
	i, _ := slices.BinarySearch(c.names, name)
	return i
}

// total is the number of examples of a class.
func (c *classes) total(class int) int64 { return c.before[class][len(c.before[class])-1] }

// Classify counts the examples by class. It reads all of them.
func (e *Examples) Classify(ctx context.Context) (*Examples, error) {
	groups := make([]map[string]int64, len(e.groups))
	next, size := 0, int64(schemas.Example{}.Schema().RowGroup)
	names := map[string]bool{}
	for shard, s := range e.shards {
		row := int64(0)
		for r, err := range dataset.SpanRows[schemas.Example](ctx, e.folder, e.manifest, dataset.Span{Name: s.Name, To: groupsOf(s)}) {
			if err != nil {
				return nil, err
			}
			group := rowGroup{shard: shard, index: row / size}
			row++
			if e.has != nil && !e.has(&r) {
				continue
			}
			for compareGroups(e.groups[next], group) < 0 {
				next++
			}
			if groups[next] == nil {
				groups[next] = map[string]int64{}
			}
			name := classOf(r.LanguageA, r.LanguageB)
			groups[next][name]++
			names[name] = true
		}
	}
	c := &classes{names: slices.Sorted(maps.Keys(names))}
	for _, name := range c.names {
		cumulative := make([]int64, 1+len(groups))
		for i, counts := range groups {
			cumulative[i+1] = cumulative[i] + counts[name]
		}
		c.before = append(c.before, cumulative)
	}
	counted := *e
	counted.classes = c
	return &counted, nil
}

func compareGroups(a, b rowGroup) int {
	return cmp.Or(cmp.Compare(a.shard, b.shard), cmp.Compare(a.index, b.index))
}

// shares apportions the examples of an epoch by the p^alpha of the classes: each gets the
// whole part of its share, and those with the greatest rests one more.
func (c *classes) shares(alpha float64) []int64 {
	n, sum := int64(0), 0.
	weights := make([]float64, len(c.names))
	for i := range c.names {
		n += c.total(i)
	}
	for i := range weights {
		weights[i] = math.Pow(float64(c.total(i))/float64(n), alpha)
		sum += weights[i]
	}
	shares, rests, remaining := make([]int64, len(weights)), make([]float64, len(weights)), n
	order := make([]int, len(weights))
	for i, w := range weights {
		exact := float64(n) * w / sum
		if rounded := math.Round(exact); math.Abs(exact-rounded) < min(1e-9*exact, 1e-3) { // that is rounding
			exact = rounded
		}
		shares[i], order[i] = int64(exact), i
		rests[i] = exact - float64(shares[i])
		remaining -= shares[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rests[b], rests[a]) })
	for _, i := range order[:remaining] {
		shares[i]++
	}
	return shares
}

// sampled are the classes of an order with the examples of each in an epoch.
type sampled struct {
	*classes
	shares []int64
}

// drawn is how many examples of a class a row group gives to an epoch. They add up to the
// class's share: the place of the group among the class's examples is stretched to that of
// the share, from a random offset on.
func (o *order) drawn(epoch int64, group, class int) int64 {
	s := o.sample
	n := uint64(s.total(class))
	stream := random.New(Streams, o.seed, "sample offset", fmt.Sprint(o.name, "/", s.names[class]), epoch)
	offset := stream.Uint64() % n
	stretched := func(place int64) uint64 {
		high, low := bits.Mul64(uint64(place), uint64(s.shares[class]))
		low, carry := bits.Add64(low, offset, 0)
		quotient, _ := bits.Div64(high+carry, low, n) // at most the share
		return quotient
	}
	return int64(stretched(s.before[class][group+1]) - stretched(s.before[class][group]))
}

// rowsOf is how many examples a row group gives to an epoch.
func (o *order) rowsOf(epoch int64, group rowGroup) (n int64) {
	if o.sample == nil {
		return int64(group.rows)
	}
	place, _ := slices.BinarySearchFunc(o.groups, group, compareGroups)
	for class := range o.sample.names {
		n += o.drawn(epoch, place, class)
	}
	return n
}

// entries returns what a window draws of the examples of its row groups. The copies of one
// that is drawn several times have epochs of their own, and so masks of their own.
func (o *order) entries(w window, list []example) []entry {
	entries := make([]entry, 0, w.rows)
	if o.sample == nil {
		for i := range list {
			entries = append(entries, entry{&list[i], w.epoch})
		}
		return entries
	}
	for _, g := range w.groups {
		place, _ := slices.BinarySearchFunc(o.groups, g, compareGroups)
		members := make([][]*example, len(o.sample.names))
		for i := range list[:g.rows] {
			class := o.sample.place(list[i].class())
			members[class] = append(members[class], &list[i])
		}
		list = list[g.rows:]
		for class, examples := range members {
			if len(examples) == 0 {
				continue
			}
			n := o.drawn(w.epoch, place, class)
			s := random.New(Streams, o.seed, "sample rows", fmt.Sprint(o.name, "/", o.sample.names[class], "/", w.epoch, "/", g.shard),
				g.index)
			random.Shuffle(&s, examples)
			for i := range n {
				entries = append(entries, entry{examples[i%int64(len(examples))], w.epoch + i/int64(len(examples))<<32})
			}
		}
	}
	return entries
}

// class is that of an example.
func (e *example) class() string { return classOf(e.LanguageA, e.LanguageB) }

// describe says what an epoch draws, for the log.
func (s *sampled) describe() string {
	const limit = 12
	var parts []string
	for i, name := range s.names[:min(limit, len(s.names))] {
		parts = append(parts, fmt.Sprintf("%d of %s (of %d)", s.shares[i], name, s.total(i)))
	}
	if remaining := len(s.names) - limit; remaining > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", remaining))
	}
	return strings.Join(parts, ", ")
}
