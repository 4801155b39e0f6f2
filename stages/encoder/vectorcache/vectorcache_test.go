package vectorcache

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/storage/cache"
	"sentweave/stages/encoder"
)

// counting gives a text the vector of its length and of how many texts came before it, as an
// encoder whose last bits depend on the batch does.
type counting struct {
	texts  []string
	fail   int // texts after which it fails
	value  float32
	closed bool
}

func (*counting) Name() string { return "counting" }
func (c *counting) Close() error {
	c.closed = true
	return nil
}
func (c *counting) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	var data []float32
	for _, t := range texts {
		if c.fail > 0 && len(c.texts) >= c.fail {
			return nil, errors.New("killed")
		}
		data = append(data, float32(len(t.Text)), float32(len(c.texts))/1024, c.value)
		c.texts = append(c.texts, t.Language+":"+t.Text)
	}
	return encoder.NewDense(data, 3)
}

func opened(t *testing.T, identity string, c *counting) *Encoder {
	t.Helper()
	e, err := Open("model", identity, func() (encoder.Encoder, error) { return c, nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func encode(t *testing.T, e *Encoder, texts ...encoder.Text) encoder.Dense {
	t.Helper()
	v, err := e.Encode(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return v.(encoder.Dense)
}

func TestEncodedOnce(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	inner := &counting{}
	e := opened(t, "a", inner)
	first := encode(t, e, encoder.Texts("eng", "one", "three", "one", "")...)
	encode(t, e, encoder.Texts("deu", "one")...)
	if got := fmt.Sprint(inner.texts); got != "[eng: eng:one eng:three deu:one]" { // the short ones first, each once
		t.Errorf("encoded %s", got)
	}
	if !slices.Equal(first.Row(0), first.Row(2)) || first.Row(1)[0] != 5 || first.Row(3)[0] != 0 {
		t.Errorf("vectors %v", first.Data)
	}
	// Another run gives the same bits, of any texts together, and opens no encoder.
	again, err := Open("model", "a", func() (encoder.Encoder, error) { return nil, errors.New("opened") })
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := encode(t, again, encoder.Texts("eng", "three", "one")...); !slices.Equal(got.Row(0), first.Row(1)) ||
		!slices.Equal(got.Row(1), first.Row(0)) {
		t.Errorf("%v, before %v", got.Data, first.Data)
	}
	if _, err := again.Encode(t.Context(), encoder.Texts("eng", "new")); err == nil || err.Error() != "opened" {
		t.Errorf("a new text: %v", err)
	}
	// Another encoder has its own.
	other := &counting{}
	encode(t, opened(t, "b", other), encoder.Texts("eng", "one")...)
	if len(other.texts) != 1 {
		t.Errorf("another encoder took the vectors of the first: %v", other.texts)
	}
	if err := e.Close(); err != nil || !inner.closed {
		t.Errorf("close: %v, %t", err, inner.closed)
	}
	if v := encode(t, opened(t, "empty", &counting{})); v.Len() != 0 {
		t.Errorf("%d vectors of no text", v.Len())
	}
}

func TestGoesOn(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	texts := make([]string, 2*chunk+10)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %06d", i)
	}
	killed := &counting{fail: chunk + 5}
	if _, err := opened(t, "a", killed).Encode(t.Context(), encoder.Texts("eng", texts...)); err == nil {
		t.Fatal("it was not killed")
	}
	rest := &counting{}
	e := opened(t, "a", rest)
	var seen []int
	e.Observe = func(done, all int) { seen = append(seen, done, all) }
	encode(t, e, encoder.Texts("eng", texts...)...)
	if len(rest.texts) != chunk+10 || fmt.Sprint(seen) != fmt.Sprint([]int{chunk, chunk + 10, chunk + 10, chunk + 10}) {
		t.Errorf("%d texts were encoded again, of %d; progress %v", len(rest.texts), len(texts), seen)
	}
}

// A damaged file or row is encoded again, and nothing else is.
func TestDamage(t *testing.T) {
	texts := encoder.Texts("eng", "one", "three", "fourteen")
	for name, test := range map[string]struct {
		damage func(data []byte) []byte
		again  int
	}{
		"none":       {func(b []byte) []byte { return b }, 0},
		"a value":    {func(b []byte) []byte { b[len(b)-7] ^= 1; return b }, 1},
		"a key":      {func(b []byte) []byte { b[headerSize+3] ^= 1; return b }, 3},
		"cut":        {func(b []byte) []byte { return b[:len(b)-1] }, 3},
		"empty":      {func(b []byte) []byte { return nil }, 3},
		"other file": {func(b []byte) []byte { return []byte(strings.Repeat("x", len(b))) }, 3},
		"dimensions": {func(b []byte) []byte { b[len(magic)] = 0; return b }, 3},
	} {
		t.Setenv(cache.Variable, t.TempDir())
		first := opened(t, "a", &counting{})
		want := encode(t, first, texts...)
		files, err := filepath.Glob(filepath.Join(first.folder.Path, "*"+suffix))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[0], test.damage(data), 0o666); err != nil {
			t.Fatal(err)
		}
		inner := &counting{}
		got := encode(t, opened(t, "a", inner), texts...)
		for i := range texts {
			if got.Row(i)[0] != want.Row(i)[0] {
				t.Errorf("%s: vector %d is %v, was %v", name, i, got.Row(i), want.Row(i))
			}
		}
		if len(inner.texts) != test.again {
			t.Errorf("%s: %d texts were encoded again, want %d", name, len(inner.texts), test.again)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	e := opened(t, "a", &counting{value: float32(math.NaN())})
	if _, err := e.Encode(t.Context(), encoder.Texts("eng", "one")); err == nil ||
		!strings.Contains(err.Error(), `model gives NaN as a value of the vector of "one"`) {
		t.Errorf("a vector that is not finite: %v", err)
	}
	bow, err := encoder.Parse(t.Context(), "baseline:bow")
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := Open("bow", "b", func() (encoder.Encoder, error) { return bow, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer sparse.Close()
	if _, err := sparse.Encode(t.Context(), encoder.Texts("eng", "one")); !errors.Is(err, encoder.ErrSparse) {
		t.Errorf("sparse vectors: %v", err)
	}
}
