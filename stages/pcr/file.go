package pcr

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/measure/neighbors"
)

const (
	// FileName is the file of components in a folder.
	FileName = "components.json"
	// maxFile bounds what is read of it, in bytes, and maxNumbers its numbers: 20 directions of
	// 1,024 dimensions in 200 languages are four million.
	maxFile    = 1 << 29
	maxNumbers = 1 << 24
	// format is raised when the file changes its form.
	format = 1
)

// file is what FileName holds. Numbers are written so that they are read back
// exactly; languages are sorted.
type file struct {
	Format    int                   `json:"format"`
	Dim       int                   `json:"dim"`
	Config    Config                `json:"config"`
	Languages map[string]Directions `json:"languages"`
}

// marshal returns the file of the components.
func (c *Components) marshal() ([]byte, error) {
	data, err := json.Marshal(file{format, c.dim, c.config, c.languages})
	return append(data, '\n'), err
}

// Load reads the components of a folder.
func Load(ctx context.Context, folder storage.Folder) (*Components, error) {
	data, err := storage.ReadFile(ctx, folder, FileName, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read components: %w", err)
	}
	c, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("read components: %s in %s: %w", FileName, folder, err)
	}
	return c, nil
}

// tolerance is how far vectors may be from length 1 and from orthogonal.
const tolerance = 1e-6

func parse(data []byte) (*Components, error) {
	var f file
	if err := jsonfile.UnmarshalMost(data, maxNumbers, &f); err != nil {
		return nil, err
	}
	if f.Format != format {
		return nil, fmt.Errorf("format %d, this program reads %d", f.Format, format)
	}
	if err := f.Config.Validate(); err != nil {
		return nil, err
	}
	if f.Dim < 1 || f.Dim > neighbors.MaxDim {
		return nil, fmt.Errorf("%d dimensions: want 1 to %d", f.Dim, neighbors.MaxDim)
	}
	for l, d := range f.Languages {
		if len(d.Vectors) != f.Config.Components || len(d.Values) != f.Config.Components {
			return nil, fmt.Errorf("language %q: %d vectors and %d values, the file says %d", l, len(d.Vectors), len(d.Values),
				f.Config.Components)
		}
		for i, v := range d.Vectors {
			if len(v) != f.Dim {
				return nil, fmt.Errorf("language %q: vector %d has %d dimensions, the file says %d", l, i, len(v), f.Dim)
			}
			for k := range i + 1 {
				want := 0.0
				if k == i {
					want = 1
				}
				if !(math.Abs(dot(v, d.Vectors[k])-want) <= tolerance) {
					return nil, fmt.Errorf("language %q: vectors %d and %d are not orthogonal and of length 1", l, k, i)
				}
			}
		}
	}
	return &Components{f.Config, f.Dim, f.Languages}, nil
}
