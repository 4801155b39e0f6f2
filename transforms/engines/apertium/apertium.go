// Package apertium translates by the program apertium on this machine, offline and
// free of charge. It keeps a program alive for each pair and slot in null-flush mode:
// texts go in and come out with a null character after each.
//
// # Behavior
//
// Each text is a document of its own: it is translated as if it were alone, whatever
// was translated before. Blank lines, brackets and the like come out as they went in.
// Unknown words are left as they are, without the mark * (-u).
//
// Some texts crash a program of the pipeline, or make it hang, at each attempt. The
// texts before such a text are answered, the fault names the text
// (engines.Fault.First), and another pipeline takes the texts after it. A pipeline
// that something else has ended is started again.
package apertium

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sentweave/schemas/language"
	"sentweave/schemas/storage/cache"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/process"
	"sentweave/transforms/engines/verbatim"
)

// name of the engine.
const name = "apertium"

// Config says where Apertium is. It is also the engine's settings, whose flags have the
// tags.
type Config struct {
	Program string `help:"The program; that on PATH if not given." placeholder:"FILE" env:"SENTWEAVE_APERTIUM"`
	// Default: APERTIUM_DATADIR, or share/apertium beside the program's folder.
	Data string `help:"Folder that holds the folder modes; that of the program if not given." placeholder:"DIR"`
	// Environment is added to that of the program: "NAME=value".
	Environment []string `kong:"-"`
	// Limits default to 200 texts and 20,000 characters a request, which take seconds.
	Limits engines.Limits `kong:"-"`
	// Idle is the greatest number of programs that wait for work; each holds some ten
	// processes and the pair's dictionaries. Default 4.
	Idle int `kong:"-"`
}

// DefaultConfig returns the configuration described above.
func DefaultConfig() Config {
	return Config{Limits: engines.Limits{Items: 200, Characters: 20_000}, Idle: 4}
}

// Describe implements engines.Settings.
func (c Config) Describe() engines.Description {
	return engines.Description{Name: name, Installed: c.installed}
}

// Open implements engines.Settings. What is not language is kept from Apertium.
func (c Config) Open(ctx context.Context, call engines.Config) (engines.Engine, error) {
	d := DefaultConfig()
	c.Limits, c.Idle = call.Suiting(d.Limits), max(d.Idle, call.Parallel)
	engine, err := Open(ctx, c)
	return verbatim.Engine{Engine: engine}, err
}

// installed returns the version of the programs, and the pairs in the order of their codes.
func (c Config) installed(ctx context.Context) (string, error) {
	e, err := Open(ctx, c)
	if err != nil {
		return "", err
	}
	defer e.Close()
	var pairs []string
	for pair := range e.modes {
		pairs = append(pairs, pair.String())
	}
	slices.Sort(pairs)
	return e.version + ", " + strings.Join(pairs, " "), nil
}

// Engine is an installation of Apertium.
type Engine struct {
	config  Config
	version string
	modes   map[engines.Pair]string
	pool    process.Pool[*line]

	mutex     sync.Mutex
	pipelines map[string]pipeline // by mode
}

