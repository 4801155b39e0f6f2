package fasttext

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// file builds a model file field by field.
type file struct{ bytes.Buffer }

func (f *file) put(values ...any) *file {
	for _, v := range values {
		if s, ok := v.(string); ok {
			f.WriteString(s)
			f.WriteByte(0)
			continue
		}
		_ = binary.Write(&f.Buffer, binary.LittleEndian, v) // a bytes.Buffer takes every write
	}
	return f
}

const wordKind, labelKind = int8(0), int8(1)

// smallModel is a model of two dimensions, words "</s>", "red" and "green", no
// n-grams, and the labels a and b.
func smallModel(kind loss) []byte {
	f := &file{}
	f.put(int32(magic), int32(version))
	f.put(int32(2), int32(5), int32(5), int32(1), int32(5), int32(1), int32(kind), int32(supervised), int32(0), int32(0), int32(0),
		int32(100), 1e-4)
	f.put(int32(5), int32(3), int32(2), int64(9), int64(-1))
	f.put(endOfLine, int64(4), wordKind, "red", int64(3), wordKind, "green", int64(2), wordKind)
	f.put(labelPrefix+"a", int64(2), labelKind, labelPrefix+"b", int64(1), labelKind)
	f.put(false, int64(3), int64(2), []float32{0, 0, 3, 0, 0, 6})
	f.put(false, int64(2), int64(2), []float32{1, 0, 0, 1})
	return f.Bytes()
}

// prunedModel is a quantised, pruned model: one word, buckets 1 and 3 of 4 kept.
func prunedModel() []byte {
	f := &file{}
	f.put(int32(magic), int32(version))
	f.put(int32(2), int32(5), int32(5), int32(1), int32(5), int32(2), int32(softmax), int32(supervised), int32(4), int32(1), int32(2),
		int32(100), 1e-4)
	f.put(int32(3), int32(1), int32(2), int64(9), int64(2))
	f.put(endOfLine, int64(4), wordKind, labelPrefix+"a", int64(2), labelKind, labelPrefix+"b", int64(1), labelKind)
	f.put(int32(1), int32(0), int32(3), int32(1))
	f.put(true, true, int64(3), int64(2), int32(3), []byte{0, 1, 2})
	centres := make([]float32, 2*centroids)
	copy(centres, []float32{0, 0, 1, 0, 0, 1})
	f.put(int32(2), int32(1), int32(2), int32(2), centres)
	f.put([]byte{0, 0, 0})
	norms := make([]float32, centroids)
	norms[0] = 1
	f.put(int32(1), int32(1), int32(1), int32(1), norms)
	f.put(false, int64(2), int64(2), []float32{1, 0, 0, 1})
	return f.Bytes()
}

func parse(raw []byte) (*Model, error) { return Read(bytes.NewReader(raw), int64(len(raw))) }

func TestPredictByHand(t *testing.T) {
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	tests := []struct {
		name, text string
		loss       loss
		label      string
		want       float64
	}{
		// Rows: red (3,0) and the end of line (0,0): the mean is (1.5, 0).
		{"softmax", "red", softmax, "a", math.Exp(1.5) / (math.Exp(1.5) + 1)},
		// green (0,6) and the end of line: (0, 3).
		{"softmax, other label", "green", softmax, "b", math.Exp(3) / (math.Exp(3) + 1)},
		// Both and the end of line: (1, 2).
		{"white space of every kind", "\tred\n\vgreen\r", softmax, "b", math.Exp(2) / (math.Exp(2) + math.Exp(1))},
		{"unknown words count for nothing", "red blue", softmax, "a", math.Exp(1.5) / (math.Exp(1.5) + 1)},
		{"a label in the text is not a word", "__label__b red", softmax, "a", math.Exp(1.5) / (math.Exp(1.5) + 1)},
		{"text after the end of line is ignored", "red </s> green", softmax, "a", math.Exp(1.5) / (math.Exp(1.5) + 1)},
		// One against all: the logistic function of 1.5, which is a step of its table.
		{"one against all", "red", oneVsAll, "a", logistic(1.5)},
		{"negative sampling", "green", negativeSampling, "b", logistic(3)},
		// The tree has one inner node: b, the rarer label, is its left child, so that
		// a has the logistic function of row 0, (1,0), times the mean.
		{"hierarchical softmax", "red", hierarchicalSoftmax, "a", logistic(1.5)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := parse(smallModel(test.loss))
			if err != nil {
				t.Fatal(err)
			}
			got := m.NewClassifier().Predict(nil, test.text, 1)
			if len(got) != 1 || got[0].Label != test.label || math.Abs(float64(got[0].Probability)-test.want) > 3e-5 {
				t.Errorf("Predict(%q) = %v, want %s %.6f", test.text, got, test.label, test.want)
			}
		})
	}
}

