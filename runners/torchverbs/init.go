package torchverbs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/workspace"
	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
	"sentweave/transforms/tokens/formats"
)

// InitVerb is what the programs know of the verb init.
var InitVerb = verb.Verb{
	Name: "init", Group: verb.GroupTrain,
	Help: "Make an encoder with random weights, a copy of one, or one that begins as a bag of embeddings.",
	Examples: []string{
		"init --vocabulary vocabulary/vocab.txt --out untrained",
		"init --vocabulary vocabulary/vocab.txt --out small --layers 4 --hidden 256 --heads 4 --intermediate 1024",
		"init --from bag --layers 2 --out begun",
	},
	Makes: verb.Output{Rows: "encoder", Rarely: true, Mark: model.WeightsName, Is: "an encoder", Count: countEncoder,
		Check: CheckEncoder},
	Libtorch: true,
	New:      func() any { return new(Init) },
}

// Init is the verb that makes an encoder with random weights, a copy of one, or one that
// begins as a bag of embeddings and has layers, too.
type Init struct {
	Out       string `help:"Folder of the encoder to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete another encoder that init made in --out." group:"Output"`
	Seed      uint64 `help:"Seed of the weights." default:"0" group:"Output"`
	From      string `help:"Folder of an encoder to copy with its vocabulary, so that a recipe begins with it: what the other flags say of a new encoder does not count. On an encoder of no layers, a bag of embeddings, --layers or --size puts layers that add nothing yet, so that training begins with what the bag has learned." placeholder:"DIR" takes:"encoder" group:"Encoder"`
	architecture
}

// Validate returns all faults at once.
func (i *Init) Validate() error {
	var errs fault.List
	if i.From == "" { // else the settings are those of the encoder that is there, or are compared with them
		errs.Add(i.architecture.validate())
	}
	errs.Check(i.Vocabulary != "" || i.From != "", "vocabulary is empty: give the file of a vocabulary, or the folder of an encoder; `sentweave vocab` learns one")
	errs.Check(i.Out != "", "out is empty: give the folder of the encoder to make")
	return errs.Err()
}

// initName is the file that says what was asked for, initVersion is raised when
// the same gives other weights.
const (
	initName    = "init.json"
	initVersion = 1
)

// initRecord is what initName holds.
type initRecord struct {
	Version    int           `json:"version"`
	Seed       uint64        `json:"seed"`
	Vocabulary string        `json:"vocabulary"`
	Model      model.Config  `json:"model"`
	Pooling    model.Pooling `json:"pooling"`
	MaxTokens  int           `json:"max_tokens"`
	Cased      bool          `json:"cased"`
	// From is the hash of the encoder that is copied.
	From string `json:"from,omitempty"`
}

// difference names by what two records differ, as flags and values, "" if by nothing.
func (r initRecord) difference(previous initRecord) string {
	record := func(r initRecord) dataset.Record[map[string]any] {
		settings := map[string]any{"--seed": r.Seed, "--pooling": r.Pooling, "--encode-tokens": r.MaxTokens, "--cased": r.Cased}
		var sizes map[string]any
		if data, err := json.Marshal(r.Model); err == nil {
			_ = jsonfile.Unmarshal(data, &sizes) // it is what Marshal wrote
		}
		for field, value := range sizes {
			if flag := sizeFlags[field]; flag != "" {
				field = "--" + flag
			}
			settings[field] = value
		}
		return dataset.Record[map[string]any]{Version: r.Version, Config: settings}
	}
	inputs := func(r initRecord) []dataset.Input {
		return []dataset.Input{{Role: "vocabulary", XXH3: r.Vocabulary}, {Role: "from", XXH3: r.From}}
	}
	here, there := record(r), record(previous)
	return strings.ReplaceAll(here.Difference(&there, inputs(r), inputs(previous)), "config --", "--")
}

// KeepsVocabulary says whether the vocabulary of the encoder in --out would be the same in the one that is asked for,
// whatever the weights are.
func (i *Init) KeepsVocabulary(ctx context.Context) bool {
	r, err := i.request(ctx)
	if err != nil {
		return false
	}
	defer r.from.Close()
	if formats.Locate(ctx, i.Out) == i.Out { // where none is
		return false
	}
	record, err := storage.ReadFile(ctx, r.folder, initName, maxInit)
	var previous initRecord
	return err == nil && jsonfile.Unmarshal(record, &previous) == nil && previous.Vocabulary == r.fingerprint
}

// request is what is made of an encoder.
type request struct {
	*settings
	from      *cache.Folder // none if there is nothing to begin with
	newLayers bool
	// asked is what initName says, record its content.
	asked  initRecord
	record []byte
	folder storage.Folder
}

