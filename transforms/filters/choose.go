package filters

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/fault"
)

// noFilter is the name that stands for no filter at all.
const noFilter = "none"

// Names returns the names of the filters that a predicate accepts, in the order of
// All.
func Names(takes func(Filter) bool) []string {
	var names []string
	for _, f := range List {
		if takes(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Default returns the rules that run if the user names no filters and sets nothing.
func Default() []Rules {
	var list []Rules
	for _, f := range List {
		if f.Default {
			list = append(list, f.New())
		}
	}
	return list
}

// Ordered returns names of filters in the order of List, whatever order they are given in. Names
// of no filter come last, as they stand.
func Ordered(chosen []string) []string {
	place := func(name string) int {
		if index := slices.IndexFunc(List, func(f Filter) bool { return f.Name == name }); index >= 0 {
			return index
		}
		return len(List)
	}
	return slices.SortedStableFunc(slices.Values(chosen), func(a, b string) int { return place(a) - place(b) })
}

// Choose returns the rules of the named filters, in the order of List, with the settings
// that are given by name and text; none alone names no filter. The error reports all
// faults: unknown names, names that occur twice, settings of filters that are not
// named, values out of bounds.
func Choose(chosen []string, settings map[string]string) ([]Rules, error) {
	if slices.Equal(chosen, []string{noFilter}) {
		chosen = nil
	}
	var list []Rules
	var errs fault.List
	chosen = Ordered(chosen)
	names := func() string { return strings.Join(Names(func(Filter) bool { return true }), ", ") }
	for i, name := range chosen {
		index := slices.IndexFunc(List, func(f Filter) bool { return f.Name == name })
		switch {
		case name == noFilter:
			errs.Addf("filters: none stands alone, for no filter at all")
		case index < 0:
			errs.Addf("filters: %q is not a filter: the filters are %s", name, names())
		case slices.Contains(chosen[:i], name):
			errs.Addf("filters: %s occurs twice", name)
		default:
			rules := List[index].New()
			errs.Add(rules.set(settings))
			list = append(list, rules)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		owner := slices.IndexFunc(List, func(f Filter) bool {
			return slices.ContainsFunc(f.New().Settings, func(s Setting) bool { return s.Name == name })
		})
		switch {
		case owner < 0:
			errs.Addf("%s is a setting of no filter: they are %s", name, names())
		case !slices.Contains(chosen, List[owner].Name):
			errs.Addf("%s has no effect without the filter %s: name it among the filters, which are %s", name, List[owner].Name, names())
		}
	}
	return list, errs.Err()
}

// set sets the thresholds for which there is a text.
func (r Rules) set(texts map[string]string) error {
	var errs []error
	for _, s := range r.Settings {
		if text, ok := texts[s.Name]; ok {
			errs = append(errs, s.set(text))
		}
	}
	if r.Validate != nil {
		errs = append(errs, r.Validate())
	}
	return errors.Join(errs...)
}
