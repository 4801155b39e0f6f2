package beam

import (
	"encoding/json"
	"strings"
	"time"

	"sentweave/pipelines/units"
)

// Estimate is what a job needs, on paper.
type Estimate struct {
	// Bytes is the size of the input, as its files are.
	Bytes int64
	// Rate is the input that one core does in a second.
	Rate int64
	// Units is the most units that may run at once, 0 if unknown.
	Units int
	// Exchanged are the bytes that units hand to each other, through files.
	Exchanged int64
}

// Time is that of so many cores, all of them busy as long as there are units for them.
func (e Estimate) Time(cores int) time.Duration {
	if e.Units > 0 {
		cores = min(cores, e.Units)
	}
	return time.Duration(float64(e.Bytes) / float64(e.Rate) / float64(cores) * float64(time.Second))
}

// rate is what one core does of a pipeline in a second, in bytes of input files, and
// the share of these bytes that is handed from unit to unit.
type rate struct {
	bytes     int64
	exchanged float64
}

// rates were measured in CPU seconds, on the 26 languages of the Debian handbook but
// for the archives. Other texts and machines have others.
var rates = map[string]rate{
	"corpus": {3_600_000, 0}, // HTML
	// 122 pages a second, and 1,780 texts, of 28 and 2.9 kB each as Common Crawl stores
	// them (CC-MAIN-2018-34: 2.65 billion in 67.79 and 6.92 TiB).
	"corpus warc":    {3_400_000, 0},
	"corpus wet":     {5_000_000, 0},
	"dedup":          {7_000_000, .02},
	"dedup sentence": {5_700_000, .73},
	"wordcounts":     {7_500_000, .46},
	"pairs":          {6_600_000, 0},
	"pairs parallel": {1_100_000, 0},
	"pairs bitext":   {30_000_000, .12}, // lines of 100 bytes, without --langid
	"examples":       {5_500_000, 0},
	"benchmarks":     {9_000_000, 0},  // SentEval's files
	"memories":       {22_000_000, 0}, // TMX
}

// settings are the roles of inputs that are read once, by every worker.
var settings = map[string]bool{"langid": true, "vocabulary": true}

// EstimateOf says what a job needs, at the rate that was measured for its pipeline or
// at another one, if that is not 0. It is false where no rate is known.
func EstimateOf(job *units.Job, bytesPerSecond int64) (Estimate, bool) {
	var config struct {
		Level string `json:"level"`
		Kind  string `json:"kind"`
	}
	_ = json.Unmarshal(job.Plan.Config, &config) // what it has not is empty
	r, ok := rates[job.Plan.Pipeline+" "+config.Level+config.Kind+archiveOf(job)]
	if !ok {
		r, ok = rates[job.Plan.Pipeline]
	}
	if bytesPerSecond > 0 {
		r.bytes = bytesPerSecond
	} else if !ok {
		return Estimate{}, false
	}
	e := Estimate{Rate: r.bytes}
	for _, in := range job.Plan.Inputs {
		if !settings[in.Role] {
			e.Bytes += in.Bytes
		}
	}
	for _, phase := range job.Phases {
		e.Units = max(e.Units, phase.Count)
	}
	e.Exchanged = int64(float64(e.Bytes) * r.exchanged)
	return e, true
}

// archiveOf returns the kind of web archive that a job reads, by the name of the
// first file of its last unit, which is one that reads; empty for other files.
func archiveOf(job *units.Job) string {
	if len(job.Units) == 0 || len(job.Units[len(job.Units)-1].Spans) == 0 {
		return ""
	}
	switch name := strings.TrimSuffix(job.Units[len(job.Units)-1].Spans[0].Name, ".gz"); {
	case strings.HasSuffix(name, ".wet"):
		return "wet"
	case strings.HasSuffix(name, ".warc"):
		return "warc"
	}
	return ""
}
