package quality

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/transforms/clean/langid/fasttext"
	"sentweave/transforms/filters"
	"sentweave/transforms/filters/blocklist"
	"sentweave/transforms/filters/bottomk"
	"sentweave/transforms/random"
)

// version is that of the choice of the documents.
const version = 1

// Classes are the labels of documents: those of the classifier, bad ones first.
var Classes = []string{filters.OtherLabel, filters.QualityLabel}

// Inputs are documents that are known to be good or bad. The tags are read by the command line.
type Inputs struct {
	Good       []string `help:"Datasets of good documents. Documents of corpus --scores have also what the filters would drop." required:"" placeholder:"DIR,…" takes:"document" group:"Input"`
	Bad        []string `help:"Datasets of bad documents, or of a crawl as it is." required:"" placeholder:"DIR,…" takes:"document" group:"Input"`
	HoldOut    float64  `help:"Share of the hosts whose documents are only measured, never learned from; with 0 nothing is measured. A document without an address counts as a host of its own." default:"0.2" placeholder:"SHARE" group:"Input"`
	Characters int      `help:"Most characters of good documents to learn from, and as many of bad ones: documents are drawn by a hash." default:"50000000" group:"Input"`
}

// Validate returns all faults at once.
func (in Inputs) Validate() error {
	var errs fault.List
	errs.Check(len(in.Good) > 0 && len(in.Bad) > 0, "give --good and --bad: datasets of documents")
	for _, location := range in.Good {
		errs.Check(!slices.Contains(in.Bad, location), "%s is given by --good and by --bad", location)
	}
	errs.Check(in.HoldOut >= 0 && in.HoldOut <= .9, "--hold-out is %v, it must be from 0 to 0.9", in.HoldOut)
	errs.Check(in.Characters >= 10_000, "--characters is %d, it must be at least 10000", in.Characters)
	return errs.Err()
}

// Why documents are left out.
const (
	reasonEmpty     = "empty"
	reasonBoth      = "good_and_bad"
	reasonCopy      = "copy_of_one_to_learn_from"
	reasonNotChosen = "repeated_or_not_chosen"
)

// Data is a dataset of a class.
type Data struct {
	Class     string `json:"class"`
	Dataset   string `json:"dataset"`
	XXH3      string `json:"content_xxh3"`
	Documents int64  `json:"documents"`
}

// Part counts the documents of a class on one side of the split.
type Part struct {
	Class      string `json:"class"`
	HeldOut    bool   `json:"held_out"`
	Documents  int    `json:"documents"`
	Hosts      int    `json:"hosts"`
	Characters int    `json:"characters"`
}

// HeldOut is a document to measure with.
type HeldOut struct {
	Text string
	Good bool
	// Failed is the number of rules of the filters that would drop the document.
	Failed int
}

// Sample is what was chosen of the inputs.
type Sample struct {
	// Training are the documents to learn from, in a random order.
	Training []fasttext.LabelledText
	HeldOut  []HeldOut
	Data     []Data
	Parts    []Part
	// WithoutAddress are documents that count as hosts of their own, of Read.
	Read, WithoutAddress int64
	// LeftOut counts documents by reason.
	LeftOut map[string]int64
}

// page is a document that may be chosen.
type page struct {
	text   string
	host   uint64
	failed int
}

// chooser makes a sample.
type chooser struct {
	Inputs
	*Sample
	seed  uint64
	rules *rules
	// pages are those of a class that are learned from, and those that are held out.
	pages [2][2]*bottomk.Bounded[page]
}

// Load chooses documents of the inputs. All documents of a host are on one side: held out, or learned from. Of each class and side it takes
// different texts with the lowest hashes, at most so many characters. A text of both classes is left out, and so is one that is held
// out and learned from. The text of a document is that of its sentences, with spaces between them, as the filter fasttext has it. The
// same documents give the same sample, in whatever shards they are. Memory is that of the chosen texts, and some 150 bytes for
// each. Observe is called for each document.
func Load(ctx context.Context, in Inputs, seed uint64, observe func()) (*Sample, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	c := &chooser{Inputs: in, Sample: &Sample{LeftOut: map[string]int64{}}, seed: seed, rules: newRules()}
	for class, locations := range [][]string{in.Bad, in.Good} {
		c.pages[class] = [2]*bottomk.Bounded[page]{
			bottomk.NewBounded[page](in.Characters), bottomk.NewBounded[page](int(in.HoldOut * float64(in.Characters)))}
		for _, location := range locations {
			folder, m, err := dataset.OpenAs[schemas.Document](ctx, location)
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", Classes[class], err)
			}
			c.Data = append(c.Data, Data{Classes[class], location, m.ContentXXH3, m.Rows})
			for d, err := range dataset.Rows[schemas.Document](ctx, folder, m) {
				if err != nil {
					return nil, err
				}
				observe()
				c.add(class, &d)
			}
		}
	}
	c.choose()
	return c.Sample, nil
}

