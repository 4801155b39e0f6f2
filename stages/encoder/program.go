package encoder

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"strings"
	"time"
)

// An encoder may be another program, as those on libtorch are. It is spoken to
// over its standard streams, in frames of little-endian numbers:
//
//	program  greeting, then a status
//	caller   uint32 n, then n texts, each uint32 bytes and as many bytes
//	program  a status, uint32 dimension, then n × dimension float32
//	…
//
// A status is the byte 0, or the byte 1 with a message: uint32 bytes and as many
// bytes. The program ends when its input does.
const greeting = "sentweave-encoder 1\n"

// Bounds of a frame: what goes over them is a broken program, not a text.
const (
	maxTexts     = 1 << 24
	maxText      = 64 << 20
	maxMessage   = 1 << 20
	maxDimension = 1 << 20
)

// maxShown is the number of bytes that a message repeats of an output that is not an encoder's.
const maxShown = 200

// stopWait is how long a program may take to end once its input is closed.
const stopWait = 10 * time.Second

// greetingWait is how long a program may take to greet, which comes before it loads anything.
const greetingWait = 2 * time.Minute

// program is an encoder in a process of its own.
type program struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	to      *bufio.Writer
	from    *bufio.Reader
	broken  error
}

// Start starts a program that speaks as Serve does, and waits until it is ready.
// The encoder must be closed. When ctx ends, the program is killed.
func Start(ctx context.Context, name string, command *exec.Cmd) (interface {
	Encoder
	io.Closer
}, error) {
	return startProgram(ctx, name, greeting, command)
}

// startProgram starts a program that greets in such a way.
func startProgram(ctx context.Context, name, greeting string, command *exec.Cmd) (*program, error) {
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the encoder %s: %w", command.Path, err)
	}
	p := &program{name: name, command: command, in: stdin, to: bufio.NewWriterSize(stdin, 1<<16), from: bufio.NewReaderSize(stdout, 1<<16)}
	stop := context.AfterFunc(ctx, func() { _ = command.Process.Kill() }) // it may have ended
	defer stop()
	if err := p.greet(greeting); err != nil {
		p.broken = err             // how the program ends tells nothing more
		_ = command.Process.Kill() // it may have ended
		return nil, errors.Join(fmt.Errorf("encoder %s: %w", name, err), p.Close())
	}
	return p, nil
}

func (p *program) greet(greeting string) error {
	var said []byte
	timer := time.AfterFunc(greetingWait, func() { _ = p.command.Process.Kill() })
	for strings.HasPrefix(greeting, string(said)) && len(said) < len(greeting) {
		b, err := p.from.ReadByte()
		if err != nil {
			break
		}
		said = append(said, b)
	}
	switch inTime := timer.Stop(); {
	case string(said) == greeting:
		return readStatus(p.from)
	case !strings.HasPrefix(greeting, string(said)):
		rest, _ := p.from.Peek(min(p.from.Buffered(), maxShown)) // what is there already
		return fmt.Errorf("the program is not an encoder of this version: its output begins with %q, and not with %q", append(said, rest...),
			greeting)
	case !inTime:
		return fmt.Errorf("the program said nothing for %v: it must begin with %q", greetingWait, greeting)
	}
	return errors.New("the program ended before it was ready")
}

// Name implements Encoder.
func (p *program) Name() string { return p.name }

// Encode implements Encoder. After an error of the connection every call fails.
func (p *program) Encode(ctx context.Context, texts []Text) (Vectors, error) {
	var data []float32
	dimension := 0
	err := p.ask(ctx, func() error { return writeTexts(p.to, texts) }, func() (err error) {
		data, dimension, err = readVectors(p.from, len(texts))
		return err
	})
	if err != nil {
		return nil, err
	}
	return NewDense(data, dimension)
}

// ask writes a question and reads the answer behind its status. After an error every call fails.
func (p *program) ask(ctx context.Context, write, receive func() error) error {
	if p.broken != nil {
		return p.broken
	}
	stop := context.AfterFunc(ctx, func() { _ = p.command.Process.Kill() }) // it may have ended
	defer stop()
	err := p.exchange(write, receive)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("encoder %s: %w", p.name, err)
		p.broken = err
	}
	return err
}

func (p *program) exchange(write, receive func() error) error {
	sent := make(chan error, 1)
	go func() { sent <- write() }() // the program may answer while it reads
	err := readStatus(p.from)
	if err == nil {
		err = receive()
	}
	if err != nil {
		_ = p.in.Close() // so that the writer ends
		<-sent
		return err
	}
	return <-sent
}

// Close ends the program.
func (p *program) Close() error {
	_ = p.in.Close() // it may be closed already
	timer := time.AfterFunc(stopWait, func() { _ = p.command.Process.Kill() })
	defer timer.Stop()
	if err := p.command.Wait(); err != nil && p.broken == nil {
		return fmt.Errorf("encoder %s: %w", p.name, err)
	}
	return nil
}

