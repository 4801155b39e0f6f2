package thresholds_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/transforms/filters/bottomk"
	"sentweave/transforms/filters/thresholds"
)

// Quantiles by numpy.quantile, and the ends.
func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		values  []float64
		q, want float64
	}{
		{[]float64{7}, .3, 7}, {[]float64{1, 2, 3, 4}, .25, 1.75}, {[]float64{1, 2, 3, 4}, 0, 1}, {[]float64{1, 2, 3, 4}, 1, 4},
		{[]float64{1, 2, 4, 8, 16}, .9, 12.8}, {[]float64{0, 0, 10}, .5, 0}, {[]float64{.1, .2, .7}, .1, .12},
	} {
		if got := thresholds.Quantile(test.values, test.q); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("%v at %v: %v, want %v", test.values, test.q, got, test.want)
		}
	}
}

// documents are 101 in English and 101 in German with measures from 0 to 1, or from 0 to 2, ten in French, and one in no known language.
func documents() (list []schemas.Document) {
	for i := range 101 {
		add := func(code string, score float32, scores ...schemas.Score) {
			list = append(list, schemas.Document{ID: fmt.Sprint(code, i), Language: code, LanguageScore: score, Scores: scores})
		}
		x := float32(i) / 100
		add("eng", 1-x/2, schemas.Score{Name: "terminated", Value: x}, schemas.Score{Name: "short", Value: x},
			schemas.Score{Name: "words", Value: float32(40 + i)})
		add("deu", .2, schemas.Score{Name: "terminated", Value: 2 * x}, schemas.Score{Name: "short", Value: x / 2},
			schemas.Score{Name: "words", Value: float32(20 + 10*i)}, schemas.Score{Name: "other", Value: 1})
		if i < 10 {
			add("fra", 0, schemas.Score{Name: "short", Value: x})
		}
	}
	return append(list, schemas.Document{ID: "und", Language: "und"})
}

func fit(t *testing.T, c thresholds.Config, list []schemas.Document) *thresholds.File {
	t.Helper()
	fitter := thresholds.NewFitter(c, measures)
	for i := range list {
		fitter.Add(&list[i])
	}
	file, err := fitter.Fit()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

var defaults = thresholds.Config{Method: "quantile", Reference: "eng", Tail: .1, Sample: 1000, Least: 100, Seed: 1, LanguageScores: true}

// Thresholds worked out by hand: of English, 12 of 101 documents have less than .12 of terminated, 33 more than .67 of
// short, and 10 fewer than 50 words; none has more than 1000 words, but two in German have. A tenth of English, too, has fewer
// than 50 words, so that this threshold is not in the file.
func TestFit(t *testing.T) {
	tail := defaults
	tail.Method = "tail"
	without := defaults
	without.LanguageScores = false
	spread := math.Sqrt((101.*101-1)/12) / 200 // of the probabilities of English: .5 to 1, in steps of .005
	for name, test := range map[string]struct {
		config thresholds.Config
		want   map[string]float64
	}{
		"quantile": {defaults, map[string]float64{
			"deu terminated <": 2 * 12. / 101, "deu short >": .5 * (1 - 33./101), "deu words <": 20 + 1000*10./101, "deu words >": 1020,
			"deu language_score <": .3, "eng language_score <": .75 - spread,
		}},
		"without language scores": {without, map[string]float64{"deu terminated <": 2 * 12. / 101, "deu short >": .5 * (1 - 33./101),
			"deu words <": 20 + 1000*10./101, "deu words >": 1020}},
		"tail": {tail, map[string]float64{
			"eng terminated <": .1, "eng short >": .9, "eng words >": 130, "eng language_score <": .75 - spread,
			"deu terminated <": .2, "deu short >": .45, "deu words <": 120, "deu words >": 920, "deu language_score <": .3,
		}},
	} {
		list := documents()
		file := fit(t, test.config, list)
		got := map[string]float64{}
		for code, byMeasure := range file.Fitted() {
			for measure, b := range byMeasure {
				if b.Minimum != nil {
					got[code+" "+measure+" <"] = *b.Minimum
				}
				if b.Maximum != nil {
					got[code+" "+measure+" >"] = *b.Maximum
				}
			}
		}
		for key, want := range test.want {
			if x, ok := got[key]; !ok || math.Abs(x-want) > 1e-6*max(1, want) {
				t.Errorf("%s: %s is %v (%t), want %v", name, key, x, ok, want)
			}
		}
		if len(got) != len(test.want) || file.Languages["fra"].Documents != 10 || len(file.Languages) != 3 {
			t.Errorf("%s: %v, want %v; %v", name, got, test.want, file.Languages)
		}
		if err := file.Fitted().Check(append(slices.Clone(measures), thresholds.Measure{Name: thresholds.LanguageScore,
			Bounds: thresholds.Bounds{Minimum: pointer(.5)}})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		slices.Reverse(list)
		first, err := file.Encode()
		second, _ := fit(t, test.config, list).Encode()
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: another order of the documents gives\n%s\nnot\n%s: %v", name, second, first, err)
		}
	}
}

// A sample has the documents with the lowest ranks.
func TestFitOfSample(t *testing.T) {
	list := documents()
	small := defaults
	small.Sample, small.Least = 40, 10
	slices.SortFunc(list, func(a, b schemas.Document) int { return cmp.Compare(bottomk.Rank(1, a.ID), bottomk.Rank(1, b.ID)) })
	seen := map[string]int{}
	drawn := slices.DeleteFunc(slices.Clone(list), func(d schemas.Document) bool { seen[d.Language]++; return seen[d.Language] > 40 })
	got, want := fit(t, small, documents()), fit(t, small, drawn)
	for code := range want.Languages {
		want.Languages[code] = thresholds.Language{Documents: got.Languages[code].Documents, Thresholds: want.Languages[code].Thresholds}
	}
	first, _ := got.Encode()
	second, _ := want.Encode()
	if !bytes.Equal(first, second) || got.Languages["deu"].Documents != 101 {
		t.Errorf("%s\nwant\n%s", first, second)
	}
}

func TestFitMisuse(t *testing.T) {
	for want, change := range map[string]func(c *thresholds.Config){
		"reference nob: name another one": func(c *thresholds.Config) { c.Reference = "nob" },
		"enough documents with measures":  func(c *thresholds.Config) { c.Method, c.Least = "tail", 102 },
		"fewer than 102 documents are in": func(c *thresholds.Config) { c.Least = 102 },
		"give eng for":                    func(c *thresholds.Config) { c.Reference = "en" },
		"tail NaN is not":                 func(c *thresholds.Config) { c.Tail = math.NaN() },
		"sample 9 is below 10":            func(c *thresholds.Config) { c.Sample, c.Least = 9, 10 },
		"least 0 is not positive":         func(c *thresholds.Config) { c.Least = 0 },
		`method "mean" is neither`:        func(c *thresholds.Config) { c.Method = "mean" },
	} {
		c := defaults
		change(&c)
		err := c.Validate()
		if err == nil {
			fitter := thresholds.NewFitter(c, measures)
			list := documents()
			for i := range list {
				fitter.Add(&list[i])
			}
			_, err = fitter.Fit()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
