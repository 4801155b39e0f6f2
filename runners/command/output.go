package command

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// located is in the placeholders of flags that take a folder or a file.
var located = regexp.MustCompile(`DIR|FILE|MODEL|PATH`)

// separate says which inputs of a verb lie in the folder that it makes, or, of verbs
// that delete nothing, are that folder. Inputs are flags whose placeholder names a
// folder or a file, as DIR and NAME=FILE,... do.
func separate(flags []*kong.Flag) error {
	output, overwrites := "", false
	for _, f := range flags {
		switch f.Name {
		case "out":
			output, _ = f.Target.Interface().(string)
		case "overwrite":
			overwrites = true
		}
	}
	if output == "" {
		return nil
	}
	var errs fault.List
	for _, f := range flags {
		if f.Name == "out" || !located.MatchString(f.PlaceHolder) {
			continue
		}
		for _, location := range texts(f.Target) {
			_, dir, _ := strings.Cut(location, "=") // in NAME=DIR
			for _, l := range []string{location, dir} {
				if Contains(output, l) && (overwrites || Contains(l, output)) {
					errs.Addf("%s: %s lies in the output %s, which would write over it: choose another --out", f.Name, l, output)
					break
				}
			}
		}
	}
	return errs.Err()
}

// Input is a location that a verb reads or writes.
type Input struct {
	Flag string
	// Location is without the name before it, as in NAME=DIR.
	Location string
	// Folder says that it must be one, and no file.
	Folder bool
	// Takes are what a folder there may hold, nothing where that is not known.
	Takes []string
}

// outputs lists what a verb writes: files and folders that its flags name.
func outputs(flags []*kong.Flag) (list []Input) {
	for _, f := range flags {
		if (f.Name == "out" || f.Group != nil && f.Group.Key == "Output") && located.MatchString(f.PlaceHolder) {
			for _, location := range texts(f.Target) {
				if location != "" {
					list = append(list, Input{Flag: f.Name, Location: location, Folder: !strings.Contains(f.PlaceHolder, "FILE")})
				}
			}
		}
	}
	return list
}

// read are the groups of flags whose locations a verb reads.
var read = []string{required, "Input", "Data", "Encoder", "Filters", "Checks", "Model", "Models", "Plot", "Objectives"}

// labelled is the placeholder of a flag that takes a name before the location.
var labelled = regexp.MustCompile(`=\]?(DIR|FILE|MODEL)`)

// scheme begins a location that is not a path: of a bucket, or of a baseline.
var scheme = regexp.MustCompile(`^[a-z][a-z0-9]*:`)

// inputs lists the paths on this machine that flags name to be read. Words of the tag of that name are none.
func inputs(flags []*kong.Flag) (list []Input) {
	for _, f := range flags {
		if f.Name == "out" || f.Group == nil || !slices.Contains(read, f.Group.Key) || !located.MatchString(f.PlaceHolder) {
			continue
		}
		for _, location := range texts(f.Target) {
			before, after, found := strings.Cut(location, "=")
			if found && !strings.ContainsAny(before, `/\:`) && labelled.MatchString(f.PlaceHolder) {
				location = after
			}
			if location != "" && !slices.Contains(tagged(f, "words"), location) && !scheme.MatchString(location) {
				folder := !strings.Contains(f.PlaceHolder, "FILE") && strings.Contains(f.PlaceHolder, "DIR")
				list = append(list, Input{f.Name, location, folder, tagged(f, "takes")})
			}
		}
	}
	return list
}

// tagged lists the names in a tag of a flag, separated by commas.
func tagged(f *kong.Flag, tag string) []string {
	text := f.Tag.Get(tag)
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
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

// Contains says whether a location is the folder or lies below it. Links are followed.
func Contains(folder, location string) bool {
	if location == "" {
		return false
	}
	_, inside := storage.Relative(storage.Resolved(folder), storage.Resolved(location))
	return inside
}
