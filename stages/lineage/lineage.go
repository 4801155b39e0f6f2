// Package lineage follows models back to the datasets and trainings that they were made of, as far as these lie in
// folders that a user names.
package lineage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/model"
	"sentweave/stages/pcr"
	"sentweave/stages/train"
	"sentweave/stages/vocab"
	"sentweave/transforms/read/texts"
)

// Archive is what some folders hold that a user names: datasets by the checks of their
// manifests, by which what was made of them names them, and encoders.
type Archive struct {
	roots    []string
	Datasets map[string]Dataset
	// copies are all datasets, also those that are equal.
	copies   []Dataset
	encoders []training
	// unfinished are trainings of which there is no encoder, or what is left of one beside it.
	unfinished []training
	fitted     []fitted
	// vocabularies are those that were learned, with their copies, by the hash by which inputs name them.
	vocabularies map[string][]learned
	// unreadable are the locations of datasets that are unfinished or damaged.
	unreadable []string
}

type learned struct {
	location string
	record   *vocab.Record
}

// Dataset is a dataset that lies in one of the folders.
type Dataset struct {
	Location string
	Manifest *dataset.Manifest
}

// training is what is read of the record of a training, or of that of sentweave init.
type training struct {
	location string
	hash     string          // of the encoder, once it is known
	Inputs   []dataset.Input `json:"inputs"`
	Config   struct {
		Model struct {
			From string `json:"from"`
		} `json:"model"`
		Vocabulary string `json:"vocabulary"`
	} `json:"config"`
	// Period is that of the last step, and Positions are how far its sources were read: see train.Record.
	Period    string           `json:"period"`
	Positions []train.Position `json:"positions"`
	// From is the encoder that init copied.
	From       string `json:"from"`
	Vocabulary string `json:"vocabulary"`
}

// from is the hash of the encoder that it began with, "" for random weights.
func (t training) from() string { return t.Config.Model.From + t.From }

// drawn are the hashes of the datasets that the last period has gone through once or more.
func (t training) drawn() (hashes []string) {
	for _, p := range t.Positions {
		for _, input := range t.Inputs {
			if p.Epoch > 0 && input.Role == t.Period+"/"+p.Source {
				hashes = append(hashes, input.XXH3)
			}
		}
	}
	return hashes
}

// initName is the record of sentweave init.
const initName = "init.json"

// deepest is how far below a folder that the user names a manifest may lie.
const deepest = 2

// maxTraining bounds the record of a training.
const maxTraining = 16 << 20

// Open finds what lies in some folders, or up to two levels below.
func Open(ctx context.Context, roots []string) (*Archive, error) {
	a := &Archive{roots: roots, Datasets: map[string]Dataset{}, vocabularies: map[string][]learned{}}
	visited := map[string]bool{}
	for _, root := range roots {
		folder, err := storage.Locate(root)
		if err != nil {
			return nil, err
		}
		files, matched := false, false
		for info, err := range folder.List(ctx, "") {
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", root, err)
			}
			files = true
			dir, name := path.Split(info.Name)
			if name == path.Base(dataset.PlanName) && strings.HasSuffix("/"+info.Name, "/"+dataset.PlanName) {
				dir, name = strings.TrimSuffix(info.Name, dataset.PlanName), dataset.PlanName
			}
			if strings.Count(dir, "/") > deepest || !slices.Contains([]string{dataset.ManifestName, dataset.PlanName, train.RecordName,
				initName, vocab.RecordName, pcr.RecordName, distill.RecordName}, name) {
				continue
			}
			matched = matched || name != dataset.PlanName
			location := storage.Join(root, strings.TrimSuffix(dir, "/"))
			identity, err := storage.Absolute(storage.Join(location, name))
			if err != nil {
				return nil, err
			}
			if visited[identity] { // roots overlap
				continue
			}
			visited[identity] = true
			if err := a.add(ctx, location, name); err != nil {
				return nil, err
			}
		}
		if !files {
			return nil, fmt.Errorf("%s does not exist, or is empty: give the folders of what the models or the documents were made of", root)
		}
		if !matched {
			return nil, fmt.Errorf("%s holds no dataset and no training, nor do folders up to %d levels below: give the folders of what the models or the documents were made of",
				root, deepest)
		}
	}
	return a, nil
}

