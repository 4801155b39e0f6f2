package encoder

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/langid/fasttext"
	"sentweave/transforms/measure/neighbors"
)

const (
	// maxLine bounds one line of a file of word vectors.
	maxLine = 1 << 20
	// maxVectorBytes bounds the vectors that are held.
	maxVectorBytes = 8 << 30
)

// wordVectors are vectors of words.
type wordVectors struct {
	words   map[string]int
	vectors Dense
}

// readWordVectors reads the text format of word2vec (first line "words
// dimensions") or GloVe (no such line): a line is a word and its numbers, between
// single spaces or tabs. A word may hold spaces, as some of GloVe do; of a word
// that occurs twice the first vector counts. A fault names its line; so does the
// end of a file that is shorter than it says.
func readWordVectors(r io.Reader) (*wordVectors, error) {
	reader := bufio.NewReaderSize(r, maxLine)
	v := &wordVectors{words: map[string]int{}}
	stated, rows, dim := int64(-1), int64(0), 0
	var data []float32
	for line := 1; ; line++ {
		raw, err := reader.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("line %d is longer than %d bytes: is it a text file of vectors?", line, maxLine)
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		end := err == io.EOF
		text := string(bytes.TrimRight(raw, " \t\r\n"))
		if end && len(raw) == 0 {
			break
		}
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
			if n, d, ok := header(text); ok {
				if d < 1 || d > neighbors.MaxDim {
					return nil, fmt.Errorf("line 1 says %d dimensions: want 1 to %d", d, neighbors.MaxDim)
				}
				stated, dim = n, int(d)
				continue
			}
			if dim = strings.Count(text, " ") + strings.Count(text, "\t"); dim < 1 || dim > neighbors.MaxDim {
				return nil, fmt.Errorf("line 1 has %d numbers after its word: want 1 to %d", dim, neighbors.MaxDim)
			}
		}
		rows++
		if int64(len(data)+dim)*4 > maxVectorBytes {
			return nil, fmt.Errorf("line %d: the vectors take more than %d GiB; keep the first lines of the file, which are the frequent words",
				line, maxVectorBytes>>30)
		}
		data = append(data, make([]float32, dim)...)
		word, err := splitNumbers(text, data[len(data)-dim:])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if _, twice := v.words[word]; twice {
			data = data[:len(data)-dim]
		} else {
			v.words[word] = len(v.words)
		}
		if end {
			break
		}
	}
	if stated >= 0 && stated != rows {
		return nil, fmt.Errorf("line 1 says %d words, %d follow: the file is cut or has been changed", stated, rows)
	}
	if rows == 0 {
		return nil, errors.New("it has no word")
	}
	var err error
	v.vectors, err = NewDense(data, dim)
	return v, err
}

// header reads the first line of word2vec's format.
func header(text string) (words, dim int64, ok bool) {
	a, b, ok := strings.Cut(text, " ")
	if !ok {
		return 0, 0, false
	}
	words, errA := strconv.ParseInt(a, 10, 64)
	dim, errB := strconv.ParseInt(b, 10, 64)
	return words, dim, errA == nil && errB == nil && words >= 0
}

// splitNumbers reads the last numbers of a line and returns what comes before.
func splitNumbers(text string, dst []float32) (word string, err error) {
	for i := len(dst) - 1; i >= 0; i-- {
		separator := strings.LastIndexAny(text, " \t")
		if separator < 0 {
			return "", fmt.Errorf("%d numbers after the word, want %d", len(dst)-1-i, len(dst))
		}
		x, err := strconv.ParseFloat(text[separator+1:], 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return "", fmt.Errorf("value %d of %d is %q: want a finite number", i+1, len(dst), clip(text[separator+1:]))
		}
		dst[i], text = float32(x), text[:separator]
	}
	return text, nil
}

func clip(text string) string { return excerpt.Characters(text, 64) }

func openWordVectors(ctx context.Context, file string) (wordSource, error) {
	object, err := storage.OpenFile(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("read word vectors: %w", err)
	}
	defer object.Close()
	v, err := readAnyVectors(io.NewSectionReader(object, 0, object.Size()), object.Size(), strings.HasSuffix(file, ".bin"))
	if err != nil {
		return nil, fmt.Errorf("read word vectors %q: %w", file, err)
	}
	return v, nil
}

