package apertium

import (
	"bufio"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/process"
)

// line is the pipeline of a mode, kept alive. Its tagger stands apart, because it
// does not forget: a word with an ambiguity that it was not trained on narrows, for
// all texts that follow, the tags that it gives to unknown words
// (find_similar_ambiguity_class of apertium 3.8.3 assigns through a reference to the
// set of open classes). Texts would be translated by what was translated before:
// 12 of 1,000 sentences of Tatoeba from English to Spanish come out otherwise. So a
// tagger that says (-d) that it met such a word is replaced by a new one before the
// next text, 3 times in 1,000 sentences, and each text gets what it would get alone.
type line struct {
	before, tagger, after *process.Process
	spare                 *process.Process // another tagger, started ahead
	program               process.Program  // of taggers
	classes               *classes         // of taggers; nil if they are not known
}

// start starts the programs of a mode's pipeline. When one of them ends in the middle
// of its work, those that take their place are started at once: they read their data
// while the others end.
func (e *Engine) start(mode string, p pipeline) (*line, error) {
	ending := sync.OnceFunc(func() {
		if next, err := e.start(mode, p); err == nil { // otherwise the next to need it says why
			e.pool.Put(mode, next)
		}
	})
	program := func(script string) process.Program {
		q := e.program(script)
		q.Ending, q.Told = ending, toldStatus.MatchString
		return q
	}
	l := &line{program: program(p.tagger), classes: p.classes}
	l.program.Watch = true
	var err error
	if l.before, err = program(telling(p.before)).Start(); err != nil || p.tagger == "" {
		return l, err
	}
	if l.tagger, err = l.program.Start(); err == nil {
		l.after, err = program(telling(p.after)).Start()
	}
	if err != nil {
		l.Kill()
	}
	return l, err
}

func (l *line) programs() []*process.Process {
	return []*process.Process{l.before, l.tagger, l.after, l.spare}
}

// Alive implements process.Worker.
func (l *line) Alive() bool {
	for _, q := range l.programs() {
		if q != nil && !q.Alive() {
			return false
		}
	}
	return true
}

// Kill implements process.Worker.
func (l *line) Kill() {
	for _, q := range l.programs() {
		if q != nil {
			q.Kill()
		}
	}
}

// translate sends streams through the programs and calls answered with each that
// comes out, in order. When a program ends, those behind it finish what they have: the
// first stream that does not come out is the one over which it ended. After an error
// the programs are dead.
func (l *line) translate(ctx context.Context, streams [][]byte, answered func(stream []byte) error) error {
	n := len(streams)
	write := func(w *bufio.Writer) error {
		for _, stream := range streams {
			if _, err := w.Write(stream); err != nil {
				return err
			}
		}
		return nil
	}
	if l.tagger == nil {
		return l.before.Exchange(ctx, write, func(r *bufio.Reader) error { return eachStream(r, n, answered) })
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tagged, ended := make(chan []byte, 64), make(chan error, 1)
	go func() {
		defer close(tagged)
		ended <- l.before.Exchange(ctx, write, func(r *bufio.Reader) error {
			return eachStream(r, n, func(stream []byte) error {
				stream, err := l.tag(ctx, stream)
				if err != nil {
					return err
				}
				select {
				case tagged <- stream:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		})
	}()
	err := l.after.Exchange(ctx, func(w *bufio.Writer) error { return pass(tagged, n, w) },
		func(r *bufio.Reader) error { return eachStream(r, n, answered) })
	if err != nil {
		cancel()
	}
	if first := <-ended; first != nil && (err == nil || errors.Is(err, process.ErrNoMore) || !errors.Is(first, context.Canceled)) {
		err = first
	}
	if err != nil {
		l.Kill()
	}
	return err
}

// pass writes n streams as they come, and lets none wait for the next. Where fewer
// come, that is process.ErrNoMore.
func pass(streams <-chan []byte, n int, w *bufio.Writer) error {
	for range n {
		if len(streams) == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		stream, ok := <-streams
		if !ok {
			return process.ErrNoMore
		}
		if _, err := w.Write(stream); err != nil {
			return err
		}
	}
	return nil
}

// longStream is a stream about which a tagger may say more than a pipe holds.
const longStream = 8 << 10

// tag has the tagger read a stream, and replaces it if that has changed it.
func (l *line) tag(ctx context.Context, stream []byte) (tagged []byte, err error) {
	input := append(slices.Clone(stream), 0)
	listened := func() string { return "" }
	if len(stream) > longStream {
		listened = l.listen()
	}
	err = l.tagger.Exchange(ctx, func(w *bufio.Writer) error {
		_, err := w.Write(input)
		return err
	}, func(r *bufio.Reader) error {
		return eachStream(r, 1, func(stream []byte) error {
			tagged = append(slices.Clone(stream), 0)
			return nil
		})
	})
	heard := listened()
	if err != nil {
		return nil, err
	}
	if said, ok := l.tagger.Said(); ok && !l.classes.changed(heard+said) {
		return tagged, nil
	}
	l.tagger.Kill()
	if l.tagger, l.spare = l.spare, nil; l.tagger == nil || !l.tagger.Alive() {
		if l.tagger, err = l.program.Start(); err != nil {
			return nil, err
		}
	}
	l.spare, err = l.program.Start() // it reads its data while the other one works
	return tagged, err
}

// listen reads what the tagger says while it works, until what it returns is called.
func (l *line) listen() (stop func() string) {
	end, said := make(chan struct{}), make(chan string)
	go func() {
		var output strings.Builder
		for {
			text, _ := l.tagger.Said()
			output.WriteString(text)
			select {
			case <-end:
				said <- output.String()
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() string {
		close(end)
		return <-said
	}
}

// eachStream reads n streams that end with null characters, and nothing after them. What
// f is given lasts until it returns.
func eachStream(r *bufio.Reader, n int, f func(stream []byte) error) error {
	var long []byte
	for n > 0 {
		stream, err := r.ReadSlice(0)
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, stream...)
			continue
		}
		if err != nil {
			return err
		}
		if len(long) > 0 {
			stream = append(long, stream...)
			long = nil
		}
		if err := f(stream[:len(stream)-1]); err != nil {
			return err
		}
		n--
	}
	if r.Buffered() > 0 {
		return engines.Faultf(engines.Malformed, "apertium gave more answers than it was asked for")
	}
	return nil
}
