package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"sentweave/pipelines/flags"
	"sentweave/schemas/jsonfile"
	"sentweave/transforms/filters"
	"sentweave/transforms/read/compressed"
)

// filterNames are those of the filters to run, in their order.
func (c Config) filterNames() []string {
	if len(c.Filters) > 0 {
		return filters.Ordered(c.Filters)
	}
	return filters.Names(func(f filters.Filter) bool {
		switch f.Name {
		case "c4":
			return c.C4
		case "gopher-repetition":
			return c.Repetition
		}
		return f.Default
	})
}

// rules returns the rules of the filters to run, or all that is wrong with them.
func (c Config) rules() ([]filters.Rules, error) {
	var err error
	if len(c.Filters) > 0 && (c.C4 || !c.Repetition) {
		err = errors.New("--c4 and --no-repetition change the default filters, and --filters replaces these: name all filters there")
	}
	rules, faults := filters.Choose(c.filterNames(), c.Settings)
	return rules, errors.Join(err, faults)
}

// Flags implements flags.Source: the flag filters and one for each setting.
func (c *Config) Flags() []flags.Flag {
	names := filters.Names(func(filters.Filter) bool { return true })
	list := []flags.Flag{{
		Name: "filters", Placeholder: "NAME,…", Group: "Filters", Many: true,
		Help: fmt.Sprintf("Filters to run, of %s; they run in this order, whatever the order in which they are named; none for no filter. Without it: %s.",
			strings.Join(names, ", "), strings.Join(filters.Names(func(f filters.Filter) bool { return f.Default }), ",")),
		Set: func(text string) error {
			c.Filters = append(c.Filters, strings.Split(text, ",")...)
			return nil
		},
	}}
	for _, f := range filters.List {
		for _, s := range f.New().Settings {
			list = append(list, flags.Flag{
				Name: s.Name, Help: strings.TrimSuffix(s.Help, ".") + " (" + f.Name + ").", Placeholder: fmt.Sprint(s.Get()),
				Group: "Filters",
				Set:   func(text string) error { c.set(s.Name, text); return nil },
			})
		}
	}
	return list
}

// Help returns the tables of the formats and of the filters, which the command line shows.
func (c *Config) Help() string {
	var b strings.Builder
	b.WriteString("The formats, the endings of their files, which " + compressed.Endings + " may follow, and what is a document:\n\n")
	list := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range formats {
		fmt.Fprintf(list, "    %s\t%s\t%s\n", f.name, strings.Join(f.extensions, " "), f.documents)
	}
	list.Flush()
	b.WriteString("\nThe filters, in the order in which they run; * runs only if it is named:\n\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range filters.List {
		mark := ""
		if !f.Default {
			mark = " *"
		}
		fmt.Fprintf(t, "    %s%s\tdrops %s\n    \t(%s)\n", f.Name, mark, f.Drops, f.Source)
	}
	t.Flush()
	return b.String()
}

// record is what the plan holds of the configuration: the fields, and the settings of the
// filters that run, given or not, beside them. So a filter that does not run is not part
// of a dataset's identity.
func (c Config) record() (map[string]json.RawMessage, error) {
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	if len(c.Filters) > 0 { // the same filters are the same plan, in whatever order they are named
		c.Filters = c.filterNames()
	}
	record := map[string]json.RawMessage{}
	data, err := json.Marshal(c)
	if err == nil {
		err = jsonfile.Unmarshal(data, &record)
	}
	delete(record, "settings")
	if len(c.Filters) > 0 { // they say it all
		delete(record, "repetition")
		delete(record, "c4")
	}
	for _, r := range rules {
		for _, s := range r.Settings {
			value, fault := json.Marshal(s.Get())
			record[key(s)], err = value, errors.Join(err, fault)
		}
	}
	return record, err
}

// UnmarshalJSON reads a configuration, or the record of one.
func (c *Config) UnmarshalJSON(data []byte) error {
	type fields Config // without this method
	c.Repetition = true
	record := map[string]json.RawMessage{}
	if err := errors.Join(jsonfile.Unmarshal(data, (*fields)(c)), jsonfile.Unmarshal(data, &record)); err != nil {
		return err
	}
	if _, ok := record["main"]; !ok {
		c.Main = mainRules
	}
	for _, f := range filters.List {
		for _, s := range f.New().Settings {
			if text, ok := record[key(s)]; ok {
				c.set(s.Name, string(text))
			}
		}
	}
	return nil
}

// set takes the text of a setting.
func (c *Config) set(name, text string) {
	if c.Settings == nil {
		c.Settings = map[string]string{}
	}
	c.Settings[name] = text
}

// key is the name of a setting in the record.
func key(s filters.Setting) string { return strings.ReplaceAll(s.Name, "-", "_") }
