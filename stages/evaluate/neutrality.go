package evaluate

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

var neutrality = task{
	name: "neutrality", measures: "how much vectors of parallel texts tell their language: languages of the nearest, search among all languages, hubs, and a classifier of languages",
	from: []source{fromTexts, fromBenchmarks, fromData}, languages: true, split: true, read: readNeutrality,
}

var (
	// nearestCounts are the sizes of neighbourhoods; the paper does not give its own.
	nearestCounts = []int{1, 10, 100}
	// hubCount is that of hubs, after Radovanović et al. 2010.
	hubCount = 10
)

// parallelSet is texts in several languages, in the same order: text i means the same in all.
type parallelSet struct {
	name      string
	languages []string
	sides     [][]encoder.Text
}

// neutralitySets is the protocol of neutrality on each set by itself.
type neutralitySets []parallelSet

func readNeutrality(reader *input) (protocol, error) {
	sets, err := parallelSets(reader)
	if err != nil {
		return nil, err
	}
	for _, s := range sets {
		fmt.Fprintf(&reader.hash, "%q %q %q\n", s.name, s.languages, s.sides)
	}
	return neutralitySets(sets), nil
}

// parallelSets reads texts that are there in several languages: paragraphs of one's own, the
// items that a dataset of benchmarks has in all its languages, or the first texts of
// stsb_multi_mt. A text that stands twice in a language counts once.
func parallelSets(reader *input) (sets []parallelSet, err error) {
	switch {
	case reader.Texts != "":
		p, _, err := readParagraphs(reader.ctx, reader.Texts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", reader.task, err)
		}
		languages, texts, err := p.common(reader.Languages)
		if err != nil {
			return nil, fmt.Errorf("%s: texts %s: %w", reader.task, reader.Texts, err)
		}
		s := parallelSet{name: "texts", languages: languages}
		for i, l := range languages {
			s.sides = append(s.sides, encoder.Texts(l, texts[i]...))
		}
		sets = append(sets, s)
	case reader.sets != nil:
		if sets, err = parallelBenchmarks(reader); err != nil {
			return nil, fmt.Errorf("read %s: %w", reader.task, err)
		}
	default:
		languages, sides, err := parallelSTSB(reader)
		if err != nil {
			return nil, err
		}
		sets = append(sets, parallelSet{name: "stsb_multi_mt", languages: languages, sides: sides})
	}
	for i := range sets {
		sets[i].distinct()
	}
	sets = slices.DeleteFunc(sets, func(s parallelSet) bool { return len(s.languages) < 2 || len(s.sides[0]) < 2 })
	if len(sets) == 0 {
		return nil, absent("%s: there are no two texts that two languages have in common", reader.task)
	}
	return sets, nil
}

