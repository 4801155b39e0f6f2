// Package flags adds flags to a command line that come from a list in the program,
// such as the settings of filters, and not from the fields of a struct.
package flags

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// Flag is a flag of a configuration.
type Flag struct {
	// Name is without hyphens before it. Placeholder is what help shows as the value:
	// for most flags, what holds without it.
	Name, Help, Placeholder, Group string
	// Many says that a value is a list, with commas.
	Many bool
	// Set takes a value. It is called for each time that the flag is given.
	Set func(text string) error
}

// Source is a configuration with such flags, or a verb that holds one.
type Source interface{ Flags() []Flag }

// Texts is a configuration, or a verb that holds one, whose tags have names such as ${formats} in them. It returns what
// the names stand for; two configurations must not use one name.
type Texts interface{ Vars() map[string]string }

// Option adds the flags of all sources, and the texts of all configurations, to a parser.
func Option() kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		return kong.Visit(k.Model, func(visitable kong.Visitable, next kong.Next) error {
			switch node := visitable.(type) {
			case *kong.Application:
				add(node.Node)
				return errors.Join(explain(k, node.Node), next(nil))
			case *kong.Node:
				add(node)
				return errors.Join(explain(k, node), next(nil))
			}
			return next(nil)
		})
	})
}

func explain(k *kong.Kong, node *kong.Node) error {
	texts, ok := node.Target.Addr().Interface().(Texts)
	if !ok {
		return nil
	}
	return kong.Vars(texts.Vars()).Apply(k)
}

func add(node *kong.Node) {
	source, ok := node.Target.Addr().Interface().(Source)
	if !ok {
		return
	}
	for _, f := range source.Flags() {
		var target any = new(string)
		if f.Many {
			target = new([]string)
		}
		flag := &kong.Flag{
			Value: &kong.Value{
				Name: f.Name, Help: f.Help, OrigHelp: f.Help, Tag: &kong.Tag{Sep: -1}, Mapper: decoder(f),
				// Set keeps the value; this tells kong whether it is a list.
				Target: reflect.ValueOf(target).Elem(),
			},
			PlaceHolder: f.Placeholder, Group: &kong.Group{Key: f.Group, Title: f.Group},
		}
		flag.Value.Flag = flag
		node.Flags = append(node.Flags, flag)
	}
}

// RefuseSpaces returns an error for white space around one of the values of a list, which commas alone part.
func RefuseSpaces(values []string) error {
	for _, value := range values {
		if strings.TrimSpace(value) != value {
			return fmt.Errorf("%q begins or ends with a space: leave it out, only commas part the values", value)
		}
	}
	return nil
}

// decoder hands a value to what sets the flag.
func decoder(f Flag) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, _ reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("value", &text); err != nil {
			return err
		}
		if f.Many {
			if err := RefuseSpaces(strings.Split(text, ",")); err != nil {
				return err
			}
		}
		return f.Set(text)
	}
}
