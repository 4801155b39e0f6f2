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
	masks, asked := make([]mask, len(texts)), []string{}
	for i, text := range texts {
		if masks[i] = newMask(text); masks[i].hasLanguage() {
			asked = append(asked, masks[i].text)
		}
	}
	var said []engines.Answer
	var err error
	if len(asked) > 0 {
		if said, err = e.translate(ctx, p, asked); err != nil && len(said) == 0 {
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
	whole, again := e.pieces(ctx, p, masks, lost, answers)
	if again != nil {
		return answers[:lost[whole]], again
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
func (e Engine) pieces(ctx context.Context, p engines.Pair, masks []mask, lost []int, answers []engines.Answer) (whole int, err error) {
	var asked []string
	var ends []int // of the pieces of each text
	for _, i := range lost {
		asked = append(asked, masks[i].pieces()...)
		ends = append(ends, len(asked))
	}
	said, err := e.translate(ctx, p, asked)
	from := 0
	for n, i := range lost {
		if len(said) < ends[n] {
			return n, err
		}
		answers[i] = masks[i].join(said[from:ends[n]], p.Target)
		from = ends[n]
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
	at, number := 0, 0
	for _, s := range m.spans {
		word := ""
		for word == "" || strings.Contains(source, word) {
			word = wordOf(number)
			number++
		}
		m.words = append(m.words, word)
		b.WriteString(source[at:s.From])
		b.WriteString(word)
		at = s.To
	}
	b.WriteString(source[at:])
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
	at := 0
	for _, s := range m.spans {
		if strings.IndexFunc(m.source[at:s.From], unicode.IsLetter) >= 0 {
			return true
		}
		at = s.To
	}
	return strings.IndexFunc(m.source[at:], unicode.IsLetter) >= 0
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
	at := 0
	for _, s := range m.spans {
		f(m.source[at:s.From], m.source[s.From:s.To])
		at = s.To
	}
	f(m.source[at:], "")
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
			one := said[0]
			if said = said[1:]; one.Err != nil && err == nil {
				err = one.Err
			}
			inner := strings.TrimSpace(gap)
			at := strings.Index(gap, inner)
			b.WriteString(gap[:at])
			b.WriteString(surface(inner, one.Text, target, nil))
			b.WriteString(gap[at+len(inner):])
		}
		b.WriteString(verbatim)
	})
	if err != nil {
		return engines.Answer{Err: err}
	}
	return engines.Answer{Text: b.String()}
}
