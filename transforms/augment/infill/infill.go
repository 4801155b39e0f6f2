// Package infill replaces words of a text by predictions of a masked language model.
// The results are views of the text that say about the same in other words (Zhang et
// al. 2021, "Bootstrapped Unsupervised Sentence Representation Learning", which
// replaces 20 % of the words this way). The package holds no model: Mask makes the
// model's input, and Fill takes its predictions.
//
// # Method
//
// A word is a token of BERT's basic tokenizer that has a letter. Its pieces are masked
// together. Of W words max(1, round(W·Share)) are chosen, each subset of the
// candidates equally likely; round is half to even. These words are not candidates:
// words with a piece that the vocabulary lacks; one or two letters after an apostrophe
// inside a word, as the t of "don't"; and parts of addresses, paths and identifiers,
// which are words that touch a joining character, or a full stop or colon that a
// letter or digit follows. If there are fewer candidates than words to choose, all of
// them are chosen.
//
// All masks of a text are predicted at once, independently of each other. A mask takes
// the likeliest piece of its class, or one of the Top likeliest, drawn in proportion
// to their probabilities. It never takes the piece that stood there. Classes make sure
// that words stay words: a piece that begins a word is replaced by one that begins a
// word and has a letter, one that continues a word by one that continues, and a
// Chinese ideograph by another. Special tokens, placeholders and punctuation are in no
// class. If the pieces of a word spell the original word, the last piece is chosen
// again.
//
// Only the bytes of the chosen words change. If the model ignores case, a replacement
// takes the case of the original: all capitals, or a first capital.
//
// # Determinism
//
// Words and draws are a pure function of (Version, Config, vocabulary, text, id) and
// the predictions.
package infill

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/fault"
	"sentweave/transforms/random"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/masking"
	"sentweave/transforms/tokens/wordpiece"
)

// Version of the method: raised when the same input gives other views.
const Version = 1

// Reasons for which a text gives no view.
const (
	ReasonTooShort = "too_short"
	ReasonTooLong  = "too_long"
	// ReasonNoWords is that of a text without a word that may be replaced.
	ReasonNoWords = "no_words"
	// ReasonCopy is that of a view which equals its source.
	ReasonCopy = "copy"
)

// Config says how much is replaced, and by what.
type Config struct {
	// Seed makes another set of views.
	Seed uint64
	// Share of the words that are replaced, in (0, 1]. Default .2 (Zhang et al. 2021).
	Share float64
	// Top is the number of the likeliest pieces among which one is drawn. Default 1,
	// the likeliest.
	Top int
	// MinTokens is the least number of pieces of a text. Default 5.
	MinTokens int
	// MaxTokens is the greatest number of tokens of a sequence, [CLS] and [SEP]
	// counted. Default 512.
	MaxTokens int
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config { return Config{Share: .2, Top: 1, MinTokens: 5, MaxTokens: 512} }

// maxTop bounds Top: beyond it, draws are noise.
const maxTop = 1000

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Share > 0 && c.Share <= 1, "share is %v, it must be above 0 and at most 1", c.Share)
	errs.Check(c.Top >= 1 && c.Top <= maxTop, "top is %d, it must be from 1 to %d", c.Top, maxTop)
	errs.Check(c.MinTokens >= 1, "min-tokens is %d, it must be at least 1", c.MinTokens)
	errs.Check(c.MaxTokens >= c.MinTokens+2, "the most tokens are %d, they must be at least min-tokens %d, [CLS] and [SEP]", c.MaxTokens,
		c.MinTokens)
	return errs.Err()
}

// Classes of pieces.
const (
	begins    = iota // begins a word, and has a letter
	continues        // continues a word
	ideograph        // is a word of its own, whatever is beside it
	classes
)

// Mask is a place at which a piece is predicted.
type Mask struct {
	// Position in the sequence.
	Position int
	// Class of the piece that stood there.
	Class int
}

// Candidate is a piece that may take the place of a mask. An ID below 0 is none.
type Candidate struct {
	ID    int32
	Logit float32
}

