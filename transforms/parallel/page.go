package parallel

import (
	"strings"

	"sentweave/schemas"
)

// block is what one page holds of a block.
type block struct {
	ordinal   int32
	sentences []schemas.Sentence
	text      string // the sentences joined by a space
	weight    float64
	complete  bool
	foreign   float64 // share of the text that is in another language
}

// page is a page of one language, cut into blocks.
type page struct {
	language string
	document string // its id
	count    float32
	counted  bool // whether count is known
	blocks   []block
}

func (j *Joiner) cut(p Page) page {
	out := page{language: p.Language, document: p.Document.ID}
	out.count, out.counted = p.Document.Score(schemas.BlocksScore)
	s := p.Document.Sentences
	for i := 0; i < len(s); {
		k := i + 1
		for k < len(s) && s[k].Block == s[i].Block {
			k++
		}
		b := block{ordinal: s[i].Block, sentences: s[i:k], complete: complete(s, i, k)}
		b.text = join(b.sentences)
		b.weight = Weight(b.text)
		b.foreign = j.foreign(b.sentences, p.Language)
		out.blocks = append(out.blocks, b)
		i = k
	}
	return out
}

// complete says whether the block of the sentences [i, k) has lost none of them,
// as far as positions tell. A gap inside it is a loss. A gap to the neighbour is
// one where the neighbour is the next block: the sentence belongs to one of both,
// and neither can be trusted; where blocks lie between, the gap is theirs. What
// the last block of a page has lost at its end cannot be known.
func complete(s []schemas.Sentence, i, k int) bool {
	for x := i + 1; x < k; x++ {
		if s[x].Position != s[x-1].Position+1 {
			return false
		}
	}
	if i == 0 {
		if s[0].Block == 0 && s[0].Position != 0 {
			return false
		}
	} else if adjacent := s[i].Block == s[i-1].Block+1; adjacent && s[i].Position != s[i-1].Position+1 {
		return false
	}
	if k < len(s) {
		if adjacent := s[k].Block == s[k-1].Block+1; adjacent && s[k].Position != s[k-1].Position+1 {
			return false
		}
	}
	return true
}

func join(sentences []schemas.Sentence) string {
	if len(sentences) == 1 {
		return sentences[0].Text
	}
	var b strings.Builder
	for i, s := range sentences {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

// foreign returns the share of a block's text in sentences that are surely in
// another language than the page.
func (j *Joiner) foreign(sentences []schemas.Sentence, language string) float64 {
	all, others := 0, 0
	for _, s := range sentences {
		all += len(s.Text)
		if s.LanguageScore >= j.config.MinLanguageScore && !j.same(s.Language, language) {
			others += len(s.Text)
		}
	}
	return float64(others) / float64(max(1, all))
}

// same says whether two codes mean one language: an unknown one may be any, and
// scripts count only where both codes tell theirs.
func (j *Joiner) same(a, b string) bool {
	if a == b || a == undetermined || b == undetermined {
		return true
	}
	a, scriptA, _ := strings.Cut(a, "_")
	b, scriptB, _ := strings.Cut(b, "_")
	if scriptA != "" && scriptB != "" && scriptA != scriptB {
		return false
	}
	return j.representative(a) == j.representative(b)
}

const undetermined = "und"

func (j *Joiner) representative(language string) string {
	if r, ok := j.equivalent[language]; ok {
		return r
	}
	return language
}
