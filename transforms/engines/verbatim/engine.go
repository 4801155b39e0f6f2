package verbatim

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"sentweave/transforms/engines"
)

// version of the method, in the identity of translations: raised when the same answers
// of the engine give others here.
const version = 2

// Engine is an engine before which this package stands.
type Engine struct{ engines.Engine }

// Identity implements engines.Engine: that of the engine, and how it was asked.
func (e Engine) Identity(p engines.Pair) (engines.Identity, error) {
	i, err := e.Engine.Identity(p)
	i.Options = fmt.Sprintf(`{"engine":%s,"verbatim":%d}`, i.Options, version)
	return i, err
}

// Translate implements engines.Engine. What is given to the engine alone is asked once;
// texts that lose something in it are asked again in pieces.
func (e Engine) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	masks, queries := make([]mask, len(texts)), []string{}
	for i, text := range texts {
		if masks[i] = newMask(text); masks[i].hasLanguage() {
			queries = append(queries, masks[i].text)
		}
	}
	var said []engines.Answer
	var err error
	if len(queries) > 0 {
		if said, err = e.translate(ctx, p, queries); err != nil && len(said) == 0 {
			return nil, err
		}
	}
	answers := make([]engines.Answer, 0, len(texts))
	var lost []int
	for i, m := range masks {
		if !m.hasLanguage() {
			answers = append(answers, engines.Answer{Text: texts[i]})
			continue
		}
		if len(said) == 0 {
			break
		}
		a := said[0]
		if said = said[1:]; a.Err == nil {
			if text, ok := m.undo(surface(m.text, a.Text, p.Target, m.words)); ok {
				a.Text = text
			} else {
				lost = append(lost, i)
			}
		}
		answers = append(answers, a)
	}
	if len(lost) == 0 {
		return answers, err
	}
	count, pieceErr := e.pieces(ctx, p, masks, lost, answers)
	if pieceErr != nil {
		return answers[:lost[count]], pieceErr
	}
	return answers, err
}

func (e Engine) translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	said, err := e.Engine.Translate(ctx, p, texts)
	if err == nil && len(said) != len(texts) || len(said) > len(texts) {
		return nil, engines.Faultf(engines.Malformed, "%d texts have %d answers", len(texts), len(said))
	}
	return said, err
}

// pieces gives the texts at some places answers that are made of pieces. With an error it
// returns how many of them have one.
func (e Engine) pieces(ctx context.Context, p engines.Pair, masks []mask, lost []int, answers []engines.Answer) (count int, err error) {
	var queries []string
	var ends []int // of the pieces of each text
	for _, i := range lost {
		queries = append(queries, masks[i].pieces()...)
		ends = append(ends, len(queries))
	}
	said, err := e.translate(ctx, p, queries)
	start := 0
	for n, i := range lost {
		if len(said) < ends[n] {
			return n, err
		}
		answers[i] = masks[i].join(said[start:ends[n]], p.Target)
		start = ends[n]
	}
	return len(lost), nil
}

// mask is a text with words in the place of what is verbatim.
type mask struct {
	source string
	spans  []span
	words  []string
	text   string
}

func newMask(source string) mask {
	m := mask{source: source, spans: spans(source), text: source}
	if len(m.spans) == 0 {
		return m
	}
	var b strings.Builder
	offset, number := 0, 0
	for _, s := range m.spans {
		word := ""
		for word == "" || strings.Contains(source, word) {
			word = wordOf(number)
			number++
		}
		m.words = append(m.words, word)
		b.WriteString(source[offset:s.From])
		b.WriteString(word)
		offset = s.To
	}
	b.WriteString(source[offset:])
	m.text = b.String()
	return m
}

// wordOf returns the n-th word that stands for something: a name that no language has,
// and none of which is a part of another one.
func wordOf(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz"
	word := []byte("Xq")
	for ; ; n /= len(letters) {
		word = append(word, letters[n%len(letters)])
		if n < len(letters) {
			return string(append(word, 'y'))
		}
	}
}

// hasLanguage says whether there is a letter that is not verbatim.
func (m mask) hasLanguage() bool {
	if len(m.spans) == 0 {
		return true
	}
	offset := 0
	for _, s := range m.spans {
		if strings.IndexFunc(m.source[offset:s.From], unicode.IsLetter) >= 0 {
			return true
		}
		offset = s.To
	}
	return strings.IndexFunc(m.source[offset:], unicode.IsLetter) >= 0
}

// undo puts what is verbatim back into a translation; false if a word for it is not
// there exactly once.
func (m mask) undo(translation string) (string, bool) {
	if len(m.words) == 0 {
		return translation, true
	}
	var pairs []string
	for i, word := range m.words {
		if strings.Count(translation, word) != 1 {
			return "", false
		}
		pairs = append(pairs, word, m.source[m.spans[i].From:m.spans[i].To])
	}
	return strings.NewReplacer(pairs...).Replace(translation), true
}

// gaps calls f with each part of the text between those that are verbatim, and these.
func (m mask) gaps(f func(gap, verbatim string)) {
	offset := 0
	for _, s := range m.spans {
		f(m.source[offset:s.From], m.source[s.From:s.To])
		offset = s.To
	}
	f(m.source[offset:], "")
}

// pieces returns the language between what is verbatim.
func (m mask) pieces() (list []string) {
	m.gaps(func(gap, _ string) {
		if strings.IndexFunc(gap, unicode.IsLetter) >= 0 {
			list = append(list, strings.TrimSpace(gap))
		}
	})
	return list
}

// join returns the text of translated pieces.
func (m mask) join(said []engines.Answer, target string) engines.Answer {
	var b strings.Builder
	var err error
	m.gaps(func(gap, verbatim string) {
		if strings.IndexFunc(gap, unicode.IsLetter) < 0 {
			b.WriteString(gap)
		} else {
			answer := said[0]
			if said = said[1:]; answer.Err != nil && err == nil {
				err = answer.Err
			}
			inner := strings.TrimSpace(gap)
			index := strings.Index(gap, inner)
			b.WriteString(gap[:index])
			b.WriteString(surface(inner, answer.Text, target, nil))
			b.WriteString(gap[index+len(inner):])
		}
		b.WriteString(verbatim)
	})
	if err != nil {
		return engines.Answer{Err: err}
	}
	return engines.Answer{Text: b.String()}
}
