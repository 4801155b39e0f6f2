package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// A manifest or a plan whose lists hold what they cannot takes no memory, whichever element it is.
func TestListsOfNothing(t *testing.T) {
	for _, name := range []string{ManifestName, "_run/plan.json"} {
		for _, element := range []string{"0", "null", "{}", "[]"} {
			root := t.TempDir()
			path := filepath.Join(root, filepath.FromSlash(name))
			text := `{"format":1,"shards":[` + strings.Repeat(element+",", jsonfile.MaxValues) + element + `],"inputs":[` +
				strings.Repeat(element+",", jsonfile.MaxValues) + element + `]}`
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Load(t.Context(), storage.NewLocal(root))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 8*uint64(len(text)) {
				t.Errorf("%s of %d bytes with %s takes %d: %v", name, len(text), element, took, err)
			}
		}
	}
}

// A manifest that is sealed, but cannot be, is an error before anybody reads what it lacks.
func TestSealedManifestsThatCannotBe(t *testing.T) {
	p, _ := testPlan(t, 1)
	for name, change := range map[string]func(m *Manifest){
		"":                 func(m *Manifest) {},
		"it has no funnel": func(m *Manifest) { m.Funnel = nil },
		"one of no steps":  func(m *Manifest) { m.Funnel.Chains = append(m.Funnel.Chains, Chain{Items: "pages"}) },
		"has -1 rows":      func(m *Manifest) { m.Shards = []Shard{{Name: ShardName(0), Rows: -1}} },
		"occurs twice": func(m *Manifest) {
			m.Shards = []Shard{{Name: ShardName(0)}, {Name: ShardName(1)}, {Name: ShardName(0)}}
		},
		"rows of 8796093022208": func(m *Manifest) { m.Shards = []Shard{{Name: ShardName(0), Bytes: 1 << 43}} },
	} {
		m := Manifest{Plan: *p, Funnel: NewFunnel(NewChain("pages", "read"))}
		change(&m)
		data, err := sealed.Seal(&m)
		if err != nil {
			t.Fatal(err)
		}
		folder := storage.NewLocal(t.TempDir())
		if err := storage.WriteFile(t.Context(), folder, ManifestName, data, storage.Replace); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), folder); name == "" && err != nil || name != "" &&
			(!errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}
