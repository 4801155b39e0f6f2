package trained

import (
	"regexp"
	"strings"
)

// accuracy is the mean over pages of precision and recall of shingles of four
// tokens, as the article extraction benchmark defines them (scrapinghub,
// article-extraction-benchmark, evaluate.py): a token is a run of word characters, a
// text of fewer tokens is one shingle, shingles are counted with repetition, a page
// without predicted (or true) shingles is left out of the mean precision (or recall).
type accuracy struct {
	precision, recall           float64
	precisionPages, recallPages int
}

func (a *accuracy) add(truth, predicted string) {
	t, p := shingles(truth), shingles(predicted)
	var hits, excess, missed int
	for s, n := range t {
		hits += min(n, p[s])
		missed += max(0, n-p[s])
	}
	for s, n := range p {
		excess += max(0, n-t[s])
	}
	if hits+excess > 0 {
		a.precision += float64(hits) / float64(hits+excess)
		a.precisionPages++
	}
	if hits+missed > 0 {
		a.recall += float64(hits) / float64(hits+missed)
		a.recallPages++
	}
}

// scores returns mean precision, mean recall and their harmonic mean.
func (a *accuracy) scores() (precision, recall, f1 float64) {
	precision = a.precision / float64(max(1, a.precisionPages))
	recall = a.recall / float64(max(1, a.recallPages))
	if precision+recall > 0 {
		f1 = 2 * precision * recall / (precision + recall)
	}
	return precision, recall, f1
}

// wordPattern is what Python's \w+ matches, near enough: it knows no marks, and
// counts all that str.isalnum calls alphanumeric.
var wordPattern = regexp.MustCompile(`[\p{L}\p{N}_]+`)

func shingles(text string) map[string]int {
	words := wordPattern.FindAllString(text, -1)
	counts := map[string]int{}
	for i := range max(1, len(words)-3) {
		if w := words[i:min(i+4, len(words))]; len(w) > 0 {
			counts[strings.Join(w, "\x00")]++
		}
	}
	return counts
}
