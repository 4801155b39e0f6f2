package serve

import (
	"context"
	"slices"
	"sync"
	"time"
)

// leastLanes is how many batches are encoded at once at least, so that the next one is ready when a lane is.
const leastLanes = 2

// job are the texts of a request.
type job struct {
	ctx       context.Context
	encoder   Encoder
	sequences [][]int32
	vectors   []float32
	arrived   time.Time
	next      int           // the first of the sequences that is in no batch yet
	left      int           // sequences without a vector
	err       error         // of the first batch that failed
	done      chan struct{} // closed when nothing is left
}

// place is a sequence of a job.
type place struct {
	job   *job
	index int
}

// batch are sequences that are encoded together.
type batch struct {
	places  []place
	tokens  int
	several bool // they are of several requests
}

// queue has the texts of all requests encoded. A batch takes texts of all requests for one encoder in turns, so that a long request
// holds up no short one.
type queue struct {
	most    int // tokens of a batch
	wait    time.Duration
	texts   int // that may wait or be encoded
	metrics *metrics

	turn    sync.Mutex // of a worker, to wait for a batch
	mutex   sync.Mutex
	changed *sync.Cond // for the worker whose turn it is
	jobs    []*job     // with sequences that are in no batch
	held    int        // texts of all requests
	running int        // batches
	encoded int        // tokens of these
	several bool       // the last batch was of several requests
	closed  bool
	workers sync.WaitGroup
}

func newQueue(c Config, m *metrics) *queue {
	q := &queue{most: c.BatchTokens, wait: c.BatchWait, texts: c.QueueTexts, metrics: m}
	q.changed = sync.NewCond(&q.mutex)
	for range max(leastLanes, c.Lanes) {
		q.workers.Go(q.work)
	}
	return q
}

func (q *queue) close() {
	q.mutex.Lock()
	q.closed = true
	q.mutex.Unlock()
	q.changed.Signal()
	q.workers.Wait()
}

// enter makes room for the texts of a request, and says whether there was room; then they must leave.
func (q *queue) enter(texts int) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.held+texts > q.texts {
		return false
	}
	q.held += texts
	q.metrics.queued.Set(float64(q.held))
	return true
}

func (q *queue) leave(texts int) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.held -= texts
	q.metrics.queued.Set(float64(q.held))
}

// encode returns the vectors of sequences, one after another. When ctx ends, those that are in no batch yet are dropped.
func (q *queue) encode(ctx context.Context, e Encoder, sequences [][]int32) ([]float32, error) {
	j := &job{ctx: ctx, encoder: e, sequences: sequences, vectors: make([]float32, len(sequences)*e.Dimension()), arrived: time.Now(),
		left: len(sequences), done: make(chan struct{})}
	q.mutex.Lock()
	q.jobs = append(q.jobs, j)
	q.mutex.Unlock()
	q.changed.Signal()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-j.done:
		return j.vectors, j.err
	}
}

func (q *queue) work() {
	var dst []float32
	for {
		b := q.take()
		if b == nil {
			return
		}
		e, sequences := b.places[0].job.encoder, make([][]int32, len(b.places))
		for i, p := range b.places {
			sequences[i] = p.job.sequences[p.index]
		}
		size := len(sequences) * e.Dimension()
		dst = slices.Grow(dst[:0], size)[:size]
		err := e.EncodeSequences(context.Background(), dst, sequences)
		q.metrics.batch(len(sequences), b.tokens)
		q.finish(b, dst, err)
	}
}

// take waits for a batch. It returns nil when the queue is closed.
func (q *queue) take() *batch {
	q.turn.Lock()
	defer q.turn.Unlock()
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for {
		q.jobs = slices.DeleteFunc(q.jobs, func(j *job) bool { return j.ctx.Err() != nil })
		if len(q.jobs) == 0 {
			if q.closed {
				return nil
			}
			q.changed.Wait()
			continue
		}
		wait := q.wait - time.Since(q.jobs[0].arrived)
		if wait <= 0 || q.isReady() {
			return q.cut()
		}
		timer := time.AfterFunc(wait, q.changed.Signal)
		q.changed.Wait()
		timer.Stop()
	}
}

// isReady says whether the jobs of the first one's encoder make a batch without waiting: a whole one, or one as large as those that are
// being encoded, since clients whose texts are shared by batches of one size take least time. A single client would wait for nobody.
func (q *queue) isReady() bool {
	enough := q.most
	if q.running > 0 {
		enough = min(enough, q.encoded/q.running)
	} else if !q.several {
		return true
	}
	tokens := 0
	for _, j := range q.jobs {
		for i := j.next; i < len(j.sequences) && j.encoder == q.jobs[0].encoder; i++ {
			if tokens += len(j.sequences[i]); tokens >= enough {
				return true
			}
		}
	}
	return false
}

// cut takes a batch off the jobs, of the first one's encoder. Jobs that have more go behind the others.
func (q *queue) cut() *batch {
	b, e, full, requests := new(batch), q.jobs[0].encoder, false, map[*job]bool{}
	for taken := true; taken && !full; {
		taken = false
		for _, j := range q.jobs {
			if j.encoder != e || j.next == len(j.sequences) {
				continue
			}
			if full = b.tokens > 0 && b.tokens+len(j.sequences[j.next]) > q.most; full {
				break
			}
			b.places, taken, requests[j] = append(b.places, place{j, j.next}), true, true
			b.tokens += len(j.sequences[j.next])
			j.next++
		}
	}
	var others, rest []*job
	for _, j := range q.jobs {
		if !requests[j] {
			others = append(others, j)
		} else if j.next < len(j.sequences) {
			rest = append(rest, j)
		}
	}
	q.jobs, b.several = append(others, rest...), len(requests) > 1
	q.running++
	q.encoded += b.tokens
	return b
}

// finish hands out the vectors of a batch.
func (q *queue) finish(b *batch, vectors []float32, err error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for i, p := range b.places {
		j, d := p.job, p.job.encoder.Dimension()
		copy(j.vectors[p.index*d:][:d], vectors[i*d:])
		if err != nil {
			j.err = err
		}
		if j.left--; j.left == 0 {
			close(j.done)
		}
	}
	q.running--
	q.encoded -= b.tokens
	q.several = b.several
	q.changed.Signal()
}
