package document

import (
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/trained"
	"sentweave/transforms/clean/personal"
	"sentweave/transforms/filters"
	"sentweave/transforms/filters/thresholds"
	"sentweave/transforms/filters/wordlist"
	"sentweave/transforms/read/html"
	"sentweave/transforms/read/rights"
)

// Config is the configuration of a Builder.
type Config struct {
	HTML html.Config
	// Classifier finds main content; nil stands for the model of the program. HTML has to be
	// what it asks for.
	Classifier maincontent.Classifier
	// Explain asks it why it drops blocks, which costs as much again, and gives the blocks of documents
	// without main content, too.
	Explain bool
	// Lines finds main content in the texts of pages (Record.Bare), with AllTexts in all texts; nil
	// takes them whole.
	Lines    maincontent.LineClassifier
	AllTexts bool
	// MainThreshold is the least probability of main content; with 0 the classifiers decide.
	MainThreshold float64
	// Filters judge the sentences and the documents, in this order. With Scores they drop nothing: their measures
	// and their verdict are scores of the document.
	Filters []filters.Rules
	Scores  bool
	// Thresholds take the place of those of the filters and of MinLanguageScore, by language; nil for none.
	Thresholds thresholds.Languages
	// Quality is the classifier of the filter fasttext, nil for none.
	Quality *filters.Classifier
	// Models are those of the filter perplexity, by language.
	Models map[string]filters.LanguageModel
	// Words are the lists of the filter words, nil for none.
	Words *wordlist.Lists
	// Languages are the wanted ones, as ISO 639-3 with an optional script, in which most
	// letters have to be; empty wants all.
	Languages []string
	// MinLanguageScore is the least probability of a document's language of which the
	// identifier is sure.
	MinLanguageScore float64
	// OtherLanguageScore is the least probability with which the identifier must
	// hold a sentence for another language than its document's to drop it.
	OtherLanguageScore float64
	// Preformatted keeps blocks of code.
	Preformatted bool
	// Licenses are the licences of which one at least is wanted of a document, and no other one: names or families of names as in package
	// rights; empty wants all documents. OptOuts are the names of those that drop a document.
	Licenses, OptOuts []string
	// Blocks says whether the address of a page is blocked; nil blocks none.
	Blocks func(address string) bool
	// MaskPII are the kinds of personal data to mask, of personal.Kinds.
	MaskPII []string
	// MaxItems is how many blocks a document may have, and how many sentences. It bounds
	// memory: 150 bytes for each beside their texts.
	MaxItems int
}

// DefaultConfig returns the defaults of the packages of the steps.
func DefaultConfig() Config {
	return Config{
		HTML: trained.HTML(), Filters: filters.List.Default(),
		MinLanguageScore: .5, OtherLanguageScore: .5, MaxItems: 200_000,
	}
}

// Validate returns all faults of the configuration.
func (c Config) Validate() error {
	errs := fault.List{c.HTML.Validate()}
	for _, code := range c.Languages {
		errs.Add(language.Check(code))
		errs.Add(characters.CheckScript(code))
	}
	errs.Check(c.MinLanguageScore >= 0 && c.MinLanguageScore <= 1, "the least score of a language %v is not in [0, 1]", c.MinLanguageScore)
	errs.Check(c.MainThreshold >= 0 && c.MainThreshold <= 1, "the least probability of main content %v is not in [0, 1]", c.MainThreshold)
	errs.Check(c.OtherLanguageScore >= 0 && c.OtherLanguageScore <= 1, "the score for other languages %v is not in [0, 1]",
		c.OtherLanguageScore)
	for _, name := range c.Licenses {
		if err := rights.Check(name); err != nil {
			errs.Addf("licenses: %w", err)
		}
	}
	for _, name := range c.OptOuts {
		errs.Check(slices.Contains(rights.Names(), name), "drop-opt-out: %q is not one of %s", name, strings.Join(rights.Names(), ", "))
	}
	_, err := personal.New(c.MaskPII)
	if err != nil {
		errs.Addf("mask-pii: %w", err)
	}
	errs.Check(c.MaxItems >= 1, "the number of blocks or sentences of a document %d is not positive", c.MaxItems)
	return errs.Err()
}

// Builder builds documents. It is safe for concurrent use if its identifier is.
type Builder struct {
	config     Config
	classifier maincontent.Classifier
	identifier langid.Identifier
	filters    *filters.Chain
	masker     *personal.Masker // nil for none
}

// NewBuilder returns a builder, or all faults of the configuration. Without an
// identifier (nil) documents have the language that they declare.
func NewBuilder(c Config, identifier langid.Identifier) (*Builder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	classifier := c.Classifier
	if classifier == nil {
		model, err := trained.Default()
		if err != nil {
			return nil, err
		}
		classifier = model
	}
	b := &Builder{config: c, classifier: classifier, identifier: identifier, filters: filters.NewChain(c.Filters)}
	b.filters.Thresholds, b.filters.Classifier, b.filters.Models, b.filters.Words = c.Thresholds, c.Quality, c.Models, c.Words
	if len(c.MaskPII) > 0 {
		b.masker, _ = personal.New(c.MaskPII) // Validate has made one
	}
	return b, nil
}

// WithIdentifier returns a builder of the same configuration that shares all but
// the identifier.
func (b *Builder) WithIdentifier(identifier langid.Identifier) *Builder {
	clone := *b
	clone.identifier = identifier
	return &clone
}
