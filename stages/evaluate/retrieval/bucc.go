package retrieval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/blank"
	"sentweave/schemas/language"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/mining"
	"sentweave/transforms/measure/neighbors"
)

// BUCC is the task bucc-mining.
var BUCC = protocol.Task{
	Name: "bucc-mining", Measures: "pairs of translations mined from two corpora by the margin of their similarity (Zweigenbaum et al. 2018)",
	From: []protocol.Source{protocol.FromData}, Read: readBUCC,
}

// miningNeighbors is the size of neighbourhoods in LASER and the papers.
const miningNeighbors = 4

// buccFile is a file of BUCC: fr-en.training.fr, also in a folder of its languages.
var buccFile = regexp.MustCompile(`^(?:bucc|bucc2018)/(?:\w+-\w+/)?(\w+)-(\w+)\.(sample|training|test)\.(\w+)$`)

// buccForm is how such files are named, for messages.
const buccForm = "XX-en.training.XX, XX-en.training.en and XX-en.training.gold, with codes of languages"

// buccSplits are the parts in the order in which a threshold goes from one to the next.
var buccSplits = []string{"sample", "training", "test"}

// bucc is the protocol that mines pairs between two corpora. For each margin and retrieval it
// gives the figures at the best threshold, which is looked for in the gold itself ("oracle"),
// and, where another part comes before, at the threshold that was best there. The subtasks of
// the ratio with the retrieval max, which LASER takes, are named by the part alone.
type bucc struct{ languages []buccLanguages }

type buccLanguages struct {
	source, target string
	splits         []buccSplit
}

// buccSplit is two corpora with the pairs to find. Equal sentences of a corpus are one text;
// such texts stand for no id, as in LASER.
type buccSplit struct {
	name  string
	texts [2][]encoder.Text
	// repeated are the places of texts that are in several lines.
	repeated [2]map[int]bool
	// gold has the pairs, those of repeated sentences at places that no text has.
	gold mining.Gold
}

func readBUCC(reader *protocol.Input) (protocol.Protocol, error) {
	var stems [][]string // of splits: what buccFile finds of one of their files
	var unread []string
	for _, folder := range []string{"bucc/", "bucc2018/"} {
		for info, err := range reader.Folder.List(reader.Context, folder) {
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", reader.Task, err)
			}
			m := buccFile.FindStringSubmatch(info.Name)
			if m == nil || !slices.Contains([]string{m[1], m[2], "gold"}, m[4]) {
				unread = append(unread, info.Name)
				continue
			}
			m[0] = strings.TrimSuffix(info.Name, m[4])
			if !slices.ContainsFunc(stems, func(other []string) bool { return other[0] == m[0] }) {
				stems = append(stems, m)
			}
		}
	}
	slices.SortFunc(stems, func(x, y []string) int { return strings.Compare(x[0], y[0]) })
	slices.Sort(unread)
	b := &bucc{}
	for _, m := range stems {
		source, errA := language.Parse(m[1])
		target, errB := language.Parse(m[2])
		if err := errors.Join(errA, errB); err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", reader.Task, m[0]+m[1], err)
		}
		split, err := readBUCCSplit(reader, m[0], m[3], [2]string{m[1], m[2]}, [2]string{source, target})
		if err != nil {
			return nil, err
		}
		if split == nil {
			continue
		}
		index := slices.IndexFunc(b.languages, func(l buccLanguages) bool { return l.source == source && l.target == target })
		if index < 0 {
			index, b.languages = len(b.languages), append(b.languages, buccLanguages{source: source, target: target})
		}
		if l := &b.languages[index]; slices.ContainsFunc(l.splits, func(s buccSplit) bool { return s.name == split.name }) {
			return nil, fmt.Errorf("read %s: %s is in two folders", reader.Task, path.Base(m[0]+m[1]))
		} else {
			l.splits = append(l.splits, *split)
		}
	}
	for _, l := range b.languages {
		slices.SortFunc(l.splits, func(x, y buccSplit) int { return slices.Index(buccSplits, x.name) - slices.Index(buccSplits, y.name) })
	}
	if len(b.languages) == 0 && len(reader.Missing) == 0 {
		if len(unread) > 0 {
			return nil, protocol.Absent("%s: no file in %s is named like %s, but there are: %s", reader.Task, reader.Folder, buccForm,
				protocol.Listed(unread))
		}
		reader.Missing = append(reader.Missing, "bucc/XX-en.training.XX", "bucc/XX-en.training.en", "bucc/XX-en.training.gold")
	} else if len(unread) > 0 {
		reader.Notes = append(reader.Notes, fmt.Sprintf("%s: not read, for their names are not like %s: %s", reader.Task, buccForm,
			protocol.Listed(unread)))
	}
	return b, nil
}

