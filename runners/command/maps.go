package command

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// distinctNames takes the values NAME=VALUE of a map as kong does, each name once. No name is empty, and no value
// of which the placeholder says more than VALUE, such as a folder.
type distinctNames struct{ kong.Mapper }

// mapOption has the maps of a parser read by distinctNames.
func mapOption() kong.Option {
	defaults := kong.NewRegistry().RegisterDefaults()
	return kong.KindMapper(reflect.Map, distinctNames{defaults.ForType(reflect.TypeFor[map[string]string]())})
}

// Decode takes one argument, which has several values where the tag of the map says what is between them.
func (d distinctNames) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	given := map[string]bool{}
	for _, name := range target.MapKeys() {
		given[name.String()] = true
	}
	argument := ctx.Scan.Peek()
	if argument.IsEOL() {
		return fmt.Errorf("there is no %s", ctx.Value.Flag.PlaceHolder)
	}
	for _, value := range kong.SplitEscaped(argument.String(), ctx.Value.Tag.MapSep) {
		name, set, ok := strings.Cut(value, "=")
		if !ok || name == "" || set == "" && !strings.HasSuffix(ctx.Value.Flag.PlaceHolder, "=VALUE") {
			return fmt.Errorf("%q is not %s", value, ctx.Value.Flag.PlaceHolder)
		}
		switch {
		case given[name] && ctx.Value.Tag.MapSep == -1:
			return fmt.Errorf("%s is set twice; a list is one value, as in --%s %s=A,B", name, ctx.Value.Name, name)
		case given[name]:
			return fmt.Errorf("%s is set twice", name)
		}
		given[name] = true
	}
	return d.Mapper.Decode(ctx, target)
}
