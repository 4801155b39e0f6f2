package wordcounts_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Two pipelines in a row: texts become documents, and documents become counts of words. Each is
// planned, which finds all misuse, and then run on any runner; here on the one in this process.
func Example() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Unordered output:
	// eng coffee 1
	// eng is 2
	// eng ready 1
	// eng tea 1
	// eng the 2
	// eng warm 1
}

func example(ctx context.Context) error {
	place, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	input, documents, counts := filepath.Join(place, "in"), filepath.Join(place, "documents"), filepath.Join(place, "counts")
	if err := os.Mkdir(input, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(input, "tea.eng.txt"), []byte("The tea is warm.\n\nThe coffee is ready.\n"), 0o666); err != nil {
		return err
	}
	first, err := pipelinetest.Configure[corpus.Config]("--input", input, "--layout", "{page}.{language}.txt", "--filters", "none")
	if err != nil {
		return err
	}
	if _, err := run(ctx, first, documents); err != nil {
		return err
	}
	manifest, err := run(ctx, wordcounts.Config{Documents: documents}, counts)
	if err != nil {
		return err
	}
	for row, err := range dataset.Rows[schemas.WordCount](ctx, storage.NewLocal(counts), manifest) {
		if err != nil {
			return err
		}
		if len(row.Word) > 1 { // no punctuation
			fmt.Println(row.Language, row.Word, row.Count)
		}
	}
	return nil
}

func run(ctx context.Context, c pipelinetest.Pipeline, output string) (*dataset.Manifest, error) {
	job, err := c.Plan(ctx, output, units.Settings{})
	if err != nil {
		return nil, err
	}
	return pipelinetest.Local(1)(ctx, job)
}
