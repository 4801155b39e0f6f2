// Package langid is the stage that trains identifiers of languages on texts whose languages are known, and measures them on others.
package langid

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/langid/fasttext"
	"sentweave/transforms/clean/langid/noise"
	"sentweave/transforms/filters/bottomk"
	"sentweave/transforms/random"
	"sentweave/transforms/read/bitext"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/lineending"
)

const (
	// version is that of the choice of the texts.
	version = 1
	// longest is the most characters of a text.
	longest = 10_000
	// noiseShare is how many times as much noise is made as the largest language has text: it has many forms.
	noiseShare = 3
)

// Inputs are texts whose languages are known. The tags are read by the command line.
type Inputs struct {
	Documents  []string `help:"Datasets of documents that declare their language, as corpus --layout makes them. Each sentence is a text." placeholder:"DIR,…" takes:"document" group:"Input"`
	Texts      []string `help:"Files of lines in fastText's form: __label__ with a code of a language, a space, a text. They may be compressed." placeholder:"FILE,…" group:"Input"`
	Languages  []string `help:"Languages to take, such as eng and zho_Hant; without it, all that the texts have." placeholder:"CODE,…" group:"Input"`
	Characters int      `help:"Most characters of a language, so that one with much text is no likelier than the others." default:"500000" group:"Input"`
	// Noise adds texts of package noise with the label zxx. Only trainings have the flag.
	Noise bool `kong:"-"`
	// Least is the least number of characters of a language; languages that have less are left out.
	Least int `kong:"-"`
}

// Validate returns all faults at once.
func (in Inputs) Validate() error {
	var errs fault.List
	errs.Check(len(in.Documents)+len(in.Texts) > 0, "give --documents, --texts or both")
	for _, code := range in.Languages {
		errs.Add(language.Check(code))
	}
	errs.Check(in.Characters >= longest, "--characters is %d, it must be at least %d", in.Characters, longest)
	return errs.Err()
}

// Why texts are left out.
const (
	reasonNoLanguage = "no_declared_language"
	reasonNoLabel    = "no_label"
	reasonUnknown    = "unknown_language"
	reasonLabels     = "several_labels"
	reasonNoLetter   = "no_letter"
	reasonTooLong    = "too_long"
	reasonOther      = "of_other_languages"
	reasonFew        = "of_languages_with_few_characters"
	reasonSeveral    = "in_several_languages"
	reasonNotChosen  = "repeated_or_not_chosen"
)

// Sample is what was chosen of the inputs.
type Sample struct {
	// Texts have codes of schemas/language as labels. Their order is a random one.
	Texts []fasttext.LabelledText
	// LeftOut counts texts by reason.
	LeftOut map[string]int64
	// Unknown are labels of no known language, the first ten different ones.
	Unknown []string
}

const mostUnknown = 10

