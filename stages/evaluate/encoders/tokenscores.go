package encoders

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/bertscore"
)

// Settings of a figure by BERTScore.
const (
	settingIDF      = "idf"
	settingBaseline = "baseline"
)

// TokenOpener opens the folder of an encoder for the vectors of tokens.
type TokenOpener func(ctx context.Context, location string) (encoder.TokenEncoder, error)

// ErrTokens matches the error for a task that compares texts in another way than pair by pair.
var ErrTokens = errors.New("compared token by token, which is for tasks that compare pairs alone")

// similarities are those that are chosen.
func (m Models) similarities() []string {
	if len(m.Similarity) == 0 {
		return []string{metrics.SimilarityCosine}
	}
	return m.Similarity
}

// ByTokens says whether a similarity by tokens is chosen, and alone whether no other one is.
func (m Models) ByTokens() (chosen, alone bool) {
	list := m.similarities()
	return !slices.Equal(list, []string{metrics.SimilarityCosine}), !slices.Contains(list, metrics.SimilarityCosine)
}

// HasTokens says whether a model can be measured by its tokens: a folder of an encoder of whose vectors
// nothing is drawn out or taken off.
func (m Models) HasTokens(s Spec) bool {
	_, fixed := m.Components[s.Name]
	_, fitted := m.FitComponents[s.Name]
	_, distilled := m.Distilled[s.Name]
	return encoder.IsLocation(s.Location) && !fixed && !fitted && !distilled
}

// similarityFaults adds what is wrong with the flags of similarities.
func (m Models) similarityFaults(errs *fault.List) {
	for i, name := range m.Similarity {
		errs.Check(slices.Contains(metrics.Similarities, name), "similarity: %q is not one of %s", name,
			strings.Join(metrics.Similarities, ", "))
		errs.Check(!slices.Contains(m.Similarity[:i], name), "similarity: %s occurs twice", name)
	}
	chosen, alone := m.ByTokens()
	errs.Check(chosen || !m.BERTScoreIDF && m.BERTScoreBaseline == "",
		"bertscore-idf and bertscore-baseline have no effect without --similarity bertscore-f1, bertscore-precision or bertscore-recall")
	if !alone {
		return
	}
	errs.Check(m.Pooling == "" && m.Prompt == "" && !m.NoPrompt,
		"pooling, prompt and no-prompt have no effect on similarities of tokens: these are not pooled, and no prompt comes before them")
	errs.Check(len(m.Vectors) == 0 || slices.Equal(m.Vectors, []string{metrics.VectorsRaw}),
		"vectors has no effect on similarities of tokens: what it does is done to vectors of texts")
	for _, s := range m.Specs() {
		errs.Check(m.HasTokens(s),
			"similarity: %s has no vectors of tokens: give the folder of an encoder without components and distilled, or choose cosine, too",
			s.Name)
	}
}

// TokenScores is a model that is compared by its tokens. It has no vectors of texts.
type TokenScores struct {
	encoder.TokenEncoder
	name, similarity string
	idf              bool
	baseline         bertscore.Score // subtracted; 1 less it is what is left of the scale
}

// Name implements encoder.Encoder.
func (t *TokenScores) Name() string { return t.name }

// Encode implements encoder.Encoder: there are no vectors of texts.
func (t *TokenScores) Encode(context.Context, []encoder.Text) (encoder.Vectors, error) {
	return nil, fmt.Errorf("%s is %w", t.name, ErrTokens)
}

// Close closes the encoder.
func (t *TokenScores) Close() error {
	if c, ok := t.TokenEncoder.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// TokensOf is the model that a protocol of pairs gets, if it is compared by its tokens.
func TokensOf(e encoder.Encoder) (*TokenScores, bool) {
	if o, ok := e.(*Opened); ok {
		e = o.Encoder
	}
	t, ok := e.(*TokenScores)
	return t, ok
}

// SimilarityOf names how a model compares the texts of pairs.
func SimilarityOf(e encoder.Encoder) string {
	if t, ok := TokensOf(e); ok {
		return t.similarity
	}
	return metrics.SimilarityCosine
}

// tokenBytes bounds the bytes of the texts whose tokens are held at once, and so their number: each token but the
// marks has at least one byte.
const tokenBytes = 1 << 15

// Compare returns the scores of pairs of lists of one length, item by item: of each pair the first text is the
// reference and the second one the candidate. Memory is that of the vectors of tokens of some texts, and of the
// scores.
func (t *TokenScores) Compare(ctx context.Context, lists [][]encoder.Text, pairs [][2]int) ([][]float64, error) {
	frequencies := make([]*bertscore.IDF, len(pairs))
	byList := map[int]*bertscore.IDF{}
	for i, p := range pairs {
		if t.idf && byList[p[0]] == nil {
			frequencies, err := t.frequencies(ctx, lists[p[0]])
			if err != nil {
				return nil, err
			}
			byList[p[0]] = frequencies
		}
		frequencies[i] = byList[p[0]]
	}
	c := comparison{t, lists, pairs, frequencies, make([][]float64, len(pairs))}
	for i := range c.scores {
		c.scores[i] = make([]float64, len(lists[0]))
	}
	for from := 0; from < len(lists[0]); {
		to := t.until(lists, from)
		if err := c.chunk(ctx, from, to); err != nil {
			return nil, err
		}
		from = to
	}
	return c.scores, nil
}

// until is the end of the items from one on whose texts are held at once: one item at least.
func (t *TokenScores) until(lists [][]encoder.Text, from int) int {
	bytes := 0
	for i := from; i < len(lists[0]); i++ {
		for _, list := range lists {
			bytes += len(list[i].Text) + 2
		}
		if bytes > tokenBytes && i > from {
			return i
		}
	}
	return len(lists[0])
}

// comparison scores pairs of lists: frequencies and scores are by pair.
type comparison struct {
	*TokenScores
	lists       [][]encoder.Text
	pairs       [][2]int
	frequencies []*bertscore.IDF
	scores      [][]float64
}

// chunk scores the items from one on up to another, without that.
func (c *comparison) chunk(ctx context.Context, from, to int) error {
	var texts []encoder.Text
	places := map[string]int{}
	place := make([][]int, len(c.lists)) // of each text of a list among the different ones
	for k, list := range c.lists {
		for _, x := range list[from:to] {
			index, ok := places[x.Text]
			if !ok {
				index = len(texts)
				places[x.Text], texts = index, append(texts, x)
			}
			place[k] = append(place[k], index)
		}
	}
	tokens, err := c.Tokens(ctx, texts)
	if err != nil {
		return err
	}
	if len(tokens) != len(texts) {
		return fmt.Errorf("%s gave the tokens of %d texts, %d were asked for", c.name, len(tokens), len(texts))
	}
	var next atomic.Int64
	var group errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			var scorer bertscore.Scorer
			for {
				i := int(next.Add(1)) - 1
				if i >= to-from {
					return nil
				}
				for k, p := range c.pairs {
					scorer.IDF = c.frequencies[k]
					score, err := scorer.Score(tokens[place[p[1]][i]], tokens[place[p[0]][i]])
					if err != nil {
						return fmt.Errorf("%s: item %d, %.64q: %w", c.name, from+i+1, c.lists[p[0]][from+i].Text, err)
					}
					c.scores[k][from+i] = c.value(score)
				}
			}
		})
	}
	return group.Wait()
}

