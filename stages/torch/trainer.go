//go:build libtorch

package torch

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/objective"
	"sentweave/stages/torch/losses"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// Trainer computes losses and takes optimizer steps. It is used by one goroutine,
// which must stay on its thread (runtime.LockOSThread): libtorch keeps its modes
// by thread. The same calls on as many threads of libtorch give the same bits.
type Trainer struct {
	network   losses.Network
	config    TrainerConfig
	losses    map[string]losses.Loss
	optimizer *optimizer
	followers *followers
	// masters are the weights, of which the network may have copies.
	masters *transformer.Weights
	copies  *copies
	// encoder are the names of the encoder's weights, and heads those of the objectives'
	// that are saved beside them; lens are those that are saved as a part of the encoder.
	encoder, heads, lens []string
	// second are the weights of a second encoder, which are saved as a part of the model;
	// nil if there is none.
	second *transformer.Weights
	// trained and parameters count numbers: see Parameters.
	trained, parameters int64
}

// Names of the files beside the model's weights.
const (
	headsName     = model.HeadsName
	optimizerName = model.OptimizerName
	stepKey       = "step"
)

// plan says what a trainer has.
type plan struct {
	definitions []losses.Definition
	// parameters are those of the encoder first, so many. Each has a factor of the rate, 0
	// if it is not trained.
	parameters []losses.Parameter
	encoder    int
	rates      []float64
}

func (c TrainerConfig) plan() (p plan, err error) {
	if p.definitions, err = losses.DefinitionsOf(c.Objectives); err != nil {
		return p, err
	}
	p.encoder, p.parameters, err = losses.ParametersOf(c.Folder, p.definitions, c.Objectives)
	parts, partsErr := c.Parts.Rates(c.Folder.Config.Layers)
	if err := errors.Join(err, partsErr, c.Optimizer.Validate()); err != nil {
		return p, err
	}
	if freezes(c.Objectives) {
		clear(parts)
	}
	p.rates = make([]float64, len(p.parameters))
	trains := false
	for i, parameter := range p.parameters {
		switch {
		case parameter.State || parameter.Follows != "":
		case strings.HasPrefix(parameter.Name, transformer.LastNorm+"."):
			p.rates[i] = parts[len(parts)-1]
		case i < p.encoder:
			p.rates[i] = parts[part(parameter.Name)]
		default:
			p.rates[i] = 1
		}
		trains = trains || p.rates[i] > 0
	}
	if !trains && len(p.definitions) > 0 {
		return p, fmt.Errorf("nothing is left to train: frozen are %s, and the objectives have no parameters of their own",
			strings.Join(c.Parts.Freeze, ", "))
	}
	return p, nil
}

// Check returns all faults of the configuration that show before any weights are read.
func (c TrainerConfig) Check() error {
	_, err := c.plan()
	return err
}

// NewTrainer returns a trainer at its first step.
func NewTrainer(c TrainerConfig) (*Trainer, error) {
	p, err := c.plan()
	if err != nil {
		return nil, err
	}
	definitions, encoder, list := p.definitions, p.encoder, p.parameters
	t := &Trainer{config: c, losses: map[string]losses.Loss{}, network: losses.Network{Folder: c.Folder}}
	if t.masters, err = draw(list, c); err != nil {
		return nil, err
	}
	t.encoder, t.followers = t.masters.Names[:encoder], newFollowers(list, t.masters)
	for _, p := range list[encoder:] {
		switch {
		case strings.HasPrefix(p.Name, transformer.LensName+"."):
			t.lens = append(t.lens, p.Name)
		case strings.HasPrefix(p.Name, transformer.SecondName):
			t.second = t.masters.Below(transformer.SecondName)
		case p.Follows == "":
			t.heads = append(t.heads, p.Name)
		}
	}
	if c.From != "" {
		err = t.read(c.From, true)
	}
	var trained []string
	changes := map[*ts.Tensor]bool{} // by steps
	var rates []float64
	for i, q := range list {
		if !q.State && q.Follows == "" {
			t.parameters += q.Numbers()
		}
		changes[t.masters.Tensors[q.Name]] = p.rates[i] > 0 || q.State
		if p.rates[i] > 0 {
			t.trained += q.Numbers()
			trained, rates = append(trained, q.Name), append(rates, p.rates[i])
			err = errors.Join(err, native.RequireGradient(t.masters.Tensors[q.Name]))
		}
	}
	if err == nil {
		err = t.followers.begin(changes)
	}
	if err == nil {
		t.optimizer, err = newOptimizer(c.Optimizer, t.masters, trained, rates)
	}
	if err == nil {
		t.copies, err = newCopies(t.masters, changes)
	}
	if err != nil {
		t.followers.free()
		t.masters.Free()
		return nil, err
	}
	t.network.Weights = t.copies.view
	t.network.BERT = transformer.NewBERT(c.Folder.Config, t.network.Weights)
	t.network.Training(true)
	t.network.Recompute = c.Recompute
	if c.CacheChunk > 0 {
		t.network.Cache = &losses.Cache{Chunk: c.CacheChunk}
	}
	for _, d := range definitions {
		t.losses[d.Objective] = d.Bind(t.network, c.Objectives[d.Objective])
	}
	return t, nil
}

