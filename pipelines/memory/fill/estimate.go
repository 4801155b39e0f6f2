package fill

import (
	"context"
	"errors"
	"slices"
	"time"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
)

// Estimate is what a pair of languages would take.
type Estimate struct {
	Pair   engines.Pair
	Engine string
	// Texts are counted as they are in the datasets, Segments once each; Known are the
	// segments that a memory has.
	Texts, Segments, Known int64
	// Characters are those of the segments, Sent those that no memory has, in Requests.
	Characters, Sent, Requests int64
	// Dollars is what Sent costs at the engine's price, and Time what the requests take
	// at least at its quota: zero where it has none.
	Dollars float64
	Time    time.Duration
	// Quota is what engines.Metered tells, "" if the engine tells nothing.
	Quota string
}

// Estimates counts what the pipeline would send, and sends nothing. It runs as a job
// whose output is in a folder of its own, which run executes: the memory stays flat
// at any size. The estimates come in the order of the pairs, those of ways back last.
func (c Config) Estimates(ctx context.Context, scratch string, settings units.Settings, run func(*units.Job) (*dataset.Manifest, error)) (
	[]Estimate, error) {
	job, err := c.plan(ctx, scratch, settings, true)
	if err != nil {
		return nil, err
	}
	m, err := run(job)
	if err != nil {
		return nil, err
	}
	pairs, err := c.pairs()
	if err != nil {
		return nil, err
	}
	s, err := c.Engines.start(ctx, slices.Concat(pairs, c.back(pairs)), nil, true)
	if err != nil {
		return nil, err
	}
	defer s.close()
	folder, err := storage.Locate(scratch)
	if err != nil {
		return nil, err
	}
	funnel, err := m.WholeFunnel(ctx, folder)
	if err != nil {
		return nil, err
	}
	segments, stored := funnel.Out(chainSegments), dropped(funnel, chainSegments, stepMemory, reasonKnown)
	repeated := dropped(funnel, chainTexts, stepUnique, reasonRepeated)
	sent, knownCharacters := funnel.Out(chainCharacters), dropped(funnel, chainCharacters, stepMemory, reasonKnown)
	requests := funnel.Out(chainRequests)
	var list []Estimate
	for i, p := range s.pairs {
		if i >= len(pairs) { // of what comes back, only that it is about as long is known
			forward := list[i-len(pairs)]
			n := forward.Segments - forward.Known
			list = append(list, estimateOf(s, i, Estimate{Texts: n, Segments: n, Characters: forward.Sent, Sent: forward.Sent,
				Requests: forward.Requests}))
			continue
		}
		name := p.Pair.String()
		e := Estimate{
			Segments: segments[name] + stored[name], Known: stored[name],
			Characters: sent[name] + knownCharacters[name], Sent: sent[name], Requests: requests[name],
		}
		e.Texts = e.Segments + repeated[name]
		list = append(list, estimateOf(s, i, e))
	}
	s.quotas(ctx, list)
	return list, nil
}

// quotaWait bounds how long the engines may take to tell what their quotas leave.
const quotaWait = 20 * time.Second

// quotas adds to estimates what the quotas of their engines leave.
func (s *service) quotas(ctx context.Context, list []Estimate) {
	ctx, cancel := context.WithTimeout(ctx, quotaWait)
	defer cancel()
	for name, engine := range s.opened {
		if metered, ok := engine.(engines.Metered); ok {
			quota := metered.Quota(ctx) // which is asked for once
			for i := range list {
				if list[i].Engine == name {
					list[i].Quota = quota
				}
			}
		}
	}
}

// estimateOf adds to the counts of a pair what they mean for its engine.
func estimateOf(s *service, pair int, e Estimate) Estimate {
	e.Pair, e.Engine = s.pairs[pair].Pair, s.pairs[pair].Identity.Engine
	e.Dollars = engines.Cost(e.Sent, s.price(pair))
	limits := s.callers[pair].Limits()
	e.Time = max(perMinute(e.Requests, limits.RequestsPerMinute), perMinute(e.Sent, limits.CharactersPerMinute))
	return e
}

// Begun says whether the output folder holds answers of this very job, which an
// estimate is to know of: package memories makes a memory of them.
func (c Config) Begun(ctx context.Context, output string, settings units.Settings) (bool, error) {
	folder, err := storage.Locate(output)
	if err != nil {
		return false, err
	}
	old, err := dataset.LoadPlan(ctx, folder)
	if err != nil {
		return false, nil // there is none, or one that is not an estimate's to tell of
	}
	job, err := c.plan(ctx, output, settings, true)
	if err != nil || job.Plan.Hash != old.Hash {
		return false, err
	}
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return false, err
		}
		if dataset.IsJournalEntry(info.Name) || dataset.IsShard(info.Name) {
			return true, nil
		}
	}
	return false, nil
}

func perMinute(n int64, limit int) time.Duration {
	if limit == 0 {
		return 0
	}
	return time.Duration(float64(n) / float64(limit) * float64(time.Minute))
}

// dropped returns what a step dropped for a reason, by language.
func dropped(f *dataset.Funnel, items, step, reason string) map[string]int64 {
	counts := map[string]int64{}
	for _, chain := range f.Chains {
		for _, s := range chain.Steps {
			if chain.Items != items || s.Name != step {
				continue
			}
			for language, count := range s.Languages {
				counts[language] += count.Dropped[reason]
			}
		}
	}
	return counts
}

// countTask counts the segments of a bucket in the place of translating them.
type countTask struct {
	Engines Engines
	Pairs   []pairEngine

	service *service
}

// Setup implements graph.Task.
func (t *countTask) Setup(ctx context.Context) (err error) {
	if t.service, err = t.Engines.start(ctx, pairsOf(t.Pairs), nil, true); err != nil {
		return err
	}
	t.service.close() // it only counts
	return nil
}

// Chains implements graph.Task.
func (t *countTask) Chains() []dataset.Chain { return chains(true) }

// Write implements graph.Writer: it writes no rows.
func (t *countTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Translation]) error {
	f := attempt.Funnel()
	var texts []string
	last, bytes := 0, 0
	mostSegments, mostBytes := t.Engines.window()
	cut := func() error {
		requests, _, _ := t.service.callers[last].Requests(texts)
		texts, bytes = texts[:0], 0
		return f.Keep(chainRequests, t.Pairs[last].Pair.String(), int64(requests))
	}
	for record, err := range unit.Merge(ctx, combineSegments) {
		if err != nil {
			return err
		}
		s, err := parseSegment(record.Value)
		if err != nil {
			return err
		}
		pair, err := layout{Pairs: len(t.Pairs)}.pairOf(record.Key)
		if err != nil {
			return err
		}
		if s.count == 0 {
			continue
		}
		if pair != last || len(texts) == mostSegments || bytes >= mostBytes {
			if err := cut(); err != nil {
				return err
			}
			last = pair
		}
		name, characters := t.Pairs[pair].Pair.String(), int64(t.service.callers[pair].Characters(s.text))
		err = errors.Join(f.Keep(chainTexts, name, 1), f.Drop(chainTexts, name, stepUnique, reasonRepeated, int64(s.count-1)))
		if s.rank == 0 {
			texts, bytes = append(texts, s.text), bytes+len(record.Value)
			err = errors.Join(err, f.Keep(chainSegments, name, 1), f.Keep(chainCharacters, name, characters))
		} else {
			err = errors.Join(err, f.Drop(chainSegments, name, stepMemory, reasonKnown, 1),
				f.Drop(chainCharacters, name, stepMemory, reasonKnown, characters))
		}
		if err != nil {
			return err
		}
	}
	return cut()
}