// The published FNV-1a vectors hold for ASCII; above it the sign extension differs.
func TestHash(t *testing.T) {
	for text, want := range map[string]uint32{"": 0x811c9dc5, "a": 0xe40c292c, "foobar": 0xbf9cf968} {
		if got := hash(text); got != want {
			t.Errorf("hash(%q) = %#x, want %#x", text, got, want)
		}
	}
	start, prime := hashStart, hashPrime
	if got, want := hash("\xc3"), (start^0xffffffc3)*prime; got != want {
		t.Errorf("hash(0xc3) = %#x, want %#x: bytes are signed", got, want)
	}
}

func TestModulus(t *testing.T) {
	for _, d := range []uint32{1, 2, 3, 7, 1000, 2_000_000, 1<<31 - 1, 1 << 31} {
		m := newModulus(d)
		for _, v := range []uint32{0, 1, d - 1, d, d + 1, 12345678, 1<<32 - 1} {
			if got := m.of(v); got != v%d {
				t.Errorf("%d mod %d = %d, want %d", v, d, got, v%d)
			}
		}
	}
}

// A bound below the logarithm would drop labels; one far above it would save nothing.
func TestLogBound(t *testing.T) {
	for i := range 1_000_001 {
		for _, x := range []float32{float32(i) / 1e6, float32(i) / 1e11} {
			if bound, log := logBound(x), logPlus(x); bound < log || bound > log+.07 {
				t.Fatalf("the bound of log(%v) = %v is %v", x, log, bound)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	change := func(at int, value any) func([]byte) []byte {
		return func(raw []byte) []byte {
			f := &file{}
			f.put(value)
			copy(raw[at:], f.Bytes())
			return raw
		}
	}
	const (
		arguments, counts, entries = 8, 64, 92
		// The end of the file: kind, shape and 3 × 2 values of the input matrix, then kind,
		// shape and 2 × 2 values of the output matrix.
		outputMatrix = 16 + 2*2*4
		inputMatrix  = 16 + 3*2*4 + 1 + outputMatrix
	)
	end := len(smallModel(softmax))
	tests := []struct {
		name, want string
		change     func([]byte) []byte
	}{
		{"nothing", "truncated", func([]byte) []byte { return nil }},
		{"another format", "not a fastText model", change(0, int32(1))},
		{"a later version", "version 13", change(4, int32(13))},
		{"word vectors", "word vectors", change(arguments+28, int32(1))},
		{"no dimension", "dimension 0", change(arguments, int32(0))},
		{"unknown loss", "loss 9", change(arguments+24, int32(9))},
		{"n-grams without buckets", "0 buckets", change(arguments+40, int32(3))},
		{"endless n-grams", "up to 1000000", change(arguments+40, int32(1e6))},
		{"a huge dictionary", "truncated", change(counts, []int32{1 << 30, 1<<30 - 2, 2})},
		{"counts that disagree", "no dictionary of 6", change(counts, int32(6))},
		{"a huge pruning table", "truncated", change(counts+20, int64(1<<60))},
		{"a word among labels", "among those of the other kind", change(entries+5+8, labelKind)},
		{"a huge matrix", "truncated", change(end-inputMatrix, int64(1<<30))},
		{"an impossible matrix", "shape", change(end-inputMatrix, int64(-1))},
		{"a matrix of another shape", "2 rows for 3 words", change(end-inputMatrix, []int64{2, 3})},
		{"endless buckets", "2000000000 buckets", change(arguments+32, int32(2e9))},
		{"bytes after the end", "follow the model", func(raw []byte) []byte { return append(raw, 0) }},
		{"a value that is not a number", "NaN", change(len(smallModel(softmax))-4, float32(math.NaN()))},
		{"an end before the end", "truncated", func(raw []byte) []byte { return raw[:len(raw)-1] }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse(test.change(smallModel(softmax)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
		})
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	for _, raw := range [][]byte{smallModel(hierarchicalSoftmax), prunedModel()} {
		if _, err := parse(raw); err != nil {
			t.Fatal(err)
		}
		for n := range raw {
			if _, err := parse(raw[:n]); err == nil {
				t.Fatalf("the first %d of %d bytes were taken for a model", n, len(raw))
			}
		}
	}
}

func TestOpenNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.ftz")
	if err := os.WriteFile(path, []byte("not a model, but long enough for a header"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "bad.ftz") {
		t.Errorf("Open = %v, want an error that names the file", err)
	}
	if _, err := Open(path + ".absent"); !os.IsNotExist(unwrapAll(err)) {
		t.Errorf("Open of an absent file = %v", err)
	}
}

func unwrapAll(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || os.IsNotExist(err) {
			return err
		}
		err = inner.Unwrap()
	}
}

func TestPredictDoesNotAllocate(t *testing.T) {
	for _, raw := range [][]byte{smallModel(hierarchicalSoftmax), smallModel(softmax), prunedModel()} {
		m, err := parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		c := m.NewClassifier()
		dst := c.Predict(nil, "red green and wörter", 2)
		if n := testing.AllocsPerRun(100, func() { dst = c.Predict(dst[:0], "red green and wörter", 2) }); n != 0 {
			t.Errorf("Predict allocates %v times", n)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, kind := range []loss{hierarchicalSoftmax, negativeSampling, softmax, oneVsAll} {
		f.Add(smallModel(kind))
	}
	f.Add(prunedModel())
	f.Fuzz(func(t *testing.T, raw []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := parse(raw)
		runtime.ReadMemStats(&after)
		// The index of a pruned dictionary depends on the number of buckets only; all
		// else is bounded by the size of the file.
		const bitmap, fixed = maxBucket / 8 * 3 / 2, 4 << 20
		if used := after.TotalAlloc - before.TotalAlloc; used > bitmap+fixed+200*uint64(len(raw)) {
			t.Errorf("%d bytes were taken for a file of %d", used, len(raw))
		}
		if err != nil {
			return
		}
		c := m.NewClassifier()
		for _, text := range []string{"", "red green", "ünï\xff </s> x", "__label__a"} {
			for k := range 3 {
				got := c.Predict(nil, text, k)
				if len(got) > min(k, len(m.Labels())) {
					t.Errorf("Predict(%q, %d) gives %d labels", text, k, len(got))
				}
				if len(got) == 2 && got[0].Probability < got[1].Probability {
					t.Errorf("Predict(%q, %d) = %v is out of order", text, k, got)
				}
			}
		}
	})
}

// A text in parts has the predictions of the parts joined by spaces, up to a token that ends the line.
func TestAdd(t *testing.T) {
	config := trainingConfig()
	config.WordNgrams = 3
	_, m := trained(t, labelledTexts(300, 1), config)
	c := m.NewClassifier()
	for _, parts := range [][]string{{"", "ba co", "", "dü eš "}, {"ba", " co </s> dü", "eš", "x"}, {"yz fi"}, {"", ""}} {
		want := m.NewClassifier().Predict(nil, strings.Join(parts, " "), 3)
		for _, part := range parts[:len(parts)-1] {
			c.Add(part)
		}
		if got := c.Predict(nil, parts[len(parts)-1], 3); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", parts, got, want)
		}
	}
}
