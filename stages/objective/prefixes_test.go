package objective

import "testing"

func TestPrefixes(t *testing.T) {
	c := DefaultBitext()
	c.Dimensions, c.Shares = []int{8, 0, 8}, []float64{1, -1}
	wantFaults(t, c.Check(), "bitext: dimensions holds 0, it must be at least 1", "bitext: dimensions holds 8 twice",
		"bitext: dimension_weights has 2 numbers for 3 dimensions",
		"bitext: dimension_weights holds -1, it must be above 0 and at most 1e6")
	c.Dimensions, c.Shares = []int{8, 16}, nil
	wantFault(t, c.Check(), "")
	wantFault(t, c.Fits("bitext", 16), "")
	wantFault(t, c.Fits("bitext", 15), "bitext: dimensions holds 16, the vectors have 15")
	lens := DefaultLens()
	lens.Dimensions = []int{512, 1024}
	wantFault(t, lens.Check(), "")
	wantFault(t, lens.Fits("lens", 16), "") // the lens's vectors, not the encoder's
	lens.Size = 1000
	wantFault(t, lens.Check(), "lens: dimensions holds 1024, the vectors have 1000")
	bsl := DefaultBSL()
	bsl.Dimensions = []int{0}
	wantFault(t, bsl.Check(), "bsl: dimensions holds 0, it must be at least 1")
	if c.Share(1) != 1 {
		t.Errorf("weight %v", c.Share(1))
	}
}
