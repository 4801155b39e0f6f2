package fasttext

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/transforms/random"
)

// LeastFeatures is the least number of features that a model is quantised to.
const LeastFeatures = centroids

// Constants of the program's product quantiser.
const (
	quantisedWidth = 2 // numbers of a vector that one code names
	mostPoints     = 256 * centroids
	meansRounds    = 25
	meansNudge     = 1e-7
)

// Quantise makes the model small, as `fasttext quantize -qnorm -cutoff -retrain` does (Joulin et al. 2016, "FastText.zip"): of the
// words and n-grams those stay whose vectors are longest, as many as features says, and the mark of the end of a line. Their vectors
// and those of the labels are trained once more on the texts, with the settings of the first training. Then the vectors are
// product-quantised, their lengths apart. The file has, for each feature, dim/2 + 1 bytes, and 8 bytes or the word. Features must be at
// least 256, and fewer than the model has; it is an error otherwise. What is said of the bytes of Train holds for these.
//
// Where the program draws the cluster that gives a member to an empty one, the largest gives it.
func (t *Trained) Quantise(ctx context.Context, texts []LabelledText, features int, observe func(done, loss float64)) error {
	if have := t.model.input.rows(); features < LeastFeatures || int64(features) >= have {
		return fmt.Errorf("%d features of %d: quantising keeps at least %d, and fewer than there are", features, have, LeastFeatures)
	}
	t.prune(features)
	if err := t.learn(ctx, texts, observe); err != nil {
		return err
	}
	quantised, err := quantise(ctx, t.model.input.(*dense), t.config.Seed)
	if err != nil {
		return err
	}
	t.model.input = quantised
	return nil
}

// Keep leaves out all labels but these, so that the answers are the most probable ones of them. What was learned of the others, such as
// which words are theirs, stays in the vectors. It is an error if the model lacks one.
func (t *Trained) Keep(labels []string) error {
	d, output := t.model.words, t.model.output.(*dense)
	for _, label := range labels {
		if !slices.Contains(d.labels, label) {
			return fmt.Errorf("label %q is not among those that were learned", label)
		}
	}
	kept, small := *d, &dense{n: output.n}
	kept.labels, kept.labelCounts = nil, nil
	for i, label := range d.labels {
		if slices.Contains(labels, label) {
			kept.labels, kept.labelCounts = append(kept.labels, label), append(kept.labelCounts, d.labelCounts[i])
			small.data = append(small.data, output.row(int32(i))...)
		}
	}
	small.m = int64(len(kept.labels))
	t.model.words, t.model.output = &kept, small
	return nil
}

// prune keeps the words and n-grams with the longest vectors. N-grams are ordered by bucket.
func (t *Trained) prune(features int) {
	d, input := t.model.words, t.model.input.(*dense)
	rows, norms := make([]int32, input.m), make([]float32, input.m)
	for i := range rows {
		rows[i], norms[i] = int32(i), length(input.row(int32(i)))
	}
	if end := d.find(endOfLine, hash(endOfLine)); end >= 0 {
		norms[end] = math.MaxFloat32
	}
	slices.SortFunc(rows, func(a, b int32) int { return cmp.Or(cmp.Compare(norms[b], norms[a]), cmp.Compare(a, b)) })
	rows = rows[:features]
	slices.Sort(rows)
	small := &dense{m: int64(features), n: input.n}
	var text strings.Builder
	var counts []int64
	var buckets, places []int32
	starts := []uint32{0}
	for _, row := range rows {
		small.data = append(small.data, input.row(row)...)
		if row < d.nwords {
			text.WriteString(d.word(row))
			starts = append(starts, uint32(text.Len()))
			counts = append(counts, t.counts[row])
			continue
		}
		places = append(places, int32(len(buckets)))
		buckets = append(buckets, row-d.nwords)
	}
	t.counts = counts
	t.model.words = &dictionary{nwords: int32(len(counts)), text: text.String(), starts: starts, labels: d.labels,
		labelCounts: d.labelCounts, pruned: newPruned(buckets, places, t.model.args.bucket), maxn: d.maxn, bucket: d.bucket}
	t.model.words.index()
	t.model.words.expandSubwords(&t.model.args)
	t.model.input = small
}

