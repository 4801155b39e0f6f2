package document

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/trained"
	"sentweave/transforms/clean/sentences"
	"sentweave/transforms/clean/text"
	"sentweave/transforms/filters"
	"sentweave/transforms/read/html"
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
	// Filters judge the sentences and the documents, in this order.
	Filters []filters.Rules
	// Languages are the wanted ones, as ISO 639-3 with an optional script; empty
	// wants all.
	Languages []string
	// MinLanguageScore is the least probability of a document's language of which the
	// identifier is sure.
	MinLanguageScore float64
	// OtherLanguageScore is the least probability with which the identifier must
	// hold a sentence for another language than its document's to drop it.
	OtherLanguageScore float64
	// Preformatted keeps blocks of code.
	Preformatted bool
	// MaxItems is how many blocks a document may have, and how many sentences. It bounds
	// memory: 150 bytes for each beside their texts.
	MaxItems int
}

// DefaultConfig returns the defaults of the packages of the steps.
func DefaultConfig() Config {
	return Config{
		HTML: trained.HTML(), Filters: filters.Default(),
		MinLanguageScore: .5, OtherLanguageScore: .5, MaxItems: 200_000,
	}
}

// Validate returns all faults of the configuration.
func (c Config) Validate() error {
	errs := fault.List{c.HTML.Validate()}
	for _, code := range c.Languages {
		errs.Add(language.Check(code))
	}
	errs.Check(c.MinLanguageScore >= 0 && c.MinLanguageScore <= 1, "the least score of a language %v is not in [0, 1]", c.MinLanguageScore)
	errs.Check(c.MainThreshold >= 0 && c.MainThreshold <= 1, "the least probability of main content %v is not in [0, 1]", c.MainThreshold)
	errs.Check(c.OtherLanguageScore >= 0 && c.OtherLanguageScore <= 1, "the score for other languages %v is not in [0, 1]", c.OtherLanguageScore)
	errs.Check(c.MaxItems >= 1, "the number of blocks or sentences of a document %d is not positive", c.MaxItems)
	return errs.Err()
}

// Builder builds documents. It is safe for concurrent use if its identifier is.
type Builder struct {
	config     Config
	classifier maincontent.Classifier
	identifier langid.Identifier
	filters    *filters.Chain
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
	return &Builder{config: c, classifier: classifier, identifier: identifier, filters: filters.NewChain(c.Filters)}, nil
}

// WithIdentifier returns a builder of the same configuration that shares all but
// the identifier.
func (b *Builder) WithIdentifier(identifier langid.Identifier) *Builder {
	other := *b
	other.identifier = identifier
	return &other
}

// block is a block of a record, whatever its format.
type block struct {
	text         string
	ordinal      int32
	part         maincontent.Part
	why          string
	preformatted bool
}

// Build judges one record.
func (b *Builder) Build(r Record) *Outcome {
	o := newOutcome(r)
	var blocks []block
	var ordinals int32
	if r.HTML != nil {
		blocks, ordinals = b.page(o, r)
	} else {
		blocks, ordinals = b.text(o, r)
	}
	if !o.Kept() {
		if b.config.Explain {
			b.blocks(o, blocks)
		}
		return o
	}
	o.Document.Scores = []schemas.Score{{Name: schemas.BlocksScore, Value: float32(ordinals)}}
	b.blocks(o, blocks)
	if o.Verdict = b.language(o, blocks, r.Declared); o.Kept() {
		page := b.filters.Page()
		defer page.Close()
		if !b.sentences(o, blocks, page) {
			o.Verdict = Verdict{StepQuality, ReasonTooComplex, fmt.Sprintf("more than %d sentences", b.config.MaxItems)}
			o.Sentences, o.Document.Sentences = nil, nil
			return o
		}
		if reason, measure := page.Document(b.judged(o)); o.untranslated() {
			o.Verdict = Verdict{StepLanguage, ReasonDeclaredLanguage, o.declared.identified}
		} else if reason != "" && !b.shortened(o, reason) {
			o.Verdict = Verdict{StepQuality, reason, fmt.Sprint(measure)}
		}
	}
	if !o.Kept() {
		for i := range o.Sentences {
			if o.Sentences[i].Kept() {
				o.Sentences[i].Verdict = Verdict{StepDocument, ReasonDocument, o.Step + " " + o.Reason}
			}
		}
	}
	return o
}

