package engines

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Settings are what a user says of an engine: a struct whose exported fields are flags,
// by tags that the command line reads, and travel to workers as JSON. Package catalog
// lists those of all engines. They have no method Validate: the command line would call
// it also for engines that nobody asked for.
type Settings interface {
	// About tells what is known of the engine before it is opened.
	About() About
	// Open opens the engine, to be called as c says.
	Open(ctx context.Context, c Config) (Engine, error)
}

// About is what is known of an engine before it is opened.
type About struct {
	// Name is that of the engine. Its flags begin with it.
	Name string
	// Help says what the engine is where its name does not.
	Help string
	// Faults are all that is wrong with the settings, joined, or nil.
	Faults error
	// Unpriced says that the engine may cost money, and that the user gave no price.
	Unpriced bool
	// Batch, if not 0, is what a request may take instead of the usual timeout: it is a
	// batch, which goes on by itself when the process that sent it ends.
	Batch time.Duration
	// Installed, if not nil, says what an engine on this machine has: its version and its
	// pairs. An error says how to install it.
	Installed func(context.Context) (string, error)
}

// Needs returns an error if a flag of an engine has no value.
func Needs(engine, flag, value string) error {
	if value == "" {
		return fmt.Errorf("engine %s needs --%s-%s", engine, engine, flag)
	}
	return nil
}

// AtLeastZero returns an error if a number that a flag gives is below 0, or is no number.
func AtLeastZero[N int | float64 | time.Duration](flag string, n N) error {
	if !(n >= 0) {
		return fmt.Errorf("%s is %v: want 0, which is the default, or more", flag, n)
	}
	return nil
}

// Suiting returns limits that suit an engine, where c asks for no others.
func (c Config) Suiting(l Limits) Limits {
	l.Items, l.Characters = cmp.Or(c.Limits.Items, l.Items), cmp.Or(c.Limits.Characters, l.Characters)
	return l
}

// Reach opens an engine that asks a server what it has, as patiently as the server will
// be asked for translations.
func Reach[S any, E Engine](ctx context.Context, c Config, settings S, open func(context.Context, S) (E, error)) (engine E, err error) {
	err = Retry(ctx, c, func(ctx context.Context) (err error) {
		engine, err = open(ctx, settings)
		return err
	})
	return engine, err
}