func length(vector []float32) float32 {
	sum := float32(0)
	for _, v := range vector {
		sum += float32(v * v)
	}
	return float32(math.Sqrt(float64(sum)))
}

// quantise returns the product-quantised form of a matrix of at least 256 rows, with the lengths of its rows apart. The rows of the
// matrix then have length 1.
func quantise(ctx context.Context, matrix *dense, seed uint64) (*quantised, error) {
	lengths := make([]float32, matrix.m)
	for i := range lengths {
		row := matrix.row(int32(i))
		lengths[i] = length(row)
		for j := range row {
			if lengths[i] != 0 {
				row[j] /= lengths[i]
			}
		}
	}
	q := &quantised{m: matrix.m, n: matrix.n}
	var err error
	if q.norms, q.normParts, err = encode(ctx, lengths, 1, seed); err != nil {
		return nil, err
	}
	q.codes, q.parts, err = encode(ctx, matrix.data, int32(matrix.n), seed)
	return q, err
}

// encode clusters each part of the rows, of width numbers or the rest, and returns the codes of the parts, row by row.
func encode(ctx context.Context, data []float32, columns int32, seed uint64) ([]byte, quantiser, error) {
	width := min(quantisedWidth, columns)
	q := quantiser{dim: columns, subvectors: (columns + width - 1) / width, width: width, centroids: make([]float32, columns*centroids)}
	q.lastWidth = columns - (q.subvectors-1)*width
	rows := len(data) / int(columns)
	codes := make([]byte, rows*int(q.subvectors))
	for part := range int(q.subvectors) {
		first, w := part*int(width), int(width)
		if part == int(q.subvectors)-1 {
			w = int(q.lastWidth)
		}
		points := make([]float32, 0, rows*w)
		for row := range rows {
			start := row*int(columns) + first
			points = append(points, data[start:start+w]...)
		}
		means := q.centroids[first*centroids:][:w*centroids]
		draw := random.New(trainingVersion, seed, "fasttext quantiser", "", int64(columns)<<32|int64(part))
		if err := cluster(ctx, points, means, w, &draw); err != nil {
			return nil, q, err
		}
		for row := range rows {
			codes[row*int(q.subvectors)+part] = nearest(points[row*w:][:w], means)
		}
	}
	return codes, q, nil
}

// cluster sets means to those that 25 rounds of k-means find among points, of w numbers each, of which at most 65,536 are looked at.
func cluster(ctx context.Context, points, means []float32, w int, draw *random.Stream) error {
	order := make([]int32, len(points)/w)
	for i := range order {
		order[i] = int32(i)
	}
	random.Shuffle(draw, order)
	order = order[:min(len(order), mostPoints)]
	point := func(i int32) []float32 { return points[int(i)*w:][:w] }
	for k := range centroids {
		copy(means[k*w:], point(order[k]))
	}
	sums, members := make([]float64, len(means)), make([]int, centroids)
	for range meansRounds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		clear(sums)
		clear(members)
		for _, i := range order {
			k := int(nearest(point(i), means))
			members[k]++
			for j, v := range point(i) {
				sums[k*w+j] += float64(v)
			}
		}
		for i := range means {
			if n := members[i/w]; n > 0 {
				means[i] = float32(sums[i] / float64(n))
			}
		}
		for k := range members {
			if members[k] == 0 {
				split(means, members, k, w)
			}
		}
	}
	return nil
}

// split gives the empty cluster k half of the largest one, and moves the two means apart by a nudge.
func split(means []float32, members []int, k, w int) {
	largest := 0
	for i, n := range members {
		if n > members[largest] {
			largest = i
		}
	}
	for j := range w {
		nudge := float32(meansNudge)
		if j%2 == 0 {
			nudge = -nudge
		}
		means[k*w+j] = means[largest*w+j] + nudge
		means[largest*w+j] -= nudge
	}
	members[k] = members[largest] / 2
	members[largest] -= members[k]
}

// nearest returns the number of the mean that is nearest to a point, of several the first.
func nearest(point, means []float32) byte {
	best, least := 0, float32(math.MaxFloat32)
	for k := range centroids {
		distance := float32(0)
		for j, v := range point {
			difference := v - means[k*len(point)+j]
			distance += float32(difference * difference)
		}
		if distance < least {
			best, least = k, distance
		}
	}
	return byte(best)
}
