// Package report is the stage that shows an experiment: its results, trainings, translations and pages, on one page and
// in files for other programs.
//
// The same inputs give the same bytes.
package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate"
	"sentweave/stages/metrics"
	"sentweave/stages/report/corpus"
	"sentweave/stages/report/markup"
	"sentweave/stages/report/trainings"
	"sentweave/stages/report/vectors"
)

// Files of the output folder.
const (
	PageName     = "report.html"
	SummaryName  = "summary.json"
	figuresName  = "figures.csv"
	markdownName = "tables.md"
	latexName    = "tables.tex"
)

// Files are the names of all that Run writes; one that ends with a slash is that of a folder.
func Files() []string {
	return []string{figuresName, corpus.TableName, corpus.PairTableName, corpus.SheetName, markdownName, latexName, mtebFolder, SummaryName,
		PageName}
}

// maxPage bounds what Check reads of a page.
const maxPage = 256 << 20

// Check returns an error unless a folder holds a page to its end, and the summary.
func Check(ctx context.Context, folder storage.Folder) error {
	if _, err := folder.Stat(ctx, SummaryName); err != nil {
		return err
	}
	page, err := storage.ReadFile(ctx, folder, PageName, maxPage)
	if err == nil && !bytes.HasSuffix(bytes.TrimSpace(page), []byte("</html>")) {
		err = fmt.Errorf("%s in %s: %w: its end is missing", PageName, folder, dataset.ErrCorrupt)
	}
	return err
}

// Config says what is shown. The tags are read by the command line.
type Config struct {
	Title    string            `help:"Title of the page; if not given, what it shows, such as Results or Pairs." placeholder:"TEXT" group:"Page"`
	About    string            `help:"What was built, as the page opens with it: an empty line ends a paragraph, and lines that begin with - are a list." placeholder:"TEXT" group:"Page"`
	Headline []string          `help:"Model of the results whose accuracy in retrieval is on top; of several the best, and the page says which of them to take, and what you give that speaks for each." placeholder:"MODEL[=WHY],…" group:"Page"`
	Names    []string          `help:"Models of the results in the order in which they are to stand, with the names to show, which their treated vectors take, too; others follow." placeholder:"MODEL=NAME,…" group:"Page"`
	Results  []string          `help:"Datasets of results, of sentweave evaluate and prefix." placeholder:"DIR" takes:"result" group:"Input"`
	Draws    int               `help:"Draws of the items by which models are compared, 1,000 to 100,000, or 0, which compares none; 10,000 if not given." default:"10000" placeholder:"N" group:"Page"`
	Lineage  []string          `help:"Folders with the datasets and trainings behind the models, or with those behind --documents or --pairs, up to two levels below: the page then shows how these were made, and what each step dropped of the documents." placeholder:"DIR,..." group:"Input"`
	Training map[string]string `help:"Folders that sentweave train made, whose losses and speed are shown." placeholder:"NAME=DIR" takes:"encoder" mapsep:"," group:"Input"`

	Translations    []string `help:"Datasets of translations, which are counted and shown side by side; NAME=DIR names one otherwise than its folder." placeholder:"[NAME=]DIR,…" takes:"translation" group:"Input"`
	Samples         int      `help:"Accepted translations to show for each pair of languages." default:"8" group:"Input"`
	RejectedSamples int      `help:"Rejected translations to show for each pair and reason, and rejected documents for each step and reason." default:"3" group:"Input"`

	Documents    string `help:"Dataset of documents: what was kept and dropped of them, lengths, scores, domains, rights and near duplicates are shown." placeholder:"DIR" takes:"document" group:"Documents"`
	Input        string `help:"Folder of the input of --documents of sentweave corpus: some of the pages are shown, too, with what was kept and dropped of them." placeholder:"DIR" group:"Documents"`
	Langid       string `help:"fastText model of languages that --documents was made with." placeholder:"FILE" group:"Documents"`
	QualityModel string `help:"fastText model of quality that --documents was made with." placeholder:"FILE" group:"Documents"`

	PerplexityModel map[string]string `help:"N-gram models that --documents was made with." placeholder:"LANG=FILE" mapsep:"," group:"Documents"`
	Pieces          map[string]string `help:"Models of pieces that --documents was made with." placeholder:"LANG=FILE" mapsep:"," group:"Documents"`
	Words           map[string]string `help:"Lists of words that --documents was made with." placeholder:"LANG=FILE" mapsep:"," group:"Documents"`

	Pages int    `help:"Pages to show, 1 to 200, drawn by the hashes of their files; of a file of many, one of the first 1,000." default:"12" group:"Documents"`
	Pairs string `help:"Dataset of pairs of parallel texts, or of scores that pairfilter made of them: what was kept and dropped of them, scores by languages and origin, pairs side by side, and a sheet of 100 to judge." placeholder:"DIR" takes:"pair,pairscore" group:"Documents"`
	// Drawn are these pages.
	Drawn []Page `kong:"-"`

	Embeddings string `help:"Dataset of embeddings of --texts, for plots and queries." placeholder:"DIR" takes:"embedding" group:"Plot"`
	Components string `help:"Folder of components, for the plot after they are taken off." placeholder:"DIR" takes:"component" group:"Plot"`
	Distilled  string `help:"Folder that sentweave distill made of such embeddings, for the plots of meaning and language." placeholder:"DIR" takes:"split" group:"Plot"`
	Texts      string `help:"Dataset of pairs that was embedded." placeholder:"DIR" takes:"document,pair" group:"Plot"`
	Groups     int    `help:"Most texts with all their translations in the plot." default:"120" group:"Plot"`
}