// request opens what the encoder is made of. Its folder is to be closed.
func (i *Init) request(ctx context.Context) (r *request, err error) {
	origin := &cache.Folder{}
	if i.From != "" {
		if origin, err = fetch(ctx, i.From); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			origin.Close()
		}
	}()
	r = &request{from: origin}
	var source dataset.Input
	if i.From != "" {
		if source, err = model.Input(ctx, "from", i.From); err != nil {
			return nil, err
		}
	}
	if r.settings, err = i.open(ctx, r.from.Path, i.From); err != nil {
		return nil, err
	}
	if len(r.settings.folder.Dense) > 0 || r.settings.folder.Pooling == model.Lens || r.settings.folder.Second {
		return nil, fmt.Errorf("%s has more than its encoder, which init does not copy: copy the folder itself", i.From)
	}
	if i.From != "" {
		if r.newLayers, err = i.addLayers(ctx, r.settings); err != nil {
			return nil, err
		}
	}
	f := r.settings.folder
	r.asked = initRecord{initVersion, i.Seed, r.fingerprint, f.Config, f.Pooling, f.MaxTokens, i.Cased, source.XXH3}
	r.record, err = json.MarshalIndent(r.asked, "", " ")
	if err != nil {
		return nil, err
	}
	r.record = append(r.record, '\n')
	r.folder, err = storage.Locate(i.Out)
	return r, err
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite.
func (i *Init) Standing(ctx context.Context) (dataset.Fate, error) {
	r, err := i.request(ctx)
	if err != nil {
		return dataset.Fresh, err
	}
	defer r.from.Close()
	complete, err := i.there(ctx, r, false)
	if complete {
		return dataset.Complete, nil
	}
	return dataset.Fresh, err
}

// Run implements the verb.
func (i *Init) Run(ctx context.Context, p *command.Program) error {
	r, err := i.request(ctx)
	if err != nil {
		return err
	}
	defer r.from.Close()
	weights := "random weights"
	switch {
	case r.newLayers:
		weights = "the embeddings of " + i.From + " under layers that add nothing yet"
	case i.From != "":
		weights = "the weights of " + i.From
	}
	e := r.settings
	complete, err := i.there(ctx, r, i.Overwrite)
	if err != nil {
		return err
	}
	if complete && !p.Done("init", i.Out) {
		return nil
	}
	if !complete {
		weights := torch.TrainerConfig{Folder: e.folder, Vocabulary: e.vocabulary, Optimizer: objective.DefaultOptimizer(), Seed: i.Seed,
			From: r.from.Path, NewLayers: r.newLayers}
		if err := i.make(ctx, r.folder, weights, r.record); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: an encoder of %d layers × %d with %s\n", i.Out, e.folder.Config.Layers, e.folder.Config.HiddenSize,
		weights)
	return err
}

// addLayers says whether the encoder of --from, which is a bag of embeddings then, is to have
// layers, and gives it their settings: those of the bag's own config.json, or of the flags that
// are given. Flags that the bag cannot follow are errors, and so are layers for an encoder that
// has some. A recipe gives --size to any encoder that it begins with, so that the size alone
// contradicts none.
func (i *Init) addLayers(ctx context.Context, e *settings) (bool, error) {
	c, requested := &e.folder.Config, slices.Contains(i.given, "layers")
	if requested && c.Layers > 0 && i.Layers != c.Layers {
		return false, fmt.Errorf("layers is %d, but the encoder of --from, %s, has %d already: only an encoder of no layers gets new ones; leave --layers out to copy it",
			i.Layers, i.From, c.Layers)
	}
	layers := i.layersOn(c.Layers)
	if layers == c.Layers {
		return false, nil // a copy
	}
	var errs fault.List
	c.Layers = layers
	for _, name := range i.given {
		switch name {
		case "hidden":
			errs.Check(i.Hidden == c.HiddenSize,
				"hidden is %d, but the vectors of the bag of --from, %s, have %d dimensions: leave --hidden out, or train a bag of %d",
				i.Hidden, i.From, c.HiddenSize, i.Hidden)
		case "positions":
			errs.Check(i.Positions == c.MaxTokens(), "positions is %d, but the bag of --from, %s, has %d: leave --positions out",
				i.Positions, i.From, c.MaxTokens())
		case "heads":
			c.Heads = i.Heads
		case "intermediate":
			c.IntermediateSize = i.Intermediate
		case "dropout":
			c.SetDropout(i.Dropout)
		case "initializer-range":
			c.InitializerRange = i.InitializerRange
		case "encode-tokens":
			e.folder.MaxTokens = cmp.Or(i.EncodeTokens, c.MaxTokens())
		case "vocabulary":
			if requested {
				errs.Add(i.otherVocabulary(ctx, e))
			}
		case "cased":
			errs.Check(!requested || i.Cased != e.folder.Tokenizer.Lowercase,
				"cased is %v, but the bag of --from, %s, was trained otherwise: leave --cased out", i.Cased, i.From)
		}
	}
	if errs.Add(sizeFaults(*c, i.given)); len(errs) == 0 {
		errs.Add(e.folder.Validate())
	}
	return true, errs.Err()
}

