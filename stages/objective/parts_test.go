package objective

import (
	"math"
	"slices"
	"testing"
)

func TestRatesOfParts(t *testing.T) {
	for _, test := range []struct {
		name  string
		parts Parts
		want  []float64
	}{
		{"all", Parts{}, []float64{1, 1, 1, 1}},
		{"of 1", Parts{LayerDecay: 1}, []float64{1, 1, 1, 1}},
		{"halved", Parts{LayerDecay: .5}, []float64{.125, .25, .5, 1}},
		{"frozen", Parts{Freeze: []string{"layers 0-1", "embeddings"}, LayerDecay: .5}, []float64{0, 0, 0, 1}},
		{"one layer twice", Parts{Freeze: []string{"layer 1", "layers 1-1"}}, []float64{1, 1, 0, 1}},
	} {
		got, err := test.parts.Rates(3)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
		wantFault(t, test.parts.Validate(), "")
	}
}

func TestPartsFaults(t *testing.T) {
	for reason, parts := range map[string]Parts{
		"layer_decay is -1, it must be above 0 and at most 1":                                        {LayerDecay: -1},
		"layer_decay is 1.1, it must be above 0 and at most 1":                                       {LayerDecay: 1.1},
		"layer_decay is NaN, it must be above 0 and at most 1":                                       {LayerDecay: math.NaN()},
		`freeze: "pooler" is not a part of an encoder: name embeddings, layer 3 or layers 0-3`:       {Freeze: []string{"pooler"}},
		`freeze: "layers 0-" is not a part of an encoder: name embeddings, layer 3 or layers 0-3`:    {Freeze: []string{"layers 0-"}},
		`freeze: "layers 99999" is not a part of an encoder: name embeddings, layer 3 or layers 0-3`: {Freeze: []string{"layers 99999"}},
		`freeze: "layers 3-1" ends before it begins`:                                                 {Freeze: []string{"layers 3-1"}},
	} {
		wantFault(t, parts.Validate(), reason)
	}
	for _, name := range []string{"layer 3", "layers 2-3"} {
		wantFault(t, Parts{Freeze: []string{name}}.Validate(), "")
		_, err := Parts{Freeze: []string{name}}.Rates(3)
		wantFault(t, err, `freeze: "`+name+`" names a layer that does not exist; the encoder has the layers 0 to 2`)
	}
}
