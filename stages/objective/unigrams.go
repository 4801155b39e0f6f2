package objective

import (
	"context"
	"fmt"
)

// UnigramBias is the setting of objectives that predict tokens of the vocabulary. Each
// names itself and its flag where it embeds the struct.
type UnigramBias struct {
	// LogUnigramBias sets the bias of the vocabulary at the start to the logarithm of
	// the frequencies of the tokens in the examples. Default false.
	LogUnigramBias bool `json:"log_unigram_bias" yaml:"unigram_bias" name:"unigram-bias" help:"${objective}: begin with the logarithm of the words' frequencies as the vocabulary's bias." group:"Objectives"`

	// Unigrams counts the ids in the examples, if the bias begins with them.
	Unigrams []int64 `json:"-" yaml:"-" kong:"-"`
}

// BeginsWithUnigrams says whether the bias does.
func (u *UnigramBias) BeginsWithUnigrams() bool { return u.LogUnigramBias }

// prepare counts the ids for an objective whose bias begins with them.
func (u *UnigramBias) prepare(ctx context.Context, g Facts, objective string) (err error) {
	if !u.LogUnigramBias {
		return nil
	}
	if g.Unigrams == nil {
		return fmt.Errorf("%s: unigram_bias is for new encoders: one to begin with has its bias", objective)
	}
	u.Unigrams, err = g.Unigrams(ctx)
	return err
}
