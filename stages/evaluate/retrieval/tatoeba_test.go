package retrieval

import (
	"testing"

	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/evaluate/protocol"
)

// FuzzTatoeba reads any bytes as the sentences of a language and of English: an error, or as many of both, and the same
// ones again.
func FuzzTatoeba(f *testing.F) {
	f.Add("a\nb\n", "c\nd\n")
	f.Add("a\n", "")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, foreign, english string) {
		storagetest.WriteFiles(t, root, map[string]string{"tatoeba/tatoeba.deu-eng.deu": foreign, "tatoeba/tatoeba.deu-eng.eng": english})
		read := func() (int, error) {
			p, err := evaluatetest.Read(t, Tatoeba, root, &protocol.Input{Languages: []string{"deu"}})
			if err != nil {
				return 0, err
			}
			part := p.(*tatoeba).parts[0]
			if len(part.foreign) != len(part.english) {
				t.Fatalf("%d and %d sentences", len(part.foreign), len(part.english))
			}
			return len(part.foreign), nil
		}
		n, err := read()
		if again, errAgain := read(); n != again || (err == nil) != (errAgain == nil) {
			t.Fatalf("%d sentences, %v, then %d, %v", n, err, again, errAgain)
		}
	})
}