// frequencies are the inverse document frequencies of the tokens of texts.
func (t *TokenScores) frequencies(ctx context.Context, texts []encoder.Text) (*bertscore.IDF, error) {
	f := bertscore.NewIDF()
	for part := range slices.Chunk(texts, 1024) {
		ids, err := t.TokenIDs(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, text := range ids {
			f.Add(text)
		}
	}
	return f, nil
}

// value is the number of a score that is wanted.
func (t *TokenScores) value(s bertscore.Score) float64 {
	x, base := s.F1, t.baseline.F1
	switch t.similarity {
	case metrics.SimilarityPrecision:
		x, base = s.Precision, t.baseline.Precision
	case metrics.SimilarityRecall:
		x, base = s.Recall, t.baseline.Recall
	}
	return (x - base) / (1 - base)
}

// maxBaseline bounds a file of baselines, which has a line for each layer.
const maxBaseline = 1 << 20

// openTokens opens a model that is compared by its tokens. It must be closed.
func (m Models) openTokens(ctx context.Context, s Spec, folders TokenOpener) (*Opened, error) {
	f, err := openFolder(ctx, s.Location)
	if err != nil {
		return nil, err
	}
	layer := m.Layer
	if layer < 0 && f != nil {
		layer = f.Config.Layers
	}
	t := &TokenScores{name: s.Label(), similarity: s.Similarity, idf: m.BERTScoreIDF}
	settings := map[string]string{}
	if f != nil {
		settings = poolingSettings("none", layer, f.Config.Layers)
	}
	if t.idf {
		settings[settingIDF] = "of the first texts"
	}
	if m.BERTScoreBaseline != "" {
		settings[settingBaseline] = filepath.Base(m.BERTScoreBaseline)
		if t.baseline, err = readBaseline(ctx, m.BERTScoreBaseline, strconv.Itoa(layer)); err != nil {
			return nil, err
		}
	}
	if folders == nil {
		return nil, fmt.Errorf("%w %q: BERTScore takes the folder of an encoder", encoder.ErrUnknown, s.Location)
	}
	if t.TokenEncoder, err = folders(ctx, s.Location); err != nil {
		return nil, err
	}
	return &Opened{Encoder: t, Base: t, Settings: settings, zeros: map[encoder.Text]bool{}}, nil
}

// readBaseline reads the line of a layer of a file as bert-score has them: LAYER,P,R,F.
func readBaseline(ctx context.Context, location, layer string) (s bertscore.Score, err error) {
	dir, name, err := storage.Split(location)
	if err != nil {
		return s, err
	}
	folder, err := storage.Locate(dir)
	if err != nil {
		return s, err
	}
	data, err := storage.ReadFile(ctx, folder, name, maxBaseline)
	if err != nil {
		return s, fmt.Errorf("bertscore-baseline: %w", err)
	}
	records, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil || len(records) == 0 || !slices.Equal(records[0], []string{"LAYER", "P", "R", "F"}) {
		return s, errors.Join(fmt.Errorf("bertscore-baseline %s: the first line is not LAYER,P,R,F, as in the files of bert-score",
			location), err)
	}
	for i, r := range records[1:] {
		if r[0] != layer {
			continue
		}
		for k, field := range []*float64{&s.Precision, &s.Recall, &s.F1} {
			if *field, err = strconv.ParseFloat(r[k+1], 64); err != nil || math.IsNaN(*field) || *field <= -1 || *field >= 1 {
				return s, fmt.Errorf("bertscore-baseline %s: line %d has the baseline %q: want a number between -1 and 1", location, i+2,
					r[k+1])
			}
		}
		return s, nil
	}
	return s, fmt.Errorf("bertscore-baseline %s: it has no line of layer %s", location, layer)
}
