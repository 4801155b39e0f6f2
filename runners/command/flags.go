package command

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// FlagsOf returns the flags that set the fields of a struct, a pointer to which is
// given, to what they are: for a command that hands them on. Fields that are as
// they are without a flag are left out, unless the command line names them.
func FlagsOf(fields any, args []string) ([]string, error) {
	parser, err := kong.New(fields, kong.Name("fields"))
	if err != nil {
		return nil, err
	}
	var flags []string
	for _, f := range parser.Model.Flags {
		value := f.Target
		listed := slices.ContainsFunc(args, func(a string) bool { return a == "--"+f.Name || strings.HasPrefix(a, "--"+f.Name+"=") })
		if f.Name == "help" || !listed && (value.IsZero() || f.HasDefault && fmt.Sprint(value.Interface()) == f.Default) {
			continue
		}
		switch value.Kind() {
		case reflect.Map:
			entries := map[string]string{}
			for _, key := range value.MapKeys() {
				entries[key.String()] = fmt.Sprint(value.MapIndex(key).Interface())
			}
			for _, key := range slices.Sorted(maps.Keys(entries)) {
				flags = append(flags, fmt.Sprintf("--%s=%s=%s", f.Name, key, entries[key]))
			}
		default:
			flags = append(flags, fmt.Sprintf("--%s=%v", f.Name, value.Interface()))
		}
	}
	return flags, nil
}

// Having returns those of the flags that a verb has.
func (set Flags) Having(flags []string) []string {
	var list []string
	for _, f := range flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, "--"), "=")
		if _, ok := set[name]; ok {
			list = append(list, f)
		}
	}
	return list
}

// FlagNames returns the flags of a struct, a pointer to which is given.
func FlagNames(fields any) ([]string, error) {
	list, err := flagsOf(fields)
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	return names, err
}

// CopyFlags sets the fields of the named flags to their values in another struct of
// the same type; pointers to both are given.
func CopyFlags(to, from any, names []string) error {
	sources, err := flagsOf(from)
	if err != nil {
		return err
	}
	targets, err := flagsOf(to)
	if err != nil {
		return err
	}
	for i, f := range targets {
		if slices.Contains(names, f.Name) {
			f.Target.Set(sources[i].Target)
		}
	}
	return nil
}

// flagsOf returns the flags of a struct but --help.
func flagsOf(fields any) ([]*kong.Flag, error) {
	parser, err := kong.New(fields, kong.Name("fields"), kong.NoDefaultHelp())
	if err != nil {
		return nil, err
	}
	return parser.Model.Flags, nil
}
