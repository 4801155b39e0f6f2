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
		named := slices.ContainsFunc(args, func(a string) bool { return a == "--"+f.Name || strings.HasPrefix(a, "--"+f.Name+"=") })
		if f.Name == "help" || !named && (value.IsZero() || f.HasDefault && fmt.Sprint(value.Interface()) == f.Default) {
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
func (has Flags) Having(flags []string) []string {
	var list []string
	for _, f := range flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, "--"), "=")
		if _, ok := has[name]; ok {
			list = append(list, f)
		}
	}
	return list
}
