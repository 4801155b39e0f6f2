package schemas

import (
	"reflect"
	"strings"
)

// PairScore is what filters of pairs measured of one, kept or not. Measures are those of the package
// pairfilters, by their names: of the side that decides, counts or shares. Those that do not apply to a pair are absent.
type PairScore struct {
	ID        string `parquet:"id"`
	TextA     string `parquet:"text_a"`
	TextB     string `parquet:"text_b"`
	LanguageA string `parquet:"language_a,dict"`
	LanguageB string `parquet:"language_b,dict"`
	Origin    string `parquet:"origin,dict"`
	// Score is that of the pair.
	Score *float32 `parquet:"score,optional"`
	// Reason is why the filters drop the pair; absent where they keep it.
	Reason string `parquet:"reason,optional,dict"`

	LeastCharacters     *float32 `parquet:"least_characters,optional"`
	MostCharacters      *float32 `parquet:"most_characters,optional"`
	LengthRatio         *float32 `parquet:"length_ratio,optional"`
	WordRatio           *float32 `parquet:"word_ratio,optional"`
	LeastWords          *float32 `parquet:"least_words,optional"`
	MostWords           *float32 `parquet:"most_words,optional"`
	LeastAverageWord    *float32 `parquet:"least_average_word,optional"`
	MostAverageWord     *float32 `parquet:"most_average_word,optional"`
	LongestWord         *float32 `parquet:"longest_word,optional"`
	Identical           *float32 `parquet:"identical,optional"`
	Letters             *float32 `parquet:"letters,optional"`
	Digits              *float32 `parquet:"digits,optional"`
	Script              *float32 `parquet:"script,optional"`
	BadEncoding         *float32 `parquet:"bad_encoding,optional"`
	Latin1Run           *float32 `parquet:"latin1_run,optional"`
	Escapes             *float32 `parquet:"escapes,optional"`
	SpaceNoise          *float32 `parquet:"space_noise,optional"`
	GluedWords          *float32 `parquet:"glued_words,optional"`
	Breadcrumbs         *float32 `parquet:"breadcrumbs,optional"`
	Parentheses         *float32 `parquet:"parentheses,optional"`
	Literals            *float32 `parquet:"literals,optional"`
	Titles              *float32 `parquet:"titles,optional"`
	EmptyBrackets       *float32 `parquet:"empty_brackets,optional"`
	HTMLTags            *float32 `parquet:"html_tags,optional"`
	URLs                *float32 `parquet:"urls,optional"`
	TerminalPunctuation *float32 `parquet:"terminal_punctuation,optional"`
	Numerals            *float32 `parquet:"numerals,optional"`
	DigitDifferences    *float32 `parquet:"digit_differences,optional"`
	Repetitions         *float32 `parquet:"repetitions,optional"`
	RepeatedWords       *float32 `parquet:"repeated_words,optional"`
	CopiedWords         *float32 `parquet:"copied_words,optional"`
	CommonSubstring     *float32 `parquet:"common_substring,optional"`
	Similarity          *float32 `parquet:"similarity,optional"`
	Language            *float32 `parquet:"language,optional"`
	Cosine              *float32 `parquet:"cosine,optional"`
	Margin              *float32 `parquet:"margin,optional"`
	Learned             *float32 `parquet:"learned,optional"`
}

// measureFields are the indices of the fields of measures, by the names of their columns.
var measureFields = func() map[string]int {
	result := map[string]int{}
	row := reflect.TypeFor[PairScore]()
	for i := range row.NumField() {
		name, _, _ := strings.Cut(row.Field(i).Tag.Get("parquet"), ",")
		if row.Field(i).Type == reflect.TypeFor[*float32]() {
			result[name] = i
		}
	}
	return result
}()

// Measure returns the field of a measure, the score included, by the name of its column; nil for what is not a measure.
func (p *PairScore) Measure(name string) **float32 {
	i, ok := measureFields[name]
	if !ok {
		return nil
	}
	return reflect.ValueOf(p).Elem().Field(i).Addr().Interface().(**float32)
}

// Schema implements Row.
func (PairScore) Schema() Schema {
	return Schema{Name: "pairscore", Version: 4, Oldest: 1, RowGroup: rowGroup}
}

// Validate implements Row.
func (p PairScore) Validate() error {
	var f faults
	f.id("id", p.ID)
	f.required("text_a", p.TextA)
	f.required("text_b", p.TextB)
	f.language("language_a", p.LanguageA)
	f.language("language_b", p.LanguageB)
	f.text("origin", p.Origin)
	f.text("reason", p.Reason)
	if p.Score != nil {
		f.finite("score", float64(*p.Score))
	}
	return f.Err()
}