// Infiller masks texts and fills them. It is safe for concurrent use.
type Infiller struct {
	config    Config
	tokenizer *wordpiece.Tokenizer
	splitter  *wordpiece.Splitter
	special   tokens.Special
	class     []uint8 // of each id; classes for none
	members   [classes][]int32
}

// New returns an infiller for the vocabulary of a tokenizer, which must have all
// special tokens and pieces that begin words.
func New(c Config, t *wordpiece.Tokenizer) (*Infiller, error) {
	v := t.Vocabulary()
	special, err := v.Special()
	if err := errors.Join(c.Validate(), err); err != nil {
		return nil, err
	}
	n := &Infiller{config: c, tokenizer: t, splitter: wordpiece.NewSplitter(t.Options()), special: special, class: make([]uint8, v.Size())}
	never := map[int32]bool{special.Padding: true, special.Unknown: true, special.Classify: true, special.Separate: true,
		special.Mask: true}
	for _, id := range masking.Placeholders(v.Pieces()) {
		never[id] = true
	}
	for id := range int32(v.Size()) {
		class := classes
		if !never[id] {
			class = n.classOf(id)
		}
		if n.class[id] = uint8(class); class < classes {
			n.members[class] = append(n.members[class], id)
		}
	}
	if len(n.members[begins])+len(n.members[ideograph]) < 2 {
		return nil, fmt.Errorf("the vocabulary of %d pieces has no words to choose among", v.Size())
	}
	return n, nil
}

// classOf returns the class of a piece that is not special.
func (n *Infiller) classOf(id int32) int {
	v := n.tokenizer.Vocabulary()
	piece := v.Piece(id)
	if v.Continues(id) {
		piece = piece[len(wordpiece.Joiner):]
	}
	letters := 0
	for _, r := range piece {
		switch {
		case unicode.IsLetter(r):
			letters++
		case !unicode.IsMark(r) && !unicode.IsNumber(r):
			return classes
		}
	}
	switch alone := utf8.RuneCountInString(piece) == 1 && n.words("a"+piece+"a") == 3; {
	case alone && letters == 1 && !v.Continues(id):
		return ideograph
	case alone:
		return classes
	case v.Continues(id):
		return continues
	case letters > 0 && n.words(piece) == 1:
		return begins
	}
	return classes
}

func (n *Infiller) words(text string) (count int) {
	for range n.splitter.Words(text) {
		count++
	}
	return count
}

// Members returns the ids of each class, ascending: those among which the model's
// predictions are looked for. They are not to be changed.
func (n *Infiller) Members() [][]int32 { return n.members[:] }

// Wanted is the number of candidates that Fill needs for each mask: beside those of
// Top, the original and the one by which a word would become the original.
func (n *Infiller) Wanted() int { return n.config.Top + 2 }

// Masked is a text with masks.
type Masked struct {
	// IDs is the sequence, from [CLS] to [SEP].
	IDs []int32
	// Masks are its masked positions, ascending.
	Masks []Mask
	// Words are the words of the text, Chosen those that are masked.
	Words, Chosen int

	text, id string
	original []int32 // the ids under the masks
	words    []word
}

// word is a chosen word: bytes of the text, and masks.
type word struct{ start, end, first, last int }

