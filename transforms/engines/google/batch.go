package google

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/googleapis/gax-go/v2"

	"sentweave/schemas"
	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
)

// Limits of a batch.
//
// Source: the reference of BatchTranslateText (client v1.19.0): 100 million code
// points in all, and 10,000 a row, beyond which there may be an error. Rows have
// numbers, tabs and quotes besides texts, which may count: hence less than that, and
// a number of rows, which has no limit of its own.
const (
	maxBatchItems      = 1_000_000
	maxBatchCharacters = 90_000_000
	maxBatchText       = 10_000 - len("999999\t")
)

// BatchTimeout is what to give a batch: the service tells no bound.
const BatchTimeout = 24 * time.Hour

// Files of a batch, in the folder that is named by what is asked for.
const (
	inputFile  = "texts.tsv"
	markFile   = "operation.json" // tells which operation works on it
	outputPart = "output/"        // what the service writes; it must be empty before
	indexFile  = outputPart + "index.csv"
)

const (
	// settled is how long the files of a batch stay after its answers were given: who
	// asked must have kept them, and another attempt at the same may be reading.
	settled = time.Minute
	// mostClears is how often files in the way are removed: a service that finds some
	// thereafter finds something else.
	mostClears = 3
	// longestMark bounds the file of that name.
	longestMark = 64 << 10
)

// batch is one request in the form of files.
//
// # Nothing is paid for twice
//
// The name of its folder is a hash of what is asked for, so that who asks for the
// same again finds what there is: answers, an operation by its name in markFile, or
// an operation whose name was lost, which the service itself tells of: it lets no two
// of them write to one place, nor any to a place that is not empty.
type batch struct {
	engine         *Engine
	source, target string
	texts          []string
	file           []byte
	folder         storage.Folder
	location       string

	collect  bool  // only what was started before is wanted
	written  bool  // the texts are in the folder
	mine     bool  // the operation was started by this very call
	occupied error // the service has found files in the way, and says so
	cleared  int   // how often they were removed
}

// Collect implements engines.Collector: it waits for a batch whose operation, or whose
// answers, are in the folder. One whose name was lost with the process that started it
// is found by Translate alone.
func (e *Engine) Collect(ctx context.Context, p engines.Pair, texts []string) (answers []engines.Answer, placed bool, err error) {
	if e.config.Batch == "" || e.client == nil {
		return nil, false, nil
	}
	b, err := e.batch(p, texts)
	if err != nil || e.wasRead(b.location) {
		return nil, false, err
	}
	b.collect = true
	answers, err = b.give(ctx)
	if errors.Is(err, errNotPlaced) {
		return nil, false, nil
	}
	return answers, true, err
}

var errNotPlaced = errors.New("nobody has started the batch")

// translateBatch translates texts in one batch. When ctx ends, the operation goes on:
// it is paid for, and found again by who asks for the same. It is never cancelled,
// since the service bills what it has done until then, and keeps no part of a file.
func (e *Engine) translateBatch(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	b, err := e.batch(p, texts)
	if err != nil {
		return nil, err
	}
	if err := b.begin(ctx); err != nil {
		return nil, ended(ctx, err)
	}
	return b.give(ctx)
}

// batch returns the batch of texts.
func (e *Engine) batch(p engines.Pair, texts []string) (b *batch, err error) {
	identity, err := e.Identity(p)
	if err != nil {
		return nil, err
	}
	b = &batch{engine: e, texts: texts}
	if b.source, b.target, err = e.codes.Pair(name, p); err != nil {
		return nil, err
	}
	if b.file, err = encode(texts); err != nil {
		return nil, fmt.Errorf("write texts of a batch: %w", err)
	}
	name := schemas.DerivedID("batch", identity.Engine, identity.Model, identity.Options, e.parent, b.source, b.target, string(b.file))
	b.location = storage.Join(e.config.Batch, name)
	b.folder, err = storage.Locate(b.location)
	return b, err
}

// give waits for the answers, and remembers that they were given.
func (b *batch) give(ctx context.Context) ([]engines.Answer, error) {
	answers, err := b.wait(ctx)
	if err != nil {
		return nil, ended(ctx, err)
	}
	e := b.engine
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.read[b.location] = time.Now()
	return answers, nil
}

// wasRead says whether the answers of a batch were given by this process.
func (e *Engine) wasRead(location string) bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	_, ok := e.read[location]
	return ok
}

// ended is the error of ctx if that ended, and otherwise err.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// begin clears what is done with: older batches, and the answers to the same texts
// that were given before. Who asks for them again in one process wants others.
func (b *batch) begin(ctx context.Context) error {
	e := b.engine
	e.mutex.Lock()
	_, repeated := e.read[b.location]
	delete(e.read, b.location)
	e.mutex.Unlock()
	if repeated {
		if err := b.clear(ctx, ""); err != nil {
			return err
		}
	}
	return e.sweep(ctx, settled)
}