// fewestDraws has 25 draws beyond each end of an interval of 95 %; mostDraws bounds the memory that
// draws take.
const fewestDraws, mostDraws = 1000, 100_000

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(len(c.Results)+len(c.Translations) != 0 || c.Documents+c.Pairs != "",
		"--results is empty: give at least one dataset of results, of translations, of documents, or of pairs")
	errs.Check(c.Documents == "" || c.Pairs == "", "--documents and --pairs exclude each other: make a page of each")
	errs.Check(c.Input == "" || c.Documents != "", "--input is for the pages of a dataset: give --documents, too")
	errs.Check(c.Langid == "" && c.QualityModel == "" && len(c.PerplexityModel)+len(c.Pieces)+len(c.Words) == 0 || c.Input != "",
		"--langid, --words and models are for the pages of a dataset: give --documents and --input, too")
	errs.Check(c.Input == "" || c.Pages >= 1 && c.Pages <= mostPages, "--pages is %d; it must be 1 to %d", c.Pages, mostPages)
	if _, err := parseLabelled("translations", c.Translations); err != nil {
		errs.Add(err)
	}
	errs.Check(c.Samples >= 0 && c.RejectedSamples >= 0, "--samples is %d and --rejected-samples %d: neither may be negative", c.Samples,
		c.RejectedSamples)
	errs.Check((c.Embeddings == "") == (c.Texts == ""), "--embeddings and --texts go together")
	errs.Check(c.Components == "" || c.Embeddings != "", "--components is for the plot: give --embeddings, too")
	errs.Check(c.Distilled == "" || c.Embeddings != "", "--distilled is for the plot: give --embeddings, too")
	for _, assignment := range c.Names {
		if key, name, _ := strings.Cut(assignment, "="); key == "" || name == "" {
			errs.Addf("--names: %q is not MODEL=NAME", assignment)
		}
	}
	errs.Check(c.Draws == 0 || c.Draws >= fewestDraws && c.Draws <= mostDraws, "--draws is %d; it must be %d to %d, or 0 to compare none",
		c.Draws, fewestDraws, mostDraws)
	errs.Check(c.Groups >= 1, "--groups is %d; it must be at least 1", c.Groups)
	return errs.Err()
}

// mostPages bounds the length of the report: a page has some ten to a hundred kilobytes of it.
const mostPages = 200

// Cost is what an experiment took so far; zero where it is not known.
type Cost struct {
	WallSeconds  float64
	PeakRSSBytes int64
}

// Options are what the figures of a report do not depend on.
type Options struct {
	// Cost is that of the experiment.
	Cost Cost
}

