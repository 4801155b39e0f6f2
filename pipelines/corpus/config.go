// Package corpus is the pipeline from pages to documents. It turns pages, plain
// texts, JSONL and web archives (formats in format.go) into rows with main content,
// blocks, sentences and their languages. Package document filters them.
package corpus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/flags"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/document"
	"sentweave/transforms/filters/thresholds"
	"sentweave/transforms/read/charset"
	"sentweave/transforms/read/layout"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 25

// pipeline is the name of the pipeline in plans.
const pipeline = "corpus"

// rolePages is the role of the files of a folder among the plan's inputs.
const rolePages = "pages"

// LangidRole is the role of the language identifier among the plan's inputs.
const LangidRole = "langid"

func init() { graph.RegisterWriter[schemas.Document, *task]() }

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest. Flags has the flags of the filters.
type Config struct {
	Input  string `help:"Folder of ${formats_of_files} files, also with ${compressions}; with --paths also an address https://HOST/FOLDER." required:"" placeholder:"DIR" group:"Input" json:"-"`
	Format string `help:"Format of the files (${enum}); auto goes by the names." default:"auto" enum:"${formats}" group:"Input" json:"format"`
	// Encoding is a label of the WHATWG's encoding standard.
	Encoding string `help:"Character set of the files, such as koi8-r or iso-8859-2, by a name that web pages use; without it that of HTML, Markdown and whole text files is found out, and JSONL and texts by --documents=paragraph or line are UTF-8. What is certainly UTF-8 stays so." placeholder:"NAME" group:"Input" json:"encoding,omitempty"`
	Layout   string `help:"Pattern of the file names that tells language and page, as in {language}/{page}.html or {page}.html.{language}: files of the same page are translations of each other. Of several in one language pairs takes the one with the most text in it." placeholder:"PATTERN" group:"Input" json:"layout,omitempty"`
	// Paths is the location of a list of names. What it names is in the plan.
	Paths      string        `help:"List of the files to read, also compressed by gzip: one name a line, as it is below --input. It may be at an address, too. The plan asks for the sizes of these files and does not read them." placeholder:"FILE" group:"Input" json:"-"`
	PathsBytes dataset.Bytes `help:"With --dry-run: size that is assumed of every file of --paths, as in 1GiB, so that none needs to be there." default:"0" placeholder:"SIZE" group:"Input" json:"-"`
	Extend     string        `help:"Dataset that corpus made of some of the same files with the same settings: units of which no file has changed are copied from it, and only the others are read. The rows are those that come out without it." placeholder:"DIR" takes:"document" group:"Input" json:"-"`
	units.Unreadable
	// Record fields of JSONL.
	TextField     string `help:"JSONL: field of the text; dots go into objects." default:"text" group:"Input" json:"text_field"`
	URLField      string `help:"JSONL: field of the address." default:"url" group:"Input" json:"url_field"`
	DateField     string `help:"JSONL: field of the date, as in ISO 8601 or HTTP, or in seconds or milliseconds since 1970; others count as unknown." default:"date" group:"Input" json:"date_field"`
	LanguageField string `help:"JSONL: field of the language." default:"language" group:"Input" json:"language_field"`
	VerifyDigests bool   `help:"WARC and WET: drop records whose content has another digest than their header says." group:"Input" json:"verify_digests,omitempty"`
	Documents     string `help:"Text files: what is one document (${enum})." default:"file" enum:"file,paragraph,line" group:"Input" json:"documents"`

	// MaxErrorRate is not in the plan: with another one the same documents are finalized.
	MaxErrorRate *float64 `help:"Largest share of the records and files that may be rejected as damaged or unreadable, as in 0.01: with more the run ends with an error, and the dataset is not completed. Answers without a page, empty texts and what was not asked for do not count." placeholder:"SHARE" group:"Input" json:"-"`

	Selection `group:"Input"`

	Languages       []string `help:"Languages to keep, as ISO 639-3 or BCP 47, with an optional script, in which most letters must be (eng,zho_Hant,srp_Latn); all if not given." placeholder:"CODE,…" group:"Filters" json:"languages,omitempty"`
	HeaderLanguages bool     `help:"WET: drop a page before it is read if the languages that its header names, which the crawl found by CLD2, are all others than --languages. It saves time, and loses pages of which CLD2 is wrong." group:"Filters" json:"header_languages,omitempty"`
	// Langid is the path of a fastText model.
	Langid string `help:"fastText model that identifies languages, such as lid.176.ftz; embedded takes the one of the program. Without it, and with none, documents have the language that they declare." placeholder:"FILE" words:"embedded,none" group:"Filters" json:"-"`

	Main string `help:"What finds main content (${enum}): model judges blocks of pages by their markup and text, and lines of WET files; sentences judges blocks and lines by their texts alone, in files of text, too; both takes the mean of the two; none takes all text." default:"model" enum:"model,sentences,both,none" group:"Filters" json:"main,omitempty"`
	// MainHash and LinesHash are the hashes of the models, which the plan holds.
	MainHash      string  `kong:"-" json:"main_hash,omitempty"`
	LinesHash     string  `kong:"-" json:"lines_hash,omitempty"`
	MainThreshold float64 `help:"Least probability of main content; with 0 the parts of a page with the greatest expected F1 are taken." default:"0" group:"Filters" json:"main_threshold,omitempty"`

	KeepCode           bool    `help:"Keep preformatted blocks." group:"Filters" json:"keep_code,omitempty"`
	MinLanguageScore   float64 `help:"Least probability of a document's language." default:"0.5" group:"Filters" json:"min_language_score"`
	OtherLanguageScore float64 `help:"Probability from which on a sentence in another language than its document is dropped; 1 keeps all but sure ones." default:"0.5" group:"Filters" json:"other_language_score"`
	Repetition         bool    `help:"Drop documents by Gopher's repetition rules: run the filter gopher-repetition." default:"true" negatable:"" group:"Filters" json:"repetition"`
	C4                 bool    `name:"c4" help:"Add C4's rules for English web pages: run the filter c4." group:"Filters" json:"c4,omitempty"`
	Scores             bool    `help:"Let the filters drop nothing: write the measures of all that run as scores of the documents, and what they would drop." group:"Filters" json:"scores,omitempty"`
	// Thresholds is the location of a file; what it holds is in the plan.
	Thresholds string               `help:"Thresholds of the filters by language, as quality fit makes them. Where the file has none, those of the filters hold." placeholder:"FILE" group:"Filters" json:"-"`
	Fitted     thresholds.Languages `kong:"-" json:"thresholds,omitempty"`
	Quality
	LanguageFlags
	flags.Chosen
	Rights
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{c.Selection.Validate()}
	_, err := layout.Parse(c.Layout)
	errs.Add(err)
	config, err := c.document()
	errs.Add(err, config.Validate(), c.checkEncoding(), c.checkQuality(), c.checkLanguageFiles(),
		units.OneOf("format", c.Format, formatNames()...),
		c.UnreadableFault(),
		units.OneOf("documents", c.Documents, documentsFile, documentsParagraph, documentsLine))
	const scores = "%s has no effect without langid, the identifier whose probability it is"
	usual, none := document.DefaultConfig(), identifier.Location(c.Langid) == ""
	errs.Check(!none || c.MinLanguageScore == 0 || c.MinLanguageScore == usual.MinLanguageScore, scores, "min-language-score")
	errs.Check(!none || c.OtherLanguageScore == usual.OtherLanguageScore, scores, "other-language-score")
	errs.Check(c.Input != "", "input is empty: give the folder of the pages")
	errs.Check(!storage.IsAddress(c.Input) || c.Paths != "",
		"input %s: a web server lists no files: give --paths, a list of their names below that address", c.Input)
	errs.Check(!c.HeaderLanguages || len(c.Languages) > 0, "header-languages needs languages: those to keep")
	if rate := c.MaxErrorRate; rate != nil {
		errs.Check(*rate >= 0 && *rate <= 1, "max-error-rate %v is not from 0 to 1: give a share of the records", *rate)
	}
	errs.Check(c.PathsBytes >= 0, "paths-bytes %d is negative", c.PathsBytes)
	errs.Check(c.PathsBytes <= 0 || c.Paths != "", "paths-bytes needs paths: the list of the files whose sizes are assumed")
	chosen := formatNamed(c.Format)
	errs.Check(c.TextField != "" || chosen != nil && !chosen.fields, "text-field is empty: name the field of the text in JSONL")
	return errs.Err()
}

