package encoder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The test binary is the program where this is set: to "ok", or to how it fails.
const programVariable = "SENTWEAVE_TEST_ENCODER"

func TestMain(m *testing.M) {
	if how := os.Getenv(programVariable); how != "" {
		os.Exit(actAsProgram(how))
	}
	os.Exit(m.Run())
}

func actAsProgram(how string) int {
	switch how {
	case "silent":
		return 3
	case "banner": // shorter than a greeting, and the program goes on
		_, _ = os.Stdout.WriteString("Hi\n") // read by the test
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "status":
		_, _ = os.Stdout.WriteString(greeting + "\x07") // read by the test
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "stranger":
		_, _ = os.Stdout.WriteString("Usage: something else entirely\n") // read by the test
		return 0
	case "tokens":
		if ServeTokens(context.Background(), os.Stdin, os.Stdout, func() (TokenEncoder, error) { return letters{}, nil }) != nil {
			return 1
		}
		return 0
	}
	err := Serve(context.Background(), os.Stdin, os.Stdout, func() (Encoder, error) {
		if how == "no model" {
			return nil, errors.New("the model has no weights")
		}
		return lengths{how}, nil
	})
	if err != nil {
		return 1
	}
	return 0
}

// lengths gives each text the vector (its bytes, 1).
type lengths struct{ how string }

func (lengths) Name() string { return "lengths" }

func (l lengths) Encode(_ context.Context, texts []Text) (Vectors, error) {
	var data []float32
	for _, t := range texts {
		if t.Text == "die" {
			os.Exit(4)
		}
		if t.Text == "refuse" {
			return nil, errors.New("that text is refused")
		}
		if l.how == "sleep" {
			time.Sleep(time.Minute)
		}
		data = append(data, oddly(l.how, t.Text)...)
	}
	return NewDense(data, max(2, len(data)/max(1, len(texts))))
}

func start(t *testing.T, how string) (interface {
	Encoder
	io.Closer
}, error) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), programVariable+"="+how)
	return Start(t.Context(), "lengths", command)
}

func TestProgram(t *testing.T) {
	e, err := start(t, "ok")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 3_000_000)
	for range 2 {
		v, err := e.Encode(t.Context(), Texts("eng", "", "a\x00\n", long))
		if err != nil {
			t.Fatal(err)
		}
		d := v.(Dense)
		if d.Len() != 3 || d.Row(0)[0] != 0 || d.Row(1)[0] != 3 || d.Row(2)[0] != 3_000_000 {
			t.Errorf("vectors %v", d.Data)
		}
	}
	if v, err := e.Encode(t.Context(), nil); err != nil || v.Len() != 0 {
		t.Errorf("no texts: %v, %v", v, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestProgramFails(t *testing.T) {
	for how, want := range map[string]string{"no model": "the model has no weights", "silent": "ended before it was ready",
		"stranger": "not an encoder of this version", "banner": `its output begins with "Hi\n"`,
		"status": "the status 7, which must be 0 or 1"} {
		if _, err := start(t, how); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", how, err, want)
		}
	}
	for text, want := range map[string]string{"refuse": "that text is refused", "die": "ended without an answer"} {
		e, err := start(t, "ok")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // and every call after it
			if _, err := e.Encode(t.Context(), Texts("", text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
		if err := e.Close(); err != nil {
			t.Errorf("close after a failure: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	e, err := start(t, "ok")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := e.Encode(ctx, Texts("", "a")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_ = e.Close()
}

func FuzzReadTexts(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b'})
	f.Add([]byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		texts, err := readTexts(bytes.NewReader(data))
		if err == nil && len(texts) > len(data)/4 {
			t.Errorf("%d texts out of %d bytes", len(texts), len(data))
		}
	})
}