// Run reads what the configuration names and writes the page, the summary, and the figures
// and tables in other formats into the folder at output, the page last. What stood there before is replaced: a report has nothing that
// cannot be made again, so that it is never there before. Without a cost, that of the trainings is told.
func Run(ctx context.Context, output string, c Config, o Options) (r Retrieval, existed bool, err error) {
	if err := c.Validate(); err != nil {
		return r, false, err
	}
	folder, err := storage.Locate(output)
	if err != nil {
		return r, false, err
	}
	e, err := c.experiment(ctx)
	if err != nil {
		return r, false, err
	}
	cost := o.Cost
	if cost == (Cost{}) {
		cost = costOf(e.Speeds)
	}
	e.WallSeconds, e.PeakRSSBytes = cost.WallSeconds, cost.PeakRSSBytes
	pairFiles, err := e.pairFiles(ctx, folder)
	if err != nil {
		return r, false, err
	}
	page, err := e.Report()
	if err != nil {
		return r, false, err
	}
	summary, err := e.summary()
	if err != nil {
		return r, false, err
	}
	var html, text bytes.Buffer
	if err := markup.Write(&html, page); err != nil {
		return r, false, err
	}
	if _, err := summary.WriteTo(&text); err != nil {
		return r, false, err
	}
	figures, err := collect(e.Results, nil)
	if err != nil {
		return r, false, err
	}
	table, err := figures.csv()
	if err != nil {
		return r, false, err
	}
	counted, err := e.Corpus.CSV()
	if err != nil {
		return r, false, err
	}
	benchmark, err := figures.mteb(e.Sources)
	if err != nil {
		return r, false, err
	}
	defer storage.Sweep(context.WithoutCancel(ctx), folder)
	err = removeOthers(ctx, folder, benchmark)
	if err == nil {
		err = storage.WriteFiles(ctx, folder, append(append(benchmark, pairFiles...),
			storage.File{Name: figuresName, Data: table}, storage.File{Name: corpus.TableName, Data: counted},
			storage.File{Name: markdownName, Data: page.Markdown()}, storage.File{Name: latexName, Data: page.Latex()},
			storage.File{Name: SummaryName, Data: text.Bytes()},
			storage.File{Name: PageName, Data: html.Bytes()}))
	}
	if err != nil {
		return r, false, storage.WayOut(fmt.Errorf("write the report in %s: %w", folder, err), " and run the same command again")
	}
	r, err = newRetrieval(e.Results, e.Models)
	return r, false, err
}

