package sentences_test

import (
	"fmt"

	"sentweave/transforms/clean/sentences"
)

// The ends of sentences depend on the language: in German a full stop also follows the number of a day.
func ExampleSplitter_All() {
	for _, text := range [][2]string{
		{"deu", "Am 3. Oktober kam Dr. Weiß. Er blieb bis abends."},
		{"eng", "Mr. Holmes paid $3.50. \"Why?\" asked Dr. Watson."},
	} {
		for sentence := range sentences.New(text[0]).All(text[1]) {
			fmt.Printf("%s %q\n", text[0], sentence)
		}
	}
	// Output:
	// deu "Am 3. Oktober kam Dr. Weiß."
	// deu "Er blieb bis abends."
	// eng "Mr. Holmes paid $3.50."
	// eng "\"Why?\" asked Dr. Watson."
}
