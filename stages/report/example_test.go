package report_test

import (
	"fmt"
	"os"
	"strings"

	"sentweave/stages/report"
	"sentweave/stages/report/markup"
	"sentweave/stages/report/trainings"
)

// A page of one chart, made from the file of losses that training writes.
func Example() {
	steps, err := trainings.ReadLosses(strings.NewReader(`{"step":1,"period":"cmlm","losses":{"cmlm":9.5},"rate":0.001}
{"step":2,"period":"cmlm","losses":{"cmlm":7.25},"rate":0.002}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	section := markup.Section{Title: "Training"}
	for _, chart := range trainings.LossCharts(steps) {
		section.Blocks = append(section.Blocks, chart)
	}
	var page strings.Builder
	if err := markup.Write(&page, markup.Report{Title: "Two steps", Sections: []markup.Section{section}}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(page.String(), "<svg"), strings.Contains(page.String(), "<script"))
	// Output: true false
}

func ExampleSummary_WriteTo() {
	s := report.Summary{
		Retrieval:         map[string]float64{"untrained": .5, "cmlm_br": .875},
		SameLanguageShare: map[string]float64{"cmlm_br": .125},
		N:                 412, WallSeconds: 311.5, PeakRSSBytes: 1 << 30,
	}
	if _, err := s.WriteTo(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "retrieval": {
	//     "cmlm_br": 0.875,
	//     "untrained": 0.5
	//   },
	//   "same_language_share": {
	//     "cmlm_br": 0.125
	//   },
	//   "n": 412,
	//   "wall_seconds": 311.5,
	//   "peak_rss_bytes": 1073741824
	// }
}
