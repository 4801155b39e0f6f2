package corpus

import (
	"cmp"
	"errors"
	"fmt"

	"sentweave/pipelines/units"
	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/lines"
	"sentweave/transforms/clean/maincontent/trained"
	"sentweave/transforms/document"
)

// way is a way to find main content.
type way struct {
	name string
	// pages and lines say which models judge: that of pages by markup and text, that of lines by texts alone.
	pages, lines bool
	// texts says that files of text are judged, too, not only WET files.
	texts bool
	// classifier judges the blocks of pages by these models.
	classifier func(pages *trained.Model, lines *lines.Model) maincontent.Classifier
}

// ways are the values of --main; the first is the default.
var ways = []way{
	{"model", true, true, false, func(pages *trained.Model, _ *lines.Model) maincontent.Classifier { return pages }},
	{"sentences", false, true, true, func(_ *trained.Model, lines *lines.Model) maincontent.Classifier { return lines }},
	{"both", true, true, true, func(pages *trained.Model, lines *lines.Model) maincontent.Classifier {
		return trained.Mean{Model: pages, Lines: lines}
	}},
	{"none", false, false, false, func(*trained.Model, *lines.Model) maincontent.Classifier { return maincontent.KeepAll{} }},
}

// mainRules is what found main content up to version 8, which recorded no choice.
const mainRules = "rules"

// way returns the way that is configured, or an error for what cannot find main content.
func (c Config) way() (way, error) {
	if c.Main == mainRules {
		return way{}, errors.New("main: the dataset was made by rules that this version does not have: make it again, or use the version of sentweave that it was made with")
	}
	var names []string
	for _, w := range ways {
		if w.name == cmp.Or(c.Main, ways[0].name) {
			return w, nil
		}
		names = append(names, w.name)
	}
	return way{}, units.OneOf("main", c.Main, names...)
}

// models returns the models of a way, nil for those that it does without.
func (c Config) models(w way) (pages *trained.Model, texts *lines.Model, err error) {
	if w.pages {
		if pages, err = trained.Default(); err == nil {
			err = sameModel(pages.Hash(), c.MainHash)
		}
	}
	if w.lines && err == nil {
		if texts, err = lines.Default(); err == nil {
			err = sameModel(texts.Hash(), c.LinesHash)
		}
	}
	return pages, texts, err
}

// sameModel returns an error if a plan holds another model.
func sameModel(program, plan string) error {
	if plan == "" || plan == program {
		return nil
	}
	return fmt.Errorf("main: the model of this program has the hash %s, that of the plan %s: use the version of sentweave that the dataset was made with",
		program, plan)
}

// findMain sets what finds main content.
func (c Config) findMain(d *document.Config) error {
	w, err := c.way()
	if err != nil {
		return err
	}
	pages, texts, err := c.models(w)
	if err != nil {
		return err
	}
	d.Classifier, d.AllTexts, d.MainThreshold = w.classifier(pages, texts), w.texts, c.MainThreshold
	if texts != nil {
		d.Lines = texts
	}
	return nil
}

// recordMain writes the choice and the models down, for the plan.
func (c *Config) recordMain() error {
	w, err := c.way()
	if err != nil {
		return err
	}
	pages, texts, err := c.models(w)
	c.Main = w.name
	if pages != nil {
		c.MainHash = pages.Hash()
	}
	if texts != nil {
		c.LinesHash = texts.Hash()
	}
	return err
}
