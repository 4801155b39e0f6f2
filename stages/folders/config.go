// Package folders is the stage that writes datasets of benchmarks as folders for other
// programs, one for each language: in SentEval's own layout, or in one that Hugging
// Face's datasets loads.
//
// # Output
//
// The output is OUT/LANGUAGE/… and OUT/folders.json, which is written last. It holds
// the request, its sources, and every file with size and hash. Repeating the same
// request finds it done, or continues it where it was interrupted. Each file appears
// whole or not at all.
//
// Memory is that of the rows and files of one task in one language.
package folders

import (
	"slices"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// Version of the stage: raised when the same input gives other files.
const Version = 2

// Formats of folders.
const (
	FormatSentEval    = "senteval"
	FormatHuggingFace = "huggingface"
)

// Config is the configuration of the stage. The tags are read by the command line;
// the json names are in the record.
type Config struct {
	Benchmarks []string `help:"Datasets of benchmarks, each in one or several languages." required:"" placeholder:"DIR,…" takes:"benchmark" group:"Input" json:"-"`
	Format     string   `help:"Folders for SentEval, or for load_dataset of Hugging Face's datasets (${enum})." default:"senteval" enum:"senteval,huggingface" group:"Folders" json:"format"`
	Form       string   `help:"senteval: utf-8, which SentEval reads with the module that is put beside the files, or references: ASCII for unchanged loaders and a batcher that calls html.unescape (${enum})." default:"utf-8" enum:"utf-8,references" group:"Folders" json:"form,omitempty"`
	Spacing    string   `help:"senteval: characters puts spaces between the characters of languages that write words without any, for bags of words (${enum})." default:"text" enum:"text,characters" group:"Folders" json:"spacing,omitempty"`
	Partial    bool     `help:"senteval: write files with other numbers of rows than SentEval's." group:"Folders" json:"-"` // it decides what is refused, not what is written
	Title      string   `help:"huggingface: title of the card." default:"Benchmarks" group:"Card" json:"title,omitempty"`
	License    string   `help:"huggingface: identifier of the terms; a translation stays under its source's." default:"other" group:"Card" json:"license,omitempty"`
	About      string   `help:"huggingface: text of the card: where the source is from, what translated it." placeholder:"TEXT" group:"Card" json:"about,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(len(c.Benchmarks) != 0, "benchmarks is empty: give the datasets to write")
	for i, location := range c.Benchmarks {
		errs.Check(location != "" && !slices.Contains(c.Benchmarks[:i], location), "benchmarks: %q is empty or occurs twice", location)
	}
	restrict := func(set bool, setting, format string) {
		errs.Check(!set, "%s is for --format %s, and has no effect on %s", setting, format, c.Format)
	}
	defaults := Config{Form: string(senteval.FormUTF8), Spacing: string(senteval.SpacingText), Title: "Benchmarks", License: "other"}
	switch c.Format {
	case FormatSentEval:
		errs.Add(c.senteval("zho").Validate())
		restrict(c.Title != defaults.Title, "title", FormatHuggingFace)
		restrict(c.License != defaults.License, "license", FormatHuggingFace)
		restrict(c.About != "", "about", FormatHuggingFace)
	case FormatHuggingFace:
		errs.Add(c.card("").Validate())
		restrict(c.Form != defaults.Form, "form", FormatSentEval)
		restrict(c.Spacing != defaults.Spacing, "spacing", FormatSentEval)
		restrict(c.Partial, "partial", FormatSentEval)
	default:
		errs.Addf("format %q: want %s or %s", c.Format, FormatSentEval, FormatHuggingFace)
	}
	return errs.Err()
}

// semantic is what is in the record: settings of the other format do not.
func (c Config) semantic() Config {
	if c.Format == FormatSentEval {
		c.Title, c.License, c.About = "", "", ""
	} else {
		c.Form, c.Spacing = "", ""
	}
	c.Benchmarks, c.Partial = nil, false
	return c
}

// unspaced are the scripts that are written without spaces between words.
var unspaced = []string{"Hans", "Hant", "Hani", "Jpan", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"}

// senteval is the form of a language's folder: only a language that is written without
// spaces needs its characters apart, in any other each space would become a word.
func (c Config) senteval(languageCode string) senteval.Format {
	f := senteval.Format{Form: senteval.Form(c.Form), Spacing: senteval.Spacing(c.Spacing), Partial: c.Partial}
	if f.Spacing == senteval.SpacingCharacters && !slices.Contains(unspaced, language.Scripts(languageCode)[0]) {
		f.Spacing = senteval.SpacingText
	}
	return f
}

// card is that of a language's folder.
func (c Config) card(languageName string) benchmark.Card {
	card := benchmark.Card{Title: c.Title, License: c.License, Text: c.About}
	if languageName != "" {
		card.Title += " in " + languageName
	}
	return card
}
