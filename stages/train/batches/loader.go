package batches

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/stages/objective"
	"sentweave/stages/objective/joined"
	"sentweave/transforms/random"
	"sentweave/transforms/tokens/masking"
)

// Defaults of LoaderConfig.
const (
	DefaultShuffleGroups = 2
	DefaultReadAhead     = 8
)

// LoaderConfig says which batches a loader makes.
type LoaderConfig struct {
	Source Source
	// Objective is the configuration of the source's objective; nil means its default.
	Objective objective.Config
	// Masks are for examples without masks.
	Masks    Masks
	Encoding Encoding
	Seed     uint64
	// Name tells loaders of one seed apart: each has its own order and masks.
	Name string
	// BatchName is what messages call the size of a batch; "" is batch_size.
	BatchName string
	// Sampling draws by classes that the examples were counted by; nil takes each example once
	// an epoch.
	Sampling *Sampling
	// ShuffleGroups is the number of full row groups that are shuffled together, ReadAhead
	// the number of batches that are kept ready; 0 means the defaults.
	ShuffleGroups, ReadAhead int
}

// Loader makes the endless sequence of batches of a dataset, of BatchSize different
// examples each. The examples come in a shuffled order, epoch after epoch; within each
// pool of 32 batches (fewer if the dataset has fewer) they are sorted by length, and
// the batches are shuffled. So after any number of pools, the numbers of times that
// two examples were seen differ by at most one. Batches with negatives have no two
// examples of one group as long as the other batches of the pool can take them. With
// Sampling, the language of an example decides how often it is seen, so these numbers may differ by more.
//
// A batch is a pure function of the dataset's content, the configuration without
// ReadAhead, and its number. Two goroutines read ahead; memory is three sets of
// ShuffleGroups row groups and the batches that are ready.
type Loader struct {
	config   LoaderConfig
	examples *Examples
	order    *order
	fit      fit
	filler   objective.Filler
	join     objective.Join       // or nil
	stored   *joined.StoredStates // or nil
	pool     int64                // batches of a pool

	cancel  context.CancelFunc
	group   sync.WaitGroup
	batches chan loaded
	err     error
}

type loaded struct {
	batch *Batch
	err   error
}

// NewLoader checks the configuration against the dataset; Start begins to read.
func NewLoader(e *Examples, c LoaderConfig) (*Loader, error) {
	c.Masks, c.Source = c.Masks.WithDefaults(), c.Source.WithDefaults()
	c.ShuffleGroups, c.ReadAhead = cmp.Or(c.ShuffleGroups, DefaultShuffleGroups), cmp.Or(c.ReadAhead, DefaultReadAhead)
	if err := c.Source.Validate(); err != nil {
		return nil, err
	}
	if err := c.Encoding.Validate(); err != nil {
		return nil, err
	}
	if c.Source.MaxTokens > c.Encoding.MaxTokens {
		return nil, fmt.Errorf("max_tokens is %d, the model takes %d", c.Source.MaxTokens, c.Encoding.MaxTokens)
	}
	if size := max(1, c.Source.BatchSize); e.Rows() < int64(size) {
		way := fmt.Sprintf("take at most %d by %s", e.Rows(), cmp.Or(c.BatchName, "batch_size"))
		switch {
		case e.Rows() == 0: // of a part: a whole dataset has rows
			way = "hold another share out"
		case e.part != "":
			way += ", or hold another share out"
		}
		examples := "examples"
		if e.Rows() == 1 {
			examples = "example"
		}
		return nil, fmt.Errorf("dataset %s has %d %s%s, a batch takes %d: %s", e.folder, e.Rows(), examples, e.part, size, way)
	}
	if c.Objective == nil {
		c.Objective = objective.Settings{}.Of(c.Source.Objective)
	}
	l := &Loader{config: c, examples: e, fit: newFit(c.Source, c.Objective, c.Encoding)}
	if join := l.fit.objective.Join; join != nil {
		l.join = join(c.Objective)
	}
	if states := l.fit.objective.States; states != nil {
		l.stored = states(c.Objective)
	}
	if most := c.Source.BatchTokens; most == 0 {
		l.pool = min(poolBatches, e.Rows()/int64(c.Source.BatchSize))
	} else if longest := 2 * e.Longest(c.Source.MaxTokens, c.Encoding); most < longest {
		return nil, fmt.Errorf("batch_tokens is %d, and an example of dataset %s may have %d tokens: give as many, or cut its sides by --tokens, or max_tokens in a file of settings",
			most, e.folder, longest)
	}
	l.order = newOrder(e.groups, c.ShuffleGroups, c.Seed, c.Name)
	if c.Sampling != nil && e.classes != nil {
		l.order.sample = &sampled{e.classes, e.classes.shares(c.Sampling.Alpha)}
	}
	maskSeed := random.New(Streams, c.Seed, "mask seed", c.Name, 0)
	masker, err := masking.New(c.Masks.masking(maskSeed.Uint64()), c.Encoding.Vocabulary)
	if err != nil {
		return nil, err
	}
	fillSeed := random.New(Streams, c.Seed, "fill seed", c.Name, 0)
	l.filler = objective.Filler{Padding: c.Encoding.Padding, MaxTokens: c.Encoding.MaxTokens, Seed: fillSeed.Uint64(), Masker: masker}
	return l, nil
}

