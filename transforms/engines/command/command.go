// Package command translates by a program of the user. It keeps the program alive and
// talks to it over its standard input and output.
//
// A request is a line of JSON, and so is its answer:
//
//	{"id":7,"source":"eng","target":"deu","texts":["Hello","World"]}
//	{"id":7,"translations":["Hallo","Welt"]}
//
// A text that cannot be translated has null as its translation, and may have a reason
// in the same place of a list "errors". If the program cannot do a request at all, it
// answers {"id":7,"error":"why"}; the request is then cut in two until the culprit is
// alone. A program that answers every request this way, even "Hello.", counts as
// broken. If the program dies, the error shows what it wrote to standard error. The
// program must end when its input ends.
//
// An answer may come in parts, lines of which all but the last have "more":
//
//	{"id":7,"translations":["Hallo"],"more":true}
//	{"id":7,"translations":["Welt"]}
//
// If the program dies after some parts, their translations are kept. If each part
// holds one text, the program died on the first text without an answer. Otherwise the
// texts of the request are sent one by one.
package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync/atomic"
	"unicode/utf8"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/process"
)

// name of the engine.
const name = "command"

// longestAnswer bounds a line of the program.
const longestAnswer = 64 << 20

// Config says which program. It is also the engine's settings, whose flags have the tags.
type Config struct {
	// The program is started without a shell, once for each request under way, and
	// serves any pair.
	Program   string   `help:"Program that reads one JSON object a line and answers so." placeholder:"FILE"`
	Arguments []string `help:"Its arguments." placeholder:"ARGUMENT,…" repeats:""`
	// Another name or version keeps memories of what it did before apart.
	Model           string   `help:"Name and version of what it does, in the memory." placeholder:"NAME"`
	SecretVariables []string `help:"Environment variables whose values no error may show." placeholder:"NAME,…"`
	PerMillion      float64  `name:"price" placeholder:"DOLLARS" help:"Dollars for a million characters."`
	// Limits default to 100 texts and 10,000 characters a request.
	Limits engines.Limits `kong:"-"`
	// Idle is the greatest number of programs that wait for work. Default 4.
	Idle int `kong:"-"`
}

// DefaultConfig returns the configuration described above, for a program.
func DefaultConfig(model, program string, arguments ...string) Config {
	return Config{Program: program, Arguments: arguments, Model: model, Limits: engines.Limits{Items: 100, Characters: 10_000}, Idle: 4}
}

// Describe implements engines.Settings.
func (c Config) Describe() engines.Description {
	return engines.Description{
		Name: name, Help: "a program of yours", Unpriced: c.PerMillion == 0,
		Faults: errors.Join(engines.Needs(name, "program", c.Program), engines.Needs(name, "model", c.Model),
			engines.AtLeastZero(name+"-price", c.PerMillion)),
	}
}

// Open implements engines.Settings.
func (c Config) Open(_ context.Context, call engines.Config) (engines.Engine, error) {
	d := DefaultConfig(c.Model, c.Program)
	c.Limits, c.Idle = call.Suiting(d.Limits), max(d.Idle, call.Parallel)
	return Open(c)
}

// Engine is a program of the user.
type Engine struct {
	config  Config
	program process.Program
	pool    process.Pool[*process.Process]
	ids     atomic.Int64
	byText  atomic.Bool // it answers with a line for each text
}

// Open finds the program. It does not start it.
func Open(config Config) (*Engine, error) {
	if err := config.Describe().Faults; err != nil {
		return nil, err
	}
	path, err := exec.LookPath(config.Program)
	if err != nil {
		return nil, fmt.Errorf("find the program that translates: %w", err)
	}
	e := &Engine{config: config, program: process.Program{Path: path, Args: config.Arguments},
		pool: process.Pool[*process.Process]{Idle: config.Idle}}
	for _, variable := range config.SecretVariables {
		if secret, err := engines.ReadSecret(variable, ""); err == nil {
			e.program.Secrets = append(e.program.Secrets, secret)
		}
	}
	return e, nil
}

// Name implements engines.Engine.
func (e *Engine) Name() string { return name }

// Identity implements engines.Engine. What decides is what Model says.
func (e *Engine) Identity(p engines.Pair) (engines.Identity, error) {
	return engines.Identity{Engine: name, Model: e.config.Model}, e.Supports(p)
}

// Limits implements engines.Engine.
func (e *Engine) Limits() engines.Limits { return e.config.Limits }

// Price implements engines.Engine.
func (e *Engine) Price() float64 { return e.config.PerMillion }

// Supports implements engines.Engine: every two languages. What the program cannot
// translate it answers with an error.
func (e *Engine) Supports(p engines.Pair) error { return engines.CheckPair(p) }

// Close implements engines.Engine.
func (e *Engine) Close() error {
	e.pool.Close()
	return nil
}

