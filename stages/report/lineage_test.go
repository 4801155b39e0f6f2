package report

import (
	"strings"
	"testing"

	"sentweave/schemas/dataset"
)

// Results of two versions of evaluate say so on top, since their figures may not compare.
func TestSeveralVersions(t *testing.T) {
	of := func(name, pipeline string, version int) source {
		return source{name, &dataset.Manifest{Plan: dataset.Plan{Pipeline: pipeline, PipelineVersion: version}}}
	}
	for _, test := range []struct {
		sources []source
		want    string
	}{
		{[]source{of("a", "evaluate", 3), of("b", "evaluate", 3), of("c", "prefix", 1)}, ""},
		{[]source{of("a", "evaluate", 11), of("b", "evaluate", 9), of("c", "evaluate", 11)},
			"These results were made by version 9 (b) and version 11 (a, c) of evaluate, which may"},
	} {
		page, err := experiment{Title: "t", Results: demo(), Models: models(), Sources: test.sources}.Report()
		if err != nil || (page.Lead == "") != (test.want == "") || !strings.HasPrefix(page.Lead, test.want) {
			t.Errorf("%q, %v, want %q", page.Lead, err, test.want)
		}
	}
}