// Epoch is the number of epochs that are complete after so many batches, and at a place after them: with BatchTokens, the
// pool that is begun counts as not taken.
func (l *Loader) Epoch(batches int64, p Place) int64 {
	if l.config.Source.BatchTokens > 0 {
		return p.Row / l.order.rows
	}
	return batches * int64(l.config.Source.BatchSize) / l.order.rows
}

// KeepReady keeps at least so many batches ready, unless they are large, with vectors of tokens.
func (l *Loader) KeepReady(n int) {
	if l.stored == nil {
		l.config.ReadAhead = max(l.config.ReadAhead, n)
	}
}

// Inputs identify the datasets that the batches are made of by their contents.
func (l *Loader) Inputs(role string) []dataset.Input {
	inputs := []dataset.Input{l.examples.Input(role)}
	if l.stored != nil {
		inputs = append(inputs, l.stored.Input(role))
	}
	if l.join != nil {
		inputs = append(inputs, l.join.Input(role))
	}
	return inputs
}

// Stored is the dataset of the vectors of tokens that the batches need by UseStates; nil where they need none.
func (l *Loader) Stored() *joined.StoredStates { return l.stored }

// UseStates gives the vectors of tokens, before Start.
func (l *Loader) UseStates(states objective.States) { l.filler.States = states }

// Sampled says for the log what an epoch draws of each language; empty where it takes each example once.
func (l *Loader) Sampled() string {
	if l.order.sample == nil {
		return ""
	}
	return l.order.sample.describe()
}

// Start begins to read at a batch, counted from 0. Of the earlier rows it reads only
// the row groups of the batch's pool. Close ends it. With BatchTokens it is StartAt that begins at
// another batch than the first.
func (l *Loader) Start(ctx context.Context, batch int64) {
	if l.config.Source.BatchTokens > 0 {
		l.StartAt(ctx, Place{})
		return
	}
	l.StartAt(ctx, l.place(batch))
}

// StartAt is Start at a place that a batch named as its next.
func (l *Loader) StartAt(ctx context.Context, p Place) {
	l.Close()
	ctx, l.cancel = context.WithCancel(ctx)
	l.err = nil
	l.batches = make(chan loaded, l.config.ReadAhead-1) // and one that waits to be sent
	windows := make(chan loadedWindow)
	l.group.Go(func() { l.readWindows(ctx, p.Row, windows) })
	batches := l.batches // a later Start makes another one
	l.group.Go(func() { l.makeBatches(ctx, p, windows, batches) })
}