type request struct {
	ID     int64    `json:"id"`
	Source string   `json:"source"`
	Target string   `json:"target"`
	Texts  []string `json:"texts"`
}

type answer struct {
	ID           *int64    `json:"id"`
	Translations []*string `json:"translations"`
	Errors       []string  `json:"errors"`
	Error        string    `json:"error"`
	More         bool      `json:"more,omitempty"`
}

// Translate implements engines.Engine.
func (e *Engine) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	if err := e.Supports(p); err != nil {
		return nil, err
	}
	r := request{ID: e.ids.Add(1), Source: p.Source, Target: p.Target, Texts: texts}
	line, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	q, err := e.pool.Get("", e.start)
	if err != nil {
		return nil, err
	}
	answers := make([]engines.Answer, 0, len(texts))
	single, refusal := true, ""
	err = q.Exchange(ctx, func(w *bufio.Writer) error {
		_, err := w.Write(append(line, '\n'))
		return err
	}, func(reader *bufio.Reader) error {
		for unfinished := true; unfinished; {
			line, err := readLine(reader)
			if err != nil {
				return err
			}
			a, err := parse(line, r, len(answers))
			if err != nil {
				return &engines.Fault{Kind: engines.Malformed, Err: err}
			}
			unfinished, refusal = a.More, a.Error
			answers = e.take(answers, a)
			single = single && len(a.Translations) == 1
		}
		if q.Pending() {
			return engines.Faultf(engines.Malformed, "the program answered one request with more than one line")
		}
		return nil
	})
	var fault *engines.Fault
	switch {
	case errors.As(err, &fault) && fault.Kind == engines.Crashed:
		fault.First = single && (len(answers) > 0 || e.byText.Load()) && !errors.Is(err, context.DeadlineExceeded)
		return answers, fault
	case err != nil:
		return nil, err
	}
	if e.pool.Put("", q); len(texts) > 1 {
		e.byText.Store(single)
	}
	if refusal != "" {
		return answers, engines.Faultf(engines.Refused, "the program says: %s", e.scrub(refusal))
	}
	return answers, nil
}

// start starts the program, and another one when this one ends in the middle of its work.
func (e *Engine) start() (*process.Process, error) {
	program := e.program
	program.Ending = func() {
		if next, err := e.start(); err == nil { // otherwise the next to need it says why
			e.pool.Put("", next)
		}
	}
	return program.Start()
}

// take appends the answers of a line.
func (e *Engine) take(answers []engines.Answer, a answer) []engines.Answer {
	for i, t := range a.Translations {
		var result engines.Answer
		switch {
		case t != nil:
			result.Text = *t
		case len(a.Errors) > 0 && a.Errors[i] != "":
			result.Err = engines.Faultf(engines.Refused, "the program says: %s", e.scrub(a.Errors[i]))
		default:
			result.Err = engines.Faultf(engines.Refused, "the program has no translation")
		}
		answers = append(answers, result)
	}
	return answers
}

func (e *Engine) scrub(text string) string {
	for _, s := range e.program.Secrets {
		text = s.Scrub(text)
	}
	return text
}

// readLine reads a line of bounded length.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		if len(line)+len(part) > longestAnswer {
			return nil, engines.Faultf(engines.Malformed, "a line of the program is longer than %d MiB", longestAnswer>>20)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// parse reads a line of the answer to a request, of which some texts are answered.
func parse(line []byte, r request, answered int) (answer, error) {
	var a answer
	if !utf8.Valid(line) {
		return a, errors.New("the program's answer is not UTF-8")
	}
	if err := jsonfile.Unmarshal(bytes.TrimSpace(line), &a); err != nil {
		return a, fmt.Errorf("the program's answer is not the JSON that was expected: %w", err)
	}
	switch {
	case a.ID == nil || *a.ID != r.ID:
		return a, fmt.Errorf("the program answered another request than number %d", r.ID)
	case a.Error != "" && len(a.Translations) > 0:
		return a, errors.New("the program answered with both an error and translations")
	case a.Error != "" && a.More:
		return a, errors.New("the program answered with an error and more")
	case a.More && (len(a.Translations) == 0 || answered+len(a.Translations) >= len(r.Texts)):
		return a, fmt.Errorf("the program gave %d translations and more for %d texts", answered+len(a.Translations), len(r.Texts))
	case a.Error == "" && !a.More && answered+len(a.Translations) != len(r.Texts):
		return a, fmt.Errorf("the program gave %d translations for %d texts", answered+len(a.Translations), len(r.Texts))
	case len(a.Errors) > 0 && len(a.Errors) != len(a.Translations):
		return a, fmt.Errorf("the program gave %d errors for %d translations", len(a.Errors), len(a.Translations))
	}
	return a, nil
}