// draw returns initial parameters: matrices normal, norms 1, biases 0. Of ModernBERT those whose products layers add are the smaller
// the more layers there are, as transformers draws them.
func draw(list []losses.Parameter, c TrainerConfig) (*transformer.Weights, error) {
	native.Seed(c.Seed)
	w := transformer.NewWeights()
	for _, p := range list {
		values := make([]float32, p.Numbers())
		var err error
		switch {
		case p.Initial != nil:
			copy(values, p.Initial)
		case p.Follows != "", c.NewLayers && addsNothing(p.Name):
		case decays(p.Name):
			deviation := c.Folder.Config.InitializerRange
			if c.Folder.Config.IsGated() && addsNothing(p.Name) {
				deviation /= math.Sqrt(2 * float64(c.Folder.Config.Layers))
			}
			err = native.DrawNormal(values, deviation)
		case strings.HasSuffix(p.Name, "weight"):
			for i := range values {
				values[i] = 1
			}
		}
		var t *ts.Tensor
		if err == nil {
			t, err = native.NewTensor(unsafe.Pointer(unsafe.SliceData(values)), p.Size, native.Float32s)
		}
		if err != nil {
			w.Free()
			return nil, err
		}
		w.Put(p.Name, t)
	}
	return w, nil
}

// addsNothing says of a parameter of an encoder that it is zero in new layers: it is one of
// the two products whose results a layer adds to what it is given. Only these have a gradient in
// the first step, since what comes before them has no effect until they are changed.
func addsNothing(name string) bool {
	return part(name) > 0 && (strings.HasSuffix(name, ".attention.output.dense.weight") || strings.HasSuffix(name, ".output.dense.weight"))
}

// part is the place of a parameter of an encoder among its parts, 0 for the embeddings
// and 1 for the first layer.
func part(name string) int {
	var layer int
	if _, err := fmt.Sscanf(name, "encoder.layer.%d.", &layer); err != nil {
		return 0
	}
	return 1 + layer
}

// Close frees everything.
func (t *Trainer) Close() {
	t.copies.free()
	t.optimizer.free()
	t.followers.free()
	t.masters.Free()
}

// Parameters returns how many numbers are trained, and how many there are with those
// that are frozen. Running statistics and what follows parameters are not among them.
func (t *Trainer) Parameters() (trained, total int64) { return t.trained, t.parameters }

// Update takes an optimizer step at the rate and returns the norm of the
// gradients before clipping. If that is not a number, no step is taken.
func (t *Trainer) Update(rate float64) (norm float64, err error) {
	if norm, err = t.optimizer.update(rate); err != nil || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return norm, err
	}
	return norm, errors.Join(t.followers.step(), t.copies.step())
}

// Save writes the encoder as a folder that Hugging Face loads, and beside it the
// heads and the optimizer's state. A number of them that is not finite is an error that matches objective.ErrNotFinite.
func (t *Trainer) Save(folder string) error {
	// "format" is what transformers looks for.
	format := map[string]string{"format": "pt"}
	settings := *t.config.Folder
	if len(t.lens) > 0 {
		o := t.config.Objectives[objective.LensName].(*objective.Lens)
		settings.Pooling, settings.LensSize, settings.Gate, settings.Normalize = model.Lens, o.Size, losses.GateOf(o), false
	}
	settings.Second = t.second != nil
	layers, err := t.saved()
	if err != nil {
		return err
	}
	settings.Dense = settingsOf(layers)
	if err := settings.WriteSettings(folder, t.config.Vocabulary); err != nil {
		return err
	}
	if err := writeDense(folder, layers, format); err != nil {
		return err
	}
	if len(t.lens) > 0 {
		if err := write(filepath.Join(folder, filepath.FromSlash(model.LensWeightsName)), t.lens, t.masters, format); err != nil {
			return err
		}
	}
	if t.second != nil {
		if err := write(filepath.Join(folder, filepath.FromSlash(model.SecondWeightsName)), t.second.Names, t.second, format); err != nil {
			return err
		}
	}
	encoder := transformer.NewWeights() // as its architecture names them
	for _, name := range t.encoder {
		encoder.Put(settings.Config.StoredName(name), t.masters.Tensors[name])
	}
	if err := write(filepath.Join(folder, model.WeightsName), encoder.Names, encoder, format); err != nil {
		return err
	}
	if err := write(filepath.Join(folder, headsName), t.heads, t.masters, format); err != nil {
		return err
	}
	step := map[string]string{stepKey: strconv.FormatInt(t.optimizer.step, 10)}
	state := t.state()
	return write(filepath.Join(folder, optimizerName), state.Names, state, step)
}