// Close stops reading. The loader can be started again.
func (l *Loader) Close() {
	if l.cancel != nil {
		l.cancel()
		l.group.Wait()
		l.cancel = nil
	}
}

// Next returns the next batch, which the caller may keep. After an error every
// later call returns it.
func (l *Loader) Next() (*Batch, error) {
	if l.err == nil {
		next, ok := <-l.batches
		if !ok {
			next.err = context.Canceled
		}
		if next.err == nil {
			return next.batch, nil
		}
		l.err = next.err
	}
	return nil, l.err
}

func (l *Loader) poolRows() int64 { return l.pool * int64(l.config.Source.BatchSize) }

type loadedWindow struct {
	entries []entry
	err     error
}

// read reads the examples of row groups, and what is joined to them.
func (l *Loader) read(ctx context.Context, groups []rowGroup) ([]example, error) {
	list, err := l.examples.read(ctx, groups, &l.fit)
	if err != nil || l.join == nil {
		return list, err
	}
	joined := make([]*objective.Example, len(list))
	for i := range list {
		joined[i] = &list[i].Example
	}
	return list, l.join.Attach(ctx, joined)
}

// CheckFirst checks the first example against what is joined to it, so that a dataset of
// other texts is told before work.
func (l *Loader) CheckFirst(ctx context.Context) error {
	if l.join == nil {
		return nil
	}
	for row, err := range dataset.Rows[schemas.Example](ctx, l.examples.folder, l.examples.manifest) {
		var e *example
		if err == nil {
			e, err = l.fit.example(&row)
		}
		if err == nil {
			err = l.join.Attach(ctx, []*objective.Example{&e.Example})
		}
		return err
	}
	return nil
}

// readWindows sends the shuffled examples of the windows from an offset on.
func (l *Loader) readWindows(ctx context.Context, offset int64, windows chan<- loadedWindow) {
	var cached []example // of a dataset of one window, which is read once
	l.order.from(offset, func(w window, skip int) bool {
		list, err := cached, error(nil)
		if list == nil {
			list, err = l.read(ctx, w.groups)
		}
		if int64(w.rows) == l.order.rows {
			cached = list
		}
		loaded := loadedWindow{err: err}
		if err == nil {
			loaded.entries = l.order.shuffled(w, list)[skip:]
		}
		select {
		case windows <- loaded:
			return err == nil
		case <-ctx.Done():
			return false
		}
	})
}

// makeBatches sends the batches from a place on.
func (l *Loader) makeBatches(ctx context.Context, p Place, windows <-chan loadedWindow, batches chan<- loaded) {
	defer close(batches)
	send := func(next loaded) bool {
		select {
		case batches <- next:
			return next.err == nil
		case <-ctx.Done():
			return false
		}
	}
	var rest []entry
	for {
		entries, tokens := make([]entry, 0, l.poolRows()), int64(0)
		for !l.full(len(entries), tokens) {
			if len(rest) == 0 {
				select {
				case w := <-windows:
					if w.err != nil {
						send(loaded{err: w.err})
						return
					}
					rest = w.entries
				case <-ctx.Done():
					return
				}
			}
			entries, tokens = append(entries, rest[0]), tokens+int64(rest[0].length)
			rest = rest[1:]
		}
		s := random.New(Streams, l.config.Seed, "shuffle batches", l.config.Name, p.Pool)
		lists, rows := l.cut(entries, 0, &s), p.Row+int64(len(entries))
		for _, list := range lists[p.Batch:] {
			b, err := l.fill(list)
			if p.Batch++; int(p.Batch) == len(lists) {
				p = Place{Pool: p.Pool + 1, Row: rows}
			}
			if err == nil {
				b.Next = p
			}
			if !send(loaded{b, err}) {
				return
			}
		}
	}
}
