package objective

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"sentweave/schemas/dataset"
)

// About half of the second texts are others', never of one group and never the same text;
// a sequence is both texts with one [CLS] and two [SEP], whose first segment is counted.
func TestFillNSP(t *testing.T) {
	group := uint64(5)
	var list []Example
	for i := range 40 {
		e := Example{ID: fmt.Sprint(i), A: []int32{1, int32(10 + i%20), 2}, B: []int32{1, int32(30 + i%20), 4, 2}}
		if i < 20 {
			e.Group = &group
		}
		list = append(list, e)
	}
	f := filler(t)
	f.Seed = 3
	replaced := 0
	for epoch := range int64(50) {
		var all []Entry
		for i := range list {
			all = append(all, Entry{&list[i], epoch})
		}
		filled, err := fillNSP(f, all)
		if err != nil {
			t.Fatal(err)
		}
		b := filled.(*NSPBatch)
		original := slices.Clone(b.Texts.IDs)
		for i, p := range b.Positions {
			original[p] = b.Targets[i]
		}
		for i := range list {
			tokens := original[i*b.Texts.Length:][:b.Texts.Lengths[i]]
			if b.First[i] != 3 || !slices.Equal(tokens[:3], list[i].A) || len(tokens) != 6 || tokens[5] != 2 {
				t.Fatalf("%v of first segment %d", tokens, b.First[i])
			}
			own := tokens[3] == list[i].B[1]
			if own != (b.Random[i] == 0) {
				t.Fatalf("%v is random %d", tokens, b.Random[i])
			}
			if !own {
				replaced++
			}
			if !own && i < 20 && !slices.ContainsFunc(list[20:], func(e Example) bool { return e.B[1] == tokens[3] }) {
				t.Fatalf("%v has the text of its own group", tokens)
			}
		}
	}
	if n := 40 * 50; replaced < n*45/100 || replaced > n*55/100 {
		t.Errorf("%d of %d replaced", replaced, n)
	}
	// One example alone stays.
	for epoch := range int64(20) {
		filled, err := fillNSP(f, []Entry{{&list[0], epoch}})
		if err != nil || filled.(*NSPBatch).Random[0] != 0 {
			t.Errorf("%+v, %v", filled, err)
		}
	}
}

func TestJoin(t *testing.T) {
	a, b := []int32{1, 10, 11, 12, 13, 2}, []int32{1, 20, 21, 2}
	for _, test := range []struct {
		most int
		want []int32
		at   int
	}{
		{0, []int32{1, 10, 11, 12, 13, 2, 20, 21, 2}, 6},
		{9, []int32{1, 10, 11, 12, 13, 2, 20, 21, 2}, 6},
		{8, []int32{1, 10, 11, 12, 2, 20, 21, 2}, 5},
		{7, []int32{1, 10, 11, 2, 20, 21, 2}, 4},
		{6, []int32{1, 10, 11, 2, 20, 2}, 4},
		{5, []int32{1, 10, 2, 20, 2}, 3},
	} {
		if got, at := join(a, b, test.most); !slices.Equal(got, test.want) || at != test.at {
			t.Errorf("%d: %v of first segment %d, want %v of %d", test.most, got, at, test.want, test.at)
		}
	}
}

func TestSwapped(t *testing.T) {
	for _, test := range []struct {
		role, config string
		want         float64
	}{{"documents", `{"swap": 0.5}`, .5}, {"documents", `{"swap": 0}`, 0}, {"documents", "{}", 0},
		{"pairs", `{"swap": 0.5}`, 0}} { // pairs are in order already
		var m dataset.Manifest
		m.Plan.Inputs, m.Plan.Config = []dataset.Input{{Role: "vocabulary"}, {Role: test.role, XXH3: "0a"}}, json.RawMessage(test.config)
		if got := swapped(&m); got != test.want {
			t.Errorf("%s of %s: %v, want %v", test.config, test.role, got, test.want)
		}
	}
}
