// Package mine is the pipeline that finds translations among the sentences of two datasets of
// embeddings by the margin of their cosines, as LASER's mine_bitexts.py does (Artetxe and Schwenk,
// ACL 2019): see package mining for scores, retrievals and ties. It writes the pairs, or for each
// source of a pair the nearest sentences that do not translate it: hard negatives.
//
// # Phases
//
//	sign      each row gives the hashes of its id and text               sources, targets
//	distinct  of equal texts the first stays: a bit for each row         one unit
//	search    the k nearest of each sentence on the other side           sources, targets
//	score     means of neighbourhoods, and the best of each sentence     one unit
//	choose    candidates in the order of their scores become pairs       one unit
//	targets   the texts of the chosen targets                            targets
//	write     the pairs, in the order of the sources                     sources
//
// With --within the units of sign read the documents, too, and distinct joins their keys with the rows. Then units spill
// the vectors by their keys, and search has units of keys, which compare what has one key. That takes time in proportion to
// the rows, and to the squares of the keys that have more than a block of them.
//
// A unit of search holds a block of its sentences, and reads all of the other side for it, a block
// at a time. So neither side is in memory: a worker holds three blocks of knn.BlockBytes. All other
// phases read the rows once, or numbers alone. The units of one hold 18 bytes for each
// sentence, with --within 8 more, which is why a side has at most mostSentences.
//
// Search takes 4·sources·targets·dimensions multiplications and additions: both ways. Another library may do most of them, by the context
// (knn.WithProducts), and the bytes stay the same.
package mine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/knn"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/measure/mining"
)

// Version of the pipeline: raised when the same input gives another output. 2: pairs name their documents, and the funnel
// their languages.
const Version = 2

func init() {
	graph.RegisterSpiller[*signTask]()
	graph.RegisterSpiller[*distinctTask]()
	graph.RegisterSpiller[*searchTask]()
	graph.RegisterSpiller[*spreadTask]()
	graph.RegisterSpiller[*withinTask]()
	graph.RegisterSpiller[*scoreTask]()
	graph.RegisterSpiller[*chooseTask]()
	graph.RegisterSpiller[*targetsTask]()
	graph.RegisterWriter[schemas.Pair, *writeTask]()
}