// readBUCCSplit reads the three files of a split. A test whose gold is not public is left out.
func readBUCCSplit(reader *protocol.Input, stem, name string, codes, languages [2]string) (*buccSplit, error) {
	if _, err := reader.Folder.Stat(reader.Context, stem+"gold"); errors.Is(err, fs.ErrNotExist) && name == "test" {
		reader.Notes = append(reader.Notes, fmt.Sprintf("%s: there is no %sgold, so that its test is left out", reader.Task, stem))
		return nil, nil
	}
	s := &buccSplit{name: name, gold: mining.Gold{}, repeated: [2]map[int]bool{{}, {}}}
	var places [2]map[string]int // of the ids
	for side, code := range codes {
		lines, err := reader.Lines(stem + code)
		if err != nil {
			return nil, err
		}
		if places[side], err = s.add(side, languages[side], lines); err != nil {
			return nil, fmt.Errorf("read %s: %s%s %w", reader.Task, stem, code, err)
		}
	}
	gold, err := reader.Lines(stem + "gold")
	if err != nil || len(reader.Missing) > 0 {
		return s, err
	}
	listed := map[string]bool{}
	for i, line := range gold {
		a, b, ok := strings.Cut(line, "\t")
		source, knownA := places[0][a]
		target, knownB := places[1][b]
		if !ok || !knownA || !knownB || listed[line] {
			return nil, fmt.Errorf("read %s: %sgold line %d, %q: expected two known ids, separated by a tab, and not seen before", reader.Task, stem, i+1, line)
		}
		listed[line] = true
		if s.repeated[0][source] || s.repeated[1][target] {
			source, target = -1, -1-i // it counts, and cannot be found
		}
		s.gold[[2]int{source, target}] = true
	}
	return s, nil
}

// add reads the lines of a side: an id, a tab, and a sentence.
func (s *buccSplit) add(side int, code string, lines []string) (places map[string]int, err error) {
	places = map[string]int{}
	texts := map[string]int{}
	for i, line := range lines {
		id, text, ok := strings.Cut(line, "\t")
		if _, twice := places[id]; !ok || twice {
			return nil, fmt.Errorf("line %d, %q, is not an id of its own, a tab and a sentence", i+1, line)
		}
		if blank.IsBlank(text) {
			return nil, fmt.Errorf("line %d has a sentence that is blank", i+1)
		}
		place, twice := texts[text]
		if !twice {
			place = len(s.texts[side])
			texts[text] = place
			s.texts[side] = append(s.texts[side], encoder.Text{Text: text, Language: code})
		} else {
			s.repeated[side][place] = true
		}
		places[id] = place
	}
	return places, nil
}

// Texts implements protocol.Protocol.
func (b *bucc) Texts() iter.Seq[encoder.Text] {
	var lists [][]encoder.Text
	for _, l := range b.languages {
		for _, s := range l.splits {
			lists = append(lists, s.texts[0], s.texts[1])
		}
	}
	return protocol.AllTexts(lists...)
}

// Measure implements protocol.Protocol.
func (b *bucc) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (
	results []schemas.Result, err error) {
	sums := map[[2]string][]schemas.Result{} // of a subtask and a metric
	var order [][2]string
	for _, l := range b.languages {
		base.Language = l.source + "-" + l.target
		thresholds := map[string]float64{}
		for _, s := range l.splits {
			rows, err := s.measure(ctx, e, base, thresholds, keep)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", base.Language, s.name, err)
			}
			results = append(results, rows...)
			for _, r := range rows {
				k := [2]string{r.Subtask, r.Metric}
				if sums[k] == nil {
					order = append(order, k)
				}
				sums[k] = append(sums[k], r)
			}
		}
	}
	base.Language = ""
	for _, k := range order {
		if list := sums[k]; len(list) == len(b.languages) && len(list) > 1 { // never over some of them
			results = append(results, meanOverLanguages(base, list))
		}
	}
	return results, nil
}

