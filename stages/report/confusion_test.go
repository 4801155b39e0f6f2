package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// A class that is taken for another is in its row, and several trainings are summed. By hand.
func TestConfusions(t *testing.T) {
	var rows []schemas.Item
	for seed, predicted := range [][]string{{"a", "b", "b", "c"}, {"a", "a", "b", "c"}} {
		number := int64(seed)
		for i, right := range []string{"a", "a", "b", "b"} {
			rows = append(rows, schemas.Item{Model: "m", Task: "own", Subtask: "own", Language: "eng", Position: int32(i), Seed: &number,
				TextA: uint64(i), Label: right, Predicted: predicted[i]})
		}
	}
	gold := 1.
	rows = append(rows, schemas.Item{Model: "m", Task: "own", Subtask: "scores", Language: "eng", TextA: 1, Gold: &gold})
	results := t.TempDir()
	if err := errors.Join(os.Remove(results), os.MkdirAll(results, 0o777),
		os.Rename(datasettest.Write(t, nil, rows), filepath.Join(results, dataset.ItemsFolder))); err != nil {
		t.Fatal(err)
	}
	items, err := metrics.OpenItems(t.Context(), []string{results})
	if err != nil {
		t.Fatal(err)
	}
	all, err := confusions(items, []Model{{Key: "m", Name: "Model"}, {Key: "absent"}})
	if err != nil {
		t.Fatal(err)
	}
	table := all["own"].(markup.Folded).Blocks[0].(markup.SideBySide)[0].(markup.Table)
	if got := fmt.Sprint(table.Rows); len(all) != 1 || table.Caption != "own eng, Model" || table.Note != "The sum of 2 trainings." ||
		got != "[[{a  false 0} {3  true 6} {1  false 2} {0  false 0}] [{b  false 0} {0  false 0} {2  true 4} {2  false 4}] [{c  false 0} {0  false 0} {0  false 0} {0  true 0}]]" {
		t.Errorf("%s %s %s", table.Caption, table.Note, got)
	}
	if _, ok := confusion(metrics.Group{Labels: make([]string, 13), A: make([]uint64, 13)}, nil, "m"); ok {
		t.Error("a model without outcomes has a table")
	}
}
