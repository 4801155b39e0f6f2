package objective

import (
	"slices"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

func TestMSE(t *testing.T) {
	c := DefaultMSE()
	wantFault(t, c.Check(), "mse: teacher is empty: give a dataset of embeddings of the pairs; `sentweave embed` makes one")
	c.Teacher, c.Projection, c.Pooling = datasettest.Write(
		t, nil, []schemas.Embedding{{ID: "x/b", Language: "eng", Vector: []float32{1, 2, 3}}}), "mlp", ""
	wantFaults(t, c.Check(), `mse: projection "mlp" is not one of auto, linear, network`, `mse: pooling "" is not one of mean, max, cls`)
	c.Language = "deu"
	if err := c.Prepare(t.Context(), Facts{Pooling: "cls"}); err != nil || c.Dimension != 3 || c.Pooling != "cls" {
		t.Fatalf("%+v, %v", c, err)
	}
	pair := Example{ID: "x", LanguageA: "eng", LanguageB: "deu", A: []int32{1, 5, 2}, B: []int32{1, 6, 7, 2}}
	foreign := Example{ID: "y", LanguageA: "eng", A: []int32{1, 2}}
	wantFault(t, fitMSE(&c, &pair, nil), "")
	wantFault(t, fitMSE(&c, &foreign, nil), `its languages are "eng" and "", teacher_language is "deu"`)
	if err := mse.Join(&c).Attach(t.Context(), []*Example{&pair}); err != nil {
		t.Fatal(err)
	}
	single := Example{A: []int32{1, 8, 2}, Joined: []float32{4, 5, 6}}
	filled, err := fillMSE(&Filler{}, []Entry{{&pair, 0}, {&single, 0}})
	if err != nil {
		t.Fatal(err)
	}
	b := filled.(*MSEBatch)
	if !slices.Equal(b.Texts.IDs, []int32{1, 5, 2, 0, 1, 6, 7, 2, 1, 8, 2, 0}) ||
		!slices.Equal(b.Vectors, []float32{1, 2, 3, 1, 2, 3, 4, 5, 6}) || b.Dimension != 3 || b.Tokens() != 10 || b.Objective() != "mse" {
		t.Errorf("%+v", b)
	}
}
