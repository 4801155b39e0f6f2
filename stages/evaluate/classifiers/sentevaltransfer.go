package classifiers

import (
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
)

// english is the language in which transferred classifiers are trained.
const english = "eng"

// versions are those of an English set in other languages, whose tested items are the same in
// the same order.
func (c *classifications) versions(set labelled) (list []labelled) {
	if set.language != english {
		return nil
	}
	equal := func(a, b sentences) bool { return a.id == b.id && a.class == b.class && a.score == b.score }
	for _, candidate := range c.sets {
		if candidate.language != english && candidate.task.Name == set.task.Name &&
			slices.EqualFunc(candidate.parts[candidate.tested()], set.parts[set.tested()], equal) {
			list = append(list, candidate)
		}
	}
	return list
}

func (c *classifications) languages() (codes []string) {
	for _, set := range c.sets {
		if !slices.Contains(codes, set.language) {
			codes = append(codes, set.language)
		}
	}
	return codes
}

// overLanguages are the means of averages over languages, if all of them have the average: of
// those trained in each language over all, and of those trained in English over all others.
func (c *classifications) overLanguages(base schemas.Result, list []schemas.Result) (means []schemas.Result) {
	for _, prefix := range []string{"", zeroShot} {
		for _, average := range []string{subtaskAverage7, subtaskAverage9} {
			r, want := base, len(c.languages())
			var members []schemas.Result
			r.Language = ""
			if prefix != "" {
				want--
			}
			var codes []string
			for _, f := range list {
				if f.Subtask == prefix+average {
					r.Value, r.N, members = r.Value+f.Value, r.N+f.N, append(members, f)
					codes = append(codes, f.Language)
				}
			}
			if len(members) < 2 || len(members) != want {
				continue
			}
			r.Subtask, r.Metric, r.Value = prefix+average+"/"+metrics.SubtaskMean, metrics.Mean, r.Value/float64(len(members))
			r.DataXXH3 = protocol.JointHash(members...)
			r.Settings = protocol.EncodeSettings(map[string]any{"probe": c.preset, "seeds": c.seeds, "languages": strings.Join(codes, " ")})
			means = append(means, r)
		}
	}
	return means
}