func (a *Archive) add(ctx context.Context, location, name string) error {
	folder, err := storage.Locate(location)
	if err != nil {
		return err
	}
	if name == vocab.RecordName {
		if record, v, err := vocab.Load(ctx, folder); err == nil { // else it is of another program
			hash := dataset.VocabularyInput(v.Content()).XXH3
			a.vocabularies[hash] = append(a.vocabularies[hash], learned{location, record})
		}
		return nil
	}
	if name == pcr.RecordName || name == distill.RecordName {
		return a.addFitted(ctx, folder, location, name)
	}
	if name == dataset.PlanName {
		if _, err := folder.Stat(ctx, dataset.ManifestName); err != nil {
			a.unreadable = append(a.unreadable, location)
		}
		return nil
	}
	if name != dataset.ManifestName {
		t, err := readTraining(ctx, location, name)
		if err != nil && name == initName { // of another program
			return nil
		}
		if _, statErr := folder.Stat(ctx, model.WeightsName); err == nil && !errors.Is(statErr, fs.ErrNotExist) {
			a.encoders = append(a.encoders, t)
		} else if err == nil {
			a.unfinished = append(a.unfinished, t)
		}
		return err
	}
	m, err := dataset.Load(ctx, folder)
	if err != nil { // it may be one of ours, and its reader will say so
		a.unreadable = append(a.unreadable, location)
		return nil
	}
	a.Datasets[m.Check] = Dataset{location, m}
	a.copies = append(a.copies, Dataset{location, m})
	return nil
}

// readTraining reads the record of an encoder. The error matches fs.ErrNotExist where there is none.
func readTraining(ctx context.Context, location, name string) (t training, err error) {
	t.location = location
	folder, err := storage.Locate(location)
	if err != nil {
		return t, err
	}
	data, err := storage.ReadFile(ctx, folder, name, maxTraining)
	if err != nil {
		return t, err
	}
	if err := jsonfile.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("%s: %w", storage.Join(location, name), err)
	}
	return t, nil
}

// weigh sets the hash of an encoder by reading its files, once.
func (t *training) weigh(ctx context.Context) error {
	if t.hash != "" {
		return nil
	}
	input, err := model.Input(ctx, "model", t.location)
	t.hash = input.XXH3
	return err
}

// made finds the encoder whose files have a hash: one that was trained before a copy of it. It reads
// the files of each encoder once.
func (a *Archive) made(ctx context.Context, hash string) (t training, ok bool, err error) {
	for i := range a.encoders {
		e := &a.encoders[i]
		if err := e.weigh(ctx); err != nil {
			return t, false, err
		}
		if e.hash == hash && (!ok || len(e.Inputs) > 0) {
			t, ok = *e, true
		}
	}
	return t, ok, nil
}

// TextsBehind returns the texts of the training of a model: datasets by their checks, sorted. A model
// that no training of ours made has none, and ok is false. The notes say what could not be followed.
func (a *Archive) TextsBehind(ctx context.Context, location string) (checks []string, notes []string, ok bool, err error) {
	t, ok, err := a.trainingOf(ctx, location)
	if err != nil || !ok {
		return nil, nil, false, err
	}
	followed, visited := map[string]bool{}, map[string]bool{}
	for !visited[t.location] { // a copy by init has the hash of what it copies
		visited[t.location] = true
		for _, input := range t.Inputs {
			if err := a.follow(input, t.location, followed); err != nil {
				return nil, nil, false, err
			}
		}
		if t.from() == "" {
			break
		}
		previous, ok, err := a.made(ctx, t.from())
		if err != nil {
			return nil, nil, false, err
		}
		if !ok {
			notes = append(notes, fmt.Sprintf(
				"contamination: %s began with another encoder, %s, which lies in none of %s: what that was trained on is not looked at",
				t.location, t.from(), strings.Join(a.roots, ", ")))
			break
		}
		t = previous
	}
	for check := range followed {
		if _, hasTexts := TextsOfRows(a.Datasets[check]); hasTexts {
			checks = append(checks, check)
		}
	}
	slices.Sort(checks)
	return checks, notes, true, nil
}

// trainingOf finds the training of a model: a folder of an encoder, or embeddings by one.
func (a *Archive) trainingOf(ctx context.Context, location string) (t training, ok bool, err error) {
	t, err = readTraining(ctx, location, train.RecordName)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return t, err == nil, err
	}
	_, m, err := dataset.Open(ctx, location)
	if errors.Is(err, dataset.ErrNoDataset) {
		return t, false, nil
	}
	if err != nil {
		return t, false, err
	}
	return a.made(ctx, m.Encoder())
}

