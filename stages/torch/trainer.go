//go:build libtorch

package torch

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"unsafe"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/objective"
)

// Trainer computes losses and takes optimizer steps. It is used by one goroutine,
// which must stay on its thread (runtime.LockOSThread): libtorch keeps its modes
// by thread. The same calls on as many threads of libtorch give the same bits.
type Trainer struct {
	config     TrainerConfig
	weights    *weights
	bert       *bert
	cmlm       *cmlm
	optimizer  *optimizer
	parameters int // of the encoder; those of the heads follow
}

// Names of the files beside the model's weights.
const (
	headsName     = model.HeadsName
	optimizerName = model.OptimizerName
	stepKey       = "step"
)

// NewTrainer returns a trainer at its first step.
func NewTrainer(c TrainerConfig) (*Trainer, error) {
	errs := []error{c.Folder.Config.Validate(), c.Optimizer.Validate()}
	list := shapes(c.Folder.Config)
	t := &Trainer{config: c, parameters: len(list)}
	if c.CMLM != nil {
		errs = append(errs, c.CMLM.Validate())
		list = append(list, cmlmShapes(c.Folder.Config, *c.CMLM)...)
		if n := c.CMLM.Vectors; c.CMLM.PrefixPositions == "own" && n+3 > c.Folder.Config.MaxPositions {
			errs = append(errs, fmt.Errorf("cmlm: %d vectors with positions of their own leave no room in a model of %d positions", n, c.Folder.Config.MaxPositions))
		}
		if c.CMLM.LogUnigramBias && len(c.Unigrams) != c.Folder.Config.VocabularySize {
			errs = append(errs, fmt.Errorf("counts of %d ids for a vocabulary of %d", len(c.Unigrams), c.Folder.Config.VocabularySize))
		}
	}
	if c.Bitext != nil {
		errs = append(errs, c.Bitext.Validate())
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var err error
	if t.weights, err = draw(list, c); err != nil {
		return nil, err
	}
	if c.From != "" {
		err = t.read(c.From, true)
	}
	for _, name := range t.weights.names {
		err = errors.Join(err, requireGradient(t.weights.tensors[name]))
	}
	if err == nil {
		t.optimizer, err = newOptimizer(c.Optimizer, t.weights)
	}
	if err != nil {
		t.weights.free()
		return nil, err
	}
	t.bert = newBERT(c.Folder.Config, t.weights)
	t.bert.training()
	if c.CMLM != nil {
		t.cmlm = newCMLM(*c.CMLM, t.bert, t.weights)
	}
	return t, nil
}

// draw returns initial parameters: matrices normal, LayerNorms 1, biases 0.
func draw(list []shape, c TrainerConfig) (*weights, error) {
	seed(c.Seed)
	w := newWeights()
	for _, s := range list {
		n := int64(1)
		for _, d := range s.size {
			n *= d
		}
		values := make([]float32, n)
		switch {
		case s.name == vocabularyBias && c.CMLM.LogUnigramBias:
			copy(values, logUnigrams(c.Unigrams))
		case !decays(s.name) && s.name[len(s.name)-len("weight"):] == "weight":
			for i := range values {
				values[i] = 1
			}
		}
		var err error
		var t *ts.Tensor
		if decays(s.name) {
			err = drawNormal(values, c.Folder.Config.InitializerRange)
		}
		if err == nil {
			t, err = newTensor(unsafe.Pointer(unsafe.SliceData(values)), s.size, float32s)
		}
		if err != nil {
			w.free()
			return nil, err
		}
		w.put(s.name, t)
	}
	return w, nil
}

// Close frees everything.
func (t *Trainer) Close() {
	t.optimizer.free()
	t.weights.free()
}

// Accumulate adds the gradients of weight × the batch's loss and returns the loss.
// The seed decides dropout.
func (t *Trainer) Accumulate(batch objective.Batch, weight float64, dropoutSeed uint64) (float64, error) {
	defer lockThread()()
	defer runtime.KeepAlive(t) // gotch does not: a finalizer would free weights in use
	seed(dropoutSeed)
	var s scope
	defer s.free()
	loss := t.loss(&s, batch, ownPrefix)
	scaled := s.scale(loss, weight)
	if s.err != nil {
		return 0, s.err
	}
	if err := scaled.Backward(); err != nil {
		return 0, err
	}
	return number(loss)
}

func number(t *ts.Tensor) (float64, error) {
	var value [1]float32
	err := floats(value[:], t)
	return float64(value[0]), err
}

// loss returns the loss of a batch of any objective.
func (t *Trainer) loss(s *scope, batch objective.Batch, with prefix) *ts.Tensor {
	defer begin()()
	switch b := batch.(type) {
	case *objective.CMLMBatch:
		if t.cmlm != nil {
			if s.err = checkCMLM(t.config.Folder.Config, *t.config.CMLM, b); s.err != nil {
				return nil
			}
			return t.cmlm.loss(s, b, with)
		}
	case *objective.BitextBatch:
		if t.config.Bitext != nil {
			if s.err = checkBitext(t.config.Folder.Config, b); s.err != nil {
				return nil
			}
			return bitextLoss(s, t.bert, *t.config.Bitext, b)
		}
	}
	s.err = fmt.Errorf("the trainer was not made for the objective %s", batch.Objective())
	return nil
}

// Loss returns the loss of a batch without gradients and dropout.
func (t *Trainer) Loss(batch objective.Batch) (float64, error) { return t.evaluate(batch, ownPrefix) }

// PrefixLosses returns the loss of a CMLM batch as it is, with zeros in place of
// the vectors of the first sentences, and with those of other sentences of the
// batch: what the model knows of the first sentence is the difference.
func (t *Trainer) PrefixLosses(batch *objective.CMLMBatch) (own, zero, other float64, err error) {
	var losses [3]float64
	for with := range losses {
		if losses[with], err = t.evaluate(batch, prefix(with)); err != nil {
			return 0, 0, 0, err
		}
	}
	return losses[ownPrefix], losses[zeroPrefix], losses[otherPrefix], nil
}

func (t *Trainer) evaluate(batch objective.Batch, with prefix) (float64, error) {
	defer withoutGradients()()
	dropout, attention := t.bert.dropout, t.bert.attentionDropout
	t.bert.dropout, t.bert.attentionDropout = 0, 0
	defer func() { t.bert.dropout, t.bert.attentionDropout = dropout, attention }()
	var s scope
	defer s.free()
	loss := t.loss(&s, batch, with)
	if s.err != nil {
		return 0, s.err
	}
	return number(loss)
}

// Update takes an optimizer step at the rate and returns the norm of the
// gradients before clipping. If that is no number, no step is taken.
func (t *Trainer) Update(rate float64) (norm float64, err error) { return t.optimizer.update(rate) }

// Save writes the encoder as a folder that Hugging Face loads, and beside it the
// heads and the optimizer's state.
func (t *Trainer) Save(folder string) error {
	if err := t.config.Folder.WriteSettings(folder, t.config.Vocabulary); err != nil {
		return err
	}
	names := t.weights.names
	// "format" is what transformers looks for.
	format := map[string]string{"format": "pt"}
	if err := write(filepath.Join(folder, model.WeightsName), names[:t.parameters], t.weights, format); err != nil {
		return err
	}
	if err := write(filepath.Join(folder, headsName), names[t.parameters:], t.weights, format); err != nil {
		return err
	}
	step := map[string]string{stepKey: strconv.FormatInt(t.optimizer.step, 10)}
	return write(filepath.Join(folder, optimizerName), t.optimizer.moments.names, t.optimizer.moments, step)
}

// write writes tensors as float32.
func write(path string, names []string, w *weights, metadata map[string]string) error {
	list := make([]safetensors.Tensor, len(names))
	for i, name := range names {
		size, err := w.tensors[name].Size()
		if err != nil {
			return err
		}
		list[i] = safetensors.Tensor{Name: name, DType: safetensors.F32, Shape: size}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	var values []float32
	err = safetensors.Write(out, list, metadata, func(t safetensors.Tensor) ([]byte, error) {
		n := int64(1)
		for _, d := range t.Shape {
			n *= d
		}
		if int64(cap(values)) < n {
			values = make([]float32, n)
		}
		values = values[:n]
		if err := floats(values, w.tensors[t.Name]); err != nil {
			return nil, err
		}
		// Safetensors are little endian, as every machine that libtorch is built for.
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*n), nil
	})
	if err == nil {
		err = out.Flush()
	}
	return errors.Join(err, file.Close())
}

// Load reads back what Save wrote: weights and the optimizer's state.
func (t *Trainer) Load(folder string) error {
	if err := t.read(folder, false); err != nil {
		return err
	}
	path := filepath.Join(folder, optimizerName)
	f, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	step, stepErr := strconv.ParseInt(f.Metadata[stepKey], 10, 64)
	if err := f.Close(); err != nil || stepErr != nil {
		return fmt.Errorf("%s does not say its step: %w", path, errors.Join(err, stepErr))
	}
	t.optimizer.step = step
	return fill(path, t.optimizer.moments.names, t.optimizer.moments, false)
}

// read fills the parameters from a folder. Heads may be missing where that is
// allowed, as in folders of others.
func (t *Trainer) read(folder string, headsOptional bool) error {
	names := t.weights.names
	if err := fill(filepath.Join(folder, model.WeightsName), names[:t.parameters], t.weights, false); err != nil {
		return err
	}
	path, heads := filepath.Join(folder, headsName), names[t.parameters:]
	if headsOptional {
		f, err := safetensors.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		heads = slices.DeleteFunc(slices.Clone(heads), func(name string) bool { _, ok := f.Find(name); return !ok })
		if err := f.Close(); err != nil {
			return err
		}
	}
	return fill(path, heads, t.weights, headsOptional)
}

// fill copies the tensors of a file into existing ones. Extra tensors are errors
// unless they are allowed.
func fill(path string, names []string, w *weights, extra bool) error {
	list := make([]shape, len(names))
	for i, name := range names {
		size, err := w.tensors[name].Size()
		if err != nil {
			return err
		}
		list[i] = shape{name, size}
	}
	loaded, err := load(path, list, extra)
	if err != nil {
		return err
	}
	defer loaded.free()
	defer withoutGradients()()
	for _, name := range names {
		w.tensors[name].Copy_(loaded.tensors[name])
	}
	return nil
}
