// Package encoders opens the models that are measured, and does to their vectors what the user asks for.
package encoders

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/endpoint"
	"sentweave/stages/encoder/vectorcache"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/stages/model"
	"sentweave/stages/pcr"
	"sentweave/stages/torch"
)

// Models says which encoders are measured. The command line reads the tags.
type Models struct {
	Model         []string          `help:"Models to measure: a dataset of embeddings, the folder of an encoder, one of baseline:bow, baseline:tfidf, baseline:tfidf=FILE, baseline:char3, baseline:random, baseline:vectors=FILE, NAME=command:PROGRAM ARGUMENT …, a program of yours that encodes, or https://host/v1#MODEL, a model behind a service that speaks OpenAI's protocol of embeddings. NAME=… is its name in the results." placeholder:"[NAME=]MODEL,..." takes:"embedding,encoder" group:"Models"`
	Baseline      []string          `help:"Baselines to measure, too, under their own names (bow, tfidf, char3, random)." placeholder:"KIND,..." group:"Models"`
	Components    map[string]string `help:"Take the principal components of this folder, as sentweave pcr makes it, off the vectors of the model of that name." placeholder:"NAME=DIR" takes:"component" mapsep:"," group:"Models"`
	FitComponents map[string]int    `help:"Take so many principal components off the vectors of the model of that name, fitted on the evaluated texts themselves, as in the paper." placeholder:"NAME=N" mapsep:"," group:"Models"`
	Vectors       []string          `help:"What is done to the vectors of each task, beside each other: raw is nothing, pcr removes the first principal component of each language, centred the mean of each language, whitened whitens all, each fitted on the evaluated texts, and codes makes the sparse codes of a lens. But for raw the name comes after the model's." default:"raw" placeholder:"NAME,..." group:"Models"`
	Distilled     map[string]string `help:"Measure what this folder, as sentweave distill makes it, draws out of the vectors of the model of that name." placeholder:"NAME=DIR" takes:"split" mapsep:"," group:"Models"`
	DistilledPart string            `help:"What is drawn out (${enum})." enum:"meaning,language" default:"meaning" group:"Models"`
	Similarity    []string          `help:"How the texts of pairs are compared, beside each other: cosine is that of their vectors; bertscore-f1, bertscore-precision and bertscore-recall match the vectors of their tokens, of folders of encoders, in tasks that compare pairs alone. But for cosine the name comes after the model's." default:"cosine" placeholder:"NAME,..." group:"Models"`
	// The fields below are for folders of encoders.
	BERTScoreIDF      bool   `name:"bertscore-idf" help:"Weigh tokens in BERTScore by their inverse document frequency among the first texts of the pairs of a part." group:"Models"`
	BERTScoreBaseline string `name:"bertscore-baseline" help:"File of baselines by which BERTScore is rescaled, a line LAYER,P,R,F for each layer, as bert-score has them." placeholder:"FILE" group:"Models"`
	Pooling           string `help:"How the vectors of tokens become one (mean, max, cls) in folders of encoders; as each folder says if not given." placeholder:"NAME" enum:",mean,max,cls" default:"" group:"Models"`
	Layer             int    `help:"Layer whose output is pooled, or compared by BERTScore, in folders of encoders, from 0, the embeddings; -1 is the last." default:"-1" group:"Models"`
	Prompt            string `help:"Prompt to put before every text, by its name in folders of encoders; as each folder's default if not given." placeholder:"NAME" group:"Models"`
	NoPrompt          bool   `help:"Put no prompt before texts, also where the folder of an encoder has a default one." group:"Models"`
	NoCache           bool   `help:"Encode all texts anew by folders of encoders and train all classifiers anew, and keep neither vectors nor trainings for the next time." group:"Models"`
	Endpoints
	torch.Compute
}

// Opener opens an encoder that is neither a baseline nor a dataset of embeddings.
type Opener func(ctx context.Context, location string) (encoder.Encoder, error)

// maxName bounds the name of a model, in bytes: reports make folders of it.
const maxName = 128