// meanOverLanguages is the plain mean of one figure, with its deviation.
func meanOverLanguages(base schemas.Result, list []schemas.Result) schemas.Result {
	r := base
	r.Metric = list[0].Metric
	if r.Subtask = metrics.SubtaskMean + "/" + list[0].Subtask; !strings.Contains(list[0].Subtask, "-") { // the headline
		r.Subtask = list[0].Subtask + "/" + metrics.SubtaskMean
	}
	for _, f := range list {
		r.Value += f.Value / float64(len(list))
		r.N += f.N
	}
	var values []float64
	for _, f := range list {
		values = append(values, f.Value)
	}
	spread := deviation(values)
	r.Spread = &spread
	r.Settings = protocol.EncodeSettings(map[string]any{"languages": len(list), "spread": "deviation over languages"})
	return r
}

// measure gives the figures of a split. It reads the thresholds of the split before and leaves
// its own.
func (s *buccSplit) measure(ctx context.Context, e encoder.Encoder, base schemas.Result, thresholds map[string]float64,
	keep protocol.Keeper) (results []schemas.Result, err error) {
	n, err := s.neighborhoods(ctx, e)
	if err != nil {
		return nil, err
	}
	for _, margin := range mining.Margins() {
		for _, retrieval := range mining.Retrievals() {
			candidates, err := s.mine(n, margin, retrieval)
			if err != nil {
				return nil, err
			}
			rows, err := s.figures(base, candidates, thresholds, keep)
			if err != nil {
				return nil, err
			}
			results = append(results, rows...)
		}
	}
	return results, nil
}

// neighborhoods are those of the texts of both sides.
func (s *buccSplit) neighborhoods(ctx context.Context, e encoder.Encoder) (*mining.Neighborhoods, error) {
	_, sides, err := protocol.EncodeSides(ctx, e, s.texts[0], s.texts[1])
	if err != nil {
		return nil, err
	}
	forward, err := sides[0].TopK(ctx, sides[1], min(miningNeighbors, sides[1].Len()), neighbors.Options{})
	if err != nil {
		return nil, err
	}
	backward, err := sides[1].TopK(ctx, sides[0], min(miningNeighbors, sides[0].Len()), neighbors.Options{})
	if err != nil {
		return nil, err
	}
	return mining.NewNeighborhoods(sides[0].Len(), sides[1].Len(), forward, backward)
}

// mined are the candidates by a margin and a retrieval, best first.
type mined struct {
	margin    mining.Margin
	retrieval mining.Retrieval
	pairs     []mining.Pair
}

// mine returns the candidates of sentences that are not repeated.
func (s *buccSplit) mine(n *mining.Neighborhoods, margin mining.Margin, retrieval mining.Retrieval) (mined, error) {
	pairs, err := n.Mine(margin, retrieval)
	pairs = slices.DeleteFunc(pairs, func(p mining.Pair) bool { return s.repeated[0][p.Source] || s.repeated[1][p.Target] })
	return mined{margin, retrieval, pairs}, err
}