// page parses a page and judges its blocks.
func (b *Builder) page(o *Outcome, r Record) ([]block, int32) {
	from := r.Origin
	if r.Declared {
		from.Language = r.Language // the layout is about this page, HTTP at times about a site
	}
	page, reason, detail := html.Parse(r.HTML, from, b.config.HTML)
	if reason != "" {
		o.Verdict = Verdict{StepParse, reason, detail}
		return nil, 0
	}
	if o.Document.Language == language.Undetermined {
		if code, err := language.Parse(page.Language); err == nil {
			o.Document.Language = code
		}
	}
	if o.Document.URL == "" {
		o.Document.URL = page.Canonical
	}
	parts := b.kept(o)(b.classifier.Classify(page))
	if !o.Kept() && !b.config.Explain {
		return nil, 0
	}
	blocks := make([]block, len(page.Blocks))
	for i, p := range page.Blocks {
		blocks[i] = block{text: p.Content, ordinal: p.Ordinal, part: parts[i], preformatted: p.Kind == html.Preformatted}
	}
	if explainer, ok := b.classifier.(maincontent.Explainer); ok && b.config.Explain {
		for i, why := range explainer.Why(page) {
			blocks[i].why = why
		}
	}
	return blocks, page.Ordinals
}

// kept returns a function that takes what a classifier says of a page or text and applies the threshold to
// it. Where nothing is kept it gives the verdict.
func (b *Builder) kept(o *Outcome) func(parts []maincontent.Part, reason, detail string) []maincontent.Part {
	return func(parts []maincontent.Part, reason, detail string) []maincontent.Part {
		if b.config.MainThreshold > 0 {
			reason, detail = maincontent.NoMainContent, fmt.Sprintf("all below %v", b.config.MainThreshold)
			for i, p := range parts {
				if parts[i].Kept = float64(p.Main) >= b.config.MainThreshold; parts[i].Kept {
					reason = ""
				}
			}
		}
		if reason != "" {
			o.Verdict = Verdict{StepMainContent, reason, detail}
		}
		return parts
	}
}

// text makes blocks of the paragraphs of a plain text.
func (b *Builder) text(o *Outcome, r Record) ([]block, int32) {
	var paragraphs []string
	for paragraph := range text.Paragraphs(r.Text) {
		if len(paragraphs) == b.config.MaxItems {
			o.Verdict = Verdict{StepParse, ReasonTooComplex, fmt.Sprintf("more than %d paragraphs", b.config.MaxItems)}
			return nil, 0
		}
		paragraphs = append(paragraphs, paragraph)
	}
	blocks := make([]block, len(paragraphs))
	for i, p := range paragraphs {
		blocks[i] = block{text: p, ordinal: int32(i), part: maincontent.Part{Main: 1, Kept: true}}
	}
	if b.config.Lines != nil && (r.Bare || b.config.AllTexts) && len(paragraphs) > 0 {
		for i, part := range b.kept(o)(b.config.Lines.ClassifyLines(paragraphs)) {
			blocks[i].part = part
		}
	}
	return blocks, int32(len(blocks))
}

func (b *Builder) blocks(o *Outcome, blocks []block) {
	for _, k := range blocks {
		item := Item{Text: k.text, Language: o.Document.Language, Block: k.ordinal, Main: k.part.Main}
		switch {
		case k.preformatted && !b.config.Preformatted: // the extractor's opinion does not matter
			item.Verdict = Verdict{StepMainContent, ReasonPreformatted, ""}
		case !k.part.Kept:
			item.Verdict = Verdict{StepMainContent, ReasonBoilerplate, k.why}
		}
		o.Blocks = append(o.Blocks, item)
	}
}

// identifiedBytes is how much of a document, or of a sentence, is given to the
// identifier at most: more does not change the answer.
const identifiedBytes = 8 << 10

