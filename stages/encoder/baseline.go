package encoder

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
	"sentweave/transforms/random"
	"sentweave/transforms/read/compressed"
)

// Baselines lists what Parse accepts.
func Baselines() []string {
	return []string{"baseline:bow", "baseline:tfidf", "baseline:tfidf=FILE", "baseline:char3", "baseline:random", "baseline:vectors=FILE"}
}

// CheckBaseline returns an error that matches ErrUnknown if a name, which begins with
// "baseline:", is of no baseline. It opens no file.
func CheckBaseline(name string) error {
	var kinds []string
	for _, baseline := range Baselines() {
		start, takesFile := strings.CutSuffix(baseline, "FILE")
		if name == baseline && !takesFile || takesFile && strings.HasPrefix(name, start) && name != start {
			return nil
		}
		kinds = append(kinds, strings.TrimSuffix(start, "="))
	}
	near := ""
	if n := spelling.Nearest(BaselineKind(name), kinds); n != "" && n != BaselineKind(name) {
		near = "; did you mean " + n + "?"
	}
	return fmt.Errorf("%w %q: want one of %s%s", ErrUnknown, name, strings.Join(Baselines(), ", "), near)
}

// Parse returns a baseline:
//
//   - baseline:bow counts the lower-cased words between white space.
//   - baseline:tfidf weighs those counts with ln((1+n)/(1+df))+1, where n texts are
//     encoded together and df of them have the word (the smoothed form of
//     scikit-learn's TfidfVectorizer).
//   - baseline:tfidf=FILE takes n and df from the lines of a file, such as training text; a word
//     that it lacks has a df of 0.
//   - baseline:char3 counts the trigrams of characters of "  " + lower-cased text + " ".
//   - baseline:random is a point of the unit sphere in 256 dimensions for each text,
//     uniformly: the floor that an evaluation must be above.
//   - baseline:vectors=FILE is the mean of word vectors, of word2vec and GloVe as text, of
//     word2vec as .bin, or of a model of fastText, whose n-grams give every word a vector.
//
// Words are told apart by a hash of 64 bits: among a million words, two share
// one with a probability of 3 in 10⁸.
func Parse(ctx context.Context, name string) (Encoder, error) {
	if err := CheckBaseline(name); err != nil {
		return nil, err
	}
	kind, file, _ := strings.Cut(strings.TrimPrefix(name, baselinePrefix), "=")
	switch {
	case kind == "vectors":
		v, err := openWordVectors(ctx, file)
		if err != nil {
			return nil, err
		}
		return baseline{name, func(texts []Text) Vectors { return encodeMeans(v, texts) }}, nil
	case kind == "tfidf" && file != "":
		w, err := readWeights(ctx, file)
		if err != nil {
			return nil, err
		}
		return baseline{name, w.encode}, nil
	case kind == "bow":
		return baseline{name, encodeWords}, nil
	case kind == "tfidf":
		return baseline{name, encodeWeighted}, nil
	case kind == "char3":
		return baseline{name, encodeTrigrams}, nil
	default:
		return baseline{name, encodeRandom}, nil
	}
}

// IsBaseline says whether a name is that of a baseline.
func IsBaseline(name string) bool { return strings.HasPrefix(name, baselinePrefix) }

// IsSparse says whether a name is that of a baseline whose vectors are sparse.
func IsSparse(name string) bool {
	return IsBaseline(name) && slices.Contains([]string{"baseline:bow", "baseline:tfidf", "baseline:char3"}, BaselineKind(name))
}

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
	var w weights
	w.count(texts)
	return w.encode(texts)
}

// weights are what words weigh by the number of texts that have them.
type weights struct {
	texts int
	df    map[uint64]int
}

func (w *weights) count(texts []Text) {
	if w.df == nil {
		w.df = map[uint64]int{}
	}
	w.texts += len(texts)
	for _, f := range countWords(texts).features { // a row has each once
		w.df[f]++
	}
}

func (w *weights) encode(texts []Text) Vectors {
	b := countWords(texts)
	for i, f := range b.features {
		b.values[i] *= math.Log(float64(1+w.texts)/float64(1+w.df[f])) + 1
	}
	return b.finish()
}

// readWeights counts the words of a file, a text a line, which may be compressed.
func readWeights(ctx context.Context, file string) (*weights, error) {
	object, err := storage.OpenFile(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("read texts of baseline:tfidf: %w", err)
	}
	defer object.Close()
	content, err := compressed.OpenFile(file, object)
	if err != nil {
		return nil, fmt.Errorf("read texts of baseline:tfidf: %s: %w", file, err)
	}
	defer content.Close()
	lines := bufio.NewScanner(content)
	lines.Buffer(nil, maxLine)
	var w weights
	for lines.Scan() {
		w.count(Texts("", lines.Text()))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read texts of baseline:tfidf: %s line %d: %w", file, w.texts+1, err)
	}
	if w.texts == 0 {
		return nil, fmt.Errorf("read texts of baseline:tfidf: %s has no line", file)
	}
	return &w, nil
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
