package encoders

import (
	"math"
	"strings"
	"testing"

	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/metrics"
)

// Many and long texts are encoded a part at a time, and each part once.
func TestBERTScoreInParts(t *testing.T) {
	var a, b []encoder.Text
	for i := range 300 {
		a = append(a, encoder.Text{Text: strings.Repeat("abc", 1+i)})
		b = append(b, encoder.Text{Text: strings.Repeat("d", 1+i)})
	}
	a[150].Text = strings.Repeat("a", 3*tokenBytes)
	encoded, closed := 0, 0
	s := &TokenScores{TokenEncoder: evaluatetest.LetterAngles{Encoded: &encoded, Closed: &closed}, similarity: metrics.SimilarityPrecision}
	parts := 0
	for from := 0; from < len(a); parts++ {
		to, size := s.until([][]encoder.Text{a, b}, from), 0
		for i := from; i < to; i++ {
			size += len(a[i].Text) + len(b[i].Text)
		}
		if to <= from || size > tokenBytes && to > from+1 {
			t.Fatalf("items %d to %d have %d bytes", from, to, size)
		}
		from = to
	}
	scores, err := s.Compare(t.Context(), [][]encoder.Text{a, b}, [][2]int{{0, 1}})
	if err != nil || parts < 6 || encoded != 600 {
		t.Fatalf("%d parts, %d texts, %v", parts, encoded, err)
	}
	for i, x := range scores[0] {
		want := math.Cos(10 * math.Pi / 180)
		if i == 150 {
			want = math.Cos(30 * math.Pi / 180)
		}
		if math.Abs(x-want) > 1e-6 {
			t.Errorf("item %d: %v, want %v", i, x, want)
		}
	}
}