// namedModel is a model's name before its location. A location that holds a "=" later,
// or begins with a scheme such as baseline:, has none.
var namedModel = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_.+-]*)=(.+)$`)

// Spec is one model with what is done to its vectors and how they are compared; "" is nothing, and by cosine.
type Spec struct{ Name, Location, Vectors, Similarity string }

// Label is the name in the results.
func (s Spec) Label() string {
	if s.Similarity != "" {
		return s.Name + "+" + s.Similarity
	}
	if s.Vectors == "" || s.Vectors == metrics.VectorsRaw {
		return s.Name
	}
	return s.Name + "+" + s.Vectors
}

// Variants has each model as often as there are ways to treat its vectors and to compare texts. Sparse ones are measured
// as they are alone, and models without vectors of tokens by cosine alone.
func (m Models) Variants() (specs []Spec) {
	for _, s := range m.Specs() {
		for _, similarity := range m.similarities() {
			if similarity != metrics.SimilarityCosine {
				if m.HasTokens(s) {
					specs = append(specs, Spec{Name: s.Name, Location: s.Location, Similarity: similarity})
				}
				continue
			}
			if len(m.Vectors) == 0 {
				specs = append(specs, s)
			}
			for _, s.Vectors = range m.Vectors {
				if s.Vectors == metrics.VectorsRaw || !encoder.IsSparse(s.Location) {
					specs = append(specs, s)
				}
			}
		}
	}
	return specs
}

// Specs are the models as they are named, each once.
func (m Models) Specs() []Spec {
	var list []Spec
	for _, kind := range m.Baseline {
		list = append(list, Spec{Name: kind, Location: "baseline:" + kind})
	}
	for _, text := range m.Model {
		if parts := namedModel.FindStringSubmatch(text); parts != nil {
			list = append(list, Spec{Name: parts[1], Location: parts[2]})
			continue
		}
		name := text
		if encoder.IsEndpoint(text) {
			name = endpoint.Name(text)
		} else if !regexp.MustCompile(`^[a-z]+:`).MatchString(text) {
			name = filepath.Base(filepath.Clean(text))
		}
		list = append(list, Spec{Name: name, Location: text})
	}
	return list
}

// Validate returns all faults at once.
func (m Models) Validate() error {
	errs := fault.List{m.Compute.Validate()}
	errs.Check(m.Layer >= -1, "layer is %d, it must be -1, the last, or from 0 on", m.Layer)
	errs.Check(m.Prompt == "" || !m.NoPrompt, "prompt and no-prompt exclude each other")
	names, sparse := map[string]bool{}, map[string]bool{}
	for i, name := range m.Vectors {
		_, exists := findTreatment(name)
		errs.Check(exists, "vectors: %q is not one of %s", name, strings.Join(metrics.Vectors, ", "))
		errs.Check(!slices.Contains(m.Vectors[:i], name), "vectors: %s occurs twice", name)
	}
	m.similarityFaults(&errs)
	m.endpointFaults(&errs)
	for _, text := range m.Model {
		errs.Check(!strings.HasSuffix(text, "="), "model %q: nothing comes after the =: give NAME=FOLDER", text)
		name, _, _ := strings.Cut(text, "=")
		errs.Check(name == text || strings.ContainsAny(name, "/:") || namedModel.MatchString(text+"="),
			"model %q: a name begins with a letter or digit, and has those and _.+- alone; a folder called so is ./%s", text, text)
	}
	ofFolders := m.Pooling != "" || m.Layer > 0 || m.Prompt != "" || m.NoPrompt
	errs.Check(!ofFolders || slices.ContainsFunc(m.Specs(), func(s Spec) bool { return encoder.IsLocation(s.Location) }),
		"pooling, layer, prompt and no-prompt have no effect on baselines, programs and endpoints: they are for folders of encoders")
	for _, s := range m.Specs() {
		errs.Check(len(s.Name) <= maxName, "model %.20s…: its name has %d bytes: give NAME=… of %d at most", s.Name, len(s.Name), maxName)
		errs.Check(!names[s.Name], "two models have the name %q: give NAME=… before one", s.Name)
		errs.Check(!encoder.IsCommand(s.Name), "model %q: a program needs a name: give NAME=%s", s.Name, s.Name)
		names[s.Name], sparse[s.Name] = true, encoder.IsSparse(s.Location)
		if index := strings.LastIndexByte(s.Name, '+'); index >= 0 {
			name, treated := s.Name[:index], s.Name[index+1:]
			errs.Check(!slices.Contains(m.Vectors, treated),
				"model %q: this is the name of what %s of --vectors makes of %s: give NAME=… before it", s.Name, treated, name)
			errs.Check(!slices.Contains(m.Similarity, treated),
				"model %q: this is the name of %s by %s of --similarity: give NAME=… before it", s.Name, name, treated)
		}
		if encoder.IsBaseline(s.Location) {
			errs.Add(encoder.CheckBaseline(s.Location))
			errs.Check(len(m.Vectors) == 0 || slices.Contains(m.Vectors, metrics.VectorsRaw) || !encoder.IsSparse(s.Location),
				"vectors: those of %s are sparse, and measured raw alone: add raw, or leave that model out", s.Name)
		}
	}
	errs.Check(len(names) != 0, "no model: give --model or --baseline")
	for _, name := range sortedKeys(m.Components) {
		errs.Check(names[name], "components: no model has the name %q", name)
		errs.Check(!sparse[name], "components: %s has %w", name, encoder.ErrSparse)
		if _, twice := m.FitComponents[name]; twice {
			errs.Addf("model %s: components of a folder and components to fit: give one", name)
		}
	}
	for _, name := range sortedKeys(m.Distilled) {
		errs.Check(names[name], "distilled: no model has the name %q", name)
		errs.Check(!sparse[name], "distilled: %s has %w", name, encoder.ErrSparse)
		_, fixed := m.Components[name]
		_, fitted := m.FitComponents[name]
		errs.Check(!fixed && !fitted, "model %s: components and distilled exclude each other", name)
	}
	for _, name := range sortedKeys(m.FitComponents) {
		errs.Check(names[name], "fit-components: no model has the name %q", name)
		errs.Check(!sparse[name], "fit-components: %s has %w", name, encoder.ErrSparse)
		if err := (pcr.Config{Components: m.FitComponents[name]}).Validate(); err != nil {
			errs.Addf("fit-components of %s: %w", name, err)
		}
	}
	return errs.Err()
}

// Suit returns an error for each task that a user named and a model cannot be measured on.
func (m Models) Suit(tasks []protocol.Loaded) error {
	var errs fault.List
	byTokens, _ := m.ByTokens()
	for _, t := range tasks {
		_, pairs := t.Protocol.(protocol.Pairwise)
		errs.Check(!byTokens || t.Optional || pairs, "task %s: by BERTScore texts are %w", t.Name, ErrTokens)
	}
	for _, s := range m.Specs() {
		for _, t := range tasks {
			errs.Check(t.Optional || !t.Dense && !t.Trains || !encoder.IsSparse(s.Location), "task %s: %s has %w", t.Name, s.Name,
				encoder.ErrSparse)
		}
	}
	return errs.Err()
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Inputs name what a model is made of by its content; a baseline without a file has none. Files that are
// cheap to read are opened here, so that their faults show before anything is written.
func (m Models) Inputs(ctx context.Context, s Spec) (inputs []dataset.Input, err error) {
	role := "model " + s.Name
	if slices.Contains(m.Vectors, metrics.VectorsCodes) {
		settings, err := m.pooling(ctx, s)
		if err != nil {
			return nil, err
		}
		if pooling := settings[settingPooling]; !encoder.IsLocation(s.Location) || pooling != "" && pooling != string(model.Lens) {
			return nil, errors.New("--vectors=codes needs an encoder with a lens; this encoder has none")
		}
	}
	if dir, ok := m.Components[s.Name]; ok {
		input, err := dataset.FileInput(ctx, "components "+s.Name, storage.Join(dir, pcr.FileName))
		if err != nil {
			return nil, err
		}
		if _, err := loadComponents(ctx, dir); err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	if dir, ok := m.Distilled[s.Name]; ok {
		input, err := dataset.FileInput(ctx, "distilled "+s.Name, storage.Join(dir, distill.FileName))
		if err != nil {
			return nil, err
		}
		if _, err := m.distilled(ctx, dir); err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	if encoder.IsBaseline(s.Location) {
		if file, ok := encoder.BaselineFile(s.Location); ok {
			input, err := dataset.FileInput(ctx, role, file)
			return append(inputs, input), err
		}
		return inputs, nil
	}
	if encoder.IsCommand(s.Location) {
		input, err := encoder.CommandInput(ctx, role, s.Location)
		return append(inputs, input), err
	}
	if encoder.IsEndpoint(s.Location) {
		return append(inputs, dataset.ListingInput(role, []dataset.File{{Name: m.endpoint(s).Identity()}})), nil
	}
	_, d, err := dataset.Open(ctx, s.Location)
	if byTokens, _ := m.ByTokens(); err == nil && byTokens && m.HasTokens(s) {
		return nil, errors.New("BERTScore takes the folder of an encoder, and these are embeddings of texts")
	}
	if err == nil {
		return append(inputs, d.Input(role)), m.learnedFrom(ctx, s, d.Vectors(), d)
	}
	if !errors.Is(err, dataset.ErrNoDataset) {
		return nil, err
	}
	input, err := model.Input(ctx, role, s.Location)
	if err == nil {
		err = m.learnedFrom(ctx, s, input.XXH3, nil)
	}
	return append(inputs, input), err
}

// learnedFrom returns an error if what is applied to the vectors of an encoder was learned from those of another one, or from vectors
// that were pooled otherwise, as far as its record says so. embeddings is nil for the folder of an encoder.
func (m Models) learnedFrom(ctx context.Context, s Spec, hash string, embeddings *dataset.Manifest) error {
	for _, l := range []struct{ flag, dir, record string }{{"components", m.Components[s.Name], pcr.RecordName},
		{"distilled", m.Distilled[s.Name], distill.RecordName}} {
		if l.dir == "" || hash == "" {
			continue
		}
		folder, err := storage.Locate(l.dir)
		if err != nil {
			return err
		}
		origin, embedded, err := dataset.OriginOf(ctx, folder, l.record)
		if err != nil {
			return err
		}
		if origin != "" && origin != hash {
			return fmt.Errorf("--%s %s=%s: it was learned from embeddings of another encoder than %s: learn it from those of this one",
				l.flag, s.Name, l.dir, s.Location)
		}
		if origin == "" {
			continue
		}
		learned, pooled, err := m.poolings(ctx, s, embedded, embeddings)
		if err != nil {
			return err
		}
		if learned != "" && pooled != "" && learned != pooled {
			return fmt.Errorf("--%s %s=%s: it was learned from vectors with %s, and those of %s are with %s: learn it from embeddings of this kind",
				l.flag, s.Name, l.dir, learned, s.Location, pooled)
		}
	}
	return nil
}

// poolings describe how the vectors that something was learned from were pooled, and how those of a model are; "" is not known.
func (m Models) poolings(
	ctx context.Context, s Spec, embedded json.RawMessage, embeddings *dataset.Manifest,
) (learned, pooled string, err error) {
	if embeddings != nil {
		return describePooling(poolingOfConfig(embedded, -1)), describePooling(poolingOfEmbeddings(embeddings)), nil
	}
	f, err := openFolder(ctx, s.Location)
	if err != nil || f == nil {
		return "", "", err
	}
	return describePooling(poolingOfConfig(embedded, f.Config.Layers)), describePooling(m.poolingOfFolder(f)), nil
}

func describePooling(settings map[string]string) string {
	if len(settings) == 0 {
		return ""
	}
	return fmt.Sprintf("pooling %s of layer %s", settings[settingPooling], settings[settingLayer])
}

// Ready opens each folder of an encoder once, so that what is wrong with one, or with the
// program that opens it, is told before anything is deleted or measured.
func (m Models) Ready(ctx context.Context, folders Opener, tokens TokenOpener) error {
	opened := map[string]bool{} // of tokens
	for _, s := range m.Variants() {
		if s.Similarity != "" && !opened[s.Name] {
			opened[s.Name] = true
			e, err := m.openTokens(ctx, s, tokens)
			if err == nil {
				err = encoder.Close(e.Encoder)
			}
			if err != nil {
				return fmt.Errorf("model %s: %w", s.Name, err)
			}
		}
	}
	if _, alone := m.ByTokens(); alone {
		return nil
	}
	for _, s := range m.Specs() {
		if encoder.IsBaseline(s.Location) {
			continue
		}
		if encoder.IsEndpoint(s.Location) {
			if err := m.readyEndpoint(ctx, s); err != nil {
				return err
			}
			continue
		}
		if encoder.IsLocation(s.Location) {
			folder, err := storage.Locate(s.Location)
			if err != nil {
				return fmt.Errorf("model %s: %w", s.Name, err)
			}
			if _, err := dataset.Load(ctx, folder); !errors.Is(err, dataset.ErrNoDataset) {
				continue // of embeddings, which inputs has looked at
			}
		}
		e, err := encoder.Open(ctx, s.Location, folders)
		if err == nil {
			err = encoder.Close(e)
		}
		if err != nil {
			return fmt.Errorf("model %s: %w", s.Name, err)
		}
	}
	return nil
}

// Cached opens the folders of encoders with their vectors kept on disk, by the content of
// the folder and what decides vectors besides.
func (m Models) Cached(folders Opener, observe func(done, all int)) Opener {
	if folders == nil || m.NoCache {
		return folders
	}
	return func(ctx context.Context, location string) (encoder.Encoder, error) {
		input, err := model.Input(ctx, "model", location)
		if err != nil {
			return nil, err
		}
		identity := fmt.Sprintf("vectors %s %q %d %q %t %q %q", input.XXH3, m.Pooling, m.Layer, m.Prompt, m.NoPrompt, m.Precision, m.Device)
		e, err := vectorcache.Open(filepath.Base(filepath.Clean(location)), identity,
			func() (encoder.Encoder, error) { return folders(ctx, location) })
		if err != nil {
			return nil, err
		}
		e.Observe = observe
		return e, nil
	}
}
