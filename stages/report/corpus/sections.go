package corpus

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/excerpt"
	"sentweave/stages/report/markup"
)

// Bounds of the page.
const (
	mostLanguages  = 200
	mostFunnels    = 40 // languages of which each step is shown
	mostBars       = 24
	mostShown      = 50 // domains, licences, opt-outs
	mostReasons    = 100
	mostCharacters = 300 // of a text
)

var quantileShares = []float64{0, .05, .25, .5, .75, .95, 1}

// Facts are the sizes that are above everything else.
func (c *Corpus) Facts() []markup.Fact {
	total := c.counts.total
	facts := []markup.Fact{{Name: "Documents", Value: markup.Count(total.documents), Note: markup.Size(c.bytes)},
		{Name: "Sentences", Value: markup.Count(total.sentences)}, {Name: "Characters", Value: markup.Count(total.characters)},
		{Name: "Languages", Value: markup.Count(int64(len(c.counts.languages)))}}
	if steps := c.chain(); len(steps) > 0 {
		if in, _ := steps[0].sum(); in > 0 {
			facts = append(facts, markup.Fact{Name: "Kept", Value: markup.Percent(float64(total.documents)/float64(in)) + " %",
				Note: "of " + markup.Counted(int(in), "document", "documents")})
		}
	}
	return facts
}

// Sections are the parts of the page.
func (c *Corpus) Sections() (list []markup.Section) {
	add := func(title string, blocks ...markup.Block) {
		if len(blocks) > 0 {
			list = append(list, markup.Section{Title: title, Blocks: blocks})
		}
	}
	documents := map[string]int64{}
	for code, n := range c.counts.languages {
		documents[code] = n.documents
	}
	of := func(code string) *size { return cmp.Or(c.counts.languages[code], &size{}) }
	add("What came and went", c.funnelBlocks(documents, column{"Sentences", func(code string) int64 { return of(code).sentences }},
		column{"Characters", func(code string) int64 { return of(code).characters }})...)
	if len(c.rejects) > 0 {
		add("Rejects to read",
			markup.Folded{Summary: "A sample of what each step dropped, by reason", Blocks: []markup.Block{c.rejectTable()}})
	}
	add("Lengths", c.lengthBlocks()...)
	add("Scores", c.scoreTable())
	add("Domains and dates", c.originBlocks()...)
	add("Rights", markup.SideBySide{c.nameTable("Licences that pages give themselves", "Licence", c.counts.licenses),
		c.nameTable("Uses that pages opt out of", "Use", c.counts.optOuts)})
	if clusters := c.counts.scores[schemas.ClusterScore]; clusters != nil {
		add("Near duplicates", bars("Documents by the number of near duplicates for which each was kept, with itself", octaveBars(clusters)))
	}
	return list
}

// bars are a chart of counts.
func bars(title string, list []keyCount) markup.Bars {
	b := markup.Bars{Title: title, Axis: markup.Axis{Count: true}}
	for _, k := range list {
		b.Bars = append(b.Bars, markup.Bar{Name: k.key, Value: float64(k.n)})
	}
	return b
}

// octaveBars are numbers of documents by powers of two.
func octaveBars(h *histogram) (list []keyCount) {
	for _, o := range h.octaves() {
		name := markup.Count(o.first)
		if o.first > 1 {
			name += " to " + markup.Count(2*o.first-1)
		}
		list = append(list, keyCount{name, o.n})
	}
	return list
}

func (c *Corpus) lengthBlocks() []markup.Block {
	n := c.counts
	t := quantileTable("Lengths", "Length")
	t.Rows = append(t.Rows, quantileRow("sentences of a document", &n.sentencesOfDocuments),
		quantileRow("characters of a document", &n.charactersOfDocuments),
		quantileRow("characters of a sentence", &n.charactersOfSentences))
	return []markup.Block{t, markup.SideBySide{bars("Documents by their sentences", octaveBars(&n.sentencesOfDocuments)),
		bars("Documents by their characters", octaveBars(&n.charactersOfDocuments)),
		bars("Sentences by their characters", octaveBars(&n.charactersOfSentences))}}
}

