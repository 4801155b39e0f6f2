package corpus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"sentweave/pipelines/flags"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/filters"
	"sentweave/transforms/filters/thresholds"
	"sentweave/transforms/read/compressed"
)

// filterNames are those of the filters to run, in their order.
func (c Config) filterNames() []string {
	if len(c.Filters) > 0 {
		return filters.List.Ordered(c.Filters)
	}
	return filters.List.Names(func(f filters.Filter) bool {
		switch f.Name {
		case "c4":
			return c.C4
		case "gopher-repetition":
			return c.Repetition
		case filters.FastTextName:
			return c.used()
		case filters.PerplexityName:
			return c.names(modelFlag)
		case filters.WordsName:
			return c.names(wordsFlag)
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
	rules, faults := filters.List.Choose(c.filterNames(), c.Settings)
	return rules, errors.Join(err, faults)
}

// readThresholds reads the file of thresholds, if one is given.
func (c *Config) readThresholds(ctx context.Context) error {
	if c.Thresholds == "" {
		return nil
	}
	data, err := storage.ReadLocation(ctx, c.Thresholds, thresholds.MaxFile)
	if err != nil {
		return fmt.Errorf("thresholds: %w", err)
	}
	rules, err := c.rules()
	if err != nil {
		return err
	}
	measures := filters.Measures(rules)
	if slices.Contains(c.filterNames(), "cc-net") { // of which the probability is a rule without a score
		measures = append(measures, thresholds.Measure{Name: thresholds.LanguageScore,
			Bounds: thresholds.Bounds{Minimum: &c.MinLanguageScore}})
	}
	file, err := thresholds.Decode(data)
	if err == nil {
		c.Fitted = file.Fitted()
		err = c.Fitted.Check(measures)
	}
	if err != nil {
		return fmt.Errorf("thresholds: %s: %w", c.Thresholds, err)
	}
	return nil
}

// Flags implements flags.Source: the flag filters and one for each setting.
func (c *Config) Flags() []flags.Flag {
	return flags.OfFilters(filters.List, &c.Chosen)
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
	b.WriteByte('\n')
	flags.TableOfFilters(&b, filters.List)
	return b.String()
}

// record is what the plan holds of the configuration: the fields, and the settings of the
// filters that run beside them.
func (c Config) record() (map[string]json.RawMessage, error) {
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	if len(c.Filters) > 0 { // the same filters are the same plan, in whatever order they are named
		c.Filters = c.filterNames()
	}
	for _, names := range []*[]string{&c.Licenses, &c.OptOuts, &c.MaskPII} { // the same names are the same plan
		*names = slices.Compact(slices.Sorted(slices.Values(*names)))
	}
	if c.Languages, err = c.canonicalLanguages(); err != nil { // de and deu are one
		return nil, err
	}
	record := map[string]json.RawMessage{}
	data, err := json.Marshal(c)
	if err == nil {
		err = jsonfile.Unmarshal(data, &record)
	}
	if len(c.Filters) > 0 { // they say it all
		delete(record, "repetition")
		delete(record, "c4")
	}
	return record, errors.Join(err, flags.RecordFilters(record, rules))
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
	return flags.ReadFilters(filters.List, record, &c.Chosen)
}
