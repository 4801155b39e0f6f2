package modelfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

var format = Format{Magic: "made up\n", What: "a model of nothing", Version: 2, Train: "train nothing"}

func TestOpen(t *testing.T) {
	data, err := format.Seal(map[string]int{"a": 1}, []byte("body"))
	if err != nil {
		t.Fatal(err)
	}
	var head struct{ A int }
	body, err := format.Open(data, &head)
	if err != nil || string(body) != "body" || head.A != 1 {
		t.Fatalf("%q, %+v, %v", body, head, err)
	}
	again, err := format.Seal(map[string]int{"a": 1}, []byte("body"))
	if err != nil || !bytes.Equal(data, again) || len(Hash(data)) != 32 {
		t.Errorf("%q, then %q", data, again)
	}
	changed := func(at int) []byte {
		c := bytes.Clone(data)
		c[at] ^= 1
		return c
	}
	for want, data := range map[string][]byte{
		"it is not a model of nothing":   []byte("x"),
		"cut off":                        data[:20],
		"train it again with `train no":  changed(len(format.Magic)),
		"it is damaged":                  changed(len(data) - 20),
		"its head has 16777223 bytes":    resealed(data, len(format.Magic)+7),
		"its head: invalid character 'z": resealed(data, len(format.Magic)+8),
	} {
		if _, err := format.Open(data, &head); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// resealed changes a byte and gives the file the hash of that.
func resealed(data []byte, at int) []byte {
	c := bytes.Clone(data[:len(data)-hashBytes])
	c[at] ^= 1
	sum := xxh3.Hash128(c).Bytes()
	return append(c, sum[:]...)
}

func FuzzOpen(f *testing.F) {
	data, err := format.Seal(map[string]int{"a": 1}, []byte("body"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[len(format.Magic) : len(data)-hashBytes])
	f.Fuzz(func(t *testing.T, content []byte) {
		sealed := append([]byte(format.Magic), content...)
		sum := xxh3.Hash128(sealed).Bytes()
		var head map[string]any
		if body, err := format.Open(append(sealed, sum[:]...), &head); err == nil && !bytes.HasSuffix(content, body) {
			t.Errorf("the body %q of %q", body, content)
		}
	})
}
