package model

import (
	"slices"
	"strings"
)

// Pooling is how the vectors of a sentence's tokens become one: a name, or several with "+" between them, whose vectors stand
// behind each other.
type Pooling string

// Poolings. All go over the real tokens, [CLS] and [SEP] among them.
const (
	Mean Pooling = "mean"
	Max  Pooling = "max"
	CLS  Pooling = "cls"
	// MeanSqrt is the sum over the root of the number of tokens, WeightedMean weighs tokens by their places from 1 on, and
	// LastToken takes the last one. Encoders of these poolings, and of several, are read and not trained.
	MeanSqrt     Pooling = "mean_sqrt_len_tokens"
	WeightedMean Pooling = "weightedmean"
	LastToken    Pooling = "lasttoken"
	// Lens sends the vectors of tokens through a learned layer and ReLU, and takes the
	// greatest values (Kiros 2020).
	Lens Pooling = "lens"
)

// readPoolings are those that folders may have, in the order in which older ones have several.
var readPoolings = []Pooling{CLS, Max, Mean, MeanSqrt, WeightedMean, LastToken}

// Parts are the single poolings.
func (p Pooling) Parts() (list []Pooling) {
	for name := range strings.SplitSeq(string(p), "+") {
		list = append(list, Pooling(name))
	}
	return list
}

// Known says whether all parts are poolings of tokens.
func (p Pooling) Known() bool {
	return !slices.ContainsFunc(p.Parts(), func(part Pooling) bool { return !slices.Contains(readPoolings, part) })
}

// Trained says whether objectives take the pooling.
func (p Pooling) Trained() bool { return p == Mean || p == Max || p == CLS }

type poolingJSON struct {
	// Mode is that of sentence-transformers 6, a name or a list of names; older ones
	// have the switches below.
	Mode      any  `json:"pooling_mode,omitempty"`
	Dimension int  `json:"word_embedding_dimension"`
	CLS       bool `json:"pooling_mode_cls_token"`
	Mean      bool `json:"pooling_mode_mean_tokens"`
	Max       bool `json:"pooling_mode_max_tokens"`
	MeanSqrt  bool `json:"pooling_mode_mean_sqrt_len_tokens"`
	Weighted  bool `json:"pooling_mode_weightedmean_tokens"`
	Last      bool `json:"pooling_mode_lasttoken"`
	// Prompt is false where the tokens of a prompt are left out.
	Prompt *bool `json:"include_prompt,omitempty"`
}

// pooling returns the pooling, "" for one that is not supported.
func (p poolingJSON) pooling() Pooling {
	var names []string
	switch mode := p.Mode.(type) {
	case nil:
		for i, on := range []bool{p.CLS, p.Max, p.Mean, p.MeanSqrt, p.Weighted, p.Last} {
			if on {
				names = append(names, string(readPoolings[i]))
			}
		}
	case string:
		names = []string{mode}
	case []any:
		for _, name := range mode {
			name, _ := name.(string)
			names = append(names, name)
		}
	}
	if pooling := Pooling(strings.Join(names, "+")); pooling.Known() && len(names) == len(pooling.Parts()) {
		return pooling
	}
	return ""
}
