package langid

import (
	"slices"
	"unicode"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/langid/fasttext"
)

// Japanese is written with Kana and Han characters, Chinese with Han only. Models
// of character n-grams know both languages by their Han characters and are sure
// of single ones: to lid.176 安装, Chinese for "install", is Japanese with .88.
const (
	// minKana is the least share of Kana in the Kana and Han characters of Japanese.
	// In the Japanese sentences of Tatoeba it is .74, and 1 of 1,000 has none.
	minKana = .05
	// sureHan is the number of Han characters from which on a text without Kana is
	// certainly not Japanese. Headings may have none: in the Japanese translation of
	// the Debian handbook 139 of 3,123 sentences and headings with 1 to 7 Han
	// characters, 4 of 2,985 with 8 to 19, none of 487 with more. So half of it, 20,
	// is already more than even odds.
	sureHan = 40
)

// lacksKana reports whether a text has Han characters and too few Kana for
// Japanese, and how many Han characters.
func lacksKana(text string) (han int, lacks bool) {
	kana := 0
	for _, r := range text {
		switch {
		case r < 0x2e80:
		case isKana(r):
			kana++
		case r >= 0x4e00 && r <= 0x9fff || unicode.Is(unicode.Han, r):
			han++
		}
	}
	return han, han > 0 && float64(kana) < minKana*float64(han+kana)
}

// isKana reports whether r is Hiragana or Katakana. The middle dot is not: it
// parts foreign names in Chinese, too.
func isKana(r rune) bool {
	return r >= 0x3041 && r <= 0x30ff && r != '・' || r >= 0x31f0 && r <= 0x31ff || r >= 0xff66 && r <= 0xff9d ||
		r >= 0x1aff0 && r <= 0x1b16f
}

// isJapanese and isChinese tell codes of written languages, with any script.
func isJapanese(code string) bool { return language.Base(code) == "jpn" }

func isChinese(code string) bool {
	base := language.Base(code)
	return base == "zho" || base == "cmn"
}

// withoutJapanese predicts again, all labels, for a text that lacks Kana and has
// han Han characters. Japanese is taken out. Chinese gets the probability of both
// to the extent that so many characters without Kana are evidence, han/sureHan,
// and never less than its own: of a short text nothing is certain. The model must
// know Chinese.
func (f *FastText) withoutJapanese(text string, han int) {
	f.predictions = f.classifier.Predict(f.predictions[:0], text, len(f.languages))
	// Labels below 1e-5 are not predicted. The first Chinese label stands for those.
	chinese, sum := fasttext.Prediction{Label: f.chinese}, float32(0)
	for _, p := range f.predictions {
		switch code := f.languages[p.Label]; {
		case isJapanese(code):
			sum += p.Probability
		case isChinese(code):
			if chinese.Probability == 0 { // the most probable of several scripts
				chinese = p
			}
			sum += p.Probability
		}
	}
	label := chinese.Label
	chinese.Probability = max(chinese.Probability, sum*min(1, float32(han)/sureHan))
	f.predictions = slices.DeleteFunc(f.predictions, func(p fasttext.Prediction) bool {
		return p.Label == label || isJapanese(f.languages[p.Label])
	})
	index := 0
	for index < len(f.predictions) && f.predictions[index].Probability > chinese.Probability {
		index++
	}
	f.predictions = slices.Insert(f.predictions, index, chinese)
}
