// Package process keeps programs alive, talks to them over their standard input and
// output, and ends them together with all the processes that they started.
package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"sentweave/transforms/engines"
)

// tailBytes is what is kept of the last words of a program.
const tailBytes = 2 << 10

// Program is what is started.
type Program struct {
	// Path and Args are as in exec.Command.
	Path string
	Args []string
	// Environment is added to that of this process: "NAME=value".
	Environment []string
	// Watch has Said tell what the program writes to standard error.
	Watch bool
	// Secrets are taken out of what errors tell of the program's last words.
	Secrets []engines.Secret
	// Ending, if set, is called when the program has closed its output in an exchange,
	// before its end is waited for: another one can be started meanwhile.
	Ending func()
	// Told, if set, says whether the last words tell how it has ended, so that it can be
	// ended without waiting for what is left of it.
	Told func(words string) bool
}

// Process is a program that runs. It is spoken to by one goroutine at a time.
type Process struct {
	program Program
	command *exec.Cmd
	in      *os.File
	out     *bufio.Reader
	outFile *os.File
	words   Tail
	watched *os.File      // standard error, if it is watched
	ended   chan struct{} // closed when the program itself has ended
	stopped bool          // it closed its output and was then ended
	once    sync.Once
}

// Start starts the program.
func (p Program) Start() (*Process, error) {
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Path, err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", p.Path, err), inRead.Close(), inWrite.Close())
	}
	q := &Process{
		program: p, command: exec.Command(p.Path, p.Args...), in: inWrite, outFile: outRead,
		out: bufio.NewReaderSize(outRead, 64<<10), ended: make(chan struct{}),
	}
	q.command.Stdin, q.command.Stdout, q.command.Stderr = inRead, outWrite, &q.words
	var watchWrite *os.File
	if p.Watch {
		if q.watched, watchWrite, err = os.Pipe(); err != nil {
			return nil, errors.Join(fmt.Errorf("start %s: %w", p.Path, err),
				inRead.Close(), inWrite.Close(), outRead.Close(), outWrite.Close())
		}
		q.command.Stderr = watchWrite
	}
	q.command.Env = append(os.Environ(), p.Environment...)
	q.command.WaitDelay = time.Second // others may hold on to standard error
	OwnGroup(q.command)
	err = q.command.Start()
	// The ends of the program are its own now.
	_, _, _ = inRead.Close(), outWrite.Close(), watchWrite.Close()
	if err != nil {
		_, _, _ = inWrite.Close(), outRead.Close(), q.watched.Close()
		return nil, fmt.Errorf("start %s: %w", p.Path, err)
	}
	go func() {
		_ = q.command.Wait() // whatever its status, it was not to end
		close(q.ended)
	}()
	return q, nil
}

// ErrNoMore is what write returns in Exchange to have the program finish what it has
// been given: its input ends, and read goes on to the end of its answer.
var ErrNoMore = errors.New("there is no more to write")

// Exchange has write write to the program, which flushes what is left at the end,
// while read reads its answer. It ends
// the program if either has an error or ctx ends, so that no later exchange reads
// the rest of this one. Where the program has ended by itself the error is a fault of
// kind Crashed that wraps an *Ended, and where ctx had a deadline that has passed, one
// that wraps its error.
func (q *Process) Exchange(ctx context.Context, write func(*bufio.Writer) error, read func(*bufio.Reader) error) error {
	stop := context.AfterFunc(ctx, q.Kill)
	finished := make(chan error, 1)
	go func() {
		buffered := bufio.NewWriterSize(q.in, 64<<10)
		err := write(buffered)
		if err == nil || errors.Is(err, ErrNoMore) {
			err = errors.Join(err, buffered.Flush())
		}
		switch {
		case err != nil && errors.Is(err, ErrNoMore):
			_ = q.in.Close()
		case err != nil && !ended(err):
			q.Kill() // and so ends the reading
		}
		finished <- err
	}()
	err := read(q.out)
	if err != nil && ended(err) {
		q.finish() // and so ends the writing
	} else if err != nil {
		q.Kill()
	}
	writeErr := <-finished
	if !stop() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &engines.Fault{Kind: engines.Crashed, Err: fmt.Errorf("%s gave no answer in its time: %w", q.program.Path, ctx.Err())}
		}
		return ctx.Err()
	}
	if err == nil && writeErr == nil {
		return nil
	}
	if err == nil { // it ended, or was told to, after its answer
		q.finish()
	}
	if writeErr != nil && !ended(writeErr) {
		return writeErr
	}
	if err != nil && !ended(err) {
		return err
	}
	return &engines.Fault{Kind: engines.Crashed, Err: q.end()}
}

