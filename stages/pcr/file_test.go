package pcr

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"sentweave/schemas/storage"
	"sentweave/transforms/measure/neighbors"
)

func TestFile(t *testing.T) {
	m := neighbors.Matrix{Data: embeddings(3, 60, 20), Dim: 20}
	languages := make([]string, 60)
	for i := range languages {
		languages[i] = []string{"deu", "eng"}[i%2]
	}
	c, err := Fit(m, languages, Config{2, true})
	if err != nil {
		t.Fatal(err)
	}
	folder := storage.NewLocal(t.TempDir())
	if _, err := Load(t.Context(), folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	data, err := c.marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := storage.WriteFile(t.Context(), folder, FileName, data, storage.Replace); err != nil {
		t.Fatal(err)
	}
	again, err := Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if again.config != c.config || again.dim != 20 || len(again.Languages()) != 2 {
		t.Errorf("read back: %+v, %d, %v", again.config, again.dim, again.Languages())
	}
	for i, l := range languages { // to the last bit
		a, b := append([]float32(nil), m.Row(i)...), append([]float32(nil), m.Row(i)...)
		if err := errors.Join(c.Apply(l, a), again.Apply(l, b)); err != nil {
			t.Fatal(err)
		}
		for k := range a {
			if a[k] != b[k] {
				t.Fatalf("row %d differs after reading back: %v, %v", i, a[k], b[k])
			}
		}
	}
	faults := []struct{ text, want string }{
		{`{`, "unexpected end"},
		{`{"format":2}`, "format 2"},
		{`{"format":1,"dim":2,"config":{"components":0}}`, "components 0"},
		{`{"format":1,"dim":0,"config":{"components":1}}`, "0 dimensions"},
		{`{"format":1,"dim":2,"config":{"components":1},"languages":{"x":{"values":[1],"vectors":[]}}}`, "0 vectors"},
		{`{"format":1,"dim":2,"config":{"components":1},"languages":{"x":{"values":[1],"vectors":[[1]]}}}`, "1 dimensions"},
		{`{"format":1,"dim":2,"config":{"components":1},"languages":{"x":{"values":[1],"vectors":[[2,0]]}}}`, "length 1"},
		{`{"format":1,"dim":2,"config":{"components":2},"languages":{"x":{"values":[1,1],"vectors":[[1,0],[1,0]]}}}`, "orthogonal"},
	}
	for _, test := range faults {
		if _, err := parse([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.text, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"format":1,"dim":2,"config":{"components":1},"languages":{"x":{"rows":1,"values":[1],"vectors":[[1,0]]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse(data)
		if err != nil {
			return
		}
		for _, l := range c.Languages() {
			e := make([]float32, c.dim)
			for i := range e {
				e[i] = float32(i%7) - 3
			}
			if err := c.Apply(l, e); err != nil {
				t.Fatal(err)
			}
			for _, x := range e {
				if x-x != 0 {
					t.Fatalf("an embedding became %v", x)
				}
			}
		}
	})
}
