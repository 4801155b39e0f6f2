package objective

import (
	"errors"
	"maps"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Settings are the configurations of objectives, by their names.
type Settings map[string]Config

// Of returns the configuration of an objective, or its default. The objective must be
// one of List.
func (s Settings) Of(name string) Config {
	if c, ok := s[name]; ok {
		return c
	}
	o, _ := Find(name)
	return o.Config()
}

// Validate returns all faults at once, in the order of List.
func (s Settings) Validate() error {
	var errs []error
	for _, name := range Names() {
		if c, ok := s[name]; ok {
			errs = append(errs, c.Check())
		}
	}
	return errors.Join(errs...)
}

// With returns the settings with the defaults of the named objectives that they lack.
// Unknown names are ignored.
func (s Settings) With(names ...string) Settings {
	result := maps.Clone(s)
	if result == nil {
		result = Settings{}
	}
	for _, name := range names {
		if o, ok := Find(name); ok && result[name] == nil {
			result[name] = o.Config()
		}
	}
	return result
}

// Keys lists the keys that settings have in YAML: all objectives.
func (Settings) Keys() []string { return Names() }

// Under returns a configuration of the objective.
func (Settings) Under(name string) any { return Settings{}.Of(name) }

// UnmarshalYAML reads the settings of some objectives. Keys that are left out have
// their defaults.
func (s *Settings) UnmarshalYAML(n ast.Node) error {
	*s = Settings{}
	mapping, ok := n.(ast.MapNode)
	if !ok {
		return nil // nothing is set
	}
	for entries := mapping.MapRange(); entries.Next(); {
		name := entries.Key().GetToken().Value
		o, ok := Find(name)
		if !ok {
			continue // as the reader has said
		}
		c := o.Config()
		if err := yaml.NodeToValue(entries.Value(), c, yaml.Strict()); err != nil {
			return err
		}
		(*s)[name] = c
	}
	return nil
}

// MarshalYAML writes the settings in the order of List.
func (s Settings) MarshalYAML() (any, error) {
	list := yaml.MapSlice{}
	for _, name := range Names() {
		if c, ok := s[name]; ok {
			list = append(list, yaml.MapItem{Key: name, Value: c})
		}
	}
	return list, nil
}

// ChangedLoss returns the name of a setting by which the losses of two configurations of one objective are not the same
// function of vectors, so that a smaller one is not a better one; "" if there is none. The tag changes:"loss" marks these.
func ChangedLoss(a, b Config) string {
	return changedLoss(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

func changedLoss(a, b reflect.Value) string {
	for i := range a.NumField() {
		switch f := a.Type().Field(i); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			if name := changedLoss(a.Field(i), b.Field(i)); name != "" {
				return name
			}
		case f.Tag.Get("changes") == "loss" && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()):
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			return name
		}
	}
	return ""
}