// parallelBenchmarks reads the first texts of the items that are there in all languages of a
// task, task by task.
func parallelBenchmarks(reader *input) (sets []parallelSet, err error) {
	byTask := map[string]map[string]map[string]encoder.Text{} // task, item, language
	for _, set := range reader.sets.All() {
		if !reader.wants(set.Language) {
			continue
		}
		index := slices.IndexFunc(sets, func(s parallelSet) bool { return s.name == set.Task })
		if index < 0 {
			index, sets = len(sets), append(sets, parallelSet{name: set.Task})
			byTask[set.Task] = map[string]map[string]encoder.Text{}
		}
		sets[index].languages = append(sets[index].languages, set.Language)
		for r, err := range reader.sets.Each(reader.ctx, set) {
			if err != nil {
				return nil, err
			}
			if r.TextA == "" || r.Split != reader.Split && (r.Split == "train" || r.Split == "dev" || r.Split == "test") {
				continue
			}
			item := byTask[set.Task][r.ID]
			if item == nil {
				item = map[string]encoder.Text{}
				byTask[set.Task][r.ID] = item
			}
			item[set.Language] = encoder.Text{Text: r.TextA, Language: r.LanguageA}
		}
	}
	for i := range sets {
		s := &sets[i]
		var ids []string
		for id, item := range byTask[s.name] {
			if len(item) == len(s.languages) {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		s.sides = make([][]encoder.Text, len(s.languages))
		for k, l := range s.languages {
			for _, id := range ids {
				s.sides[k] = append(s.sides[k], byTask[s.name][id][l])
			}
		}
	}
	return sets, nil
}

// distinct leaves out what would be two translations of one text: a row of which a text stands
// in an earlier row of its language.
func (s *parallelSet) distinct() {
	sides := make([][]encoder.Text, len(s.sides))
	listed := map[encoder.Text]bool{}
	for i := range s.sides[0] {
		repeated := false
		for _, side := range s.sides {
			repeated = repeated || listed[side[i]]
		}
		if repeated {
			continue
		}
		for k, side := range s.sides {
			listed[side[i]] = true
			sides[k] = append(sides[k], side[i])
		}
	}
	s.sides = sides
}

func (list neutralitySets) texts() iter.Seq[encoder.Text] {
	var lists [][]encoder.Text
	for _, s := range list {
		lists = append(lists, s.sides...)
	}
	return allTexts(lists...)
}

func (list neutralitySets) measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep keeper) (results []schemas.Result, err error) {
	for _, s := range list {
		rows, err := s.measure(ctx, e, base, keep.under(s.name+"/"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, r := range rows {
			r.Subtask = s.name + "/" + r.Subtask
			results = append(results, r)
		}
	}
	return results, nil
}

func (s *parallelSet) measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep keeper) (results []schemas.Result, err error) {
	pool, _, err := encodeSides(ctx, e, s.sides...)
	if err != nil {
		return nil, err
	}
	n := len(s.sides[0])
	self, translations := make([]int, pool.Len()), make([][]int, pool.Len())
	for i := range self {
		self[i] = i
		for l := range s.sides {
			if l != i/n {
				translations[i] = append(translations[i], l*n+i%n)
			}
		}
	}
	o := neighbors.Options{Exclude: self}
	depth := min(nearestCounts[len(nearestCounts)-1], pool.Len()-1)
	nearest, err := pool.TopK(ctx, pool, depth, o)
	if err != nil {
		return nil, err
	}
	ranks, err := pool.Ranks(ctx, pool, translations, o)
	if err != nil {
		return nil, err
	}
	base.N = int64(pool.Len())
	settings := map[string]any{"similarity": "cosine", "pool": pool.Len(), "languages": len(s.languages), "chance": float64(n-1) / float64(pool.Len()-1)}
	add := func(subtask, language, metric string, value float64, settings map[string]any) {
		r := base
		r.Subtask, r.Language, r.Metric, r.Value, r.Settings = subtask, language, metric, value, encode(settings)
		if language != "" {
			r.N = int64(n)
		}
		results = append(results, r)
	}
	for _, k := range nearestCounts {
		if k > depth {
			break
		}
		s.distribution(nearest, depth, k, func(subtask, language, metric string, value float64) {
			add(subtask, language, metric, value, withSetting(settings, "k", k))
		})
	}
	average, precisions := make([]float64, len(s.languages)), make([]float64, len(ranks))
	for i, list := range ranks {
		precisions[i] = averagePrecision(list)
		average[i/n] += precisions[i] / float64(n)
	}
	for l, code := range s.languages {
		keep(part{subtask: code, language: code, a: s.sides[l], score: precisions[l*n : (l+1)*n]})
		add(code, code, metricMAP, average[l], settings)
	}
	add(SubtaskMean, "", metricMAP, mean(average), settings)
	if hubCount <= depth {
		skewness, orphans := hubs(nearest, depth, hubCount)
		add(SubtaskMean, "", metricSkewness, skewness, withSetting(settings, "k", hubCount))
		add(SubtaskMean, "", metricOrphans, orphans, withSetting(settings, "k", hubCount))
	}
	if dense, ok := pool.(encoder.Dense); ok {
		row, err := classifyLanguages(ctx, dense, s.languages, s.sides)
		if err != nil {
			return nil, err
		}
		row.items.subtask = SubtaskMean
		keep(row.items)
		add(SubtaskMean, "", metricLanguage, row.accuracy, row.settings)
		results[len(results)-1].N = int64(row.tested)
	}
	return results, nil
}

// distribution gives for each language of queries the shares of the languages among their k
// nearest, their entropy, and means over languages.
func (s *parallelSet) distribution(nearest []neighbors.Neighbor, depth, k int, add func(subtask, language, metric string, value float64)) {
	n, languages := len(s.sides[0]), len(s.languages)
	shares := make([][]float64, languages)
	for l := range shares {
		shares[l] = make([]float64, languages)
	}
	for i := range n * languages {
		for _, x := range nearest[i*depth : i*depth+k] {
			shares[i/n][x.Index/n] += 1 / float64(n*k)
		}
	}
	sameShare, entropies := 0.0, 0.0
	for q, source := range s.languages {
		entropy := 0.0
		for l, target := range s.languages {
			p := shares[q][l]
			add(fmt.Sprintf("%d/%s-%s", k, source, target), source, metricShare, p)
			if p > 0 {
				entropy -= p * math.Log(p) / math.Log(float64(languages))
			}
		}
		// Sums of shares are off by rounding.
		entropy, shares[q][q] = min(1, max(0, entropy)), min(1, shares[q][q])
		add(fmt.Sprintf("%d/%s", k, source), source, metricEntropy, entropy)
		add(fmt.Sprintf("%d/%s", k, source), source, MetricSameLanguage, shares[q][q])
		sameShare, entropies = sameShare+shares[q][q]/float64(languages), entropies+entropy/float64(languages)
	}
	add(fmt.Sprintf("%d/%s", k, SubtaskMean), "", metricEntropy, entropies)
	add(fmt.Sprintf("%d/%s", k, SubtaskMean), "", MetricSameLanguage, sameShare)
}

// averagePrecision is the mean, over what is to be found, of the share of right ones down to
// its place.
func averagePrecision(ranks []int) float64 {
	sorted := slices.Sorted(slices.Values(ranks))
	sum := 0.0
	for i, rank := range sorted {
		sum += float64(i+1) / float64(rank)
	}
	return sum / float64(len(sorted))
}

// hubs returns the skewness of how often each text is among the k nearest of others, and the
// share of texts that never are.
func hubs(nearest []neighbors.Neighbor, depth, k int) (skewness, orphans float64) {
	n := len(nearest) / depth
	counts := make([]float64, n)
	for i := range n {
		for _, x := range nearest[i*depth : i*depth+k] {
			counts[x.Index]++
		}
	}
	second, third, orphaned := 0.0, 0.0, 0
	for _, c := range counts {
		d := c - float64(k) // which is the mean
		second, third = second+d*d/float64(n), third+d*d*d/float64(n)
		if c == 0 {
			orphaned++
		}
	}
	if second > 0 {
		skewness = third / math.Pow(second, 1.5)
	}
	return skewness, float64(orphaned) / float64(n)
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}
