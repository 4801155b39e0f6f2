package pairfilters

// Preset is a set of filters with thresholds that somebody published.
type Preset struct {
	Name string
	// Is says whose filters they are, and what is left out.
	Is       string
	Filters  []string
	Settings map[string]string
	// Vectors, if it is not nil, are the filters that run in place of these where there are embeddings, with their own thresholds.
	Vectors []string
}

// Presets lists the presets. The filter language joins them where there is an identifier.
var Presets = []Preset{
	{
		Name: "opusfilter", Is: "the filters that opusfilter-autogen takes, with their default thresholds",
		Filters: []string{
			"length-ratio", "word-ratio", "words", "average-word", "long-word", "alphabet", "script", "html", "terminal-punctuation",
			"numerals", "repetition", "common-substring", "similarity",
		},
		Settings: map[string]string{"min-script": "1", "min-language": "0"},
	},
	{
		Name: "bicleaner-hardrules", Is: "the rules that bicleaner-hardrules runs by default, but those that need a model of fluency or of pornography",
		Filters: []string{
			"length", "length-ratio", "words", "identical", "only-symbols", "only-numbers", "bad-encoding", "unicode-noise",
			"escaped-unicode", "space-noise", "glued-words", "breadcrumbs", "parentheses", "literals", "titles", "repeated-words",
		},
		Settings: map[string]string{"min-words": "3", "max-words": "1000000", "min-language": "0"},
	},
	{
		Name: "laser", Is: "what CCMatrix keeps of pairs (Schwenk et al. 2021) by the margin of their vectors: the score that mine gave them, or with --embeddings the filter margin in its place",
		Filters: []string{"score"}, Settings: map[string]string{"min-score": "1.06"}, Vectors: []string{"margin"},
	},
	{
		Name: "labse", Is: "what LaBSE's authors keep of mined pairs, by the cosine of its vectors, which --embeddings has (Feng et al. 2022)",
		Filters: []string{"cosine"}, Settings: map[string]string{"min-cosine": "0.6"},
	},
}

// PresetNames returns their names.
func PresetNames() (names []string) {
	for _, p := range Presets {
		names = append(names, p.Name)
	}
	return names
}