// add takes a document.
func (c *chooser) add(class int, d *schemas.Document) {
	c.Read++
	texts := make([]string, len(d.Sentences))
	for i := range d.Sentences {
		texts[i] = d.Sentences[i].Text
	}
	p := page{text: strings.Join(texts, " ")}
	if p.text == "" {
		c.LeftOut[reasonEmpty]++
		return
	}
	host := blocklist.Host(d.URL)
	draw := random.New(version, c.seed, "quality host", host, 0)
	if p.host = xxh3.HashString(host); host == "" {
		c.WithoutAddress++
		draw = random.New(version, c.seed, "quality text", p.text, 0)
		p.host = draw.Uint64()
	}
	rank, side := bottomk.Rank(c.seed, p.text), 0
	if draw.Bool(c.HoldOut) {
		side = 1
	}
	if !c.pages[class][side].Takes(rank) {
		return
	}
	if side == 1 {
		p.failed = c.rules.failed(d)
	}
	c.pages[class][side].Add(bottomk.Ranked[page]{Rank: rank, Size: utf8.RuneCountInString(p.text), Value: p})
}

// choose makes the sample of the pages.
func (c *chooser) choose() {
	seen := map[uint64][2][2]bool{}
	c.each(func(class, side int, p bottomk.Ranked[page]) {
		places := seen[p.Rank]
		places[class][side] = true
		seen[p.Rank] = places
	})
	type example struct {
		rank uint64
		fasttext.LabelledText
	}
	var training []example
	var hosts [2][2]map[uint64]bool
	for class, name := range Classes {
		for side := range 2 {
			hosts[class][side] = map[uint64]bool{}
			c.Parts = append(c.Parts, Part{Class: name, HeldOut: side == 1})
		}
	}
	c.each(func(class, side int, p bottomk.Ranked[page]) {
		places := seen[p.Rank]
		switch {
		case places[1-class] != [2]bool{}:
			c.LeftOut[reasonBoth]++
			return
		case side == 1 && places[class][0]:
			c.LeftOut[reasonCopy]++
			return
		case side == 1:
			c.HeldOut = append(c.HeldOut, HeldOut{p.Value.text, class == 1, p.Value.failed})
		default:
			training = append(training, example{p.Rank, fasttext.LabelledText{Label: Classes[class], Text: p.Value.text}})
		}
		hosts[class][side][p.Value.host] = true
		part := &c.Parts[2*class+side]
		part.Documents, part.Hosts, part.Characters = part.Documents+1, len(hosts[class][side]), part.Characters+p.Size
	})
	slices.SortFunc(training, func(a, b example) int { return cmp.Compare(a.rank, b.rank) })
	order := random.New(version, c.seed, "quality order", "", 0) // low ranks are more often of the class with more text
	random.Shuffle(&order, training)
	for _, e := range training {
		c.Training = append(c.Training, e.LabelledText)
	}
	rest := c.Read - int64(len(c.Training)+len(c.HeldOut))
	for _, n := range c.LeftOut {
		rest -= n
	}
	if rest > 0 {
		c.LeftOut[reasonNotChosen] = rest
	}
}

// each calls use with the pages of each class and side.
func (c *chooser) each(use func(class, side int, p bottomk.Ranked[page])) {
	for class := range c.pages {
		for side := range c.pages[class] {
			for _, p := range c.pages[class][side].Records {
				use(class, side, p)
			}
		}
	}
}

// Check returns an error for a class without documents to learn from or, where a share of the hosts is held out, to measure with.
func (s *Sample) Check(share float64) error {
	for _, p := range s.Parts {
		switch {
		case p.Documents > 0 || p.HeldOut && share == 0:
		case p.HeldOut:
			return fmt.Errorf("no %s document is held out: give --%s documents of more hosts, or another --hold-out or --seed", p.Class, p.Class)
		default:
			return fmt.Errorf("no %s document is left to learn from: give --%s more documents", p.Class, p.Class)
		}
	}
	return nil
}

// rules are those of all filters but the classifier, with their defaults.
type rules struct {
	chain  *filters.Chain
	scores []schemas.Score
}

func newRules() *rules {
	var list []filters.Rules
	for _, f := range filters.List {
		if f.Name != filters.FastTextName {
			list = append(list, f.New())
		}
	}
	return &rules{chain: filters.NewChain(list)}
}

// failed returns how many rules would drop a document, of the sentences that the rules on sentences keep.
func (r *rules) failed(d *schemas.Document) int {
	p := r.chain.Page()
	defer p.Close()
	for _, s := range d.Sentences {
		p.Sentence(s.Text, s.Language, s.Block)
	}
	v, scores := p.Measure(d.Language, d.LanguageScore, true, r.scores[:0])
	r.scores = scores
	return v.Failed
}
