package encoder

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"

	"sentweave/transforms/measure/bertscore"
)

// TokenEncoder gives the vectors of the tokens of texts. One that holds a process or a connection is an io.Closer too.
type TokenEncoder interface {
	// Name is in results as the model.
	Name() string
	// TokenIDs returns the tokens of each text alone, in no time to speak of.
	TokenIDs(ctx context.Context, texts []Text) ([][]int32, error)
	// Tokens returns those of each text with their vectors, which all have one size.
	Tokens(ctx context.Context, texts []Text) ([]bertscore.Tokens, error)
}

// A program may give the vectors of tokens, too. It is spoken to as one that gives the vectors of texts is, but for
//
//	program  another greeting
//	caller   the byte 1 before a frame of texts, or 0 for the tokens without their vectors
//	program  a status, uint32 dimension, 0 without vectors, then of each text: uint32 n, then n × int32, then n × dimension float32
const tokensGreeting = "sentweave-tokens 1\n"

// maxTextTokens bounds the tokens of a text.
const maxTextTokens = 1 << 20

// StartTokens starts a program that speaks as ServeTokens does, and waits until it is ready.
// The encoder must be closed. When ctx ends, the program is killed.
func StartTokens(ctx context.Context, name string, command *exec.Cmd) (interface {
	TokenEncoder
	io.Closer
}, error) {
	p, err := startProgram(ctx, name, tokensGreeting, command)
	if err != nil {
		return nil, err
	}
	return tokenProgram{p}, nil
}

type tokenProgram struct{ *program }

func (p tokenProgram) TokenIDs(ctx context.Context, texts []Text) ([][]int32, error) {
	list, err := p.tokens(ctx, texts, 0)
	ids := make([][]int32, len(list))
	for i, t := range list {
		ids[i] = t.IDs
	}
	return ids, err
}

func (p tokenProgram) Tokens(ctx context.Context, texts []Text) ([]bertscore.Tokens, error) {
	return p.tokens(ctx, texts, 1)
}

func (p tokenProgram) tokens(ctx context.Context, texts []Text, what byte) (list []bertscore.Tokens, err error) {
	err = p.ask(ctx, func() error {
		if err := p.to.WriteByte(what); err != nil {
			return err
		}
		return writeTexts(p.to, texts)
	}, func() (err error) {
		list, err = readTokens(p.from, len(texts))
		return unexpected(err)
	})
	return list, err
}

// ServeTokens is the program's side of StartTokens: it answers until the input ends. Open is
// called once, and its error is the caller's.
func ServeTokens(ctx context.Context, input io.Reader, output io.Writer, open func() (TokenEncoder, error)) error {
	return serve(input, output, tokensGreeting, open, func(e TokenEncoder, reader *bufio.Reader) (func(*bufio.Writer) error, error) {
		what, err := reader.ReadByte()
		if err != nil {
			return nil, err
		}
		texts, err := readTexts(reader)
		if err != nil {
			return nil, unexpected(err)
		}
		var list []bertscore.Tokens
		if what == 1 {
			list, err = e.Tokens(ctx, texts)
		} else {
			var ids [][]int32
			ids, err = e.TokenIDs(ctx, texts)
			for _, t := range ids {
				list = append(list, bertscore.Tokens{IDs: t})
			}
		}
		return func(writer *bufio.Writer) error { return writeTokens(writer, list) }, failed(err)
	})
}

func readTokens(reader io.Reader, n int) ([]bertscore.Tokens, error) {
	dimension, err := readNumber(reader, maxDimension, "dimensions")
	if err != nil {
		return nil, err
	}
	list := make([]bertscore.Tokens, n)
	row := make([]byte, 4*max(1, dimension))
	for i := range list {
		tokens, err := readNumber(reader, maxTextTokens, "tokens of a text")
		if err != nil {
			return nil, err
		}
		for range tokens {
			if _, err := io.ReadFull(reader, row[:4]); err != nil {
				return nil, err
			}
			list[i].IDs = append(list[i].IDs, int32(binary.LittleEndian.Uint32(row)))
		}
		for range tokens { // grown as they come: the number is only a claim
			list[i].Vectors = slices.Grow(list[i].Vectors, dimension)
			if _, err := io.ReadFull(reader, row[:4*dimension]); err != nil {
				return nil, err
			}
			for k := range dimension {
				list[i].Vectors = append(list[i].Vectors, math.Float32frombits(binary.LittleEndian.Uint32(row[4*k:])))
			}
		}
	}
	return list, nil
}

func writeTokens(writer *bufio.Writer, list []bertscore.Tokens) error {
	dimension := 0
	for _, t := range list {
		if len(t.IDs) > 0 {
			dimension = len(t.Vectors) / len(t.IDs)
		}
	}
	if err := writeNumber(writer, dimension); err != nil {
		return err
	}
	var b []byte
	for _, t := range list {
		if len(t.Vectors) != len(t.IDs)*dimension {
			return fmt.Errorf("%d tokens have %d numbers as their vectors", len(t.IDs), len(t.Vectors))
		}
		b = binary.LittleEndian.AppendUint32(b[:0], uint32(len(t.IDs)))
		for _, id := range t.IDs {
			b = binary.LittleEndian.AppendUint32(b, uint32(id))
		}
		for _, x := range t.Vectors {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		if _, err := writer.Write(b); err != nil {
			return err
		}
	}
	return nil
}
