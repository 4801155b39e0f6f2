// Package engines translates texts by machine. An Engine talks to one service or
// program. A Caller cuts texts into the requests that an engine takes, sends them in
// parallel, repeats failed ones, and keeps to a rate and a budget.
//
// # Behavior
//
// Every text gets an Answer, in the order of the texts: a translation, or the reason
// why it has none. An error is a Fault, whose Kind says whether the same request may
// be sent again, only parts of it, or nothing more.
//
// Languages are codes of schemas/language. Each engine maps them to its own, and
// refuses a pair that it does not know before anything is sent.
//
// # Determinism
//
// Requests are cut by the texts and the limits alone, so the same texts give the same
// requests at any parallelism. An engine need not give the same answer to the same
// request. Its answers are kept in a translation memory under Identity.Key.
//
// # Secrets
//
// ReadSecret reads keys from the environment or a file. No error, Identity or printed
// configuration contains them.
package engines

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
)

// Engine translates. It may be used by many goroutines at once.
type Engine interface {
	// Name is the name of the engine: "google".
	Name() string
	// Identity tells what decides the engine's output for a pair that Supports.
	Identity(Pair) (Identity, error)
	// Limits tells what a request may hold.
	Limits() Limits
	// Price is what a million characters of source text cost, in US dollars; 0 where
	// they cost nothing, or nobody knows.
	Price() float64
	// Supports returns nil if the engine translates the pair, and otherwise why not.
	// It sends nothing.
	Supports(Pair) error
	// Translate translates texts within Limits in one request. Without an error there
	// is an answer for each text, in the order of the texts. With one, which is a
	// *Fault where the engine knows its kind, there may be answers for the first
	// texts: they stand, and only the others are sent again. It ends with ctx.
	Translate(ctx context.Context, pair Pair, texts []string) ([]Answer, error)
	// Close ends programs and connections. Nothing may be translated afterwards.
	Close() error
}

// Collector is an Engine whose requests outlive those who send them: a batch that was
// placed by a process which is gone is answered to the next one that wants the same.
type Collector interface {
	Engine
	// Collect is Translate for a request that was placed before, and is paid for. Where
	// none is known it returns placed == false, and places none: no budget is asked.
	Collect(ctx context.Context, pair Pair, texts []string) (answers []Answer, placed bool, err error)
}

// Measured is an Engine that sends more than the characters of its texts, and is paid for
// what it sends.
type Measured interface {
	Engine
	// Characters is the number of code points that a text takes in a request.
	Characters(text string) int
}

// Metered is an Engine whose account has a quota.
type Metered interface {
	Engine
	// Quota tells in words what the quota leaves, or why it cannot be told; "" if there is
	// nothing to tell.
	Quota(context.Context) string
}

// Pair says from which language into which, as codes of schemas/language.
type Pair struct{ Source, Target string }

// String returns "eng-spa".
func (p Pair) String() string { return p.Source + "-" + p.Target }

// Answer is what became of a text: its translation, or why there is none.
type Answer struct {
	Text string
	Err  error
}

// Limits of a request. Zero stands for no limit.
type Limits struct {
	// Items is the number of texts.
	Items int
	// Characters and Bytes are those of all texts together: code points, and bytes of
	// UTF-8. A text that is longer goes alone.
	Characters, Bytes int
	// TextCharacters is the length of the longest text that the engine takes at all.
	TextCharacters int
	// RequestsPerMinute and CharactersPerMinute are what the engine is known to take.
	RequestsPerMinute, CharactersPerMinute int
}

// Characters is what engines count for their price: code points.
func Characters(text string) int { return utf8.RuneCountInString(text) }

// Identity is what decides a translation besides languages and text: the columns
// engine, model and options_xxh3 of a translation memory.
type Identity struct {
	// Engine is its Name.
	Engine string
	// Model is the model that answers, with its version where the engine tells one.
	Model string
	// Options are all others that change the output, written in one way.
	Options string
}

// OptionsXXH3 returns the xxh3-64 of the options, as 16 hexadecimal digits.
func (i Identity) OptionsXXH3() string { return fmt.Sprintf("%016x", xxh3.HashString(i.Options)) }

// Key returns the identity of a translation in the memory, as schemas.ID writes
// one. The same text of another engine, model, option or pair has another key.
func (i Identity) Key(p Pair, text string) string {
	return Key(i.Engine, i.Model, i.OptionsXXH3(), p, text)
}

// Key returns that of an identity whose options are known by their hash alone.
func Key(engine, model, optionsXXH3 string, p Pair, text string) string {
	return schemas.DerivedID("translation", engine, model, optionsXXH3, p.Source, p.Target, text)
}
