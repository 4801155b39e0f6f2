package dedup

import "sentweave/schemas"

// Stretch is a run of sentences of a document, from Start to before End.
type Stretch struct{ Start, End int }

// AppendSentences appends each sentence as a stretch.
func AppendSentences(list []Stretch, sentences []schemas.Sentence) []Stretch {
	return appendSpans(list, sentences, 1)
}

// spanSentences is the length of C4's spans (Raffel et al. 2020, section 2.2).
const spanSentences = 3

// AppendSpans appends each three sentences that follow each other in the document. A shorter document has none.
func AppendSpans(list []Stretch, sentences []schemas.Sentence) []Stretch {
	return appendSpans(list, sentences, spanSentences)
}

func appendSpans(list []Stretch, sentences []schemas.Sentence, n int) []Stretch {
	for end := n; end <= len(sentences); end++ {
		list = append(list, Stretch{end - n, end})
	}
	return list
}

// AppendParagraphs appends the sentences of each block.
func AppendParagraphs(list []Stretch, sentences []schemas.Sentence) []Stretch {
	for i, s := range sentences {
		if i == 0 || s.Block != sentences[i-1].Block {
			list = append(list, Stretch{Start: i})
		}
		list[len(list)-1].End = i + 1
	}
	return list
}
