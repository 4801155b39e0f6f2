package bpe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sentweave/transforms/tokens/pieces"
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

// find has the tokens that were added to the table found in texts.
func (t *Tokenizer) find(ids map[string]int32) error {
	if len(t.Matched) > 0 && t.prefix {
		return errors.New("its pre_tokenizer puts a space before texts (add_prefix_space), and it has added tokens that are no special ones: both together are not supported")
	}
	for _, added := range t.Matched {
		if t.composes && !isComposed(added) {
			return fmt.Errorf("the added token %q is matched in texts in which characters may belong to it only in part, which is not supported",
				added.Content)
		}
		if t.matcher == nil {
			t.matcher = &matcher{}
		}
		b := t.matcher[added.Content[0]]
		if b == nil {
			b = &beginning{}
			t.matcher[added.Content[0]] = b
		}
		b.list = append(b.list, addedToken{added.Content, ids[added.Content]})
		slices.SortFunc(b.list, func(a, b addedToken) int { return cmp.Compare(len(b.content), len(a.content)) })
		if b.single = b.single || len(added.Content) == 1; len(added.Content) > 1 {
			b.second[added.Content[1]] = true
		}
	}
	return nil
}

// isComposed says whether a token is the same in composed texts as in texts before that.
func isComposed(added pieces.Added) bool {
	_, size := utf8.DecodeLastRuneInString(added.Content)
	last := norm.NFC.PropertiesString(added.Content[len(added.Content)-size:])
	return norm.NFC.IsNormalString(added.Content) && (added.Normalized || last.BoundaryAfter())
}

// next returns where the first of the tokens in a text begins, and its id; the length of the text and -1 where there is none.
func (m *matcher) next(text string) (start int, id int32) {
	for i := 0; m != nil && i < len(text); i++ {
		b := m[text[i]]
		if b == nil || !b.single && (i+1 == len(text) || !b.second[text[i+1]]) {
			continue
		}
		for _, f := range b.list {
			if strings.HasPrefix(text[i:], f.content) {
				return i, f.id
			}
		}
	}
	return len(text), -1
}