// checkEncoding returns an error for an encoding that cannot be that of the files.
func (c Config) checkEncoding() error {
	if c.Encoding == "" {
		return nil
	}
	parsed, err := charset.Parse(c.Encoding)
	chosen := formatNamed(c.Format)
	switch {
	case err != nil:
		return fmt.Errorf("encoding: %w", err)
	case chosen != nil && chosen.isArchive():
		return fmt.Errorf("encoding is for files of pages and texts: in %s the records tell theirs", c.Format)
	case parsed.IsUTF16Or32() && (chosen == nil || !chosen.whole(c)):
		return fmt.Errorf("encoding %s cannot be cut into lines: give --format html or markdown, or --format text with whole files as documents, or convert the files to UTF-8",
			parsed.Name())
	}
	return nil
}

// document returns the configuration of the chain of steps.
func (c Config) document() (document.Config, error) {
	d := document.DefaultConfig()
	if err := c.findMain(&d); err != nil {
		return d, err
	}
	d.Preformatted = c.KeepCode
	d.Licenses, d.OptOuts, d.MaskPII = c.Licenses, c.OptOuts, c.MaskPII
	d.MinLanguageScore, d.OtherLanguageScore = c.MinLanguageScore, c.OtherLanguageScore
	rules, faults := c.rules()
	d.Filters, d.Scores, d.Thresholds = rules, c.Scores, c.Fitted
	codes, err := c.codes()
	d.Languages = codes
	return d, errors.Join(err, faults)
}

// lackingLanguages says which wanted languages no document can have, since the identifier never answers them. It is an error if all
// are such. Where a layout tells the languages of pages, those that the identifier lacks are believed.
func (c Config) lackingLanguages(ctx context.Context) (notes []string, err error) {
	codes, err := c.codes()
	if err != nil || c.Layout != "" {
		return nil, err
	}
	lacking, err := identifier.Lacking(ctx, c.Langid, codes)
	if err != nil || len(lacking) == 0 {
		return nil, err
	}
	names := strings.Join(lacking, ", ")
	if len(lacking) == len(codes) {
		return nil, fmt.Errorf("languages: the identifier %s answers none of %s, and every document would be dropped: give another one, or other languages",
			c.Langid, names)
	}
	return []string{fmt.Sprintf("the identifier %s never answers %s: no document is kept in such a language", c.Langid, names)}, nil
}

// codes are the wanted languages in our form, sorted.
func (c Config) codes() ([]string, error) {
	codes, err := c.canonicalLanguages()
	slices.Sort(codes)
	return slices.Compact(codes), err
}

// canonicalLanguages are the wanted languages in our form, in the order in which they were named.
func (c Config) canonicalLanguages() (codes []string, err error) {
	var errs []error
	for _, name := range c.Languages {
		code, err := characters.ParseLanguage(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("languages: %w", err))
			continue
		}
		codes = append(codes, code)
	}
	return codes, errors.Join(errs...)
}