// removeOthers removes the files in MTEB's form of an earlier report that this one has not, by the list that the earlier one wrote: what
// somebody else put there stays.
func removeOthers(ctx context.Context, folder storage.Folder, files []storage.File) error {
	data, err := storage.ReadFile(ctx, folder, mtebList, maxPage)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var earlier []string
	if err == nil {
		err = jsonfile.Unmarshal(data, &earlier)
	}
	for _, name := range earlier {
		kept := slices.ContainsFunc(files, func(f storage.File) bool { return f.Name == name })
		if err != nil || kept || !strings.HasPrefix(name, mtebFolder) {
			continue
		}
		if err = folder.Remove(ctx, name); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// costOf is what trainings took, one after the other.
func costOf(speeds []trainings.Speed) (cost Cost) {
	for _, s := range speeds {
		cost.WallSeconds += s.Seconds
		cost.PeakRSSBytes = max(cost.PeakRSSBytes, s.PeakRSS)
	}
	return cost
}

func (c Config) experiment(ctx context.Context) (experiment, error) {
	e := experiment{Title: c.title(), About: c.About, Headlines: headlinesOf(c.Headline), Pages: c.Drawn}
	keys := map[string]bool{}
	for _, location := range c.Results {
		folder, manifest, err := dataset.OpenAs[schemas.Result](ctx, location)
		if err != nil {
			return e, fmt.Errorf("results: %w", err)
		}
		for row, err := range dataset.Rows[schemas.Result](ctx, folder, manifest) {
			if err != nil {
				return e, fmt.Errorf("results: %w", err)
			}
			if key := rowKey(row, manifest.Plan.Inputs); !keys[key] {
				keys[key] = true
				e.Results = append(e.Results, row)
			}
		}
		e.Sources = append(e.Sources, source{path.Base(strings.TrimRight(location, "/")), manifest})
	}
	var err error
	if e.Ancestors, err = c.lineage(ctx, e.Sources); err != nil {
		return e, fmt.Errorf("lineage: %w", err)
	}
	if e.Corpus, e.Origins, err = c.documents(ctx); err != nil {
		return e, fmt.Errorf("documents: %w", err)
	}
	if e.Bitext, e.PairOrigins, err = c.bitext(ctx); err != nil {
		return e, fmt.Errorf("pairs: %w", err)
	}
	var remaining []schemas.Result
	e.Prefix, remaining = trainings.Prefixes(e.Results)
	if e.Models, err = c.models(remaining); err != nil {
		return e, err
	}
	items, err := metrics.OpenItems(ctx, c.Results)
	if err != nil {
		return e, fmt.Errorf("results: %w", err)
	}
	if e.Comparisons, err = e.compare(ctx, items, c.Draws); err != nil {
		return e, fmt.Errorf("compare models: %w", err)
	}
	if c.Draws > 0 && len(e.Models) > 1 {
		for i, s := range e.Sources { // one for each of c.Results
			if s.manifest.Plan.Pipeline == evaluate.Pipeline && slices.Contains(items.Lacking, c.Results[i]) {
				e.Comparisons.lacking = append(e.Comparisons.lacking, s.name)
			}
		}
	}
	if e.Confusions, err = confusions(items, e.Models); err != nil {
		return e, fmt.Errorf("results: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Training)) {
		steps, speeds, err := training(ctx, name, c.Training[name])
		if err != nil {
			return e, fmt.Errorf("training %s: %w", name, err)
		}
		e.Losses, e.Speeds = append(e.Losses, steps...), append(e.Speeds, speeds...)
	}
	datasets, err := parseLabelled("translations", c.Translations)
	if err != nil {
		return e, err
	}
	for _, d := range datasets {
		t, err := readTranslations(ctx, d.name, d.location, c.Samples, c.RejectedSamples)
		if err != nil {
			return e, fmt.Errorf("translations %s: %w", d.name, err)
		}
		e.Translations = append(e.Translations, t)
	}
	if c.Embeddings == "" {
		return e, nil
	}
	texts, err := vectors.Texts{Texts: c.Texts, Embeddings: c.Embeddings, Components: c.Components, Distilled: c.Distilled,
		Groups: c.Groups}.Read(ctx)
	if err != nil {
		return e, err
	}
	if e.Plots, err = texts.Plots(ctx); err != nil {
		return e, err
	}
	e.Queries, err = texts.Queries(ctx)
	return e, err
}

// models are those of the results: the named ones first.
func (c Config) models(results []schemas.Result) ([]Model, error) {
	var keys []string
	for _, r := range results {
		if !slices.Contains(keys, r.Model) {
			keys = append(keys, r.Model)
		}
	}
	var errs fault.List
	for _, h := range headlinesOf(c.Headline) {
		errs.Check(slices.Contains(keys, h.model), "headline: no model of the results has the name %q; they are %s", h.model,
			strings.Join(keys, ", "))
	}
	var list []Model
	names := map[string]bool{}
	for _, assignment := range c.Names {
		key, _, _ := strings.Cut(assignment, "=")
		names[key] = true
	}
	for _, assignment := range c.Names {
		key, name, _ := strings.Cut(assignment, "=")
		total := len(keys)
		keys = slices.DeleteFunc(keys, func(k string) bool {
			how, treated := strings.CutPrefix(k, key+"+")
			switch {
			case k == key:
				list = append(list, Model{Key: k, Name: name, Baseline: isBaseline(k)})
			case treated && metrics.IsVariant(how) && !names[k]:
				list = append(list, Model{Key: k, Name: name + "+" + how})
			default:
				return false
			}
			return true
		})
		errs.Check(len(keys) < total, "names: no model of the results has the name %q, or it occurs there twice", key)
	}
	for _, k := range keys {
		list = append(list, Model{Key: k, Baseline: isBaseline(k)})
	}
	return list, errs.Err()
}

// isBaseline says whether results have the name of one of evaluate's baselines.
func isBaseline(key string) bool { return slices.Contains(encoder.Baselines(), "baseline:"+key) }

// training reads the losses of a training and sums its speed up, by period.
func training(ctx context.Context, name, location string) ([]trainings.Step, []trainings.Speed, error) {
	folder, err := storage.Locate(location)
	if err != nil {
		return nil, nil, err
	}
	object, err := folder.Open(ctx, "losses.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s holds no losses.jsonl: it is not the folder of a training", location)
	}
	if err != nil {
		return nil, nil, err
	}
	defer object.Close()
	steps, err := trainings.ReadLosses(io.NewSectionReader(object, 0, object.Size()))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", location, err)
	}
	var speeds []trainings.Speed
	begin := 0 // the step before the period's first
	for i := range steps {
		s := &steps[i]
		period := name
		if s.Period != name {
			period = name + ": " + s.Period
		}
		s.Training, s.Period = name, period
		if len(speeds) == 0 || speeds[len(speeds)-1].Period != period {
			if i > 0 {
				begin = steps[i-1].Step
			}
			speeds = append(speeds, trainings.Speed{Period: period})
		}
		sum := &speeds[len(speeds)-1]
		seconds := s.Other["seconds"]
		sum.Steps, sum.Seconds = s.Step-begin, sum.Seconds+seconds
		sum.Tokens += int64(s.Other["tokens"])
		sum.Waiting += s.Other["wait_share"] * seconds
		sum.PeakRSS = max(sum.PeakRSS, int64(s.Other["rss_bytes"]))
	}
	return steps, speeds, nil
}

// PrintTable writes the means as plain text, for a terminal.
func (r Retrieval) PrintTable(print func(name, accuracy, sameLanguage string)) {
	for _, m := range r.results.models {
		cells := [2]string{markup.Absent, markup.Absent}
		for i, metric := range []string{"accuracy", "same_language"} {
			if f, ok := r.results.of(m, mean(metric)); ok {
				cells[i] = markup.Percent(f.value) + " %"
				if ends := markup.Interval(f.low, f.high); ends != "" {
					cells[i] += " (" + ends + ")"
				}
			}
		}
		print(m.name(), cells[0], cells[1])
	}
}
