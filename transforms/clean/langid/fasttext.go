package langid

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/clean/langid/fasttext"
)

// sureNoise is the probability from which on a text is taken for noise. Where a model is less sure, its second answer counts: names and
// terms in a text are no reason to lose it.
// With .9 at most .2 % of the sentences of Tatoeba are taken for noise by the embedded model.
const sureNoise = .9

// FastText identifies languages with a fastText model. It is an Identifier; use
// one per goroutine. Identify allocates for texts in capitals alone.
//
// Texts go to the model as they are, not normalised, white space and line breaks as
// spaces, but texts in capitals in small letters: see inCapitals. A score is the model's probability of the
// label, cut to 1; lid.176 is sure of whole sentences and is not of words.
//
// No answer is a language in whose scripts the text has no letter (language.Characters): probabilities are then those among
// the languages with a script of the text.
//
// Of a model with the label zxx, for noise, that is the answer where its probability is at least .9, and else the second answer is.
//
// Han characters without Kana are not taken for Japanese, which has Kana in every
// sentence: where the model does, Chinese answers, with a score below .5 for less
// than 20 characters unless the model itself is surer of it. A heading of a few
// Han characters in a Japanese text so gets a low score, not a wrong language.
type FastText struct {
	classifier  *fasttext.Classifier
	languages   map[string]string // of labels; shared between clones, never changed
	chinese     string            // the model's first label of Chinese, or ""
	scripts     *scripts          // shared between clones, never changed
	predictions []fasttext.Prediction
	text        []byte // in small letters
}

// OpenFastText reads the model file at path, such as lid.176.ftz.
func OpenFastText(path string) (*FastText, error) {
	m, err := fasttext.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := NewFastText(m)
	if err != nil {
		return nil, fmt.Errorf("open language identifier %q: %w", path, err)
	}
	return f, nil
}

// NewFastText returns an identifier that uses m. It is an error if a label of
// the model names no language (language.FromFastText): all of them are reported.
func NewFastText(m *fasttext.Model) (*FastText, error) {
	languages, chinese := make(map[string]string), ""
	var faults fault.List
	for _, label := range m.Labels() {
		code, err := language.FromFastText(label)
		if err != nil {
			faults.Addf("label %q: %w", label, err)
			continue
		}
		languages[label] = code
		if chinese == "" && isChinese(code) {
			chinese = label
		}
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("the model does not identify languages: %w", faults.Err())
	}
	return &FastText{classifier: m.NewClassifier(), languages: languages, chinese: chinese, scripts: newScripts(languages)}, nil
}

// Clone returns an identifier with the same model and its own scratch memory.
func (f *FastText) Clone() Identifier {
	return &FastText{classifier: f.classifier.Model().NewClassifier(), languages: f.languages, chinese: f.chinese, scripts: f.scripts}
}

// Identify returns the most probable language of the text. See Identifier.
func (f *FastText) Identify(text string) (string, float32) {
	if !hasLetter(text) {
		return language.Undetermined, 0
	}
	f.predict(text, 1)
	if len(f.predictions) == 0 {
		return language.Undetermined, 0
	}
	best := f.predictions[0]
	if f.languages[best.Label] == language.NoContent && best.Probability < sureNoise {
		f.predict(text, 2)
		best = f.predictions[min(1, len(f.predictions)-1)]
	}
	return f.languages[best.Label], min(best.Probability, 1)
}

// Knows reports whether the model has a label of the language. See Identifier.
func (f *FastText) Knows(code string) bool {
	for _, label := range f.languages { // whether one is there does not depend on the order
		if language.Matches(label, code) {
			return true
		}
	}
	return false
}

// Siblings returns the languages of the model that belong to one macrolanguage with a language, sorted. Where the model does not know
// that one, texts in it are most likely taken for these.
func (f *FastText) Siblings(code string) (list []string) {
	for _, label := range f.languages {
		if language.Siblings(label, code) {
			list = append(list, label)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Top returns the most probable languages of the text. See Identifier.
func (f *FastText) Top(dst []Guess, text string, k int) []Guess {
	if !hasLetter(text) {
		return dst
	}
	f.predict(text, k)
	for _, p := range f.predictions[:max(0, min(k, len(f.predictions)))] {
		dst = append(dst, Guess{f.languages[p.Label], min(p.Probability, 1)})
	}
	return dst
}

// Among returns how probable it is that a text is in one of the languages that are
// accepted, in [0, 1]; ok is false if the model has none of them. It predicts all
// labels, ten times the work of Identify.
func (f *FastText) Among(text string, accepted func(code string) bool) (score float32, ok bool) {
	for _, code := range f.languages {
		if ok = accepted(code); ok {
			break
		}
	}
	if !ok || !hasLetter(text) {
		return 0, ok
	}
	f.predict(text, len(f.languages))
	for _, p := range f.predictions {
		if accepted(f.languages[p.Label]) {
			score += p.Probability
		}
	}
	return min(score, 1), true
}

// predict sets f.predictions to the k most probable labels, or more.
func (f *FastText) predict(text string, k int) {
	if many, turkic := inCapitals(text); many {
		f.inSmall(text, turkic, k)
	} else {
		f.predictions = f.classifier.Predict(f.predictions[:0], text, k)
	}
	if f.chinese != "" && len(f.predictions) > 0 && isJapanese(f.languages[f.predictions[0].Label]) {
		if han, lacks := lacksKana(text); lacks {
			f.withoutJapanese(text, han)
		}
	}
	if len(f.predictions) > 0 && !f.scripts.writes(f.predictions[0].Label, text) {
		f.withinScripts(text)
	}
}

// hasLetter reports whether the text holds a letter. It looks no further than
// the first: in running text, the first rune.
func hasLetter(text string) bool {
	for _, r := range text {
		if r < utf8.RuneSelf {
			if r|0x20 >= 'a' && r|0x20 <= 'z' {
				return true
			}
		} else if r != utf8.RuneError && unicode.IsLetter(r) {
			return true
		}
	}
	return false
}
