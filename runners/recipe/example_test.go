package recipe_test

import (
	"fmt"
	"strings"

	"sentweave/runners/recipe"
)

// A recipe becomes command lines, each of which reads the folders of earlier steps.
func ExampleRecipe_Commands() {
	r, err := recipe.Parse("counts.yaml", []byte(`
name: counts
about: Word counts of a folder of pages.
parameters:
  input: {help: folder of HTML pages}
  languages: {help: languages to keep, default: "eng,spa"}
steps:
  - name: documents
    run: corpus
    with: {input: "${input}", languages: "${languages}"}
  - name: counts
    run: wordcounts
    from: {documents: documents}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	commands, err := r.Commands("out", map[string]string{"input": "pages", "languages": "deu"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range commands {
		fmt.Println(strings.Join(c.Args, " "))
	}
	_, err = r.Commands("out", nil)
	fmt.Println(err)
	// Output:
	// corpus --out=out/documents --input=pages --languages=deu
	// wordcounts --out=out/counts --documents=out/documents
	// parameter input is not set: folder of HTML pages; give --set input=…
}
