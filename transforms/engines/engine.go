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

// Engine translates texts. Many goroutines may use it at once.
type Engine interface {
	// Name is the name of the engine: "google".
	Name() string
	// Identity returns what decides the engine's output for a pair that it supports.
	Identity(Pair) (Identity, error)
	// Limits returns how much a request may hold.
	Limits() Limits
	// Price is the cost of a million characters of source text in US dollars. It is 0
	// if they are free or the price is not known.
	Price() float64
	// Supports returns nil if the engine translates the pair, and otherwise the
	// reason, which wraps ErrUnsupported. It sends nothing.
	Supports(Pair) error
	// Translate translates texts within Limits in one request. Without an error it
	// returns an answer for each text, in the order of the texts. An error is a *Fault
	// if the engine knows its kind. With an error there may be answers for the first
	// texts; they are kept, and only the others are sent again. Translate ends with
	// ctx.
	Translate(ctx context.Context, pair Pair, texts []string) ([]Answer, error)
	// Close ends programs and connections. The engine cannot be used afterwards.
	Close() error
}

// Collector is an Engine whose requests outlive the process that sends them. If the
// process that placed a batch has ended, the next process with the same texts gets its
// answers.
type Collector interface {
	Engine
	// Collect returns the answers of a request that was placed before and is paid for,
	// as Translate does. If there is no such request, it returns placed == false and
	// places none. It uses no budget.
	Collect(ctx context.Context, pair Pair, texts []string) (answers []Answer, placed bool, err error)
}

// Measured is an Engine that sends more characters than its texts have, and is paid
// for what it sends.
type Measured interface {
	Engine
	// Characters is the number of code points that a text takes in a request.
	Characters(text string) int
}

// Metered is an Engine whose account has a quota.
type Metered interface {
	Engine
	// Quota describes what is left of the quota, or why this is not known. It is "" if
	// there is nothing to say.
	Quota(context.Context) string
}

// Pair is a source and a target language, as codes of schemas/language.
type Pair struct{ Source, Target string }

// String returns "eng-spa".
func (p Pair) String() string { return p.Source + "-" + p.Target }

// Answer is the result of a text: its translation, or the reason why there is none.
type Answer struct {
	Text string
	Err  error
}

// Limits of a request. Zero stands for no limit.
type Limits struct {
	// Items is the number of texts.
	Items int
	// Characters and Bytes limit all texts together, in code points and in bytes of
	// UTF-8. A longer text goes alone.
	Characters, Bytes int
	// TextCharacters is the length of the longest text that the engine takes at all.
	TextCharacters int
	// RequestsPerMinute and CharactersPerMinute are the rates that the engine is known
	// to accept.
	RequestsPerMinute, CharactersPerMinute int
}

// Characters returns the number for which engines charge: the code points of a text.
func Characters(text string) int { return utf8.RuneCountInString(text) }

// Identity is everything that decides a translation besides languages and text: the
// columns engine, model and options_xxh3 of a translation memory.
type Identity struct {
	// Engine is its Name.
	Engine string
	// Model is the model that answers, with its version if the engine reports one.
	Model string
	// Options are all other settings that change the output, in a canonical form.
	Options string
}

// OptionsXXH3 returns the xxh3-64 of the options, as 16 hexadecimal digits.
func (i Identity) OptionsXXH3() string { return fmt.Sprintf("%016x", xxh3.HashString(i.Options)) }

// Key returns the identity of a translation in the memory, in the form of schemas.ID.
// The same text of another engine, model, option or pair has another key.
func (i Identity) Key(p Pair, text string) string {
	return Key(i.Engine, i.Model, i.OptionsXXH3(), p, text)
}

// Key returns the key of an identity whose options are known only by their hash.
func Key(engine, model, optionsXXH3 string, p Pair, text string) string {
	return schemas.DerivedID("translation", engine, model, optionsXXH3, p.Source, p.Target, text)
}