func quantileTable(caption, what string) markup.Table {
	t := markup.Table{Caption: caption, Columns: []markup.Column{{Name: what}, {Name: "Of", Number: true}},
		Note: "The columns are the least value, those below which 5, 25, 50, 75 and 95 % lie, and the greatest. All but the ends may be up to 1.6 % too low."}
	for _, name := range []string{"Least", "5 %", "25 %", "Median", "75 %", "95 %", "Greatest"} {
		t.Columns = append(t.Columns, markup.Column{Name: name, Number: true})
	}
	return t
}

// ends are the quantiles of a histogram, with the exact least and greatest values.
func (h *histogram) ends() []float64 {
	list := h.quantiles(quantileShares...)
	if len(list) > 0 {
		list[0], list[len(list)-1] = float64(h.least), float64(h.greatest)
	}
	return list
}

func quantileRow(name string, h *histogram) []markup.Cell {
	row := markup.Cells(name, markup.Count(h.n))
	list := h.ends()
	for i := range quantileShares {
		text := markup.Absent
		if len(list) > 0 {
			digits := 3
			if list[i] == math.Trunc(list[i]) {
				digits = 0
			}
			text = markup.Number(list[i], digits)
		}
		row = append(row, markup.Cell{Text: text})
	}
	return row
}

func (c *Corpus) scoreTable() markup.Table {
	t := quantileTable("Scores of documents", "Score")
	for _, name := range slices.Sorted(maps.Keys(c.counts.scores)) {
		t.Rows = append(t.Rows, quantileRow(excerpt.Characters(name, mostCharacters), c.counts.scores[name]))
	}
	return t
}

func (c *Corpus) originBlocks() []markup.Block {
	n := c.counts
	t := c.nameTable("Domains with the most documents", "Domain", n.domains.keys)
	t.Note = markup.Counted(len(n.domains.keys), "domain", "domains") + " in all."
	if n.domains.missed > 0 {
		t.Note = fmt.Sprintf("There are more than %s domains. The counts are exact; a domain with fewer than %s may be missing.",
			markup.Count(mostKeys), markup.Counted(int(n.domains.missed)+1, "document", "documents"))
	}
	if n.lacking > 0 {
		t.Note += fmt.Sprintf(" %s no address.", markup.Counted(int(n.lacking), "document has", "documents have"))
	}
	blocks := []markup.Block{t}
	var months []keyCount
	for _, month := range slices.Sorted(maps.Keys(n.months)) {
		if month != absent {
			months = append(months, keyCount{month, n.months[month]})
		}
	}
	if len(months) > 0 {
		chart := bars("Documents by month", months[max(0, len(months)-mostBars):])
		earlier := n.total.documents - n.months[absent]
		for _, b := range chart.Bars {
			earlier -= int64(b.Value)
		}
		if earlier > 0 {
			chart.Note = fmt.Sprintf("%s earlier: %s has all months. ", markup.Counted(int(earlier), "document is", "documents are"),
				TableName)
		}
		if undated := n.months[absent]; undated > 0 {
			chart.Note += markup.Counted(int(undated), "document has", "documents have") + " no date."
		}
		blocks = append(blocks, chart)
	}
	return blocks
}

// nameTable has the names that most documents have, with the share of these.
func (c *Corpus) nameTable(caption, what string, names map[string]int64) markup.Table {
	t := markup.Table{Caption: caption,
		Columns: []markup.Column{{Name: what}, {Name: "Documents", Number: true}, {Name: "Share", Number: true}}}
	list := byCount(names)
	for _, k := range list[:min(mostShown, len(list))] {
		t.Rows = append(t.Rows, markup.Cells(excerpt.Characters(k.key, mostCharacters), markup.Count(k.n),
			markup.Percent(float64(k.n)/float64(c.counts.total.documents))+" %"))
	}
	return t
}