// finishing bounds the time in which a program that has ended its output ends itself.
const finishing = time.Second

// finish waits for a program that is about to end, so that it tells how, and ends what
// is left of it.
func (q *Process) finish() {
	if q.program.Ending != nil {
		q.program.Ending()
	}
	_ = q.in.Close()
	for deadline := time.Now().Add(finishing); q.Alive(); {
		if q.program.Told != nil && q.program.Told(q.words.String()) || time.Now().After(deadline) {
			q.stopped = true
			break
		}
		select {
		case <-q.ended:
		case <-time.After(time.Millisecond):
		}
	}
	q.Kill()
}

// Ended is the error of a program that ended in the middle of its work.
type Ended struct {
	// Path is the program.
	Path string
	// State is how it ended; nil if it had to be ended after it closed its output.
	State *os.ProcessState
	// Words are the last that it wrote to standard error, without secrets, in one line.
	Words string
}

// Error implements error.
func (e *Ended) Error() string {
	text := e.Path + " ended in the middle of its work"
	if e.State != nil {
		text += ", " + e.State.String()
	}
	if e.Words != "" {
		text += ": " + e.Words
	}
	return text
}

func (q *Process) end() *Ended {
	e := &Ended{Path: q.program.Path, Words: q.lastWords()}
	if !q.stopped {
		e.State = q.command.ProcessState
	}
	return e
}

// ended says whether an error means that there is nobody at the other end.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE)
}

// Kill ends the program and what it has started, and waits for it.
func (q *Process) Kill() {
	q.once.Do(func() {
		kill(q.command)
		_, _, _ = q.in.Close(), q.outFile.Close(), q.watched.Close()
	})
	<-q.ended
}

// Alive implements Worker.
func (q *Process) Alive() bool {
	select {
	case <-q.ended:
		return false
	default:
		return true
	}
}

// PID is the number of the program, and of its group where there are groups.
func (q *Process) PID() int { return q.command.Process.Pid }

// Said returns what a program that is watched has written to standard error since it
// was last asked: at least what it wrote before an answer that was read. ok is false
// where that cannot be told.
func (q *Process) Said() (text string, ok bool) {
	var said []byte
	for {
		var buffer [4096]byte
		n := available(q.watched, buffer[:])
		if n <= 0 {
			return string(said), pollable
		}
		_, _ = q.words.Write(buffer[:n])
		said = append(said, buffer[:n]...)
	}
}

// Pending says whether the program has written more than was read.
func (q *Process) Pending() bool { return q.out.Buffered() > 0 }

// lastWords returns the last that the program wrote to standard error, in one line.
func (q *Process) lastWords() string {
	text := q.words.String()
	for _, s := range q.program.Secrets {
		text = s.Scrub(text)
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " ")
}

// Tail keeps the end of what is written to it, by whatever goroutine: some 2 KiB.
type Tail struct {
	mutex sync.Mutex
	data  []byte
	cut   bool // it is not all
}

// Write implements io.Writer.
func (t *Tail) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.data = append(t.data, p...)
	if excess := len(t.data) - tailBytes; excess > 0 {
		t.data, t.cut = append(t.data[:0], t.data[excess:]...), true
	}
	return len(p), nil
}

// String returns the end, in whole words: half of a secret would not be known for one.
func (t *Tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !t.cut {
		return string(t.data)
	}
	if space := bytes.IndexFunc(t.data, unicode.IsSpace); space >= 0 {
		return string(t.data[space:])
	}
	return ""
}