// Open finds the program and its modes.
func Open(ctx context.Context, config Config) (*Engine, error) {
	path, err := exec.LookPath(cmp.Or(config.Program, "apertium"))
	if err != nil && config.Program == "" {
		if root, rootErr := cache.Root(); rootErr == nil { // where `doctor --install` puts it
			if installed, lookErr := exec.LookPath(filepath.Join(root, "apertium", "apertium")); lookErr == nil {
				path, err = installed, nil
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("find apertium: %w; `sentweave doctor --install apertium` fetches it with eng-spa and eng-cat, `apt-get install apertium apertium-eng-spa` installs it, and --apertium-program names one elsewhere",
			err)
	}
	// Its parts are beside the program itself, not beside a link to it.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("find apertium: %w", err)
	}
	config.Program = path
	config.Data = cmp.Or(config.Data, os.Getenv("APERTIUM_DATADIR"), filepath.Join(filepath.Dir(filepath.Dir(path)), "share", "apertium"))
	// Missing names are not misuse, but no modes at all are: the folder is wrong.
	modes, err := filepath.Glob(filepath.Join(config.Data, "modes", "*.mode"))
	if err != nil || len(modes) == 0 {
		return nil, fmt.Errorf("find modes of apertium: %s has none; install a pair, as in `apt-get install apertium-eng-spa`, or name the folder of the data",
			filepath.Join(config.Data, "modes"))
	}
	e := &Engine{config: config, modes: map[engines.Pair]string{}, pipelines: map[string]pipeline{},
		pool: process.Pool[*line]{Idle: config.Idle}}
	c := exec.CommandContext(ctx, path, "-V")
	c.Env = append(os.Environ(), e.environment()...)
	output, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	e.version = strings.TrimPrefix(strings.TrimSpace(string(output)), "Apertium ")
	slices.Sort(modes)
	for _, file := range modes {
		e.add(strings.TrimSuffix(filepath.Base(file), ".mode"))
	}
	return e, nil
}

// add enters a mode for the pair that it is named as, if it is. Variants are not.
func (e *Engine) add(mode string) {
	sourceCode, targetCode, ok := strings.Cut(mode, "-")
	if !ok {
		return
	}
	source, ok := code(sourceCode)
	if !ok {
		return
	}
	target, ok := code(targetCode)
	if !ok {
		return
	}
	pair := engines.Pair{Source: source, Target: target}
	if old, ok := e.modes[pair]; !ok || mode == pair.String() || old != pair.String() && mode < old {
		e.modes[pair] = mode
	}
}

// code reads one side of the name of a mode: a code, with a script or without.
func code(name string) (string, bool) {
	c, err := language.Parse(name)
	return c, err == nil && (!strings.Contains(name, "_") || c == name)
}

func (e *Engine) file(mode string) string {
	return filepath.Join(e.config.Data, "modes", mode+".mode")
}

// Name implements engines.Engine.
func (e *Engine) Name() string { return name }

// Limits implements engines.Engine.
func (e *Engine) Limits() engines.Limits { return e.config.Limits }

// Price implements engines.Engine.
func (e *Engine) Price() float64 { return 0 }

// Supports implements engines.Engine.
func (e *Engine) Supports(p engines.Pair) error {
	_, err := e.mode(p)
	return err
}

func (e *Engine) mode(p engines.Pair) (string, error) {
	if err := engines.CheckPair(p); err != nil {
		return "", err
	}
	mode, ok := engines.FindPair(e.modes, p)
	if !ok {
		return "", fmt.Errorf("apertium has no pair %s in %s; a package such as apertium-%s may have it: %w", p, e.config.Data, p,
			engines.ErrUnsupported)
	}
	return mode, nil
}

// Identity implements engines.Engine: the mode, the version of Apertium, and a hash
// of the pair's data, which change with its package.
func (e *Engine) Identity(p engines.Pair) (engines.Identity, error) {
	mode, err := e.mode(p)
	if err != nil {
		return engines.Identity{}, err
	}
	line, err := e.pipeline(context.Background(), mode)
	if err != nil {
		return engines.Identity{}, err
	}
	return engines.Identity{Engine: name, Model: mode,
		Options: fmt.Sprintf(`{"data":%q,"program":%q,"unknown":"unmarked"}`, line.data, e.version)}, nil
}

// pipeline reads the pipeline of a mode, once.
func (e *Engine) pipeline(ctx context.Context, mode string) (pipeline, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if line, ok := e.pipelines[mode]; ok {
		return line, nil
	}
	line, err := e.read(ctx, mode)
	if err != nil {
		return pipeline{}, fmt.Errorf("read apertium's mode %s: %w", mode, err)
	}
	e.pipelines[mode] = line
	return line, nil
}

// Close implements engines.Engine.
func (e *Engine) Close() error {
	e.pool.Close()
	return nil
}

// Translate implements engines.Engine.
func (e *Engine) Translate(ctx context.Context, pair engines.Pair, texts []string) ([]engines.Answer, error) {
	mode, err := e.mode(pair)
	if err != nil {
		return nil, err
	}
	p, err := e.pipeline(ctx, mode)
	if err != nil {
		return nil, err
	}
	streams := make([][]byte, len(texts))
	for i, text := range texts {
		streams[i] = append(deformat(nil, text), 0)
	}
	answers := make([]engines.Answer, 0, len(texts))
	for kills := 0; ; {
		count := len(answers)
		answers, err = e.pass(ctx, mode, p, streams[count:], answers)
		if len(answers) > count {
			kills = 0
		}
		if kills++; !outside(err) || kills > mostKills {
			break
		}
	}
	if engines.KindOf(err) == engines.Malformed {
		answers = nil
	}
	return answers, err
}

// mostKills is how often in a row somebody else may end the programs over one text.
const mostKills = 3

// pass appends the answers to streams of one pipeline.
func (e *Engine) pass(ctx context.Context, mode string, p pipeline, streams [][]byte, answers []engines.Answer) ([]engines.Answer, error) {
	l, err := e.pool.Get(mode, func() (*line, error) { return e.start(mode, p) })
	if err != nil {
		return answers, err
	}
	start := time.Now()
	last := start
	err = l.translate(ctx, streams, func(stream []byte) error {
		if !complete(stream) {
			return io.ErrUnexpectedEOF
		}
		answers, last = append(answers, engines.Answer{Text: reformat(stream)}), time.Now()
		return nil
	})
	if err == nil {
		e.pool.Put(mode, l)
		return answers, nil
	}
	var fault *engines.Fault
	if errors.As(err, &fault) && fault.Kind == engines.Crashed {
		// When the time was up, a text is to blame only if it held up the others for long.
		fault.First = !errors.Is(err, context.DeadlineExceeded) || 2*time.Since(last) > time.Since(start)
	}
	return answers, err
}
