package chrf

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// vectors were computed by sacrebleu 2.6.0: sacrebleu.CHRF().sentence_score, and
// corpus_score of all of them.
var vectors = []struct {
	hypothesis, reference string
	score                 float64
}{
	{"The cat sat on the mat.", "The cat sat on the mat.", 100},
	{"The cat sat on a mat", "The cat is sitting on the mat.", 25.5854},
	{"", "", 0}, {"abc", "", 0}, {"", "abc", 0}, {"a", "a", 100}, {"a", "b", 0}, {"ab", "abc", 63.6364},
	{"Die Katze sitzt.", "Die Katze saß auf der Matte.", 36.5827},
	{"我喜欢猫", "我很喜欢猫。", 35.7193},
	{"a b\tc\u00a0d\u2028e\u001cf", "abcdef", 100}, {"aaaaaaaaaa", "aaaaa", 73.2928}, {"THE CAT", "the cat", 0}, {"😀😀 ok", "😀 ok", 89.8438},
	{"Der Hund läuft schnell durch den Wald", "Der schnelle Hund läuft durch den grünen Wald", 59.1973},
}

const vectorsCorpus = 52.6591

func TestScore(t *testing.T) {
	var c Scorer
	var all Statistics
	for _, v := range vectors {
		s := c.Segment(v.hypothesis, v.reference)
		all.Add(s)
		if got := s.Score(); math.Abs(got-v.score) > 6e-5 {
			t.Errorf("%q against %q: %.4f, want %.4f", v.hypothesis, v.reference, got, v.score)
		}
	}
	if got := all.Score(); math.Abs(got-vectorsCorpus) > 6e-5 {
		t.Errorf("corpus: %.4f, want %.4f", got, vectorsCorpus)
	}
}

// TestScoreAsSacrebleu compares with the program itself on sentences of Tatoeba:
// each with the next one, and with itself without some of its characters.
func TestScoreAsSacrebleu(t *testing.T) {
	python := peertest.Python(t, "sacrebleu")
	folder := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba")
	var pairs [][2]string
	for _, language := range []string{"deu", "cmn", "ara", "tha", "jpn"} {
		data, err := os.ReadFile(filepath.Join(folder, "tatoeba."+language+"-eng."+language))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")[:200]
		for i, line := range lines {
			runes := []rune(line)
			pairs = append(pairs, [2]string{line, lines[(i+1)%len(lines)]},
				[2]string{string(runes[len(runes)/3:]) + string(runes[:len(runes)/4]), line})
		}
	}
	var want []float64
	peertest.Answer(t, pairs, &want, python, "-c", `
import json, sacrebleu, sys
pairs = json.load(sys.stdin)
c = sacrebleu.CHRF()
print(json.dumps([c.sentence_score(h, [r]).score for h, r in pairs] + [c.corpus_score([h for h, r in pairs], [[r for h, r in pairs]]).score]))`)
	var scorer Scorer
	var all Statistics
	worst := 0.0
	for i, p := range pairs {
		s := scorer.Segment(p[0], p[1])
		all.Add(s)
		worst = max(worst, math.Abs(s.Score()-want[i]))
	}
	worst = max(worst, math.Abs(all.Score()-want[len(pairs)]))
	if t.Logf("%d segments, greatest difference %g, corpus %.2f", len(pairs), worst, all.Score()); worst > 1e-6 {
		t.Errorf("the greatest difference is %g", worst)
	}
}

func FuzzScore(f *testing.F) {
	f.Add("The cat", "A cat")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := Segment(a, b)
		if s < 0 || s > 100+1e-9 || s != Segment(strings.Join(strings.Fields(a), ""), b) && strings.ToValidUTF8(a, "") == a {
			t.Errorf("%q against %q: %v", a, b, s)
		}
		if self := Segment(a, a); math.Abs(self-100) > 1e-9 && strings.IndexFunc(a, func(r rune) bool { return !space(r) }) >= 0 {
			t.Errorf("%q against itself: %v", a, self)
		}
	})
}

func BenchmarkSegment(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 3)
	other := strings.Repeat("The quick red fox jumped over a lazy dog. ", 3)
	b.SetBytes(int64(len(text) + len(other)))
	var c Scorer
	for b.Loop() {
		c.Segment(text, other)
	}
}

func ExampleSegment() {
	fmt.Printf("%.2f\n", Segment("Die Katze sitzt.", "Die Katze saß auf der Matte."))
	// Output: 36.58
}
