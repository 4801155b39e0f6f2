package encoder

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/storage"
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
// that stands twice the first vector counts. A fault names its line; so does the
// end of a file that is shorter than it says.
func readWordVectors(r io.Reader) (*wordVectors, error) {
	in := bufio.NewReaderSize(r, maxLine)
	v := &wordVectors{words: map[string]int{}}
	stated, rows, dim := int64(-1), int64(0), 0
	var data []float32
	for line := 1; ; line++ {
		raw, err := in.ReadSlice('\n')
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
			return nil, fmt.Errorf("line %d: the vectors take more than %d GiB; keep the first lines of the file, which are the frequent words", line, maxVectorBytes>>30)
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

// splitNumbers reads the last numbers of a line and returns what stands before.
func splitNumbers(text string, to []float32) (word string, err error) {
	for i := len(to) - 1; i >= 0; i-- {
		at := strings.LastIndexAny(text, " \t")
		if at < 0 {
			return "", fmt.Errorf("%d numbers after the word, want %d", len(to)-1-i, len(to))
		}
		x, err := strconv.ParseFloat(text[at+1:], 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return "", fmt.Errorf("value %d of %d is %q: want a finite number", i+1, len(to), clip(text[at+1:]))
		}
		to[i], text = float32(x), text[:at]
	}
	return text, nil
}

func clip(text string) string { return excerpt.Characters(text, 64) }

func openWordVectors(ctx context.Context, file string) (*wordVectors, error) {
	folder, name := path.Split(filepath.ToSlash(file))
	if folder == "" {
		folder = "."
	}
	at, err := storage.At(folder)
	if err != nil {
		return nil, err
	}
	object, err := at.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read word vectors: %w", err)
	}
	defer object.Close()
	v, err := readWordVectors(io.NewSectionReader(object, 0, object.Size()))
	if err != nil {
		return nil, fmt.Errorf("read word vectors %q: %w", file, err)
	}
	return v, nil
}

// vector returns the vector of a word as it stands, else in lower case, or nil.
func (v *wordVectors) vector(word string) []float32 {
	i, ok := v.words[word]
	if !ok {
		if i, ok = v.words[lower(word)]; !ok {
			return nil
		}
	}
	return v.vectors.Row(i)
}

// encode takes the mean of the vectors of a text's words; words without one do
// not count, and a text without any is all zeros.
func (v *wordVectors) encode(texts []Text) Vectors {
	dim := v.vectors.Dim
	d := Dense{neighbors.Matrix{Data: make([]float32, len(texts)*dim), Dim: dim}}
	sum := make([]float64, dim)
	for i, t := range texts {
		clear(sum)
		n := 0
		for _, w := range words(t.Text) {
			if vector := v.vector(w); vector != nil {
				n++
				for k, x := range vector {
					sum[k] += float64(x)
				}
			}
		}
		row := d.Row(i)
		for k := range row {
			row[k] = float32(sum[k] / float64(max(1, n)))
		}
	}
	return d
}