// sweep deletes the files of batches that were read that long ago.
func (e *Engine) sweep(ctx context.Context, age time.Duration) error {
	if e.config.KeepBatches {
		return nil
	}
	e.mutex.Lock()
	var old []string
	for _, location := range slices.Sorted(maps.Keys(e.read)) {
		if time.Since(e.read[location]) >= age {
			old = append(old, location)
			delete(e.read, location)
		}
	}
	e.mutex.Unlock()
	for _, location := range old {
		folder, err := storage.Locate(location)
		if err == nil {
			err = (&batch{folder: folder}).clear(ctx, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clear deletes files of the batch: its mark first and its index next, so that what
// a kill leaves of them is taken for nothing but files in the way.
func (b *batch) clear(ctx context.Context, prefix string) error {
	var names []string
	for info, err := range b.folder.List(ctx, prefix) {
		if err != nil {
			return fmt.Errorf("delete batch %s: %w", b.folder, err)
		}
		names = append(names, info.Name)
	}
	slices.SortStableFunc(names, func(x, y string) int { return rank(x) - rank(y) })
	for _, name := range names {
		if err := b.folder.Remove(ctx, name); err != nil {
			return fmt.Errorf("delete batch %s: %w", b.folder, err)
		}
	}
	return nil
}

func rank(name string) int {
	switch name {
	case markFile:
		return 0
	case indexFile:
		return 1
	}
	return 2
}

// wait looks until there are answers, each time after a longer pause. A little before
// the deadline of ctx it gives up for good: to ask for the halves, as is done with
// what stalls, would pay twice.
func (b *batch) wait(ctx context.Context) ([]engines.Answer, error) {
	maximum := b.engine.config.BatchPoll
	backoff := gax.Backoff{Initial: maximum / 30, Max: maximum, Multiplier: 1.5}
	waiting, cancel := context.WithCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		cancel()
		waiting, cancel = context.WithDeadline(ctx, deadline.Add(-min(time.Minute, time.Until(deadline)/10)))
	}
	defer cancel()
	for {
		answers, err := b.look(ctx)
		if answers != nil || err != nil {
			return answers, err
		}
		if gax.Sleep(waiting, backoff.Pause()) != nil {
			return nil, engines.Faultf(engines.Fatal,
				"batch %s is not done in the time that a request may take; run again, or later: it goes on, and is found again", b.location)
		}
	}
}

// look takes the batch a step further. Without answers and error there is to be
// waited.
func (b *batch) look(ctx context.Context) ([]engines.Answer, error) {
	name, err := b.operation(ctx)
	if err != nil {
		return nil, err
	}
	if name != "" {
		answers, finished, err := b.poll(ctx, name)
		if err != nil || !finished {
			return answers, err
		}
	}
	// There is no operation, or nobody knows its name.
	busy := false
	if b.occupied != nil {
		if busy, err = b.busy(ctx); err != nil {
			return nil, err
		}
	}
	// Looked for after that: what is no longer under way has left them.
	if answers, _, err := b.answers(ctx); answers != nil || err != nil || busy {
		return answers, err
	}
	if b.collect {
		return nil, errNotPlaced
	}
	if b.occupied != nil {
		if b.cleared++; b.cleared > mostClears {
			return nil, fmt.Errorf("start batch %s: nothing is in the way, and the service says otherwise: %w", b.location, b.occupied)
		}
		if err := b.clear(ctx, outputPart); err != nil {
			return nil, err
		}
		b.occupied = nil
	}
	return nil, b.start(ctx)
}

// answers reads the output, if the index says that it is there.
func (b *batch) answers(ctx context.Context) (answers []engines.Answer, translated int, err error) {
	var files outputs
	var complete bool
	err = b.readFile(ctx, indexFile, func(r io.Reader) (err error) {
		files, complete, err = readIndex(r, inputFile, b.target)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) || err == nil && !complete {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read index of batch: %w", err)
	}
	collected := newAnswered(b.texts, b.engine.config.Glossary != "")
	for _, list := range []struct {
		files []string
		take  func([]string) error
	}{{files.translations, collected.translation}, {files.errors, collected.failure}} {
		for _, file := range list.files {
			name, inside := storage.Relative(b.location, file)
			if !inside && !storage.IsRemote(file) {
				name, inside = outputPart+path.Base(file), true
			}
			if !inside {
				return nil, 0, fmt.Errorf("batch %s has its answers elsewhere, in %s", b.location, file)
			}
			err := b.readFile(ctx, name, func(r io.Reader) error { return rows(r, tabs, list.take) })
			if err != nil {
				return nil, 0, fmt.Errorf("read answers of batch: %w", err)
			}
		}
	}
	return collected.all(), collected.n, nil
}

func (b *batch) readFile(ctx context.Context, name string, read func(io.Reader) error) error {
	object, err := b.folder.Open(ctx, name)
	if err != nil {
		return err
	}
	defer object.Close()
	if err := read(io.NewSectionReader(object, 0, object.Size())); err != nil {
		return fmt.Errorf("%s: %w", storage.Join(b.location, name), err)
	}
	return nil
}
