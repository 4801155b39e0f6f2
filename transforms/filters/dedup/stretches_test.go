package dedup

import (
	"fmt"
	"testing"

	"sentweave/schemas"
)

func TestStretches(t *testing.T) {
	for _, test := range []struct {
		blocks                       []int32
		sentences, paragraphs, spans string
	}{
		{nil, "[]", "[]", "[]"},
		{[]int32{4}, "[{0 1}]", "[{0 1}]", "[]"},
		{[]int32{0, 0, 2}, "[{0 1} {1 2} {2 3}]", "[{0 2} {2 3}]", "[{0 3}]"},
		{[]int32{0, 1, 1, 1}, "[{0 1} {1 2} {2 3} {3 4}]", "[{0 1} {1 4}]", "[{0 3} {1 4}]"},
	} {
		var list []schemas.Sentence
		for _, block := range test.blocks {
			list = append(list, schemas.Sentence{Block: block})
		}
		for _, got := range []struct {
			stretches []Stretch
			want      string
		}{
			{AppendSentences(nil, list), test.sentences},
			{AppendParagraphs(nil, list), test.paragraphs},
			{AppendSpans(nil, list), test.spans},
		} {
			if fmt.Sprint(got.stretches) != got.want {
				t.Errorf("blocks %v: %v, want %s", test.blocks, got.stretches, got.want)
			}
		}
	}
}