// Mask tokenises a text and masks its chosen words; or says why it cannot be used. The
// id is the identity of the text. Its cost is that of the tokenizer.
func (n *Infiller) Mask(text, id string) (m Masked, reason string) {
	m = Masked{text: text, id: id, IDs: append(make([]int32, 0, len(text)/3+8), n.special.Classify)}
	var candidates []word // with positions in IDs for masks
	last := wordpiece.Span{}
	inside := false // an apostrophe stood after a word and before this place
	for span := range n.splitter.Spans(text) {
		first := len(m.IDs)
		m.IDs = n.tokenizer.EncodeWord(m.IDs, span.Word)
		if len(m.IDs) >= n.config.MaxTokens {
			return m, ReasonTooLong
		}
		surface := text[span.Start:span.End]
		isWord := hasLetter(span.Word)
		if isWord {
			m.Words++
			clitic := inside && last.End == span.Start && utf8.RuneCount(span.Word) <= 2
			if !clitic && !isPart(text, span.Start, span.End) && n.replaceable(m.IDs[first:]) {
				candidates = append(candidates, word{span.Start, span.End, first, len(m.IDs)})
			}
		}
		inside = isApostrophe(surface) && last.End == span.Start && last.End > 0
		last = span
	}
	if len(m.IDs)-1 < n.config.MinTokens {
		return m, ReasonTooShort
	}
	if len(candidates) == 0 {
		return m, ReasonNoWords
	}
	m.IDs = append(m.IDs, n.special.Separate)
	s := random.New(Version, n.config.Seed, "infill words", id, 0)
	count := max(1, int(math.RoundToEven(n.config.Share*float64(m.Words))))
	for _, i := range s.Sample(nil, len(candidates), count) {
		w := candidates[i]
		firstMask := len(m.Masks)
		for p := w.first; p < w.last; p++ {
			m.Masks = append(m.Masks, Mask{p, int(n.class[m.IDs[p]])})
			m.original = append(m.original, m.IDs[p])
			m.IDs[p] = n.special.Mask
		}
		m.words = append(m.words, word{w.start, w.end, firstMask, len(m.Masks)})
	}
	m.Chosen = len(m.words)
	return m, ""
}

// replaceable says whether every piece has a class, and so is known.
func (n *Infiller) replaceable(ids []int32) bool {
	for _, id := range ids {
		if n.class[id] == classes {
			return false
		}
	}
	return true
}

func hasLetter(word []byte) bool {
	for len(word) > 0 {
		r, size := utf8.DecodeRune(word)
		if unicode.IsLetter(r) {
			return true
		}
		word = word[size:]
	}
	return false
}

// joining are characters by which words become parts of something else.
const joining = `/\@_#=~<>|&%$+*`

// isPart says whether the word at the bytes [start, end) is a part of an address, a
// path or an identifier.
func isPart(text string, start, end int) bool {
	if start > 0 && (strings.IndexByte(joining, text[start-1]) >= 0 || isStop(text[start-1])) {
		return true
	}
	if end == len(text) {
		return false
	}
	if strings.IndexByte(joining, text[end]) >= 0 {
		return true
	}
	next, _ := utf8.DecodeRuneInString(text[end+1:])
	return isStop(text[end]) && (unicode.IsLetter(next) || unicode.IsDigit(next))
}

func isStop(c byte) bool { return c == '.' || c == ':' }

func isApostrophe(text string) bool { return text == "'" || text == "’" }

// Fill returns the view: the text with its chosen words replaced. The candidates
// are Wanted for each mask, those of the first mask first, and the likeliest of
// their mask's class; they are put in order. A view equal to its source has
// ReasonCopy.
func (n *Infiller) Fill(m Masked, candidates []Candidate) (view, reason string, err error) {
	words, err := n.replacements(m, candidates)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	b.Grow(len(m.text) + 16)
	offset := 0
	for i, w := range m.words {
		if words[i] == "" {
			continue
		}
		b.WriteString(m.text[offset:w.start])
		b.WriteString(words[i])
		offset = w.end
	}
	b.WriteString(m.text[offset:])
	if view = b.String(); view == m.text {
		return view, ReasonCopy, nil
	}
	return view, "", nil
}

// replacements returns what stands for each chosen word, "" where nothing does.
func (n *Infiller) replacements(m Masked, candidates []Candidate) ([]string, error) {
	if perMask := n.Wanted(); len(candidates) != perMask*len(m.Masks) {
		return nil, fmt.Errorf("%d candidates for %d masks: there must be %d for each", len(candidates), len(m.Masks), perMask)
	}
	words := make([]string, len(m.words))
	for i, w := range m.words {
		spelled, err := n.spell(nil, m, w, candidates)
		if err != nil {
			return nil, err
		}
		words[i] = n.matchCase(string(spelled), m.text[w.start:w.end])
	}
	return words, nil
}
