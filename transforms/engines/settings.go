package engines

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Settings are the user's settings of an engine. They are a struct whose exported
// fields are flags, by tags that the command line reads, and travel to workers as
// JSON. Package catalog lists the settings of all engines. They have no method
// Validate, because the command line would also call it for engines that are not used.
type Settings interface {
	// Describe describes the engine before it is opened.
	Describe() Description
	// Open opens the engine, which will be called as c says.
	Open(ctx context.Context, c Config) (Engine, error)
}

// Description describes an engine before it is opened.
type Description struct {
	// Name is that of the engine. Its flags begin with it.
	Name string
	// Help says what the engine is, if its name does not.
	Help string
	// Faults are all faults of the settings, joined, or nil.
	Faults error
	// Unpriced says that the engine may cost money, and that the user gave no price.
	Unpriced bool
	// Batch, if not 0, replaces the usual timeout of a request. Such a request is a
	// batch, which continues by itself when the process that sent it ends.
	Batch time.Duration
	// Installed, if not nil, returns the version and the pairs of an engine on this
	// machine. An error says how to install it.
	Installed func(context.Context) (string, error)
}

// Needs returns an error if a flag of an engine has no value.
func Needs(engine, flag, value string) error {
	if value == "" {
		return fmt.Errorf("engine %s needs --%s-%s", engine, engine, flag)
	}
	return nil
}

// AtLeastZero returns an error if the number of a flag is below 0 or not a number.
func AtLeastZero[N int | float64 | time.Duration](flag string, n N) error {
	if !(n >= 0) {
		return fmt.Errorf("%s is %v: want 0, which is the default, or more", flag, n)
	}
	return nil
}

// Suiting returns l, which suits an engine, with the items and characters of c's
// limits where c sets them.
func (c Config) Suiting(l Limits) Limits {
	l.Items, l.Characters = cmp.Or(c.Limits.Items, l.Items), cmp.Or(c.Limits.Characters, l.Characters)
	return l
}

// Reach opens an engine that first asks its server for its languages, with the timeout
// and the attempts of requests for translations.
func Reach[S any, E Engine](ctx context.Context, c Config, settings S, open func(context.Context, S) (E, error)) (engine E, err error) {
	err = Retry(ctx, c, func(ctx context.Context) (err error) {
		engine, err = open(ctx, settings)
		return err
	})
	return engine, err
}
