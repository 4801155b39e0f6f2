package encoder

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/measure/bertscore"
)

// letters gives each text a token for each of its bytes, with the vector (byte, 1, place).
type letters struct{}

func (letters) Name() string { return "letters" }

func (letters) TokenIDs(_ context.Context, texts []Text) (list [][]int32, err error) {
	for _, t := range texts {
		var ids []int32
		for _, b := range []byte(t.Text) {
			ids = append(ids, int32(b))
		}
		list = append(list, ids)
	}
	return list, nil
}

func (l letters) Tokens(ctx context.Context, texts []Text) (list []bertscore.Tokens, err error) {
	ids, _ := l.TokenIDs(ctx, texts)
	for i, t := range texts {
		if t.Text == "refuse" {
			return nil, errors.New("that text is refused")
		}
		x := bertscore.Tokens{IDs: ids[i]}
		for place, id := range x.IDs {
			x.Vectors = append(x.Vectors, float32(id), 1, float32(place))
		}
		list = append(list, x)
	}
	return list, nil
}

func startTokens(t *testing.T, how string) (TokenEncoder, error) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), programVariable+"="+how)
	e, err := StartTokens(t.Context(), "letters", command)
	if err == nil {
		t.Cleanup(func() { _ = e.Close() }) // after a refusal it has ended
	}
	return e, err
}

func TestProgramOfTokens(t *testing.T) {
	e, err := startTokens(t, "tokens")
	if err != nil {
		t.Fatal(err)
	}
	texts := Texts("eng", "ab", "", strings.Repeat("x", 100_000), "\x00\n")
	for range 2 {
		got, err := e.Tokens(t.Context(), texts)
		want, _ := letters{}.Tokens(t.Context(), texts)
		if err != nil || !slices.EqualFunc(got, want, func(a, b bertscore.Tokens) bool {
			return slices.Equal(a.IDs, b.IDs) && slices.Equal(a.Vectors, b.Vectors)
		}) {
			t.Fatalf("tokens differ, %v", err)
		}
		ids, err := e.TokenIDs(t.Context(), texts)
		if err != nil || len(ids) != 4 || !slices.Equal(ids[0], []int32{'a', 'b'}) || len(ids[1]) != 0 || len(ids[2]) != 100_000 {
			t.Fatalf("ids of %d texts, %v", len(ids), err)
		}
	}
	if got, err := e.Tokens(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: %v, %v", got, err)
	}
	for range 2 { // and every call after it
		if _, err := e.Tokens(t.Context(), Texts("", "refuse")); err == nil || !strings.Contains(err.Error(), "that text is refused") {
			t.Error(err)
		}
	}
	if _, err := startTokens(t, "ok"); err == nil || !strings.Contains(err.Error(), "not an encoder of this version") {
		t.Errorf("a program that gives vectors of texts: %v", err)
	}
}

func FuzzReadTokens(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64}, 1)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0}, 1)
	f.Add([]byte{255, 255, 15, 0, 255, 255, 15, 0}, 2)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		list, err := readTokens(bytes.NewReader(data), min(max(n, 0), 16))
		for _, x := range list {
			if err == nil && 4*(len(x.IDs)+len(x.Vectors)) > len(data) {
				t.Errorf("%d tokens and %d numbers out of %d bytes", len(x.IDs), len(x.Vectors), len(data))
			}
		}
	})
}