// state is what the optimizer keeps: its moments, and what follows parameters.
func (t *Trainer) state() *transformer.Weights {
	state := transformer.NewWeights()
	for _, name := range t.optimizer.moments.Names {
		state.Put(name, t.optimizer.moments.Tensors[name])
	}
	for _, name := range t.followers.names {
		state.Put(name, t.masters.Tensors[name])
	}
	return state
}

// write writes tensors as float32.
func write(path string, names []string, w *transformer.Weights, metadata map[string]string) error {
	list := make([]safetensors.Tensor, len(names))
	for i, name := range names {
		size, err := w.Tensors[name].Size()
		if err != nil {
			return err
		}
		list[i] = safetensors.Tensor{Name: name, DType: safetensors.F32, Shape: size}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	writer := bufio.NewWriterSize(file, 1<<20)
	var values []float32
	err = safetensors.Write(writer, list, metadata, func(t safetensors.Tensor) ([]byte, error) {
		n := int64(1)
		for _, d := range t.Shape {
			n *= d
		}
		if int64(cap(values)) < n {
			values = make([]float32, n)
		}
		values = values[:n]
		if err := native.Floats(values, w.Tensors[t.Name]); err != nil {
			return nil, err
		}
		for _, x := range values {
			if x-x != 0 { // NaN or infinite
				return nil, fmt.Errorf("%s of %s holds %v: %w", t.Name, filepath.Base(path), x, objective.ErrNotFinite)
			}
		}
		// Safetensors are little endian, as every machine that libtorch is built for.
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*n), nil
	})
	if err == nil {
		err = writer.Flush()
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
	state := t.state()
	return errors.Join(fill(path, state.Names, state, false), t.copies.refresh())
}

// read fills the parameters from a folder. Heads may be missing where that is
// allowed, as in folders of others, and so may new layers.
func (t *Trainer) read(folder string, headsOptional bool) error {
	encoder := t.encoder
	if headsOptional && t.config.NewLayers {
		encoder = slices.DeleteFunc(slices.Clone(encoder), func(name string) bool { return part(name) > 0 })
	}
	weights := filepath.Join(folder, model.WeightsName)
	if headsOptional { // a folder of others
		weights = (&model.Folder{Path: folder, Inside: t.config.Folder.Inside}).WeightsPath()
	}
	if err := fill(weights, encoder, t.masters, false); err != nil {
		return err
	}
	if lens := filepath.Join(folder, filepath.FromSlash(model.LensWeightsName)); len(t.lens) > 0 && (!headsOptional || isFile(lens)) {
		if err := fill(lens, t.lens, t.masters, false); err != nil {
			return err
		}
	}
	if err := t.readSecond(folder, headsOptional); err != nil {
		return err
	}
	path := filepath.Join(folder, headsName)
	if !headsOptional {
		return fill(path, t.heads, t.masters, false)
	}
	missing, err := t.readHeads(path, t.heads)
	if err != nil {
		return err
	}
	return t.readOtherHeads(folder, missing)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// freezes says whether the objectives leave the encoder as it is.
func freezes(settings objective.Settings) (frozen bool) {
	for name := range settings {
		o, ok := objective.Find(name)
		frozen = frozen || ok && o.Frozen
	}
	return frozen
}

// fill copies the tensors of a file into existing ones. Extra tensors are errors
// unless they are allowed.
func fill(path string, names []string, w *transformer.Weights, extra bool) error {
	list := make([]transformer.Shape, len(names))
	for i, name := range names {
		size, err := w.Tensors[name].Size()
		if err != nil {
			return err
		}
		list[i] = transformer.Shape{Name: name, Size: size}
	}
	loaded, err := transformer.Load(path, list, extra)
	if err != nil {
		return err
	}
	defer loaded.Free()
	defer native.WithoutGradients()()
	for _, name := range names {
		w.Tensors[name].Copy_(loaded.Tensors[name])
	}
	return nil
}
