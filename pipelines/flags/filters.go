package flags

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/filters/choice"
)

// Chosen is what a user chose of a list of filters, by the flag --filters and one flag for each setting.
type Chosen struct {
	// Filters are the names of the filters to run, in any order; empty stands for those
	// that run by default. Settings are the thresholds that are given, by name.
	Filters  []string          `kong:"-" json:"filters,omitempty"`
	Settings map[string]string `kong:"-" json:"settings,omitempty"`
}

// set takes the text of a setting.
func (c *Chosen) set(name, text string) {
	if c.Settings == nil {
		c.Settings = map[string]string{}
	}
	c.Settings[name] = text
}

// OfFilters returns the flag filters and one for each setting, which change c.
func OfFilters[R choice.Rules](list choice.List[R], c *Chosen) []Flag {
	flags := []Flag{{
		Name: "filters", Placeholder: "NAME,…", Group: "Filters", Many: true,
		Help: fmt.Sprintf("Filters to run, of %s; they run in this order, whatever the order in which they are named; none for no filter. Without it: %s.",
			strings.Join(list.Names(nil), ", "), strings.Join(list.Names(func(f choice.Filter[R]) bool { return f.Default }), ",")),
		Set: func(text string) error {
			c.Filters = append(c.Filters, strings.Split(text, ",")...)
			return nil
		},
	}}
	for _, f := range list {
		for _, s := range f.New().Thresholds() {
			flags = append(flags, Flag{
				Name: s.Name, Help: strings.TrimSuffix(s.Help, ".") + " (" + f.Name + ").", Placeholder: fmt.Sprint(s.Get()),
				Group: "Filters",
				Set:   func(text string) error { c.set(s.Name, text); return nil },
			})
		}
	}
	return flags
}

// TableOfFilters writes the table of the filters, which help shows.
func TableOfFilters[R choice.Rules](w io.Writer, list choice.List[R]) {
	fmt.Fprint(w, "The filters, in the order in which they run; * runs only if it is named:\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range list {
		mark := ""
		if !f.Default {
			mark = " *"
		}
		fmt.Fprintf(t, "    %s%s\tdrops %s\n    \t(%s)\n", f.Name, mark, f.Drops, f.Source)
	}
	t.Flush()
}

// RecordFilters puts the settings of the filters that run, given or not, into the record of a configuration
// in the place of those that are given. So a filter that does not run is not part of a dataset's identity.
func RecordFilters[R choice.Rules](record map[string]json.RawMessage, rules []R) error {
	var errs []error
	delete(record, "settings")
	for _, r := range rules {
		for _, s := range r.Thresholds() {
			value, err := json.Marshal(s.Get())
			record[key(s)] = value
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ReadFilters takes the settings of a record.
func ReadFilters[R choice.Rules](list choice.List[R], record map[string]json.RawMessage, c *Chosen) error {
	for _, f := range list {
		for _, s := range f.New().Thresholds() {
			raw, ok := record[key(s)]
			if !ok {
				continue
			}
			text := string(raw)
			if strings.HasPrefix(text, `"`) {
				if err := jsonfile.Unmarshal(raw, &text); err != nil {
					return err
				}
			}
			c.set(s.Name, text)
		}
	}
	return nil
}

// key is the name of a setting in a record.
func key(s choice.Setting) string { return strings.ReplaceAll(s.Name, "-", "_") }
