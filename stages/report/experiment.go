package report

import (
	"cmp"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/stages/lineage"
	"sentweave/stages/metrics"
	"sentweave/stages/report/corpus"
	"sentweave/stages/report/markup"
	"sentweave/stages/report/trainings"
)

// experiment is what is shown. Every part may be absent: its section is left out then.
type experiment struct {
	Title, Lead string
	// About says what was built, as Text does.
	About string
	// Results are rows of the task retrieval, and of any other. The Model of a row is
	// the Key of one of Models.
	Results []schemas.Result
	// Models are compared, in this order. Nil takes those of Results.
	Models []Model
	// Comparisons are of models by their items.
	Comparisons comparisons
	// Confusions are tables of right and predicted classes, by task.
	Confusions map[string]markup.Block
	// Headlines are models of which the one with the best accuracy is above everything else.
	Headlines []headline
	Losses    []trainings.Step
	Speeds    []trainings.Speed
	Prefix    []trainings.PrefixEffect
	// Queries shows texts and what is nearest to them; nil for none.
	Queries markup.Block
	// Plots show embeddings, before and after PCR, along components and by t-SNE.
	Plots []markup.Scatter
	// Translations are datasets of them.
	Translations []translations
	// Corpus is what is known of a dataset of documents, nil for none; Origins are that dataset and what it was made of.
	Corpus  *corpus.Corpus
	Origins []lineage.Ancestor
	// Bitext is what is known of a dataset of pairs, nil for none; PairOrigins are as Origins.
	Bitext      *corpus.Bitext
	PairOrigins []lineage.Ancestor
	// Pages are some of those that the documents were made of.
	Pages []Page
	// Sources are the datasets of results, for the last section.
	Sources []source
	// Ancestors are what the models were made of, from the first texts on.
	Ancestors []lineage.Ancestor
	// WallSeconds and PeakRSSBytes are what it took, 0 where that is not known.
	WallSeconds  float64
	PeakRSSBytes int64
}

// title is that of the page.
func (c Config) title() string {
	switch {
	case c.Title != "":
		return c.Title
	case len(c.Results) > 0:
		return "Results"
	case c.Pairs != "":
		return "Pairs"
	case c.Documents != "":
		return "Documents"
	}
	return "Translations"
}

// Report arranges the experiment as a page.
func (e experiment) Report() (markup.Report, error) {
	r := markup.Report{Title: e.Title, Lead: cmp.Or(e.Lead, severalVersions(e.Sources))}
	retrieval, err := newRetrieval(e.Results, e.Models)
	if err != nil {
		return markup.Report{}, err
	}
	retrieval.results.compared = e.Comparisons.by
	r.Facts = e.facts(retrieval)
	add := func(title string, blocks ...markup.Block) {
		if len(blocks) > 0 {
			r.Sections = append(r.Sections, markup.Section{Title: title, Blocks: blocks})
		}
	}
	if e.About != "" {
		add("What was built", markup.Text{Body: e.About})
	}
	var names []string
	for _, m := range e.Models {
		names = append(names, m.name())
	}
	for _, s := range e.Speeds {
		names = append(names, s.Period)
	}
	add("How the models were made", lineageBlocks(e.Ancestors)...)
	add("How the documents were made", lineageBlocks(e.Origins)...)
	if e.Corpus != nil {
		r.Sections = append(r.Sections, e.Corpus.Sections()...)
	}
	add("How the pairs were made", lineageBlocks(e.PairOrigins)...)
	if e.Bitext != nil {
		r.Sections = append(r.Sections, e.Bitext.Sections()...)
	}
	add("Words", glossaryOf(names)...)
	if len(retrieval.results.models) > 0 {
		blocks := []markup.Block{markup.Text{
			Body: "For each text of one language, its translation is sought among all texts of another by the cosine of their vectors."},
			retrieval.accuracyBars(), retrieval.table()}
		if advice := e.advice(retrieval); advice != "" {
			blocks = slices.Insert(blocks, 0, markup.Block(markup.Text{Body: advice}))
		}
		add("Cross-lingual retrieval", blocks...)
		add("Direction by direction", retrieval.directionTable())
	}
	if e.Queries != nil {
		add("Queries and what is nearest to them", e.Queries)
	}
	add("Language in the vectors", e.languages(retrieval)...)
	add("What CMLM's prefix tells", e.prefix()...)
	add("Training", e.training()...)
	overview, tasks, err := taskSections(e.others(), e.Models, e.Comparisons)
	if err != nil {
		return markup.Report{}, err
	}
	for i, s := range tasks {
		if b, ok := e.Confusions[s.Title]; ok {
			tasks[i].Blocks = append(tasks[i].Blocks, b)
		}
	}
	add("Overview", overview...)
	add("Which differences hold", e.Comparisons.blocks(e.nameOf)...)
	r.Sections = append(r.Sections, tasks...)
	for _, t := range e.Translations {
		add("Translations: "+t.Name, t.blocks()...)
	}
	add("Pages, and what was kept of them", pageBlocks(e.Pages)...)
	if len(e.Sources) > 0 {
		add("Where the figures come from", sourceTable(e.Sources))
	}
	return r, r.Validate()
}

