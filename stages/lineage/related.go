package lineage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/pcr"
)

// fitted is what pcr or distill learned of embeddings.
type fitted struct {
	location, stage string
	input           dataset.Input
	hash            string
}

func (a *Archive) addFitted(ctx context.Context, folder storage.Folder, location, name string) error {
	f := fitted{location: location, stage: "pcr"}
	file := pcr.FileName
	if name == distill.RecordName {
		f.stage, file = "distill", distill.FileName
	}
	var r dataset.Learned[json.RawMessage]
	if err := dataset.ReadRecord(ctx, folder, name, f.stage, &r); err != nil { // of another program
		return nil
	}
	input, err := dataset.FileInput(ctx, f.stage, storage.Join(location, file))
	f.input, f.hash = r.Input, input.XXH3
	a.fitted = append(a.fitted, f)
	return err
}

// Unreadable is the kind of datasets that are unfinished, or whose manifests are damaged: what they were made of is not known.
const Unreadable = "unreadable dataset"

// Product is something in the folders: a dataset, or what was learned from datasets.
type Product struct {
	// Kind is the schema of a dataset, or "vocabulary", "encoder", "training" (checkpoints without an encoder, or beside it), "pcr",
	// "distill" or Unreadable. Hash is that by which others name it as their input, "" for trainings and what is unreadable.
	Location, Kind, Hash string
	// Manifest is nil of what is no dataset.
	Manifest *dataset.Manifest
	// Inputs are the hashes of what it was made of.
	Inputs []string
	// Drawn are those of Inputs of whose rows a training has drawn each at least once, as far as its record tells.
	Drawn []string
}

// products lists all that the folders hold, but for the hashes of encoders, which take a reading of their files.
func (a *Archive) products() (list []Product) {
	hashes := func(inputs []dataset.Input) (list []string) {
		for _, input := range inputs {
			list = append(list, input.XXH3)
		}
		return list
	}
	for _, d := range a.copies {
		list = append(list, Product{d.Location, d.Manifest.Plan.Schema, d.Manifest.Check, d.Manifest, hashes(d.Manifest.Plan.Inputs), nil})
	}
	for hash, copies := range a.vocabularies {
		for _, v := range copies {
			list = append(list, Product{v.location, "vocabulary", hash, nil, []string{v.record.Input.XXH3}, nil})
		}
	}
	for _, location := range a.unreadable {
		list = append(list, Product{Location: location, Kind: Unreadable})
	}
	for _, f := range a.fitted {
		list = append(list, Product{f.location, f.stage, f.hash, nil, []string{f.input.XXH3}, nil})
	}
	for kind, trainings := range map[string][]training{"encoder": a.encoders, "training": a.unfinished} {
		for _, t := range trainings {
			inputs := append(hashes(t.Inputs), t.from(), t.Config.Vocabulary+t.Vocabulary)
			inputs = slices.DeleteFunc(inputs, func(h string) bool { return h == "" })
			list = append(list, Product{t.location, kind, "", nil, inputs, t.drawn()})
		}
	}
	slices.SortFunc(list, func(a, b Product) int {
		return cmp.Or(strings.Compare(a.Location, b.Location), strings.Compare(a.Kind, b.Kind))
	})
	return list
}

// Related returns all in the folders that may hold texts of a dataset, by location: the dataset itself, the documents and pairs that it was
// made of, all that was made of any of these, at any remove, and what is unreadable. Without is the check of a dataset that is left out,
// with all that was made of it alone.
func (a *Archive) Related(ctx context.Context, check, without string) ([]Product, error) {
	related := map[string]bool{}
	var ancestors func(check string)
	ancestors = func(check string) {
		d, ok := a.Datasets[check]
		texts := []string{schemas.Document{}.Schema().Name, schemas.Pair{}.Schema().Name}
		if related[check] || ok && !slices.Contains(texts, d.Manifest.Plan.Schema) {
			return
		}
		related[check] = true
		if ok {
			for _, input := range d.Manifest.Plan.Inputs {
				if _, ok := a.Datasets[input.XXH3]; ok {
					ancestors(input.XXH3)
				}
			}
		}
	}
	ancestors(check)
	list := a.products()
	chosen := make([]bool, len(list))
	for again := true; again; {
		again = false
		for i := range list {
			p := &list[i]
			if chosen[i] || p.Hash == without && without != "" ||
				p.Kind != Unreadable && !related[p.Hash] && !slices.ContainsFunc(p.Inputs, func(h string) bool { return related[h] }) {
				continue
			}
			if p.Kind == "encoder" {
				t := training{location: p.Location}
				if err := t.weigh(ctx); err != nil {
					return nil, err
				}
				p.Hash = t.hash
			}
			chosen[i], again = true, true
			if p.Hash != "" {
				related[p.Hash] = true
			}
		}
	}
	var products []Product
	for i, p := range list {
		if chosen[i] {
			products = append(products, p)
		}
	}
	return products, nil
}
