package command

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/flags"
	"sentweave/schemas/language"
)

// distinctValues takes the values of a list as kong does, of a flag of texts each value once, unless it has the tag repeats. Codes of
// one language are one value. White space around a value, which kong takes for a part of it, is refused but in names of files and in
// values that may repeat.
type distinctValues struct{ kong.Mapper }

// listOption has the lists of a parser read by distinctValues.
func listOption() kong.Option {
	defaults := kong.NewRegistry().RegisterDefaults()
	return kong.KindMapper(reflect.Slice, distinctValues{defaults.ForType(reflect.TypeFor[[]string]())})
}

// Decode takes one argument, whose values follow those of the arguments before it.
func (d distinctValues) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	flag, repeats := ctx.Value.Flag, ctx.Value.Tag.Has("repeats")
	codes := flag != nil && strings.HasPrefix(flag.PlaceHolder, "CODE")
	if codes || flag != nil && !repeats && !located.MatchString(flag.PlaceHolder) {
		text, _ := ctx.Scan.Peek().Value.(string)
		if err := flags.RefuseSpaces(kong.SplitEscaped(text, ctx.Value.Tag.Sep)); err != nil {
			return err
		}
	}
	if err := d.Mapper.Decode(ctx, target); err != nil || flag == nil || repeats {
		return err
	}
	list, ok := target.Interface().([]string)
	given := map[string]string{}
	for _, value := range list {
		identity := value
		if code, err := language.Parse(value); codes && err == nil {
			identity = code
		}
		switch earlier, twice := given[identity]; {
		case !ok || !twice:
		case earlier == value:
			return fmt.Errorf("%q is given twice", value)
		default:
			return fmt.Errorf("%q is given twice: %q is the same language", value, earlier)
		}
		given[identity] = value
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