// nameOf is what a model is called on the page.
func (e experiment) nameOf(key string) string {
	for _, m := range e.Models {
		if m.Key == key {
			return m.name()
		}
	}
	return key
}

func (e experiment) facts(r Retrieval) []markup.Fact {
	var facts []markup.Fact
	if h := e.headlines(r); len(h) > 0 {
		fact := markup.Fact{Name: "Accuracy of " + e.nameOf(h[0].model), Value: markup.Percent(h[0].value) + " %"}
		if ends := markup.Interval(h[0].low, h[0].high); ends != "" {
			fact.Note = "95 % interval " + ends
		}
		facts = append(facts, fact)
	}
	if directions, paragraphs := r.extent(); paragraphs > 0 {
		facts = append(facts, markup.Fact{Name: "Texts, each with its translations", Value: markup.Number(float64(paragraphs), 0),
			Note: fmt.Sprintf("in %d directions", directions)})
	}
	var rows, rejected int64
	for _, t := range e.Translations {
		for _, p := range t.Pairs {
			rows, rejected = rows+p.Rows, rejected+p.Rows-p.OK
		}
	}
	if rows > 0 {
		facts = append(facts, markup.Fact{Name: "Translations", Value: markup.Count(rows), Note: markup.Count(rejected) +
			" of them rejected"})
	}
	if e.Corpus != nil {
		facts = append(facts, e.Corpus.Facts()...)
	}
	if e.Bitext != nil {
		facts = append(facts, e.Bitext.Facts()...)
	}
	if n := len(e.Pages); n > 0 {
		keptPages := 0
		for _, p := range e.Pages {
			if p.kept {
				keptPages++
			}
		}
		facts = append(facts, markup.Fact{Name: "Pages shown", Value: markup.Count(int64(n)), Note: markup.Count(int64(keptPages)) +
			" of them kept"})
	}
	if e.WallSeconds > 0 {
		facts = append(facts, markup.Fact{Name: "Time", Value: markup.Duration(e.WallSeconds)})
	}
	if e.PeakRSSBytes > 0 {
		facts = append(facts, markup.Fact{Name: "Peak memory", Value: markup.Size(e.PeakRSSBytes)})
	}
	return facts
}

func (e experiment) languages(r Retrieval) []markup.Block {
	var blocks []markup.Block
	if bars := r.sameLanguageBars(); len(bars.Bars) > 0 {
		blocks = append(blocks, bars, r.sameLanguageTable())
	}
	var plots markup.SideBySide
	for _, p := range e.Plots {
		plots = append(plots, p)
	}
	if len(plots) > 0 {
		blocks = append(blocks, plots,
			markup.Text{Body: "Each plot has principal components of its own: the two directions along which its vectors vary most. t-SNE keeps neighbours together instead; its lengths, and the distances between its groups, mean nothing. Where languages stand apart, language is what varies most; after PCR translations should lie together. Rest the pointer on a dot to read its text."})
	}
	return blocks
}

func (e experiment) prefix() []markup.Block {
	if len(e.Prefix) == 0 {
		return nil
	}
	blocks := []markup.Block{markup.Text{
		Body: "CMLM fills in masked words of a sentence, given a few vectors made from the sentence before: the prefix. If the vectors carry meaning, the loss rises when they are replaced by zeros, or by those of another pair."}}
	var charts markup.SideBySide
	for _, p := range e.Prefix {
		charts = append(charts, trainings.PrefixBars(p))
	}
	return append(blocks, charts, trainings.PrefixTable(e.Prefix))
}

func (e experiment) training() []markup.Block {
	var blocks []markup.Block
	if len(e.Losses) > 0 {
		var charts markup.SideBySide
		for _, c := range trainings.LossCharts(e.Losses) {
			charts = append(charts, c)
		}
		blocks = append(blocks, charts, trainings.LossTable(e.Losses))
		if heldOut := trainings.HeldOutCharts(e.Losses); len(heldOut) > 0 {
			var charts markup.SideBySide
			for _, c := range heldOut {
				charts = append(charts, c)
			}
			blocks = append(blocks, charts, trainings.HeldOutTable(e.Losses))
		}
		if figures := trainings.FigureChart(e.Losses); len(figures.Series) > 0 {
			blocks = append(blocks, figures)
		}
		if rates := trainings.RateChart(e.Losses); len(rates.Series) > 0 {
			blocks = append(blocks, rates)
		}
	}
	if len(e.Speeds) > 0 {
		blocks = append(blocks, trainings.SpeedTable(e.Speeds))
	}
	return blocks
}

// others are the results of the tasks that no other section shows.
func (e experiment) others() []schemas.Result {
	return slices.DeleteFunc(slices.Clone(e.Results), func(r schemas.Result) bool {
		return r.Task == metrics.RetrievalTask || r.Task == trainings.PrefixTask
	})
}