// readAnyVectors reads a model of fastText, which its first bytes tell, the binary format of
// word2vec, or a text.
func readAnyVectors(r *io.SectionReader, size int64, binary bool) (wordSource, error) {
	first := make([]byte, len(fasttext.Magic()))
	if _, err := r.ReadAt(first, 0); err == nil && bytes.Equal(first, fasttext.Magic()) {
		v, err := fasttext.ReadWordVectors(r, size)
		if err != nil {
			return nil, err
		}
		return &subwordVectors{source: v}, nil
	}
	if binary {
		return readWord2Vec(bufio.NewReaderSize(r, 1<<20), size)
	}
	return readWordVectors(r)
}

// wordSource has vectors of words.
type wordSource interface {
	dim() int
	// add adds the vector of a word to a sum; false says that it has none.
	add(word string, sum []float64) bool
}

// subwordVectors are those of a model of fastText.
type subwordVectors struct {
	lock   sync.Mutex // of its scratch memory
	source *fasttext.WordVectors
	one    []float32
}

func (v *subwordVectors) dim() int { return v.source.Dim() }

func (v *subwordVectors) add(word string, sum []float64) bool {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.one = slices.Grow(v.one[:0], len(sum))[:len(sum)]
	if !v.source.Vector(word, v.one) {
		return false
	}
	for k, x := range v.one {
		sum[k] += float64(x)
	}
	return true
}

// readWord2Vec reads word2vec's binary format: a line "words dimensions", then for each word its
// characters, a space, its numbers as little-endian float32, and perhaps an end of line.
func readWord2Vec(reader *bufio.Reader, size int64) (*wordVectors, error) {
	line, err := reader.ReadString('\n')
	n, dim, ok := header(strings.TrimRight(line, " \r\n"))
	if err != nil || !ok || n < 1 || dim < 1 || dim > neighbors.MaxDim {
		return nil, fmt.Errorf("line 1 is %q: want the numbers of words and of dimensions, up to %d; is it in word2vec's binary format, or fastText's?",
			clip(line), neighbors.MaxDim)
	}
	if n > size/(4*dim) || n*dim*4 > maxVectorBytes {
		return nil, fmt.Errorf("line 1 says %d words of %d dimensions, which %d bytes do not hold, or which take more than %d GiB", n, dim,
			size, maxVectorBytes>>30)
	}
	v := &wordVectors{words: map[string]int{}}
	data := make([]float32, 0, n*dim)
	row := make([]byte, 4*dim)
	for i := range n {
		word, err := reader.ReadString(' ')
		if err != nil || len(word) > maxLine {
			return nil, fmt.Errorf("word %d of %d: the file is cut or damaged", i+1, n)
		}
		if _, err := io.ReadFull(reader, row); err != nil {
			return nil, fmt.Errorf("word %d of %d: the file is cut", i+1, n)
		}
		word = strings.TrimLeft(word[:len(word)-1], "\n")
		if _, twice := v.words[word]; twice {
			continue
		}
		v.words[word] = len(v.words)
		for k := 0; k < len(row); k += 4 {
			x := math.Float32frombits(binary.LittleEndian.Uint32(row[k:]))
			if x-x != 0 {
				return nil, fmt.Errorf("word %d, %q: value %d is %v", i+1, clip(word), k/4+1, x)
			}
			data = append(data, x)
		}
	}
	v.vectors, err = NewDense(data, int(dim))
	return v, err
}

func (v *wordVectors) dim() int { return v.vectors.Dim }

// add takes the vector of a word as it stands, else in lower case, else without the punctuation around it,
// as it stands or in lower case.
func (v *wordVectors) add(word string, sum []float64) bool {
	i, ok := v.words[word]
	if !ok {
		bare := strings.TrimFunc(word, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) })
		for _, form := range []string{lower(word), bare, lower(bare)} {
			if i, ok = v.words[form]; ok {
				break
			}
		}
	}
	if !ok {
		return false
	}
	for k, x := range v.vectors.Row(i) {
		sum[k] += float64(x)
	}
	return true
}

// encodeMeans takes the mean of the vectors of a text's words; words without one do not count,
// and a text without any is all zeros.
func encodeMeans(v wordSource, texts []Text) Vectors {
	dim := v.dim()
	d := Dense{neighbors.Matrix{Data: make([]float32, len(texts)*dim), Dim: dim}}
	sum := make([]float64, dim)
	for i, t := range texts {
		clear(sum)
		n := 0
		for _, w := range words(t.Text) {
			if v.add(w, sum) {
				n++
			}
		}
		row := d.Row(i)
		for k := range row {
			row[k] = float32(sum[k] / float64(max(1, n)))
		}
	}
	return d
}
