package fasttext

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

const (
	magic   = 793712314
	version = 12

	// endOfLine is the token that the program reads at the end of every line.
	endOfLine   = "</s>"
	labelPrefix = "__label__"

	supervised = 3

	// Bounds on settings. The largest published models stay far below them; above
	// them a corrupt file would cost unbounded time on every text.
	maxDimension = 1 << 16
	maxSubword   = 64
	maxWordGram  = 64
	maxBucket    = 1 << 27
)

// loss tells how the output layer turns scores into probabilities.
type loss int32

const (
	hierarchicalSoftmax loss = 1
	negativeSampling    loss = 2
	softmax             loss = 3
	oneVsAll            loss = 4
)

// Model is a supervised fastText model. It is immutable: any number of
// Classifiers, each on its own goroutine, may share it.
type Model struct {
	args   arguments
	words  *dictionary
	input  matrix
	output matrix
	tree   []node // for hierarchical softmax
}

// arguments are the training settings that prediction depends on.
type arguments struct {
	version    int32
	dim        int32
	wordNgrams int32
	loss       loss
	bucket     int32
	minn, maxn int32
	// vectors says that the model is read for its words alone.
	vectors bool
}

// Open reads the model file at path. See Read.
func Open(path string) (*Model, error) {
	f, err := storage.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("open fastText model: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open fastText model: %w", err)
	}
	m, err := Read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("open fastText model %q: %w", path, err)
	}
	return m, nil
}

// Read reads a model of size bytes. Memory stays within a small multiple of
// size, whatever the content: a quantised input matrix is expanded to float32
// where that takes at most 64 MiB, because a row is then one addition and not a
// look-up per sub-vector.
//
// It is an error if the bytes end early, go on after the model, or contradict
// themselves, or if the model is not supervised (word vectors have no labels).
func Read(stream io.Reader, size int64) (*Model, error) {
	return read(stream, size, expandLimit, false)
}

// read is Read with the limit of expand, which tests set. For vectors it takes models of any
// kind.
func read(stream io.Reader, size, limit int64, vectors bool) (*Model, error) {
	r := newReader(bufio.NewReaderSize(stream, 1<<20), size)
	m := &Model{}
	m.args.vectors = vectors
	m.args.read(r)
	if r.err != nil {
		return nil, r.err
	}
	if err := m.args.validate(); err != nil {
		return nil, err
	}
	m.words = readDictionary(r, &m.args)
	if r.err != nil {
		return nil, r.err
	}
	quantised := r.bool("input matrix kind")
	if m.words.pruned != nil && !quantised {
		return nil, errors.New("the dictionary is pruned but the input matrix is not quantised: such early files are not readable, take the model's current version")
	}
	m.input = readMatrix(r, "input matrix", quantised)
	m.output = readMatrix(r, "output matrix", r.bool("output matrix kind") && quantised)
	if r.err != nil {
		return nil, r.err
	}
	if r.left != 0 {
		return nil, fmt.Errorf("%d bytes follow the model: the file is corrupt", r.left)
	}
	if err := m.finish(limit); err != nil {
		return nil, err
	}
	return m, nil
}

// finish checks that the parts fit each other and builds what they imply;
// quantised matrices up to limit bytes are expanded.
func (m *Model) finish(limit int64) error {
	if err := m.words.validate(m.input.rows()); err != nil {
		return err
	}
	for _, part := range []struct {
		name       string
		have, want int64
		unit, rule string
	}{
		{"input matrix", m.input.columns(), int64(m.args.dim), "columns", "the dimension"},
		{"output matrix", m.output.columns(), int64(m.args.dim), "columns", "the dimension"},
		{"output matrix", m.output.rows(), int64(len(m.words.labels)), "rows", "the number of labels"},
	} {
		if m.args.vectors && part.name == "output matrix" { // of words, where there are no labels
			continue
		}
		if part.have != part.want {
			return fmt.Errorf("%s: %d %s, but %s is %d: the file is corrupt", part.name, part.have, part.unit, part.rule, part.want)
		}
	}
	m.input = expand(m.input, limit)
	m.output = expandOutput(m.output, limit)
	m.words.expandSubwords(&m.args)
	if m.args.loss == hierarchicalSoftmax && !m.args.vectors {
		tree, err := buildTree(m.words.labelCounts)
		if err != nil {
			return err
		}
		m.tree = tree
	}
	return nil
}

func (a *arguments) read(r *reader) {
	if got := r.int32("magic number"); r.err == nil && got != magic {
		r.fail("magic number: %d is not %d: this is not a fastText model", got, magic)
	}
	a.version = r.int32("version")
	a.dim = r.int32("dim")
	r.int32("ws")
	r.int32("epoch")
	r.int32("minCount")
	r.int32("neg")
	a.wordNgrams = r.int32("wordNgrams")
	a.loss = loss(r.int32("loss"))
	model := r.int32("model")
	a.bucket = r.int32("bucket")
	a.minn = r.int32("minn")
	a.maxn = r.int32("maxn")
	r.int32("lrUpdateRate")
	r.float64("t")
	if r.err == nil && model != supervised && !a.vectors {
		r.fail("model kind %d is not %d: a classifier needs a supervised model, this one holds word vectors", model, supervised)
	}
	if a.version == 11 && model == supervised {
		a.maxn = 0 // supervised models of version 11 have no character n-grams
	}
}

// validate reports every setting that cannot be.
func (a *arguments) validate() error {
	var faults fault.List
	faults.Check(a.version >= 11 && a.version <= version, "version %d: only 11 and 12 are known", a.version)
	faults.Check(a.dim > 0 && a.dim <= maxDimension, "dimension %d: it must be in [1, %d]", a.dim, maxDimension)
	faults.Check(a.wordNgrams >= 0 && a.wordNgrams <= maxWordGram, "word n-grams up to %d: they must be in [0, %d]", a.wordNgrams,
		maxWordGram)
	faults.Check(a.maxn >= 0 && a.maxn <= maxSubword, "character n-grams up to %d: they must be in [0, %d]", a.maxn, maxSubword)
	faults.Check(a.minn >= 0, "character n-grams from %d: it must not be negative", a.minn)
	faults.Check(a.bucket >= 0 && a.bucket <= maxBucket, "%d buckets: the number must be in [0, %d]", a.bucket, maxBucket)
	faults.Check(a.bucket > 0 || (a.maxn == 0 && a.wordNgrams <= 1), "0 buckets, but the model uses n-grams")
	faults.Check(a.loss >= hierarchicalSoftmax && a.loss <= oneVsAll, "loss %d: only 1 (hs), 2 (ns), 3 (softmax) and 4 (ova) are known",
		a.loss)
	return faults.Err()
}

// Labels returns the labels of the model without the prefix "__label__", in the
// order of the file (most frequent in training first).
func (m *Model) Labels() []string { return append([]string(nil), m.words.labels...) }