// layersOn is how many layers the new encoder has, given those of the encoder of --from.
func (i *Init) layersOn(layers int) int {
	if layers == 0 && (slices.Contains(i.given, "layers") || slices.Contains(i.given, "size")) {
		return i.Layers
	}
	return layers
}

// otherVocabulary returns an error if --vocabulary is not the vocabulary of --from.
func (i *Init) otherVocabulary(ctx context.Context, e *settings) error {
	candidate := &settings{}
	if err := candidate.openNew(ctx, i.architecture); err != nil {
		return err
	}
	if fingerprint := dataset.VocabularyInput(candidate.vocabulary.Content()).XXH3; fingerprint != e.fingerprint {
		return fmt.Errorf("%s is not the vocabulary of the bag of --from, %s, whose embeddings belong to its own pieces: leave --vocabulary out",
			i.Vocabulary, i.From)
	}
	return nil
}

// maxInit bounds what is read of initName.
const maxInit = 1 << 20

// there says whether the encoder that is asked for is in the folder; another
// one, or anything else, is an error unless it may be overwritten.
func (i *Init) there(ctx context.Context, r *request, overwrite bool) (complete bool, err error) {
	record, err := storage.ReadFile(ctx, r.folder, initName, maxInit)
	if errors.Is(err, fs.ErrNotExist) {
		return false, dataset.Vacant(ctx, r.folder, "encoder that init made")
	}
	if err != nil {
		return false, err
	}
	if bytes.Equal(record, r.record) {
		return i.hasWeights(ctx, r.folder), nil // what is damaged is made again
	}
	if overwrite {
		return false, nil
	}
	difference := ""
	if previous := (initRecord{}); jsonfile.Unmarshal(record, &previous) == nil {
		difference = r.asked.difference(previous)
	}
	difference = cmp.Or(difference, "its "+initName+" is not a record of this version")
	return false, dataset.Mismatch{
		What: fmt.Sprintf("%v is in %s, an encoder that init made otherwise: %s", dataset.ErrOtherPlan, i.Out, difference),
		Way:  "choose another --out, or give --overwrite to delete it",
	}
}

// hasWeights says whether the weights are there, and of a local folder whether their file has the size that it says.
func (i *Init) hasWeights(ctx context.Context, folder storage.Folder) bool {
	if storage.IsRemote(i.Out) {
		_, err := folder.Stat(ctx, model.WeightsName)
		return err == nil
	}
	f, err := safetensors.Open(filepath.Join(i.Out, model.WeightsName))
	if err != nil {
		return false
	}
	_ = f.Close() // it was only read
	return true
}

// namesIn lists the objects of a folder, but for temporary files.
func namesIn(ctx context.Context, folder storage.Folder) (names []string, err error) {
	for info, err := range folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return nil, err
		}
		if !strings.HasPrefix(info.Name, storage.TemporaryFolder+"/") { // what is not a file counts, too
			names = append(names, info.Name)
		}
	}
	return names, nil
}

// make makes the encoder on the local disk, then puts it into its folder.
func (i *Init) make(ctx context.Context, folder storage.Folder, weights torch.TrainerConfig, record []byte) error {
	t, err := torch.NewTrainer(weights)
	if err != nil {
		return err
	}
	defer t.Close()
	return workspace.Replace(ctx, i.Out, initName, func(built string) error {
		if err := t.Save(built); err != nil {
			return err
		}
		for _, name := range []string{model.HeadsName, model.OptimizerName} { // those of no training
			if err := os.Remove(filepath.Join(built, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(built, initName), record, 0o666); err != nil {
			return err
		}
		return i.onlyOurs(ctx, folder, built)
	})
}

// onlyOurs says what is in a folder that is not in the new one: it is not ours
// to delete.
func (i *Init) onlyOurs(ctx context.Context, folder storage.Folder, built string) error {
	names, err := namesIn(ctx, folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(built, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("%s holds %q, which init did not make; nothing was deleted: move it away, or choose another --out", i.Out,
				name)
		}
	}
	return nil
}
