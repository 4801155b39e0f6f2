package torchverbs

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/model"
)

// Another encoder that is in the folder is refused by what differs; its vocabulary would stay where that is of the same
// pieces, whatever the weights are.
func TestInitOther(t *testing.T) {
	folder := t.TempDir()
	place := func(name, text string) string {
		t.Helper()
		return filepath.Join(storagetest.WriteFiles(t, folder, map[string]string{name: text}), name)
	}
	const pieces = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n"
	vocabulary, longer := place("vocab.txt", pieces), place("longer.txt", pieces+"b\n")
	made := func(change func(*Init)) *Init {
		i := &Init{Out: filepath.Join(folder, "encoder"), Seed: 1}
		i.architecture = architecture{Vocabulary: vocabulary, Layers: 1, Hidden: 16, Heads: 2, Intermediate: 32, Positions: 48,
			EncodeTokens: 48, InitializerRange: .02, Pooling: "mean"}
		change(i)
		return i
	}
	r, err := made(func(*Init) {}).request(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.from.Close()
	place("encoder/"+initName, string(r.record))
	place("encoder/"+model.VocabularyName, pieces)
	for name, test := range map[string]struct {
		change func(*Init)
		want   string // what is said, "" where the encoder is the one that is asked for
		keeps  bool
	}{
		"nothing":  {func(*Init) {}, "", true},
		"the seed": {func(i *Init) { i.Seed = 2 }, "made otherwise: --seed is 1 there and 2 here; choose", true},
		"two numbers": {func(i *Init) { i.Layers, i.Hidden = 2, 32 },
			"--hidden is 16 there and 32 here; --layers is 1 there and 2 here; choose", true},
		"the pooling": {func(i *Init) { i.Pooling = "cls" }, `--pooling is "mean" there and "cls" here; choose`, true},
		"the pieces":  {func(i *Init) { i.Vocabulary = longer }, `the input "vocabulary" has other content`, false},
	} {
		i := made(test.change)
		_, err := i.Standing(t.Context())
		if (err == nil) != (test.want == "") || err != nil &&
			(!errors.Is(err, dataset.ErrOtherPlan) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if got := i.KeepsVocabulary(t.Context()); got != test.keeps {
			t.Errorf("%s: keeps the vocabulary: %v", name, got)
		}
	}
	if err := storage.NewLocal(filepath.Join(folder, "encoder")).Remove(t.Context(), model.VocabularyName); err != nil {
		t.Fatal(err)
	}
	if made(func(*Init) {}).KeepsVocabulary(t.Context()) {
		t.Error("a vocabulary that is gone is kept")
	}
}

// The flag of a new encoder names all architectures.
func TestArchitectureFlag(t *testing.T) {
	field, _ := reflect.TypeFor[architecture]().FieldByName("Architecture")
	if got, want := field.Tag.Get("enum"), strings.Join(model.Architectures(), ","); got != want {
		t.Errorf("the flag takes %s, there are %s", got, want)
	}
	for _, name := range model.Architectures() {
		a := architecture{Architecture: name, Size: "tiny"}
		a.resize(sizes["tiny"])
		if err := a.validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := a.config().MaxTokens(); got != a.Positions {
			t.Errorf("%s: %d tokens, want %d", name, got, a.Positions)
		}
	}
}
