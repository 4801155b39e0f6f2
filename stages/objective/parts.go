package objective

import (
	"math"
	"regexp"
	"strconv"

	"sentweave/schemas/fault"
)

// Parts says which parts of an encoder are trained, and how fast. What objectives have
// beside the encoder is trained at the whole rate.
type Parts struct {
	// Freeze lists the parts that stay as they are: "embeddings", "layer 3", "layers 0-3",
	// with layers counted from 0 at the bottom. They have dropout, but no gradient.
	Freeze []string `json:"freeze,omitempty" yaml:"freeze,omitempty"`
	// LayerDecay is the learning rate of each layer as a share of that of the layer
	// above; that of the embeddings is such a share of the first layer's (Sun et al. 2019,
	// section 5.3.3). Default 1: all have the same.
	LayerDecay float64 `json:"layer_decay,omitempty" yaml:"layer_decay,omitempty" zero:"refused"`
}

// embeddingsPart names the part below the layers.
const embeddingsPart = "embeddings"

var layersPart = regexp.MustCompile(`^layers? (\d{1,4})(?:-(\d{1,4}))?$`)

// Validate returns all faults at once that show without the encoder.
func (p Parts) Validate() error {
	_, err := p.Rates(math.MaxInt)
	return err
}

// Rates returns the factors of the learning rate of an encoder's embeddings and of its
// layers, from the bottom to the top; 0 is frozen. A part that the encoder does not have
// is an error.
func (p Parts) Rates(layers int) ([]float64, error) {
	var errs fault.List
	errs.Check(p.LayerDecay >= 0 && p.LayerDecay <= 1, "layer_decay is %v, it must be above 0 and at most 1", p.LayerDecay)
	frozen := map[int]bool{} // by the place in the list
	for _, name := range p.Freeze {
		if name == embeddingsPart {
			frozen[0] = true
			continue
		}
		match := layersPart.FindStringSubmatch(name)
		if match == nil {
			errs.Addf("freeze: %q is not a part of an encoder: name embeddings, layer 3 or layers 0-3", name)
			continue
		}
		first, _ := strconv.Atoi(match[1]) // a few digits
		last := first
		if match[2] != "" {
			last, _ = strconv.Atoi(match[2])
		}
		switch {
		case last < first:
			errs.Addf("freeze: %q ends before it begins", name)
		case last >= layers:
			errs.Addf("freeze: %q names a layer that does not exist; the encoder has the layers 0 to %d", name, layers-1)
		default:
			for i := first; i <= last; i++ {
				frozen[1+i] = true
			}
		}
	}
	if layers == math.MaxInt || errs.Err() != nil {
		return nil, errs.Err()
	}
	rates := make([]float64, 1+layers)
	for i := range rates {
		switch {
		case frozen[i]:
		case p.LayerDecay == 0:
			rates[i] = 1
		default:
			rates[i] = math.Pow(p.LayerDecay, float64(layers-i))
		}
	}
	return rates, nil
}