const (
	// mostSentences bounds a side. Exact search of as many on both sides takes weeks on 16 cores.
	mostSentences = 1 << 23
	// mostIndexed bounds a side with an index, by the memory that scores take.
	mostIndexed = 3 << 22
	// leastUnit is the size of a unit, for all of which the other side is decoded.
	leastUnit = 8 << 20
	// longSearch is how many operations take some hours.
	longSearch = 1e15
	// usualThreshold is that of CCMatrix and NLLB for ratios (Schwenk et al. 2021).
	usualThreshold = 1.06
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Source          string           `help:"Dataset of embeddings with their texts, as embed makes it: text_a of the pairs." placeholder:"DIR" takes:"embedding" group:"Input" required:"" json:"-"`
	Target          string           `help:"Dataset of embeddings of the same encoder: text_b of the pairs." placeholder:"DIR" takes:"embedding" group:"Input" required:"" json:"-"`
	Languages       []string         `help:"Take only sources of the first language and targets of the second, as in deu,eng." placeholder:"CODE,CODE" group:"Input" repeats:"" json:"languages,omitempty"`
	Within          string           `help:"Compare only sentences of documents that have the same: the host of their addresses (host), their day (date), or the page that the layout of their files names (page)." enum:",host,date,page" default:"" placeholder:"KEY" group:"Input" json:"within,omitempty"`
	SourceDocuments string           `help:"With --within, dataset of documents whose sentences the vectors of --source are of." placeholder:"DIR" takes:"document" group:"Input" json:"-"`
	TargetDocuments string           `help:"With --within, dataset of documents whose sentences the vectors of --target are of." placeholder:"DIR" takes:"document" group:"Input" json:"-"`
	SourceIndex     string           `help:"Index of the vectors of --source, as index makes it: each target is compared with the sources of some lists, and not with all." placeholder:"DIR" takes:"invertedlist" group:"Input" json:"-"`
	TargetIndex     string           `help:"Index of the vectors of --target; both or none." placeholder:"DIR" takes:"invertedlist" group:"Input" json:"-"`
	Probes          int              `help:"Lists of an index that are searched for a sentence; 64 if not given." placeholder:"N" group:"Input" json:"probes,omitempty"`
	Gold            string           `help:"Dataset of the true pairs among the sentences: the threshold is the one with the best F1, and no negative is a true pair or of its group." placeholder:"DIR" takes:"pair" group:"Pairs" json:"-"`
	Margin          mining.Margin    `help:"Score of two sentences (${enum}): their cosine by the mean of those to their nearest ones, less that mean, or alone." default:"ratio" enum:"ratio,distance,absolute" group:"Pairs" json:"margin"`
	Retrieval       mining.Retrieval `help:"Which pairs are taken (${enum}): the best of each source, of each target, those that are both, or the best ones first with each sentence once." default:"max" enum:"fwd,bwd,intersect,max" group:"Pairs" json:"retrieval"`
	K               int              `help:"Nearest sentences that make a neighbourhood (${default})." default:"4" placeholder:"N" group:"Pairs" json:"k"`
	Threshold       *float64         `help:"Least score of a pair; 1.06 for ratios, as of CCMatrix, if not given." placeholder:"X" group:"Pairs" json:"threshold,omitempty"`
	Negatives       int              `help:"Write so many hard negatives for each source that is in a pair or in gold, and not the pairs: the nearest targets that do not translate it, as contradictions." placeholder:"N" group:"Negatives" json:"negatives,omitempty"`
	From            float64          `name:"negatives-from" help:"Least score of a negative." placeholder:"X" group:"Negatives" json:"negatives_from,omitempty"`
	To              *float64         `name:"negatives-to" help:"Score that a negative is below; the threshold if not given, where gold does not tell what is true." placeholder:"X" group:"Negatives" json:"negatives_to,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Source != "", "source is empty: give a dataset of embeddings")
	errs.Check(c.Target != "", "target is empty: give a dataset of embeddings")
	errs.Add(units.OneOf("margin", string(c.Margin), names(mining.Margins())...),
		units.OneOf("retrieval", string(c.Retrieval), names(mining.Retrievals())...))
	errs.Check(c.K >= 1 && c.K <= knn.MostNeighbors, "k is %d, it must be from 1 to %d", c.K, knn.MostNeighbors)
	if c.Within != "" {
		errs.Add(units.OneOf("within", c.Within, withinHost, withinDate, withinPage))
	}
	errs.Check((c.Within == "") == (c.SourceDocuments == "") && (c.Within == "") == (c.TargetDocuments == ""),
		"within, source-documents and target-documents go together: the documents tell what to compare")
	indexed := c.SourceIndex != ""
	errs.Check(indexed == (c.TargetIndex != ""), "source-index and target-index go together: sentences of both sides are sought on the other")
	errs.Check(c.Probes >= 0, "probes is %d, it must be at least 1", c.Probes)
	errs.Check(indexed || c.Probes == 0, "probes has no effect without source-index and target-index")
	errs.Check(!indexed || c.Within == "", "within and the indexes exclude each other: the sentences of one host, date or page are few and are compared exactly, while the "+
		"lists of an index hold those of all: leave out source-index and target-index, or within")
	errs.Check(len(c.Languages) == 0 || len(c.Languages) == 2, "languages names %d languages, want two: that of the sources and that of the targets",
		len(c.Languages))
	for _, code := range c.Languages {
		errs.Add(language.Check(code))
	}
	errs.Check(c.Threshold == nil || c.Gold == "", "give either threshold or gold, which finds the threshold")
	errs.Check(c.Threshold != nil || c.Gold != "" || c.Margin == mining.Ratio,
		"the margin %s has no usual threshold: give --threshold, or true pairs in --gold", c.Margin)
	for _, x := range []*float64{c.Threshold, &c.From, c.To} {
		errs.Check(x == nil || *x-*x == 0, "threshold, negatives-from and negatives-to must be finite")
	}
	errs.Check(c.Negatives >= 0 && c.Negatives < max(2, c.K), "negatives is %d, it must be less than k, %d: negatives are among the k nearest",
		c.Negatives, c.K)
	errs.Check(c.Negatives > 0 || c.From == 0 && c.To == nil, "negatives-from and negatives-to have no effect without --negatives")
	errs.Check(c.To == nil || *c.To > c.From, "negatives-to must be greater than negatives-from, %v", c.From)
	errs.Check(c.Negatives == 0 || c.Retrieval != mining.Backward, "negatives are those of sources: choose another retrieval than bwd")
	return errs.Err()
}

func names[T ~string](list []T) (names []string) {
	for _, x := range list {
		names = append(names, string(x))
	}
	return names
}

// least is the threshold without gold.
func (c Config) least() float64 {
	if c.Threshold != nil {
		return *c.Threshold
	}
	return usualThreshold
}

// Plan lays out the units of the phases, those that write first.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	if c.SourceIndex != "" && c.Probes == 0 {
		c.Probes = usualProbes
	}
	sides, dimensions, err := c.sides(ctx)
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	var gold *units.Dataset
	var packed [2][]dataset.Unit
	for i, s := range sides {
		m := s.Rows.Manifest()
		b.Input(m.Input(roles[i]))
		least := int64(leastUnit)
		if s.Index != nil {
			b.Input(s.Index.Manifest().Input(roles[i] + " index"))
			least = dataset.MostOfUnit
		}
		size := b.UnitBytes(m.Bytes, least)
		packed[i] = dataset.Pack(m.FinePieces(size), size)
		sides[i].Firsts = vectors.FirstRows(m, packed[i])
	}
	if c.Gold != "" {
		if gold, err = openGold(ctx, c.Gold); err != nil {
			return nil, err
		}
		b.Input(gold.Manifest().Input("gold"))
	}
	both := func() units.Range {
		first := b.Units(packed[source])
		return first.To(b.Units(packed[target]))
	}
	work := Work{Sides: sides, Dimensions: dimensions, Gold: gold}
	writing, telling, signing := b.Units(packed[source]), b.Units(packed[target]), both()
	sign := &signTask{Work: work, Range: signing}
	if sign.Restriction, err = c.restriction(ctx, b, sides); err != nil {
		return nil, err
	}
	for _, part := range sign.Documents {
		signing = signing.To(part.Range)
	}
	one, searching, scoring, choosing := b.Buckets(1), both(), b.Buckets(1), b.Buckets(1)
	neighbours := exchange.ToUnits("neighbours", scoring)
	graph.Spill(b, "sign", signing, sign, exchange.ToUnits("hashes", one))
	graph.Spill(b, "distinct", one, &distinctTask{Work: work, Restricted: c.Within != ""}, exchange.ToUnits("repeated", searching))
	if c.Within == "" {
		graph.Spill(b, "search", searching, &searchTask{Config: c, Work: work, Range: searching}, neighbours)
	} else {
		bytes := 4 * dimensions * (sides[source].Len() + sides[target].Len())
		buckets := b.Buckets(graph.Bucketing(1+bytes/(2*knn.BlockBytes), 1))
		graph.Spill(b, "spread", searching, &spreadTask{Work: work, Range: searching, Buckets: buckets.Count},
			exchange.ToUnits("vectors", buckets))
		graph.Spill(b, "search", buckets, &withinTask{Config: c, Work: work}, neighbours)
		searching = buckets
	}
	graph.Spill(b, "score", scoring, &scoreTask{Config: c, Work: work}, exchange.ToUnits("candidates", choosing))
	graph.Spill(b, "choose", choosing, &chooseTask{Config: c, Work: work}, exchange.ToUnits("chosen", telling))
	graph.Spill(b, "targets", telling, &targetsTask{Work: work, Range: telling}, exchange.ToUnits("texts", writing))
	graph.Write(b, "write", writing, &writeTask{Config: c, Work: work, Range: writing})
	job, err := b.Job(output, dataset.Draft{Pipeline: "mine", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), Config: c})
	if err != nil {
		return nil, err
	}
	job.Slow, job.Rows = searching, int64(sides[source].Len()+sides[target].Len())
	if c.Within != "" {
		return job, nil
	}
	s, t := &sides[source], &sides[target]
	probes := c.Probes
	if probes == 0 {
		probes = usualProbes
	}
	exact := 4 * float64(s.sentences()) * float64(t.sentences()) * float64(dimensions)
	indexed := s.operations(t.sentences(), probes, dimensions) + t.operations(s.sentences(), probes, dimensions)
	switch {
	case c.Probes > 0:
		job.Operations = indexed
		job.Notes = append(job.Notes, fmt.Sprintf("exact search takes %.1f times the operations of these indexes", exact/indexed))
	default:
		job.Operations = exact
		if exact > longSearch {
			job.Notes = append(job.Notes, fmt.Sprintf("exact search takes %.1f times the operations that indexes of both sides take: "+
				"make them by `sentweave index`", exact/indexed))
		}
	}
	return job, nil
}

// Shortfalls says how good the pairs are by the true ones, and what has been sought in vain.
func (c Config) Shortfalls(m *dataset.Manifest) (notes []string) {
	for _, text := range []string{recallNote(m, c.K), mining.Summary(m)} {
		if text != "" {
			notes = append(notes, text)
		}
	}
	return notes
}

// checkLanguages returns an error for a language that no row has, as far as the funnel of what made
// the embeddings tells.
func checkLanguages(m *dataset.Manifest, wanted, location string) error {
	present := m.Funnel.Out("texts")
	if _, ok := present[wanted]; wanted == "" || ok || len(present) == 0 || present[dataset.OthersKey] > 0 {
		return nil
	}
	var list []string
	for code := range present {
		list = append(list, code)
	}
	slices.Sort(list)
	return fmt.Errorf("languages: %s has no text in %s, but in %s", location, wanted, strings.Join(list, ", "))
}
