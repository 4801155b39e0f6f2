package dataset

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

// FuzzRecords reads datasets whose manifest, plan and receipt somebody else made, and
// sealed: nothing of them is believed.
func FuzzRecords(f *testing.F) {
	root := f.TempDir()
	if _, err := writeDataset(f.Context(), storage.NewLocal(root), rowtest.List(rowtest.Pair, 0, 40), 2); err != nil {
		f.Fatal(err)
	}
	names := []string{ManifestName, layout.PlanName, layout.ReceiptName(0)}
	var whole [3][]byte
	for i, name := range names {
		var err error
		if whole[i], err = os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(whole[0], whole[1], whole[2])
	f.Add([]byte(nil), whole[1], whole[2])
	f.Add([]byte(`{"plan": {"format": 1, "units": -1, "units_per_file": 1}, "shards": [{"name": "../x", "rows": 1e18, "bytes": 1e18}]}`),
		[]byte(`{"units": 4e18}`), []byte(`{"unit": -1}`))
	f.Fuzz(func(t *testing.T, manifest, plan, receipt []byte) {
		ctx, folder := t.Context(), storage.NewLocal(root)
		write := func(name string, data []byte) {
			path := filepath.Join(root, filepath.FromSlash(name))
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if len(data) > 0 {
				if err := os.WriteFile(path, data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		var m Manifest
		if json.Unmarshal(manifest, &m) == nil {
			m.Plan.Format = format
			manifest, _ = sealed.Seal(&m)
		}
		var p Plan
		if json.Unmarshal(plan, &p) == nil {
			p.Format = format
			plan, _ = sealed.Seal(&p)
		}
		var r Receipt
		if json.Unmarshal(receipt, &r) == nil {
			r.Plan = p.Hash
			receipt, _ = sealed.Seal(&r)
		}
		write(names[0], manifest)
		write(names[1], plan)
		write(names[2], receipt)
		if loaded, err := Load(ctx, folder); err == nil {
			if pieces := loaded.Pieces(64 << 20); len(pieces) > len(loaded.Shards)<<16 {
				t.Errorf("%d pieces of %d shards", len(pieces), len(loaded.Shards))
			}
			_, _ = Verify(ctx, folder)
			_, _ = ReadAll[schemas.Pair](ctx, folder)
		}
		if loaded, err := LoadPlan(ctx, folder); err == nil {
			_, _ = loaded.LoadReceipt(ctx, folder, 0)
			_, _ = loaded.CountReceipts(ctx, folder)
			if loaded.Units < 1_000 {
				_, _ = loaded.LoadUnit(ctx, folder, loaded.Units-1)
				_, _ = loaded.Finalize(ctx, folder)
			}
		}
	})
}
