// Package choice holds lists of filters, from which users choose by name, and the settings of these filters.
package choice

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/fault"
)

// NoFilter is the name that stands for no filter at all.
const NoFilter = "none"

// Rules are the rules of a filter with their thresholds.
type Rules interface {
	// Thresholds are the thresholds that a user may set.
	Thresholds() []Setting
	// Check returns an error for thresholds that do not fit together.
	Check() error
}

// Filter is a published method: one or several rules.
type Filter[R Rules] struct {
	// Name is what a user calls it.
	Name string
	// Drops says what it drops, and Source says where the method was published.
	Drops, Source string
	// Default says that it runs if the user names no filters.
	Default bool
	// Reasons are the reasons that its rules return. No other filter of the list returns the same.
	Reasons []string
	// New returns its rules with their default thresholds.
	New func() R
}

// List lists filters in the order in which they run, in whatever order a user names them.
type List[R Rules] []Filter[R]

// Names returns the names of the filters that a predicate accepts, in order; of all where it is nil.
func (l List[R]) Names(takes func(Filter[R]) bool) []string {
	var names []string
	for _, f := range l {
		if takes == nil || takes(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Default returns the rules that run if the user names no filters and sets nothing.
func (l List[R]) Default() []R {
	var list []R
	for _, f := range l {
		if f.Default {
			list = append(list, f.New())
		}
	}
	return list
}

// Ordered returns names of filters in the order of the list, whatever order they are given in. Names
// of no filter come last, as they stand.
func (l List[R]) Ordered(chosen []string) []string {
	place := func(name string) int {
		if index := l.index(name); index >= 0 {
			return index
		}
		return len(l)
	}
	return slices.SortedStableFunc(slices.Values(chosen), func(a, b string) int { return place(a) - place(b) })
}

func (l List[R]) index(name string) int {
	return slices.IndexFunc(l, func(f Filter[R]) bool { return f.Name == name })
}

// Choose returns the rules of the named filters, in the order of the list, with the settings
// that are given by name and text; none alone names no filter. The error reports all
// faults: unknown names, names that occur twice, settings of filters that are not
// named, values out of bounds.
func (l List[R]) Choose(chosen []string, settings map[string]string) ([]R, error) {
	if slices.Equal(chosen, []string{NoFilter}) {
		chosen = nil
	}
	var list []R
	var errs fault.List
	chosen = l.Ordered(chosen)
	names := func() string { return strings.Join(l.Names(nil), ", ") }
	for i, name := range chosen {
		index := l.index(name)
		switch {
		case name == NoFilter:
			errs.Addf("filters: none stands alone, for no filter at all")
		case index < 0:
			errs.Addf("filters: %q is not a filter: the filters are %s", name, names())
		case slices.Contains(chosen[:i], name):
			errs.Addf("filters: %s occurs twice", name)
		default:
			rules := l[index].New()
			errs.Add(set(rules, settings))
			list = append(list, rules)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		owner := slices.IndexFunc(l, func(f Filter[R]) bool {
			return slices.ContainsFunc(f.New().Thresholds(), func(s Setting) bool { return s.Name == name })
		})
		switch {
		case owner < 0:
			errs.Addf("%s is a setting of no filter: they are %s", name, names())
		case !slices.Contains(chosen, l[owner].Name):
			errs.Addf("%s has no effect without the filter %s: name it among the filters, which are %s", name, l[owner].Name, names())
		}
	}
	return list, errs.Err()
}

// set sets the thresholds for which there is a text.
func set(r Rules, texts map[string]string) error {
	var errs []error
	for _, s := range r.Thresholds() {
		if text, ok := texts[s.Name]; ok {
			errs = append(errs, s.Set(text))
		}
	}
	return errors.Join(append(errs, r.Check())...)
}
