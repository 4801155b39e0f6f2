package serve

import (
	"context"
	"slices"
	"sync"
	"time"
)

// workers is how many batches are encoded at once, so that processors for which one has no work find that of the other.
const workers = 2

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

// queue has the texts of all requests encoded. A batch takes texts of all requests for one encoder in turns, so that a long request
// holds up no short one.
type queue struct {
	most    int // tokens of a batch
	wait    time.Duration
	texts   int // that may wait or be encoded
	metrics *metrics

	mutex   sync.Mutex
	changed *sync.Cond
	jobs    []*job // with sequences that are in no batch
	held    int    // texts of all requests
	running int    // batches
	several bool   // the last batch was of several requests
	closed  bool
	workers sync.WaitGroup
}

func newQueue(c Config, m *metrics) *queue {
	q := &queue{most: c.BatchTokens, wait: c.BatchWait, texts: c.QueueTexts, metrics: m}
	q.changed = sync.NewCond(&q.mutex)
	for range workers {
		q.workers.Go(q.work)
	}
	return q
}

func (q *queue) close() {
	q.mutex.Lock()
	q.closed = true
	q.mutex.Unlock()
	q.changed.Broadcast()
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
	q.changed.Broadcast()
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
		batch, several := q.take()
		if batch == nil {
			return
		}
		e := batch[0].job.encoder
		sequences, tokens := make([][]int32, len(batch)), 0
		for i, p := range batch {
			sequences[i] = p.job.sequences[p.index]
			tokens += len(sequences[i])
		}
		dst = slices.Grow(dst[:0], len(batch)*e.Dimension())[:len(batch)*e.Dimension()]
		err := e.EncodeSequences(context.Background(), dst, sequences)
		q.metrics.batch(len(batch), tokens)
		q.finish(batch, dst, err, several)
	}
}

// take waits for a batch, and says whether it is of several requests. It returns nil when the queue is closed.
func (q *queue) take() (batch []place, several bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for {
		q.jobs = slices.DeleteFunc(q.jobs, func(j *job) bool { return j.ctx.Err() != nil })
		if len(q.jobs) == 0 {
			if q.closed {
				return nil, false
			}
		} else {
			// A single client would wait for nobody.
			wait := q.wait - time.Since(q.jobs[0].arrived)
			if wait <= 0 || q.running == 0 && !q.several || q.isFull() {
				q.running++
				return q.cut()
			}
			time.AfterFunc(wait, q.changed.Broadcast)
		}
		q.changed.Wait()
	}
}

// isFull says whether the jobs of the first one's encoder make a whole batch.
func (q *queue) isFull() bool {
	tokens := 0
	for _, j := range q.jobs {
		for i := j.next; i < len(j.sequences) && j.encoder == q.jobs[0].encoder; i++ {
			if tokens += len(j.sequences[i]); tokens >= q.most {
				return true
			}
		}
	}
	return false
}

// cut takes a batch off the jobs, of the first one's encoder. Jobs that have more go behind the others.
func (q *queue) cut() (batch []place, several bool) {
	e, tokens, full, requests := q.jobs[0].encoder, 0, false, map[*job]bool{}
	for taken := true; taken && !full; {
		taken = false
		for _, j := range q.jobs {
			if j.encoder != e || j.next == len(j.sequences) {
				continue
			}
			if full = tokens > 0 && tokens+len(j.sequences[j.next]) > q.most; full {
				break
			}
			batch, taken, requests[j] = append(batch, place{j, j.next}), true, true
			tokens += len(j.sequences[j.next])
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
	q.jobs = append(others, rest...)
	return batch, len(requests) > 1
}

// finish hands out the vectors of a batch.
func (q *queue) finish(batch []place, vectors []float32, err error, several bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for i, p := range batch {
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
	q.several = several
	q.changed.Broadcast()
}
