package corpus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas/excerpt"
	"sentweave/stages/report/markup"
)

// Files of the folder of a report on pairs.
const (
	PairTableName = "pairs.csv"
	SheetName     = "judge.csv"
)

// Facts are the sizes that are above everything else.
func (b *Bitext) Facts() []markup.Fact {
	facts := []markup.Fact{{Name: "Pairs", Value: markup.Count(b.pairs), Note: markup.Size(b.bytes)},
		{Name: "Language pairs", Value: markup.Count(int64(len(b.languages)))}}
	if steps := b.chain(); len(steps) > 0 {
		if in, _ := steps[0].sum(); in > 0 && !b.scored {
			facts = append(facts, markup.Fact{Name: "Kept", Value: markup.Percent(float64(b.pairs)/float64(in)) + " %",
				Note: "of " + markup.Counted(int(in), "pair", "pairs")})
		}
	}
	if b.scored {
		kept := b.pairs
		for _, n := range b.reasons {
			kept -= n
		}
		facts = append(facts, markup.Fact{Name: "Would be kept", Value: markup.Percent(float64(kept)/float64(max(b.pairs, 1))) + " %"})
	}
	return facts
}

// Sections are the parts of the page.
func (b *Bitext) Sections() (list []markup.Section) {
	add := func(title string, blocks ...markup.Block) {
		if len(blocks) > 0 {
			list = append(list, markup.Section{Title: title, Blocks: blocks})
		}
	}
	add("What came and went", b.funnelBlocks(b.languages)...)
	if len(b.reasons) > 0 {
		add("What the filters would drop", bars("Pairs by the first filter that would drop them", byCount(b.reasons)))
	}
	if len(b.rejects) > 0 {
		add("Rejects to read",
			markup.Folded{Summary: "A sample of what each step dropped, by reason", Blocks: []markup.Block{b.rejectTable()}})
	}
	add("Languages and origins", b.groupTable())
	lengths := quantileTable("What is measured of pairs", "Measure")
	lengths.Rows = append(lengths.Rows, quantileRow("characters of a side", &b.characters))
	for _, name := range slices.Sorted(maps.Keys(b.measures)) {
		lengths.Rows = append(lengths.Rows, quantileRow(name, b.measures[name]))
	}
	add("Lengths and measures", lengths)
	add("Pairs that are kept, and pairs that are not", b.sampleBlocks()...)
	switch {
	case b.Judged:
		add("Pairs to judge", markup.Text{Body: SheetName + " has verdicts already, perhaps on other pairs, and was left as it is: move it away for a new one."})
	case len(b.sheet) > 0:
		add("Pairs to judge", markup.Text{Body: fmt.Sprintf("%s has %s, drawn by chance: write good or bad into the column verdict. "+
			"`sentweave pairfilter --verdicts %s` then counts what the filters do with good pairs and with bad ones.", SheetName,
			markup.Counted(len(b.sheet), "pair", "pairs"), SheetName)},
			markup.Folded{Summary: "The pairs of " + SheetName, Blocks: []markup.Block{b.sheetTable()}})
	}
	return list
}

// groupTable has a row for the pairs of each two languages and origin, with their scores.
func (b *Bitext) groupTable() markup.Table {
	t := quantileTable("Scores of pairs by languages and origin", "Languages")
	t.Columns = slices.Insert(t.Columns, 1, markup.Column{Name: "Origin"}, markup.Column{Name: "Pairs", Number: true})
	t.Columns[3].Name, t.Sortable = "With a score", true
	groups := b.groupsByCount()
	for _, g := range groups[:min(mostLanguages, len(groups))] {
		h := b.groups[g]
		row := quantileRow(g.languages, h)
		t.Rows = append(t.Rows, slices.Insert(row, 1,
			markup.Cells(excerpt.Characters(g.origin, mostCharacters), markup.Count(h.n+b.without[g]))...))
	}
	if rest := len(groups) - len(t.Rows); rest > 0 {
		t.Note += fmt.Sprintf(" %s more: %s has all.", markup.Counted(rest, "row", "rows"), PairTableName)
	}
	return t
}

// sampleBlocks show pairs of the largest language pairs: those that are kept beside those that are dropped, or would be.
func (b *Bitext) sampleBlocks() (list []markup.Block) {
	for _, k := range byCount(b.languages)[:min(mostFunnels, len(b.languages))] {
		source, target, _ := strings.Cut(k.key, "-")
		if samples := append(b.kept[k.key], b.dropped[k.key]...); len(samples) > 0 { // as most pairs have them
			source, target = samples[0].LanguageA, samples[0].LanguageB
		}
		rows := func(samples []sampledPair) (rows []markup.SampleRow) {
			for _, p := range samples {
				if p.LanguageA != source {
					p.TextA, p.TextB = p.TextB, p.TextA
				}
				rows = append(rows, markup.SampleRow{Text: p.TextA, Translation: p.TextB, Verdict: p.Reason})
			}
			return rows
		}
		kept, dropped := rows(b.kept[k.key]), rows(b.dropped[k.key])
		for _, r := range b.rejects {
			for _, s := range r.samples {
				if s.Language == k.key {
					a, t, _ := strings.Cut(s.Sample, "\n")
					dropped = append(dropped, markup.SampleRow{Text: excerpt.Characters(a, mostCharacters),
						Translation: excerpt.Characters(t, mostCharacters), Verdict: strings.TrimSpace(s.Reason + " " + s.Detail)})
				}
			}
		}
		var both markup.SideBySide
		for _, of := range []struct {
			caption string
			rows    []markup.SampleRow
		}{{"Kept", kept}, {"Dropped", dropped}} {
			if len(of.rows) > 0 {
				both = append(both, markup.Samples{Caption: of.caption, Source: source, Target: cmp.Or(target, source), Rows: of.rows})
			}
		}
		if len(both) > 0 {
			list = append(list, markup.Folded{Summary: k.key, Blocks: []markup.Block{both}})
		}
	}
	return list
}

func (b *Bitext) sheetTable() markup.Table {
	t := markup.Table{Columns: []markup.Column{{Name: "Pair"}, {Name: "Languages"}, {Name: "Source"}, {Name: "Target"}}}
	for _, p := range b.ordered() {
		t.Rows = append(t.Rows, markup.Cells(p.ID, p.LanguageA+"-"+p.LanguageB, excerpt.Characters(p.TextA, mostCharacters),
			excerpt.Characters(p.TextB, mostCharacters)))
	}
	return t
}

// CSV has all counts, a line for each: those of funnels as Corpus has them, those of pairs by languages and origin.
func (b *Bitext) CSV() ([]byte, error) { return table(b.lines) }

// lines calls write with each count, and with the other fields of its line.
func (b *Bitext) lines(write writeLine) {
	b.history.lines(write)
	for _, g := range b.groupsByCount() {
		write(float64(b.groups[g].n+b.without[g]), "size", "", "pairs", "", g.languages, g.origin)
		for i, q := range b.groups[g].ends() {
			write(q, "score", "", "pairs", strconv.FormatFloat(quantileShares[i], 'f', -1, 64), g.languages, g.origin)
		}
	}
	for _, r := range byCount(b.reasons) {
		write(float64(r.n), "would_drop", "", "pairs", "", "", r.key)
	}
	for _, name := range slices.Sorted(maps.Keys(b.measures)) {
		for i, q := range b.measures[name].ends() {
			write(q, "measure", "", name, "", "", strconv.FormatFloat(quantileShares[i], 'f', -1, 64))
		}
	}
}