// follow adds the datasets that an input was made of, back to those of texts. Examples hold
// tokens: the texts are in what they were made of.
func (a *Archive) follow(input dataset.Input, product string, followed map[string]bool) error {
	if input.Role == dataset.VocabularyRole || followed[input.XXH3] {
		return nil
	}
	d, ok := a.Datasets[input.XXH3]
	if !ok {
		return fmt.Errorf("contamination: %s was made of %s (%d files of %d bytes, manifest %s), which lie in none of %s, nor up to %d levels below: give their folder, too, or leave --contamination out",
			product, input.Role, input.Files, input.Bytes, input.XXH3, strings.Join(a.roots, ", "), deepest)
	}
	followed[input.XXH3] = true
	if _, hasTexts := TextsOfRows(d); hasTexts {
		return nil
	}
	for _, ancestor := range d.Manifest.Plan.Inputs {
		if err := a.follow(ancestor, d.Location, followed); err != nil {
			return err
		}
	}
	return nil
}

// TextsOfRows yields the texts of each row of a dataset, those of a document in order; ok is
// false of rows that have none.
func TextsOfRows(d Dataset) (stream func(ctx context.Context, folder storage.Folder) iter.Seq2[[]string, error], ok bool) {
	if d.Manifest == nil {
		return nil, false
	}
	switch d.Manifest.Plan.Schema {
	case schemas.Document{}.Schema().Name:
		return rowTexts(d.Manifest, true, texts.OfDocument), true
	case schemas.Pair{}.Schema().Name:
		return rowTexts(d.Manifest, false, texts.OfPair), true
	case schemas.Benchmark{}.Schema().Name:
		return rowTexts(d.Manifest, false, texts.OfBenchmark), true
	}
	return nil, false
}

// rowTexts yields the texts of rows, together if they follow each other.
func rowTexts[T schemas.Row](m *dataset.Manifest, together bool,
	extract func(T) iter.Seq[texts.Text]) func(context.Context, storage.Folder) iter.Seq2[[]string, error] {
	return func(ctx context.Context, folder storage.Folder) iter.Seq2[[]string, error] {
		return func(yield func([]string, error) bool) {
			var list []string
			for row, err := range dataset.Rows[T](ctx, folder, m) {
				if err != nil {
					yield(nil, err)
					return
				}
				list = list[:0]
				for text := range extract(row) {
					list = append(list, text.Text)
				}
				if together {
					if !yield(list, nil) {
						return
					}
					continue
				}
				for i := range list {
					if !yield(list[i:i+1], nil) {
						return
					}
				}
			}
		}
	}
}

// Ancestor is what a model or a dataset was made of, at one remove or more: a dataset, a vocabulary, or an
// encoder that was trained or made by init, which has neither manifest nor vocabulary.
type Ancestor struct {
	// Location is its folder, Hash that by which others name it as their input.
	Location, Hash string
	Manifest       *dataset.Manifest
	Vocabulary     *vocab.Record
	// Inputs are what it was made of itself.
	Inputs []dataset.Input
}

// Name is that of the folder.
func (a Ancestor) Name() string { return path.Base(a.Location) }

// Ancestors follows inputs back through the datasets and trainings that lie in some
// folders, or up to two levels below. What something was made of comes before it, and everything
// once; what lies in none of the folders is left out.
func Ancestors(ctx context.Context, roots []string, inputs []dataset.Input) (list []Ancestor, err error) {
	a, err := Open(ctx, roots)
	if err != nil {
		return nil, err
	}
	visited := map[string]bool{}
	var follow func(in dataset.Input)
	follow = func(input dataset.Input) {
		if visited[input.XXH3] {
			return
		}
		visited[input.XXH3] = true
		var ancestor Ancestor
		if d, ok := a.Datasets[input.XXH3]; ok {
			ancestor = Ancestor{d.Location, input.XXH3, d.Manifest, nil, d.Manifest.Plan.Inputs}
		} else if copies := a.vocabularies[input.XXH3]; len(copies) > 0 {
			v := copies[len(copies)-1]
			ancestor = Ancestor{v.location, input.XXH3, nil, v.record, []dataset.Input{v.record.Input}}
		} else if t, ok, failed := a.made(ctx, input.XXH3); failed != nil {
			err = failed
			return
		} else if ok {
			ancestor = Ancestor{t.location, input.XXH3, nil, nil, slices.Clip(t.Inputs)}
			for _, parent := range []dataset.Input{{Role: "from", XXH3: t.from()},
				{Role: dataset.VocabularyRole, XXH3: t.Config.Vocabulary + t.Vocabulary}} {
				if parent.XXH3 != "" {
					ancestor.Inputs = append(ancestor.Inputs, parent)
				}
			}
		} else {
			return
		}
		for _, parent := range ancestor.Inputs {
			follow(parent)
		}
		list = append(list, ancestor)
	}
	for _, input := range inputs {
		follow(input)
	}
	return list, err
}
