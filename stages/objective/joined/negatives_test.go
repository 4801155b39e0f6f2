package joined

import (
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

func TestNegativesFaults(t *testing.T) {
	e := schemas.Example{ID: schemas.DerivedID("x", "1"), Kind: schemas.KindNLI, LanguageA: "eng", LanguageB: "eng", TokensA: []int32{1, 2},
		TokensB: []int32{1, 2}, LengthA: 2, LengthB: 2, Label: new(int32)}
	path := datasettest.Write(t, nil, []schemas.Example{e})
	for _, test := range []struct{ path, vocabulary, want string }{
		{path, "", "has no hard negatives"}, {path, "f00", "another vocabulary"}, {t.TempDir(), "", "negatives: "},
	} {
		if _, err := OpenNegatives(t.Context(), test.path, test.vocabulary); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
