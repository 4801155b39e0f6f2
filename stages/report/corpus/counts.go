package corpus

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/stages/maincontent"
)

// counts are what is counted of documents. The order of these changes nothing.
type counts struct {
	languages                                                          map[string]*size
	total                                                              *size
	sentencesOfDocuments, charactersOfDocuments, charactersOfSentences histogram
	// scores are measures by name, with the column language_score.
	scores map[string]*histogram
	// months have the form 2024-05.
	months, licenses, optOuts map[string]int64
	domains                   *heaviest
	// lacking are documents without an address.
	lacking int64
}

// size is how much text there is.
type size struct{ documents, sentences, characters int64 }

// mostNames bounds the different languages, scores, months, licences and opt-outs, of which datasets of corpus have some hundreds.
const mostNames = 1 << 16

// absent is the name of what a document lacks.
const absent = "none"

// count reads the documents of a dataset, a second time if they have too many domains.
func count(ctx context.Context, d Dataset) (*counts, error) {
	c := &counts{languages: map[string]*size{}, total: &size{}, scores: map[string]*histogram{}, months: map[string]int64{},
		licenses: map[string]int64{}, optOuts: map[string]int64{}, domains: newHeaviest(mostKeys, groupCount, secondGroups)}
	for row, err := range dataset.Rows[schemas.Document](ctx, d.Folder, d.Manifest) {
		if err != nil {
			return nil, err
		}
		c.add(&row)
		if len(c.languages)+len(c.scores)+len(c.months)+len(c.licenses)+len(c.optOuts) > mostNames {
			return nil, fmt.Errorf("%s has more than %d different languages, scores, months, licences and opt-outs: sentweave corpus made no such dataset",
				d.Folder, mostNames)
		}
	}
	if !c.domains.again() {
		return c, nil
	}
	for row, err := range dataset.Rows[schemas.Document](ctx, d.Folder, d.Manifest) {
		if err != nil {
			return nil, err
		}
		if domain := maincontent.DomainOf(row.URL); domain != "" {
			c.domains.add(domain)
		}
	}
	return c, nil
}

func (c *counts) add(d *schemas.Document) {
	of := size{documents: 1, sentences: int64(len(d.Sentences))}
	for i := range d.Sentences {
		n := utf8.RuneCountInString(d.Sentences[i].Text)
		of.characters += int64(n)
		c.charactersOfSentences.add(float32(n))
	}
	c.sentencesOfDocuments.add(float32(of.sentences))
	c.charactersOfDocuments.add(float32(of.characters))
	if c.languages[d.Language] == nil {
		c.languages[d.Language] = &size{}
	}
	for _, sum := range []*size{c.total, c.languages[d.Language]} {
		sum.documents, sum.sentences, sum.characters = sum.documents+1, sum.sentences+of.sentences, sum.characters+of.characters
	}
	c.score("language_score", d.LanguageScore)
	for _, s := range d.Scores {
		c.score(s.Name, s.Value)
	}
	month := absent
	if d.Date != 0 {
		month = time.UnixMilli(d.Date).UTC().Format("2006-01")
	}
	c.months[month]++
	addNames(c.licenses, d.License)
	addNames(c.optOuts, d.OptOut)
	if domain := maincontent.DomainOf(d.URL); domain != "" {
		c.domains.add(domain)
	} else {
		c.lacking++
	}
}

func (c *counts) score(name string, v float32) {
	if c.scores[name] == nil {
		c.scores[name] = &histogram{}
	}
	c.scores[name].add(v)
}

// addNames counts a document under each of the names that it has.
func addNames(counts map[string]int64, names string) {
	if names == "" {
		names = absent
	}
	for name := range strings.SplitSeq(names, ",") {
		counts[name]++
	}
}
