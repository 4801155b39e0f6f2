package encoders

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/encoder"
	"sentweave/stages/pcr"
)

// Opened is the encoder of a model, under its name.
type Opened struct {
	encoder.Encoder
	// Base gives the vectors of which those of the model are made.
	Base encoder.Encoder
	// Settings say how its vectors are made, and what is done to them.
	Settings map[string]string
	// Fitted says that what is done to them follows from the texts of a task.
	Fitted bool
	// zeros are the texts whose vectors were zeros, and whitened the fewest that were whitened in more
	// dimensions than there are texts, 0 for none; since the last call of notes.
	zeros    map[encoder.Text]bool
	whitened int
}

// Encode notes which vectors are zeros.
func (o *Opened) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	v, err := o.Encoder.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i := range min(len(texts), v.Len()) {
		if v.Cosine(i, v, i) == 0 {
			o.zeros[encoder.Text{Text: texts[i].Text, Language: texts[i].Language}] = true
		}
	}
	if d, ok := v.(encoder.Dense); ok && strings.HasSuffix(o.Settings[settingVectors], whitened) && d.Len() <= d.Dim &&
		(o.whitened == 0 || d.Len() < o.whitened) {
		o.whitened = d.Len()
	}
	return v, nil
}

// Notes says what is odd about the vectors of a task.
func (o *Opened) Notes(task string) (list []string) {
	if n := len(o.zeros); n > 0 {
		list = append(list, fmt.Sprintf("%s: the vectors of %d different texts of %s are zeros; their cosine with all others is 0",
			o.Name(), n, task))
	}
	if o.whitened > 0 {
		list = append(list, fmt.Sprintf(
			"%s: %d texts of %s are whitened in as many dimensions or more, by which all come to lie equally near to each other", o.Name(),
			o.whitened, task))
	}
	clear(o.zeros)
	o.whitened = 0
	return list
}

// Open returns the encoder of a model. It must be closed.
func (m Models) Open(ctx context.Context, s Spec, folders Opener, tokens TokenOpener) (*Opened, error) {
	if s.Similarity != "" {
		return m.openTokens(ctx, s, tokens)
	}
	if encoder.IsEndpoint(s.Location) {
		folders = func(context.Context, string) (encoder.Encoder, error) { return m.openEndpoint(s) }
	}
	e, err := encoder.Open(ctx, s.Location, folders)
	if err != nil {
		return nil, err
	}
	changed, distilled, description := e, "", ""
	if dir, ok := m.Components[s.Name]; ok {
		c, err := loadComponents(ctx, dir)
		if err != nil {
			return nil, errors.Join(err, encoder.Close(e))
		}
		changed = c.Encoder(e)
	}
	if dir, ok := m.Distilled[s.Name]; ok {
		d, err := m.distilled(ctx, dir)
		if err != nil {
			return nil, errors.Join(err, encoder.Close(e))
		}
		changed, distilled, description = distill.Encoder(d, e, m.DistilledPart), d.Vectors(m.DistilledPart), d.About()
	}
	if k, ok := m.FitComponents[s.Name]; ok {
		if changed, err = pcr.Fitting(e, pcr.Config{Components: k}); err != nil {
			return nil, errors.Join(err, encoder.Close(e))
		}
	}
	t, _ := findTreatment(s.Vectors)
	_, fitted := m.FitComponents[s.Name]
	settings, err := m.pooling(ctx, s)
	if err != nil {
		return nil, errors.Join(err, encoder.Close(e))
	}
	if treatment := m.done(s, t, distilled); treatment != "" {
		if earlier := settings[settingVectors]; earlier != "" { // before they became a dataset
			treatment = earlier + "; " + treatment
		}
		settings[settingVectors] = treatment
	}
	if description != "" {
		settings["distilled"] = description
	}
	return &Opened{encoder.Rename(Treated(changed, s.Vectors), s.Label()), e, settings, fitted || t.fitted, map[encoder.Text]bool{}, 0}, nil
}

// done says what is done to the vectors of a model, "" for nothing; distilled is what was drawn out of them.
func (m Models) done(s Spec, t treatment, distilled string) string {
	var steps []string
	if _, ok := m.Components[s.Name]; ok {
		steps = append(steps, "components of other texts removed")
	}
	if distilled != "" {
		steps = append(steps, distilled)
	}
	switch k := m.FitComponents[s.Name]; {
	case k == 1:
		steps = append(steps, firstComponent)
	case k > 1:
		steps = append(steps, fmt.Sprintf("the first %d principal components of each language removed", k))
	}
	if t.is != "" {
		steps = append(steps, t.is)
	}
	return strings.Join(steps, "; ")
}

// ComponentsOf are the components that are taken off the vectors of a model, nil for none. Those that were fitted on the vectors of
// another encoder, as far as their record says so, are an error.
func (m Models) ComponentsOf(ctx context.Context, s Spec) (*pcr.Components, error) {
	dir, ok := m.Components[s.Name]
	if !ok {
		return nil, nil
	}
	if _, err := m.Inputs(ctx, s); err != nil {
		return nil, err
	}
	return loadComponents(ctx, dir)
}

func loadComponents(ctx context.Context, dir string) (*pcr.Components, error) {
	folder, err := storage.Locate(dir)
	if err != nil {
		return nil, err
	}
	return pcr.Load(ctx, folder)
}

// distilled reads what was drawn out of vectors, which must have the part that is measured.
func (m Models) distilled(ctx context.Context, dir string) (distill.Distilled, error) {
	folder, err := storage.Locate(dir)
	if err != nil {
		return nil, err
	}
	d, err := distill.Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	return d, d.Has(m.DistilledPart)
}