// Serve is the program's side of Start: it answers until the input ends. Open is
// called once, and its error is the caller's.
func Serve(ctx context.Context, input io.Reader, output io.Writer, open func() (Encoder, error)) error {
	return serve(input, output, greeting, open, func(e Encoder, reader *bufio.Reader) (func(*bufio.Writer) error, error) {
		texts, err := readTexts(reader)
		if err != nil {
			return nil, err
		}
		vectors, err := e.Encode(ctx, texts)
		dense, ok := vectors.(Dense)
		if err == nil && !ok {
			err = fmt.Errorf("%s gives no dense vectors", e.Name())
		}
		return func(writer *bufio.Writer) error { return writeVectors(writer, dense) }, failed(err)
	})
}

// failure is an error that the caller is told, where others are those of the connection.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

func failed(err error) error {
	if err != nil {
		return failure{err}
	}
	return nil
}

// serve greets, opens what gives the answers, and answers until the input ends.
func serve[T any](input io.Reader, output io.Writer, greeting string, open func() (T, error),
	answer func(T, *bufio.Reader) (func(*bufio.Writer) error, error)) error {
	writer, reader := bufio.NewWriterSize(output, 1<<16), bufio.NewReaderSize(input, 1<<16)
	if _, err := writer.WriteString(greeting); err != nil {
		return err
	}
	opened, err := open()
	if err := writeStatus(writer, err); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	for {
		write, err := answer(opened, reader)
		if told := (failure{}); err != nil && !errors.As(err, &told) {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if statusErr := writeStatus(writer, err); err != nil || statusErr != nil {
			return errors.Join(err, statusErr)
		}
		if err := errors.Join(write(writer), writer.Flush()); err != nil {
			return err
		}
	}
}

func readNumber(reader io.Reader, limit uint32, what string) (int, error) {
	var b [4]byte
	if _, err := io.ReadFull(reader, b[:]); err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(b[:])
	if n > limit {
		return 0, fmt.Errorf("a frame with %d %s: at most %d", n, what, limit)
	}
	return int(n), nil
}

func writeNumber(writer *bufio.Writer, n int) error {
	_, err := writer.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
	return err
}

func readString(reader io.Reader, limit uint32, what string) (string, error) {
	n, err := readNumber(reader, limit, what)
	if err != nil {
		return "", err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(reader, b)
	return string(b), unexpected(err)
}

// unexpected says of the end of a stream that it came too early.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func writeString(writer *bufio.Writer, s string) error {
	if err := writeNumber(writer, len(s)); err != nil {
		return err
	}
	_, err := writer.WriteString(s)
	return err
}

// readStatus returns the error that the other side tells.
func readStatus(reader *bufio.Reader) error {
	status, err := reader.ReadByte()
	if err != nil {
		return fmt.Errorf("the program ended without an answer: %w", unexpected(err))
	}
	if status > 1 {
		return fmt.Errorf("the program answered with the status %d, which must be 0 or 1", status)
	}
	if status == 0 {
		return nil
	}
	message, err := readString(reader, maxMessage, "bytes of a message")
	if err != nil {
		return err
	}
	return errors.New(message)
}

func writeStatus(writer *bufio.Writer, status error) error {
	if status == nil {
		return errors.Join(writer.WriteByte(0), writer.Flush())
	}
	message := status.Error()
	return errors.Join(writer.WriteByte(1), writeString(writer, message[:min(len(message), maxMessage)]), writer.Flush())
}

// readTexts returns io.EOF where the input ends before a frame.
func readTexts(reader io.Reader) ([]Text, error) {
	n, err := readNumber(reader, maxTexts, "texts")
	if err != nil {
		return nil, err
	}
	var texts []Text // grown as they come: the number is only a claim
	for range n {
		text, err := readString(reader, maxText, "bytes of a text")
		if err != nil {
			return nil, unexpected(err)
		}
		texts = append(texts, Text{Text: text})
	}
	return texts, nil
}

func writeTexts(writer *bufio.Writer, texts []Text) error {
	if err := writeNumber(writer, len(texts)); err != nil {
		return err
	}
	for _, t := range texts {
		if err := writeString(writer, t.Text); err != nil {
			return err
		}
	}
	return writer.Flush()
}

func readVectors(reader io.Reader, n int) ([]float32, int, error) {
	dimension, err := readNumber(reader, maxDimension, "dimensions")
	if err != nil {
		return nil, 0, unexpected(err)
	}
	data := make([]float32, 0, min(n*dimension, 1<<24)) // more as it comes: the dimension is only a claim
	row := make([]byte, 4*dimension)
	for range n {
		if _, err := io.ReadFull(reader, row); err != nil {
			return nil, 0, unexpected(err)
		}
		for k := range dimension {
			data = append(data, math.Float32frombits(binary.LittleEndian.Uint32(row[4*k:])))
		}
	}
	return data, dimension, nil
}

func writeVectors(writer *bufio.Writer, d Dense) error {
	if err := writeNumber(writer, d.Dim); err != nil {
		return err
	}
	row := make([]byte, 0, 4*d.Dim)
	for i := range d.Len() {
		row = row[:0]
		for _, x := range d.Row(i) {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(x))
		}
		if _, err := writer.Write(row); err != nil {
			return err
		}
	}
	return nil
}
