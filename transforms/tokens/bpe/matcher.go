package bpe

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sentweave/transforms/tokens/normalform"
)

// matcher finds added tokens in texts: that which begins first, and of those the longest. It has them by their first byte.
type matcher [256]*beginning

// beginning are the tokens that begin with a byte, the longest first.
type beginning struct {
	list []addedToken
	// second are the bytes that follow, single says whether there need be none.
	second [256]bool
	single bool
}

type addedToken struct {
	content string
	id      int32
}

// find has the tokens that were added to the table found in texts: those as they are before the others, which are composed as texts are.
func (t *Tokenizer) find(ids map[string]int32) error {
	if len(t.Matched) > 0 && t.prefix {
		return errors.New("its pre_tokenizer puts a space before texts (add_prefix_space), and it has added tokens that are no special ones: both together are not supported")
	}
	for _, added := range t.Matched {
		id := ids[added.Content]
		switch {
		case !added.Normalized:
			t.exact = t.exact.with(added.Content, id)
		case t.composes:
			t.normal = t.normal.with(string(normalform.Append(nil, norm.NFC, []byte(added.Content))), id)
		default:
			t.normal = t.normal.with(added.Content, id)
		}
	}
	return nil
}

// with adds a token to the matcher, which is nil without any.
func (m *matcher) with(content string, id int32) *matcher {
	if m == nil {
		m = &matcher{}
	}
	b := m[content[0]]
	if b == nil {
		b = &beginning{}
		m[content[0]] = b
	}
	b.list = append(b.list, addedToken{content, id})
	slices.SortFunc(b.list, func(a, b addedToken) int { return cmp.Compare(len(b.content), len(a.content)) })
	if b.single = b.single || len(content) == 1; len(content) > 1 {
		b.second[content[1]] = true
	}
	return m
}

// next returns the bytes of the first of the tokens in a text, and its id; the length of the text, twice, and -1 where there is none.
func (m *matcher) next(text string) (start, end int, id int32) {
	for i := 0; m != nil && i < len(text); i++ {
		b := m[text[i]]
		if b == nil || !b.single && (i+1 == len(text) || !b.second[text[i+1]]) {
			continue
		}
		for _, f := range b.list {
			if strings.HasPrefix(text[i:], f.content) {
				return i, i + len(f.content), f.id
			}
		}
	}
	return len(text), len(text), -1
}
