package dataset_test

import (
	"context"
	"fmt"
	"os"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// A dataset is planned, made unit by unit, finalized, and read. A run that is killed in
// between repeats only the units without a receipt.
func Example() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// fresh: true
	// 2 units, 3 rows, kept 3
	// the 2
	// tea 1
	// leaves 3
	// complete: true
}

func example(ctx context.Context) error {
	place, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	folder := storage.NewLocal(place)

	// Whatever decides the rows is in the plan; another one in the same folder is refused.
	words := [][]schemas.WordCount{{{Word: "the", Language: "eng", Count: 2}, {Word: "tea", Language: "eng", Count: 1}},
		{{Word: "leaves", Language: "eng", Count: 3}}}
	units := dataset.Pack([]dataset.Piece{
		{Span: dataset.Span{Name: "a.txt", To: 10}, Weight: 10}, {Span: dataset.Span{Name: "b.txt", To: 10}, Weight: 10},
	}, 10)
	plan, err := dataset.Draft{
		Pipeline: "example", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), ShardBytes: 10, Units: units,
		Config: map[string]any{"cased": false}, Inputs: []dataset.Input{{Role: "texts", Files: 2, Bytes: 20, XXH3: "00"}},
	}.Plan()
	if err != nil {
		return err
	}
	state, err := plan.Create(ctx, folder, units)
	if err != nil {
		return err
	}
	fmt.Println("fresh:", state == dataset.Fresh)

	for _, unit := range units {
		attempt, err := dataset.Begin[schemas.WordCount](folder, plan, unit.Ordinal, dataset.NewChain("words", "length"))
		if err != nil {
			return err
		}
		defer attempt.Abort() // of no effect after Commit
		for _, row := range words[unit.Ordinal] {
			if err := attempt.Write(ctx, row); err != nil {
				return err
			}
			if err := attempt.Funnel().Keep("words", row.Language, 1); err != nil {
				return err
			}
		}
		if unit.Ordinal == 0 {
			if err := attempt.Funnel().Drop("words", "eng", "length", "too_long", 1); err != nil {
				return err
			}
		}
		if err := attempt.Commit(ctx); err != nil {
			return err
		}
	}
	manifest, err := plan.Finalize(ctx, folder)
	if err != nil {
		return err
	}
	fmt.Printf("%d units, %d rows, kept %d\n", plan.Units, manifest.Rows, manifest.Funnel.Out("words")["eng"])
	for row, err := range dataset.Rows[schemas.WordCount](ctx, folder, manifest) {
		if err != nil {
			return err
		}
		fmt.Println(row.Word, row.Count)
	}
	state, err = plan.Create(ctx, folder, units)
	fmt.Println("complete:", state == dataset.Complete)
	return err
}
