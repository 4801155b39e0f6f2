package command

import (
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"
)

// distinctValues takes the values of a list as kong does, of a flag of texts each value once, unless it has the tag repeats.
type distinctValues struct{ kong.Mapper }

// listOption has the lists of a parser read by distinctValues.
func listOption() kong.Option {
	defaults := kong.NewRegistry().RegisterDefaults()
	return kong.KindMapper(reflect.Slice, distinctValues{defaults.ForType(reflect.TypeFor[[]string]())})
}

// Decode takes one argument, whose values follow those of the arguments before it.
func (d distinctValues) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if err := d.Mapper.Decode(ctx, target); err != nil || ctx.Value.Flag == nil || ctx.Value.Tag.Has("repeats") {
		return err
	}
	list, ok := target.Interface().([]string)
	given := map[string]bool{}
	for _, value := range list {
		if ok && given[value] {
			return fmt.Errorf("%q is given twice", value)
		}
		given[value] = true
	}
	return nil
}

// onlyOnce returns an error for a flag with the tag once that was given twice. Of other flags of one value the last one counts, so that a
// command that is given can be varied by what is put behind it; a list that is passed over in silence is another matter.
func onlyOnce(path []*kong.Path) error {
	given := map[*kong.Flag]bool{}
	for _, p := range path {
		if f := p.Flag; f != nil && f.Tag.Has("once") {
			if given[f] {
				return fmt.Errorf("--%s is given twice", f.Name)
			}
			given[f] = true
		}
	}
	return nil
}