// figures gives the figures of candidates at the threshold of the split before, and at the best threshold, which it
// leaves in thresholds.
func (s *buccSplit) figures(base schemas.Result, m mined, thresholds map[string]float64, keep protocol.Keeper) (
	rows []schemas.Result, err error) {
	variant := string(m.margin) + "-" + string(m.retrieval)
	base.Subtask = s.name
	if m.margin != mining.Ratio || m.retrieval != mining.Max {
		base.Subtask += "/" + variant
		keep = func(protocol.Part) {} // of one variant in twelve
	}
	base.N = int64(len(s.gold))
	settings := map[string]any{"margin": m.margin, "retrieval": m.retrieval, "k": miningNeighbors,
		"repeated": len(s.repeated[0]) + len(s.repeated[1])}
	add := func(subtask string, f mining.Figures, threshold float64) {
		settings := protocol.WithSetting(protocol.WithSetting(settings, "extracted", f.Extracted), "correct", f.Correct)
		if !math.IsInf(threshold, 1) {
			settings["threshold"] = threshold
		}
		low, high := s.f1Interval(m.pairs, threshold)
		half := (high - low) / 2
		for _, metric := range []struct {
			name  string
			value float64
		}{{metrics.F1, f.F1}, {metrics.Precision, f.Precision}, {metrics.Recall, f.Recall}} {
			r := base
			r.Subtask, r.Metric, r.Value, r.Settings = subtask, metric.name, metric.value, protocol.EncodeSettings(settings)
			if metric.name == metrics.F1 {
				r.Spread, r.Settings = &half, protocol.EncodeSettings(protocol.WithSetting(protocol.WithSetting(
					protocol.WithSetting(settings, "low", low), "high", high), "interval", metrics.IntervalF1))
			}
			rows = append(rows, r)
		}
	}
	if threshold, ok := thresholds[variant]; ok {
		f, err := mining.FiguresAt(m.pairs, s.gold, threshold)
		if err != nil {
			return nil, err
		}
		keep(s.items(base.Subtask, base.Language, m.pairs, threshold))
		add(base.Subtask, f, threshold)
	}
	threshold, f, exists, err := mining.Best(m.pairs, s.gold)
	if err != nil {
		return nil, err
	}
	subtask := base.Subtask + "/oracle"
	if !exists { // nothing is right at any threshold
		add(subtask, f, math.Inf(1))
		delete(thresholds, variant)
		return rows, nil
	}
	thresholds[variant] = threshold
	keep(s.items(subtask, base.Language, m.pairs, threshold))
	add(subtask, f, threshold)
	r := base
	r.Subtask, r.Metric, r.Value, r.Settings = subtask, metrics.Threshold, threshold, protocol.EncodeSettings(settings)
	return append(rows, r), nil
}

// f1Interval is the interval of F1 of the pairs with at least the score of the threshold, where the pairs of a source are
// right or wrong together.
func (s *buccSplit) f1Interval(pairs []mining.Pair, threshold float64) (low, high float64) {
	correct := make([]float64, len(s.texts[0])+len(s.gold)) // by source; after these the pairs that cannot be found
	union := make([]float64, len(correct))
	for pair := range s.gold {
		cluster := pair[0]
		if cluster < 0 {
			cluster = len(s.texts[0]) - 1 - pair[1]
		}
		union[cluster]++
	}
	for _, p := range pairs {
		if p.Score < threshold {
			continue
		}
		if s.gold[[2]int{p.Source, p.Target}] {
			correct[p.Source]++
		} else {
			union[p.Source]++
		}
	}
	return metrics.F1Interval(correct, union)
}

// items are the pairs to find, of which recall is the share that was extracted, and the best
// that was extracted for each source. Pairs of repeated sentences have no text, and are left out.
func (s *buccSplit) items(subtask, language string, pairs []mining.Pair, threshold float64) protocol.Part {
	best := map[int]mining.Pair{}
	extracted := map[[2]int]bool{}
	for _, p := range pairs {
		if p.Score < threshold {
			continue
		}
		extracted[[2]int{p.Source, p.Target}] = true
		if current, ok := best[p.Source]; !ok || p.Score > current.Score {
			best[p.Source] = p
		}
	}
	p := protocol.Part{Subtask: subtask, Language: language, Candidates: s.texts[1]}
	var right []bool
	for _, pair := range s.toFind() {
		target := -1
		if b, ok := best[pair[0]]; ok {
			target = b.Target
		}
		p.A, p.B = append(p.A, s.texts[0][pair[0]]), append(p.B, s.texts[1][pair[1]])
		p.Found, right = append(p.Found, target), append(right, extracted[pair])
	}
	p.Score = protocol.Hits(right)
	return p
}

// toFind are the pairs that have texts, in the order of their places.
func (s *buccSplit) toFind() [][2]int {
	list := slices.DeleteFunc(slices.Collect(maps.Keys(s.gold)), func(pair [2]int) bool { return pair[0] < 0 })
	slices.SortFunc(list, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return list
}
