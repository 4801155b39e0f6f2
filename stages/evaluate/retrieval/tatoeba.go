package retrieval

import (
	"context"
	"fmt"
	"iter"
	"math"
	"path"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
)

// Tatoeba is the task tatoeba.
var Tatoeba = protocol.Task{
	Name: "tatoeba", Measures: "translations found among up to 1,000 sentences a language, from and to English (Artetxe and Schwenk 2019)",
	From: []protocol.Source{protocol.FromData}, Languages: true, Groups: true,
	Read: func(reader *protocol.Input) (protocol.Protocol, error) { return readTatoeba(reader, reader.Languages) },
}

// Tatoeba36 is the task tatoeba36.
var Tatoeba36 = protocol.Task{
	Name: "tatoeba36", Measures: "the same in the 36 languages of XTREME (Hu et al. 2020)",
	From: []protocol.Source{protocol.FromData},
	Read: func(reader *protocol.Input) (protocol.Protocol, error) { return readTatoeba(reader, xtreme()) },
}

// xtreme are the languages of XTREME, by the codes of the files.
func xtreme() []string {
	return strings.Fields("ara heb vie ind jav tgl eus mal tam tel afr nld deu ell ben hin mar urd pes fra ita por spa bul rus jpn kat kor tha swh cmn kaz tur est fin hun")
}

// tatoeba is the protocol that finds the translations of each language's sentences
// among those of English, and back (XTREME searches the foreign side for English
// queries, LASER both).
type tatoeba struct {
	parts []tatoebaPart
	// groups are those over which means are given besides that over all.
	groups []languageGroup
}

type tatoebaPart struct {
	language         string
	foreign, english []encoder.Text
}

// readTatoeba reads tatoeba/tatoeba.XXX-eng.{XXX,eng}, a text a line; all
// languages that are there, if none is asked for. English, the other side of each, may be
// among those that are.
func readTatoeba(reader *protocol.Input, languages []string) (protocol.Protocol, error) {
	t := &tatoeba{groups: []languageGroup{{}}}
	if len(languages) > 0 {
		languages = slices.DeleteFunc(slices.Clone(languages), func(l string) bool { return l == "eng" })
		if len(languages) == 0 {
			return nil, fmt.Errorf("%s: languages has English alone, whose translations are looked for: name those languages, too",
				reader.Task)
		}
	} else {
		for info, err := range reader.Folder.List(reader.Context, "tatoeba/tatoeba.") {
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", reader.Task, err)
			}
			code, english, ok := strings.Cut(strings.TrimPrefix(info.Name, "tatoeba/tatoeba."), "-eng.")
			// A language with one side counts, so that the other side is told to be missing.
			if ok && (english == code || english == "eng") && !slices.Contains(languages, code) {
				languages = append(languages, code)
			}
		}
		if len(languages) == 0 {
			reader.Missing = append(reader.Missing, "tatoeba/tatoeba.XXX-eng.XXX")
		}
	}
	for _, l := range languages {
		name := "tatoeba/tatoeba." + l + "-eng."
		foreign, err := reader.TextLines(name + l)
		if err != nil {
			return nil, err
		}
		english, err := reader.TextLines(name + "eng")
		if err != nil {
			return nil, err
		}
		if len(foreign) != len(english) && len(reader.Missing) == 0 {
			return nil, fmt.Errorf("read %s: %s%s has %d lines, %seng %d: they are not parallel", reader.Task, name, l, len(foreign), name,
				len(english))
		}
		t.groups[0].codes = append(t.groups[0].codes, l)
		t.parts = append(t.parts, tatoebaPart{l, encoder.Texts(l, foreign...), encoder.Texts("eng", english...)})
	}
	if !reader.Grouped {
		return t, nil
	}
	groups, err := readGroups(reader)
	for _, g := range groups {
		for _, code := range g.codes {
			if !slices.Contains(languages, code) {
				return nil, fmt.Errorf("%s: the group %s of %s has %s, which is not one of the languages that are measured: %s", reader.Task,
					g.name, reader.Groups, code, strings.Join(languages, " "))
			}
		}
	}
	t.groups = append(t.groups, groups...)
	return t, err
}

// Texts implements protocol.Protocol.
func (t *tatoeba) Texts() iter.Seq[encoder.Text] {
	var lists [][]encoder.Text
	for _, p := range t.parts {
		lists = append(lists, p.foreign, p.english)
	}
	return protocol.AllTexts(lists...)
}

// Measure implements protocol.Protocol.
func (t *tatoeba) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) ([]schemas.Result, error) {
	var results []schemas.Result
	// Sums over the languages of each group, of both metrics by turns, for each direction and
	// both.
	sums, ties := make([][3][2]languageMean, len(t.groups)), make([][3]int, len(t.groups))
	for _, p := range t.parts {
		_, sides, err := protocol.EncodeSides(ctx, e, p.foreign, p.english)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.language, err)
		}
		base.Language, base.DataXXH3 = p.language, protocol.ParallelHash(p.foreign, p.english)
		var directions [3]matchingSum // to English, from English, both
		names := []string{p.language + "-eng", "eng-" + p.language, p.language}
		texts := [][]encoder.Text{p.foreign, p.english}
		for d := range texts {
			m, err := match(ctx, sides[d], sides[1-d], texts[1-d])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.language, err)
			}
			keep(m.part(names[d], p.language, texts[d], texts[1-d]))
			directions[d].add(m)
			directions[2].add(m)
		}
		for d, subtask := range names {
			base.Subtask = subtask
			rows := directions[d].results(base, map[string]any{"direction": tatoebaDirections[d]})
			for g, group := range t.groups {
				if !slices.Contains(group.codes, p.language) {
					continue
				}
				for k, r := range rows {
					sums[g][d][k].add(r)
				}
				ties[g][d] += directions[d].ties
			}
			results = append(results, rows...)
		}
	}
	base.Language = ""
	for g, group := range t.groups {
		outside := func(r schemas.Result) bool { return !slices.Contains(group.codes, r.Language) }
		base.DataXXH3 = protocol.JointHash(slices.DeleteFunc(slices.Clone(results), outside)...)
		for d, direction := range tatoebaDirections {
			base.Subtask = path.Join(group.name, []string{metrics.SubtaskMeanTo, metrics.SubtaskMeanFrom, metrics.SubtaskMean}[d])
			for k, metric := range []string{metrics.Accuracy, metrics.TextAccuracy} {
				r := sums[g][d][k].result(base, metric)
				var languages any = len(group.codes)
				if group.name != "" {
					languages = strings.Join(group.codes, " ")
				}
				r.Settings = protocol.EncodeSettings(map[string]any{
					"direction": direction, "languages": languages, "ties": ties[g][d], "similarity": "cosine",
					"interval": metrics.IntervalLanguages,
				})
				results = append(results, r)
			}
		}
	}
	return results, nil
}

var tatoebaDirections = []string{"to English", "from English", "both"}

// languageMean is the plain mean over languages; its interval follows from those
// of the languages, which have nothing in common.
type languageMean struct {
	sum, squares float64
	count, n     int64
}

func (m *languageMean) add(r schemas.Result) {
	m.sum, m.count, m.n = m.sum+r.Value, m.count+1, m.n+r.N
	m.squares += *r.Spread * *r.Spread
}

func (m *languageMean) result(base schemas.Result, metric string) schemas.Result {
	half := math.Sqrt(m.squares) / float64(m.count)
	base.Metric, base.Value, base.N, base.Spread = metric, m.sum/float64(m.count), m.n, &half
	return base
}
