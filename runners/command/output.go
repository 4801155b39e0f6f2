package command

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// located is in the placeholders of flags that take a folder or a file.
var located = regexp.MustCompile(`DIR|FILE|MODEL`)

// separate says which inputs of a verb lie in the folder that it makes, or, of verbs
// that delete nothing, are that folder. Inputs are flags whose placeholder names a
// folder or a file, as DIR and NAME=FILE,... do.
func separate(flags []*kong.Flag) error {
	out, overwrites := "", false
	for _, f := range flags {
		switch f.Name {
		case "out":
			out, _ = f.Target.Interface().(string)
		case "overwrite":
			overwrites = true
		}
	}
	if out == "" {
		return nil
	}
	var errs fault.List
	for _, f := range flags {
		if f.Name == "out" || !located.MatchString(f.PlaceHolder) {
			continue
		}
		for _, location := range texts(f.Target) {
			_, named, _ := strings.Cut(location, "=") // in NAME=DIR
			for _, l := range []string{location, named} {
				if within(out, l) && (overwrites || within(l, out)) {
					errs.Addf("%s: %s lies in the output %s, which would write over it: choose another --out", f.Name, l, out)
					break
				}
			}
		}
	}
	return errs.Err()
}

// texts lists the texts of a flag: one, a list of them, or the values of a mapping.
func texts(v reflect.Value) []string {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Slice:
		var list []string
		for i := range v.Len() {
			list = append(list, texts(v.Index(i))...)
		}
		return list
	case reflect.Map:
		var list []string
		for _, k := range v.MapKeys() {
			list = append(list, texts(v.MapIndex(k))...)
		}
		return list
	default:
		return nil
	}
}

// within says whether a location is the folder or lies below it.
func within(folder, location string) bool {
	if location == "" {
		return false
	}
	_, inside := storage.Relative(resolved(folder), resolved(location))
	return inside
}

// resolved is the path without links as far as it exists.
func resolved(path string) string {
	if storage.IsRemote(path) {
		return path
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}