// Load chooses texts of the inputs: different ones, at most so many characters of a language, those with the lowest hashes of seed and
// text. What has no letter, has more than 10,000 characters or occurs in several languages is left out. The order is a random one. The
// same texts give the same sample, in whatever order and files they are. The inputs are read twice, the second time for texts of a
// language that occur in another one, where they were not chosen. Noise is made of the chosen texts, three times as many characters of
// it as the language with the most has. Memory is that of the chosen texts, and some 150 bytes for each.
func Load(ctx context.Context, in Inputs, seed uint64) (*Sample, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	s, all, languages := &Sample{LeftOut: map[string]int64{}}, int64(0), map[string]*bottomk.Bounded[string]{}
	err := in.each(ctx, func(code, text, reason string) {
		if all++; reason != "" {
			s.LeftOut[reason]++
			if reason == reasonUnknown && len(s.Unknown) < mostUnknown {
				s.Unknown = append(s.Unknown, excerpt.Characters(text, 30))
				slices.Sort(s.Unknown)
				s.Unknown = slices.Compact(s.Unknown)
			}
			return
		}
		c := languages[code]
		if c == nil {
			c = bottomk.NewBounded[string](in.Characters)
			languages[code] = c
		}
		if hash := hashOf(seed, text); c.Takes(hash) {
			c.Add(bottomk.Ranked[string]{Rank: hash, Size: utf8.RuneCountInString(text), Value: strings.Clone(text)})
		}
	})
	if err != nil {
		return nil, err
	}
	codes, indexes := slices.Sorted(maps.Keys(languages)), map[string]int16{}
	owners := map[uint64]int16{} // languages of the hashes of chosen texts, -1 where a text is in several
	for i, code := range codes {
		indexes[code] = int16(i)
		for _, text := range languages[code].Records {
			owners[text.Rank] = int16(i)
		}
	}
	err = in.each(ctx, func(code, text, reason string) {
		if reason == "" {
			hash := hashOf(seed, text)
			if owner, ok := owners[hash]; ok && owner != indexes[code] {
				owners[hash] = -1
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var list []bottomk.Ranked[string]
	largest := 0
	for _, code := range codes {
		c := languages[code]
		c.Records = slices.DeleteFunc(c.Records, func(t bottomk.Ranked[string]) bool {
			several := owners[t.Rank] < 0
			if several {
				s.LeftOut[reasonSeveral]++
				c.Size -= t.Size
			}
			return several
		})
		if c.Size >= in.Least {
			largest = max(largest, c.Size)
			list = append(list, c.Records...)
		} else if len(c.Records) > 0 {
			s.LeftOut[reasonFew] += int64(len(c.Records))
		}
		delete(languages, code)
	}
	slices.SortFunc(list, func(a, b bottomk.Ranked[string]) int { return cmp.Compare(a.Rank, b.Rank) })
	for _, t := range list {
		s.Texts = append(s.Texts, fasttext.LabelledText{Label: codes[owners[t.Rank]], Text: t.Value})
	}
	rest := all - int64(len(s.Texts))
	for _, n := range s.LeftOut {
		rest -= n
	}
	if rest > 0 {
		s.LeftOut[reasonNotChosen] = rest
	}
	if in.Noise {
		if largest+longest >= in.Characters { // it may have been cut there
			largest = in.Characters
		}
		s.addNoise(noiseShare*largest, seed)
	}
	order := random.New(version, seed, "langid order", "", 0) // low hashes are more often of languages with much text
	random.Shuffle(&order, s.Texts)
	return s, nil
}

// addNoise adds so many characters of noise.
func (s *Sample) addNoise(characters int, seed uint64) {
	texts := make([]string, len(s.Texts))
	for i, t := range s.Texts {
		texts[i] = t.Text
	}
	maker := noise.NewMaker(seed, texts)
	for number := int64(0); characters > 0; number++ {
		line := maker.Line(number)
		characters -= utf8.RuneCountInString(line)
		if strings.ContainsFunc(line, unicode.IsLetter) { // of others no identifier is asked
			s.Texts = append(s.Texts, fasttext.LabelledText{Label: language.NoContent, Text: line})
		}
	}
}

func hashOf(seed uint64, text string) uint64 {
	stream := random.New(version, seed, "langid text", text, 0)
	return stream.Uint64()
}

// each calls use with each text and the code of its language, or with the reason for which it has none. Where a label is no language,
// the label comes in the place of the text.
func (in Inputs) each(ctx context.Context, use func(code, text, reason string)) error {
	checked := func(code, text string) {
		reason := ""
		switch {
		case len(in.Languages) > 0 && !slices.Contains(in.Languages, code):
			reason = reasonOther
		case len(text) > longest && utf8.RuneCountInString(text) > longest:
			reason = reasonTooLong
		case strings.IndexFunc(text, unicode.IsLetter) < 0:
			reason = reasonNoLetter
		}
		use(code, text, reason)
	}
	for _, location := range in.Documents {
		folder, m, err := dataset.OpenAs[schemas.Document](ctx, location)
		if err != nil {
			return fmt.Errorf("--documents: %w", err)
		}
		for d, err := range dataset.Rows[schemas.Document](ctx, folder, m) {
			if err != nil {
				return err
			}
			for _, s := range d.Sentences {
				if d.DeclaredLanguage == "" || d.DeclaredLanguage == language.Undetermined {
					use("", "", reasonNoLanguage)
				} else {
					checked(d.DeclaredLanguage, s.Text)
				}
			}
		}
	}
	for _, location := range in.Texts {
		if err := readLines(ctx, location, checked, use); err != nil {
			return fmt.Errorf("--texts: %s: %w", location, err)
		}
	}
	return nil
}

func readLines(ctx context.Context, location string, checked func(code, text string), use func(code, text, reason string)) error {
	object, err := storage.OpenFile(ctx, location)
	if err != nil {
		return err
	}
	defer object.Close()
	stream, err := compressed.OpenFile(location, object)
	if err != nil {
		return err
	}
	defer stream.Close()
	return eachLine(ctx, stream, checked, use)
}

// prefix is that of labels.
const prefix = "__label__"

// eachLine reads labelled lines. Blank lines are none.
func eachLine(ctx context.Context, stream io.Reader, checked func(code, text string), use func(code, text, reason string)) error {
	lines, codes := bitext.NewLines(lineending.NewReader(stream), true), map[string]string{}
	for count := 0; ; count++ {
		if count%10_000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, tooLong, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case tooLong:
			use("", "", reasonTooLong)
			continue
		}
		line = bytes.TrimSpace(bytes.ToValidUTF8(line, []byte("\uFFFD")))
		first, text := line, []byte(nil)
		if end := bytes.IndexAny(line, " \t"); end >= 0 {
			first, text = line[:end], line[end+1:]
		}
		label, ok := strings.CutPrefix(string(first), prefix)
		code, known := codes[label]
		if ok && !known {
			code, _ = language.FromFastText(label)
			codes[label] = code
		}
		switch {
		case len(line) == 0:
		case !ok:
			use("", "", reasonNoLabel)
		case code == "" || code == language.Undetermined:
			use("", label, reasonUnknown)
		case slices.ContainsFunc(bytes.Fields(text), func(word []byte) bool { return bytes.HasPrefix(word, []byte(prefix)) }):
			use("", "", reasonLabels) // as fastText has them wherever they are in a line
		default:
			checked(code, string(text))
		}
	}
}
