package joined

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

func embedding(id string, vector ...float32) schemas.Embedding {
	return schemas.Embedding{ID: id, Language: "eng", Vector: vector}
}

// Vectors are found by the id of a side, of the language that is asked for, or by the
// id itself, in whatever row group they stand.
func TestTeacher(t *testing.T) {
	const n = 20_000 // two row groups of 16,384 for both sides of a shard
	shards := make([][]schemas.Embedding, 2)
	for i := range n {
		id := fmt.Sprint("pair", i)
		shards[i%2] = append(shards[i%2], embedding(id+"/a", float32(i), 1), embedding(id+"/b", float32(i), 2))
	}
	shards[1] = append(shards[1], embedding("own", 7, 7))
	path := datasettest.Write(t, nil, shards...)
	example := func(id, a, b string) *Example { return &Example{ID: id, LanguageA: a, LanguageB: b} }
	for _, test := range []struct {
		language string
		side     float32
	}{{"", 1}, {"eng", 1}, {"deu", 2}} {
		teacher, err := OpenTeacher(t.Context(), path, test.language)
		if err != nil {
			t.Fatal(err)
		}
		if teacher.dimension != 2 || teacher.Input("s/mse").Role != "s/mse/teacher" {
			t.Errorf("%+v", teacher)
		}
		var group sync.WaitGroup
		for k := range 3 { // as sources do
			group.Go(func() {
				var list []*Example
				for i := k; i < n; i += 37 {
					list = append(list, example(fmt.Sprint("pair", i), "eng", "deu"))
				}
				list = append(list, example("own", "eng", "deu"), example("pair5", "eng", "deu"))
				if err := teacher.Attach(t.Context(), list); err != nil {
					t.Error(err)
				}
				for _, e := range list {
					want := []float32{0, test.side}
					if _, err := fmt.Sscanf(e.ID, "pair%f", &want[0]); err != nil {
						want = []float32{7, 7}
					}
					if !slices.Equal(e.Joined, want) {
						t.Errorf("%s has %v, want %v", e.ID, e.Joined, want)
					}
				}
			})
		}
		group.Wait()
	}
	// A language may be on either side.
	teacher, err := OpenTeacher(t.Context(), path, "deu")
	if err != nil {
		t.Fatal(err)
	}
	list := []*Example{example("pair1", "deu", "eng"), example("pair1", "eng", "deu")}
	if err := teacher.Attach(t.Context(), list); err != nil || list[0].Joined[1] != 1 || list[1].Joined[1] != 2 {
		t.Errorf("%v, %v, %v", list[0].Joined, list[1].Joined, err)
	}
}

// TestTeacherOfItems: vectors of benchmarks are those of the examples that are made of their items.
func TestTeacherOfItems(t *testing.T) {
	teacher, err := OpenTeacher(t.Context(),
		datasettest.Write(t, nil, []schemas.Embedding{embedding("item1/eng/a", 1), embedding("item1/tur/a", 2), embedding("item2/tur/a", 3),
			embedding("item2/tur/b", 4)}), "")
	if err != nil {
		t.Fatal(err)
	}
	list := []*Example{{ID: schemas.ItemExampleID("item1", "tur"), LanguageA: "tur"},
		{ID: schemas.ItemExampleID("item2", "tur"), LanguageA: "tur"}}
	if err := teacher.Attach(t.Context(), list); err != nil || list[0].Joined[0] != 2 || list[1].Joined[0] != 3 {
		t.Errorf("%v, %v, %v", list[0].Joined, list[1].Joined, err)
	}
}

func TestTeacherFaults(t *testing.T) {
	list := func() []*Example { return []*Example{{ID: "x", LanguageA: "eng"}} }
	for _, test := range []struct {
		name string
		path string
		want string
	}{
		{"no dataset", t.TempDir(), dataset.ErrNoDataset.Error()},
		{"another schema", datasettest.Write(t, nil, []schemas.WordCount{}), "holds rows of wordcount"},
		{"no rows", datasettest.Write(t, nil, []schemas.Embedding{}), "holds no vectors"},
		{"codes only", datasettest.Write(t, nil, []schemas.Embedding{{ID: "x/a", Language: "eng", Bits: []byte{1}}}), "holds no vectors"},
		{"other texts", datasettest.Write(t, nil, []schemas.Embedding{embedding("y/a", 1)}),
			"has no vector of the example x: embed the pairs"},
		{"the other side", datasettest.Write(t, nil, []schemas.Embedding{embedding("x/b", 1)}), "has no vector of the example x"},
		{"another size", datasettest.Write(t, nil, []schemas.Embedding{embedding("y/a", 1, 2), embedding("x/a", 1)}),
			`the vector of "x/a" in the teacher`},
		{"an id twice", datasettest.Write(t, nil, []schemas.Embedding{embedding("x/a", 1), embedding("y/a", 1), embedding("x/a", 2)}),
			"has two vectors of one id"},
	} {
		teacher, err := OpenTeacher(t.Context(), test.path, "")
		if err == nil {
			err = teacher.Attach(t.Context(), list())
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
