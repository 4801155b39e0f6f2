package pipelinetest

import (
	"fmt"

	"sentweave/schemas"
)

// DocumentOf returns a document with the id n and the given sentences.
func DocumentOf(n int, language string, sentences ...string) schemas.Document {
	d := schemas.Document{ID: fmt.Sprintf("%032x", n), Source: fmt.Sprint(n, ".txt"), Language: language, LanguageScore: 1}
	for i, text := range sentences {
		d.Sentences = append(d.Sentences, schemas.Sentence{Text: text, Language: language, LanguageScore: 1, Position: int32(i), Main: 1})
	}
	return d
}
