package pairtrain

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/random"
)

// scores writes what pairfilter measured of pairs: bad ones of two kinds have an uncommon length ratio, those of another, too.
func scores(t *testing.T, rows int) string {
	t.Helper()
	s, list := random.New(1, 1, "scores", "", 0), []schemas.PairScore(nil)
	for i := range rows {
		ratio, noise := float32(1+s.Float64()), float32(s.Float64())
		row := schemas.PairScore{ID: schemas.ID("scores", int64(i)), TextA: "a", TextB: "b", LanguageA: "deu", LanguageB: "eng",
			Origin: "test"}
		if kind := i % 6; kind < 3 {
			row.Origin = schemas.NoiseOrigin + []string{"merged", "truncated", "omitted"}[kind]
			ratio += .5 + float32(s.Float64())
		}
		row.LengthRatio, row.WordRatio = &ratio, &noise
		if i%2 == 0 {
			row.Cosine = &ratio
		}
		list = append(list, row)
	}
	return datasettest.Write(t, nil, list)
}

// A model finds what it was trained on, and a kind that it has not seen; it is the same each time, and says what it is of.
func TestTrain(t *testing.T) {
	c := Config{Scores: scores(t, 3000), HoldOut: []string{"omitted"}, Without: []string{"cosine"}, C: 1, Seed: 1}
	m, err := Train(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Features) != 2 || m.Features[0].Measure != "length_ratio" || m.Features[0].Weight > -1 || m.PairFilter != 1 {
		t.Errorf("the model is %+v", m)
	}
	if n := m.Training.Good + m.Training.Bad; n < 1950 || n > 2050 || strings.Join(m.Training.Kinds, " ") != "merged truncated" {
		t.Errorf("training %+v", m.Training)
	}
	var kinds []string
	for _, f := range m.Figures {
		kinds = append(kinds, fmt.Sprint(f.Kind, " ", f.Unseen))
		if f.AUC < .9 || f.AUC > .995 || f.Recall < .75 || f.Precision < .8 { // a ratio of 1.5 to 2 may be of both
			t.Errorf("figure %+v", f)
		}
	}
	if got := strings.Join(kinds, ", "); got != "merged false, omitted true, truncated false, all false" {
		t.Errorf("figures of %s", got)
	}
	first, _ := m.Encode()
	again, err := Train(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := again.Encode(); string(first) != string(second) {
		t.Error("another model of the same rows")
	}
}

func TestNote(t *testing.T) {
	for rows, want := range map[int]string{12: "5 good and 4 bad pairs are few for 3 weights: train on at least 30 of each", 200: ""} {
		m, err := Train(t.Context(), Config{Scores: scores(t, rows), C: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if note := Note(m); !strings.HasPrefix(note, want) || (note == "") != (want == "") {
			t.Errorf("%d pairs: %q", rows, note)
		}
	}
}

func TestFaults(t *testing.T) {
	good := Config{Scores: "scores", C: 1}
	for want, change := range map[string]func(*Config){
		"scores is empty": func(c *Config) { c.Scores = "" },
		"c is 0, it must": func(c *Config) { c.C = 0 },
		`hold-out: "cut" is not a kind of noise: the kinds are misaligned,`: func(c *Config) { c.HoldOut = []string{"cut"} },
		`without: "x" is not a measure: the measures are `:                  func(c *Config) { c.Without = []string{"x"} },
		"both good and bad ones are needed; `sentweave pairnoise` makes bad pairs": func(c *Config) {
			c.Scores, c.HoldOut = scores(t, 100), []string{"merged", "truncated", "omitted"}
		},
	} {
		c := good
		change(&c)
		if _, err := Train(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
