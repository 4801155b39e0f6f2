package dataset_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// A manifest or a plan whose lists hold what they cannot takes no memory, whichever element it is.
func TestListsOfNothing(t *testing.T) {
	for _, name := range []string{dataset.ManifestName, "_run/plan.json"} {
		for _, element := range []string{"0", "null", "{}", "[]"} {
			root := t.TempDir()
			path := filepath.Join(root, filepath.FromSlash(name))
			text := `{"format":1,"shards":[` + strings.Repeat(element+",", jsonfile.MaxValues) + element + `],"inputs":[` + strings.Repeat(element+",", jsonfile.MaxValues) + element + `]}`
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := dataset.Load(t.Context(), storage.NewLocal(root))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 8*uint64(len(text)) {
				t.Errorf("%s of %d bytes with %s takes %d: %v", name, len(text), element, took, err)
			}
		}
	}
}
