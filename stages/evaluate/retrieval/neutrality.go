package retrieval

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/evaluate/similarity"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/neighbors"
)

// Neutrality is the task neutrality.
var Neutrality = protocol.Task{
	Name: "neutrality", Measures: "how much vectors of parallel texts tell their language: languages of the nearest, search among all languages, hubs, and a classifier of languages",
	From: []protocol.Source{protocol.FromTexts, protocol.FromBenchmarks, protocol.FromData}, Languages: true, Split: true,
	Read: readNeutrality,
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

func readNeutrality(reader *protocol.Input) (protocol.Protocol, error) {
	sets, err := parallelSets(reader)
	if err != nil {
		return nil, err
	}
	for _, s := range sets {
		fmt.Fprintf(&reader.Hash, "%q %q %q\n", s.name, s.languages, s.sides)
	}
	return neutralitySets(sets), nil
}

// parallelSets reads texts that are there in several languages: paragraphs of one's own, the
// items that a dataset of benchmarks has in all its languages, or the first texts of
// stsb_multi_mt. A text that occurs twice in a language counts once.
func parallelSets(reader *protocol.Input) (sets []parallelSet, err error) {
	switch {
	case reader.Texts != "":
		p, _, err := readParagraphs(reader.Context, reader.Texts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", reader.Task, err)
		}
		languages, texts, err := p.common(reader.Languages)
		if err != nil {
			return nil, fmt.Errorf("%s: texts %s: %w", reader.Task, reader.Texts, err)
		}
		s := parallelSet{name: "texts", languages: languages}
		for i, l := range languages {
			s.sides = append(s.sides, encoder.Texts(l, texts[i]...))
		}
		sets = append(sets, s)
	case reader.Sets != nil:
		if sets, err = parallelBenchmarks(reader); err != nil {
			return nil, fmt.Errorf("read %s: %w", reader.Task, err)
		}
	default:
		languages, sides, err := similarity.ParallelSTSB(reader)
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
		return nil, protocol.Absent("%s: there are no two texts that two languages have in common", reader.Task)
	}
	return sets, nil
}

// parallelBenchmarks reads the first texts of the items that are there in all languages of a
// task, task by task.
func parallelBenchmarks(reader *protocol.Input) (sets []parallelSet, err error) {
	byTask := map[string]map[string]map[string]encoder.Text{} // task, item, language
	for _, set := range reader.Sets.All() {
		if !reader.Wants(set.Language) {
			continue
		}
		index := slices.IndexFunc(sets, func(s parallelSet) bool { return s.name == set.Task })
		if index < 0 {
			index, sets = len(sets), append(sets, parallelSet{name: set.Task})
			byTask[set.Task] = map[string]map[string]encoder.Text{}
		}
		sets[index].languages = append(sets[index].languages, set.Language)
		for r, err := range reader.Sets.Each(reader.Context, set) {
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

// Texts implements protocol.Protocol.
func (list neutralitySets) Texts() iter.Seq[encoder.Text] {
	var lists [][]encoder.Text
	for _, s := range list {
		lists = append(lists, s.sides...)
	}
	return protocol.AllTexts(lists...)
}

// Measure implements protocol.Protocol.
func (list neutralitySets) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (
	results []schemas.Result, err error) {
	for _, s := range list {
		rows, err := s.measure(ctx, e, base, keep.Under(s.name+"/"))
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

func (s *parallelSet) measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (results []schemas.Result,
	err error) {
	pool, _, err := protocol.EncodeSides(ctx, e, s.sides...)
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
	settings := map[string]any{"similarity": "cosine", "pool": pool.Len(), "languages": len(s.languages),
		"chance": float64(n-1) / float64(pool.Len()-1)}
	add := func(subtask, language, metric string, value float64, settings map[string]any) {
		r := base
		r.Subtask, r.Language, r.Metric, r.Value, r.Settings = subtask, language, metric, value, protocol.EncodeSettings(settings)
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
			add(subtask, language, metric, value, protocol.WithSetting(settings, "k", k))
		})
	}
	average, precisions := make([]float64, len(s.languages)), make([]float64, len(ranks))
	for i, list := range ranks {
		precisions[i] = averagePrecision(list)
		average[i/n] += precisions[i] / float64(n)
	}
	for l, code := range s.languages {
		keep(protocol.Part{Subtask: code, Language: code, A: s.sides[l], Score: precisions[l*n : (l+1)*n]})
		add(code, code, metrics.MAP, average[l], settings)
	}
	add(metrics.SubtaskMean, "", metrics.MAP, mean(average), settings)
	if hubCount <= depth {
		skewness, orphans := hubs(nearest, depth, hubCount)
		add(metrics.SubtaskMean, "", metrics.HubSkewness, skewness, protocol.WithSetting(settings, "k", hubCount))
		add(metrics.SubtaskMean, "", metrics.HubOrphans, orphans, protocol.WithSetting(settings, "k", hubCount))
	}
	if dense, ok := pool.(encoder.Dense); ok {
		row, err := classifyLanguages(ctx, dense, s.languages, s.sides)
		if err != nil {
			return nil, err
		}
		row.items.Subtask = metrics.SubtaskMean
		keep(row.items)
		add(metrics.SubtaskMean, "", metrics.LanguageAccuracy, row.accuracy, row.settings)
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
			add(fmt.Sprintf("%d/%s-%s", k, source, target), source, metrics.Share, p)
			if p > 0 {
				entropy -= p * math.Log(p) / math.Log(float64(languages))
			}
		}
		// Sums of shares are off by rounding.
		entropy, shares[q][q] = min(1, max(0, entropy)), min(1, shares[q][q])
		add(fmt.Sprintf("%d/%s", k, source), source, metrics.Entropy, entropy)
		add(fmt.Sprintf("%d/%s", k, source), source, metrics.SameLanguage, shares[q][q])
		sameShare, entropies = sameShare+shares[q][q]/float64(languages), entropies+entropy/float64(languages)
	}
	add(fmt.Sprintf("%d/%s", k, metrics.SubtaskMean), "", metrics.Entropy, entropies)
	add(fmt.Sprintf("%d/%s", k, metrics.SubtaskMean), "", metrics.SameLanguage, sameShare)
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
