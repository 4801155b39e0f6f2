package encoder

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"sentweave/transforms/random"
)

// Baselines lists what Parse accepts.
func Baselines() []string {
	return []string{"baseline:bow", "baseline:tfidf", "baseline:char3", "baseline:random", "baseline:vectors=FILE"}
}

// Parse returns a baseline:
//
//   - baseline:bow counts the lower-cased words between white space.
//   - baseline:tfidf weighs those counts with ln((1+n)/(1+df))+1, where n texts are
//     encoded together and df of them have the word (the smoothed form of
//     scikit-learn's TfidfVectorizer).
//   - baseline:char3 counts the trigrams of characters of "  " + lower-cased text + " ".
//   - baseline:random is a point of the unit sphere in 256 dimensions for each text,
//     uniformly: the floor that an evaluation must be above.
//   - baseline:vectors=FILE is the mean of word vectors (see readWordVectors).
//
// Words are told apart by a hash of 64 bits: among a million words, two share
// one with a probability of 3 in 10⁸.
func Parse(ctx context.Context, name string) (Encoder, error) {
	kind, file, hasFile := strings.Cut(strings.TrimPrefix(name, baselinePrefix), "=")
	switch {
	case !strings.HasPrefix(name, baselinePrefix):
	case kind == "vectors" && file != "":
		v, err := openWordVectors(ctx, file)
		if err != nil {
			return nil, err
		}
		return baseline{name, v.encode}, nil
	case hasFile:
	case kind == "bow":
		return baseline{name, encodeWords}, nil
	case kind == "tfidf":
		return baseline{name, encodeWeighted}, nil
	case kind == "char3":
		return baseline{name, encodeTrigrams}, nil
	case kind == "random":
		return baseline{name, encodeRandom}, nil
	}
	return nil, fmt.Errorf("%w %q: want one of %s", ErrUnknown, name, strings.Join(Baselines(), ", "))
}

// IsBaseline says whether a name is that of a baseline.
func IsBaseline(name string) bool { return strings.HasPrefix(name, baselinePrefix) }

// BaselineFile returns the file that a baseline reads, if it does.
func BaselineFile(name string) (string, bool) {
	_, file, ok := strings.Cut(strings.TrimPrefix(name, baselinePrefix), "=")
	return file, ok && IsBaseline(name)
}

// BaselineKind returns a baseline's name without its file.
func BaselineKind(name string) string {
	kind, _, _ := strings.Cut(name, "=")
	return kind
}

type baseline struct {
	name   string
	encode func(texts []Text) Vectors
}

func (b baseline) Name() string { return b.name }

func (b baseline) Encode(ctx context.Context, texts []Text) (Vectors, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return b.encode(texts), nil
}

// lower is the lower case of Unicode with its special and final forms, as
// Python's str.lower has it.
func lower(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0x80 {
			return cases.Lower(language.Und).String(text)
		}
	}
	return strings.ToLower(text)
}

// words splits at white space as Python's str.split does.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}

func countWords(texts []Text) *sparseBuilder {
	b := newSparseBuilder(len(texts))
	for _, t := range texts {
		for _, w := range words(lower(t.Text)) {
			b.row = append(b.row, xxh3.HashString(w))
		}
		b.add()
	}
	return b
}

func encodeWords(texts []Text) Vectors { return countWords(texts).finish() }

func encodeWeighted(texts []Text) Vectors {
	b := countWords(texts)
	df := map[uint64]int{}
	for _, f := range b.features { // a row has each once
		df[f]++
	}
	for i, f := range b.features {
		b.values[i] *= math.Log(float64(1+len(texts))/float64(1+df[f])) + 1
	}
	return b.finish()
}

func encodeTrigrams(texts []Text) Vectors {
	b := newSparseBuilder(len(texts))
	for _, t := range texts {
		x, y, n := uint64(0), uint64(0), 0
		for _, r := range "  " + lower(t.Text) + " " {
			if n >= 2 {
				b.row = append(b.row, x<<42|y<<21|uint64(r)) // a character has 21 bits
			}
			x, y, n = y, uint64(r), n+1
		}
		b.add()
	}
	return b.finish()
}

// randomVersion is raised when the random vectors of texts change.
const (
	randomVersion = 1
	randomDim     = 256
)

func encodeRandom(texts []Text) Vectors {
	d, _ := NewDense(make([]float32, len(texts)*randomDim), randomDim)
	var g [randomDim]float64
	for i, t := range texts {
		s := random.New(randomVersion, 0, "encoder.random", t.Text, 0)
		square := 0.0
		for k := 0; k < randomDim; { // the polar method of Marsaglia and Bray (1964)
			u, v := 2*s.Float64()-1, 2*s.Float64()-1
			r := float64(u*u) + float64(v*v)
			if r >= 1 || r == 0 {
				continue
			}
			f := math.Sqrt(-2 * math.Log(r) / r)
			g[k], g[k+1] = u*f, v*f
			square += float64(g[k]*g[k]) + float64(g[k+1]*g[k+1])
			k += 2
		}
		row, length := d.Row(i), math.Sqrt(square)
		for k := range row {
			row[k] = float32(g[k] / length)
		}
	}
	return d
}