// language decides the document's language. Declared says that the layout has
// declared the one that the document bears so far.
func (b *Builder) language(o *Outcome, blocks []block, declared bool) Verdict {
	d := &o.Document
	if d.Language != language.Undetermined {
		d.DeclaredLanguage = d.Language
	}
	if b.identifier != nil {
		var sample strings.Builder
		for i, k := range blocks {
			if o.Blocks[i].Kept() && sample.Len() < identifiedBytes {
				sample.WriteString(excerpt.Bytes(k.text, identifiedBytes-sample.Len()))
				sample.WriteByte(' ')
			}
		}
		identified, score := b.identifier.Identify(sample.String())
		identified = withScript(identified, sample.String())
		switch {
		case declared:
			b.declare(o, sample.String(), identified, score)
		case !language.Matches(identified, d.Language):
			d.Language, d.LanguageScore = identified, score
		default: // what the page declares tells more where both agree: nob instead of nor
			d.LanguageScore = score
		}
	}
	if len(b.config.Languages) == 0 {
		return Verdict{}
	}
	if d.Language == language.Undetermined {
		return Verdict{StepLanguage, ReasonUnknownLanguage, ""}
	}
	switch {
	case b.wants(d.Language):
	case o.declared.identified != "" && b.wants(o.declared.code):
		d.Language, d.LanguageScore = o.declared.code, 0 // what is in it stays
	default:
		return Verdict{StepLanguage, ReasonUnwantedLanguage, fmt.Sprintf("%s %.2f", d.Language, d.LanguageScore)}
	}
	return Verdict{}
}

func (b *Builder) wants(code string) bool {
	return slices.ContainsFunc(b.config.Languages, func(wanted string) bool { return language.Matches(code, wanted) })
}

// withScript adds the script to Chinese, which models identify as one language.
func withScript(code, sample string) string {
	if base := language.Base(code); code != base || base != "zho" && base != "cmn" {
		return code
	}
	script, _ := langid.HanScript(sample)
	if script == "Hani" { // the sample has no telling character
		return code
	}
	return code + "_" + script
}

// sentences splits the kept blocks and judges every sentence. Boilerplate between
// two sentences leaves them consecutive, other text that was left out does not. It
// reports whether there are not too many.
func (b *Builder) sentences(o *Outcome, blocks []block, page *filters.Page) bool {
	d := &o.Document
	position := int32(0)
	splitter := sentences.New(d.Language)
	var parts []string
	for i, k := range blocks {
		if !o.Blocks[i].Kept() {
			if o.Blocks[i].Reason != ReasonBoilerplate {
				position++
			}
			continue
		}
		parts = parts[:0]
		for sentence := range splitter.All(k.text) {
			if len(o.Sentences)+len(parts) == b.config.MaxItems {
				return false
			}
			parts = append(parts, sentence)
		}
		for _, sentence := range parts {
			// Lines of verse or of an address remain in blocks; a sentence is one line.
			sentence = strings.ReplaceAll(sentence, "\n", " ")
			code, score, verdict := b.judge(sentence, k.ordinal, o, page)
			o.Sentences = append(o.Sentences, Item{Text: sentence, Language: code, Block: k.ordinal, Verdict: verdict})
			if verdict.Kept() {
				d.Sentences = append(d.Sentences, schemas.Sentence{
					Text: sentence, Language: code, LanguageScore: score, Block: k.ordinal, Position: position,
					BlockSentences: int32(len(parts)), Main: k.part.Main,
				})
			}
			position++
		}
	}
	return true
}

// judge judges one sentence.
func (b *Builder) judge(text string, block int32, o *Outcome, page *filters.Page) (code string, score float32, v Verdict) {
	d, l := &o.Document, o.declared
	code, score = d.Language, d.LanguageScore
	switch {
	case l.code != "":
		if code, score = b.judgeDeclared(excerpt.Bytes(text, identifiedBytes), l); code != d.Language && code != l.code {
			return code, score, otherLanguage(code, score)
		}
	case b.identifier != nil:
		identified, certainty := b.identifier.Identify(excerpt.Bytes(text, identifiedBytes))
		switch {
		case language.Matches(identified, d.Language):
			score = certainty
		case float64(certainty) >= b.config.OtherLanguageScore:
			return identified, certainty, otherLanguage(identified, certainty)
		default: // too short or too odd to tell: the document decides
			score = 0
		}
	}
	if reason, measure := page.Sentence(text, code, block); reason != "" {
		return code, score, Verdict{StepQuality, reason, fmt.Sprint(measure)}
	}
	return code, score, Verdict{}
}

func otherLanguage(code string, score float32) Verdict {
	return Verdict{StepLanguage, ReasonOtherLanguage, fmt.Sprintf("%s %.2f", code, score)}
}
