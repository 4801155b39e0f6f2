package beam

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
)

// Estimate is what a job needs, on paper.
type Estimate struct {
	// Bytes is the size of the input, as its files are.
	Bytes int64
	// Rate is the input that one core does in a second.
	Rate int64
	// AtOnce is the most units that may run at once, 0 if unknown. Units are all.
	AtOnce, Units int
	// Exchanged are the bytes that units hand to each other, through files.
	Exchanged int64
}

// What a job takes besides its input: to start, to plan and to finish; and for each unit to
// open files and to sync what it wrote.
const (
	startTime = 300 * time.Millisecond
	unitTime  = 8 * time.Millisecond
)

// Time is that of so many cores, all of them busy as long as there are units for them.
func (e Estimate) Time(cores int) time.Duration {
	if e.AtOnce > 0 {
		cores = min(cores, e.AtOnce)
	}
	work := time.Duration(float64(e.Bytes)/float64(e.Rate)*float64(time.Second)) + time.Duration(e.Units)*unitTime
	return startTime + work/time.Duration(cores)
}

// rate is what one core does of a pipeline in a second, in bytes of input files, and
// the share of these bytes that is handed from unit to unit.
type rate struct {
	bytes     int64
	exchanged float64
}

// rates were measured on 20 and 60 MB, and those by language on 600 MB, too: of pages of the Debian
// handbook in 26 languages, of what followed from them, and of lines of STS-B for bitext. Those of
// archives are older. Other texts and machines have others.
var rates = map[string]rate{
	"corpus":             {13_000_000, 0}, // HTML
	"corpus by language": {7_500_000, 0},
	// 122 pages a second, and 1,060 texts, of 28 and 2.9 kB each as Common Crawl stores
	// them (CC-MAIN-2018-34: 2.65 billion in 67.79 and 6.92 TiB).
	"corpus warc":              {3_400_000, 0},
	"corpus wet":               {3_000_000, 0},
	"dedup":                    {17_000_000, .02},
	"dedup sentence":           {12_000_000, .73},
	"wordcounts":               {16_000_000, .46},
	"pairs":                    {20_000_000, 0},
	"pairs parallel":           {1_450_000, 0},
	"pairs bitext":             {38_000_000, .12}, // lines of 100 bytes
	"pairs bitext by language": {18_000_000, .12},
	"examples":                 {15_000_000, 0},
	"benchmarks":               {9_000_000, 0},  // SentEval's files
	"memories":                 {22_000_000, 0}, // TMX
}

// byLanguage ends the names of rates with --langid.
const byLanguage = " by language"

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
	special := strings.TrimSpace(job.Plan.Pipeline + " " + config.Level + config.Kind + archiveOf(job))
	r, ok := rates[special+byLanguage]
	if !ok || !slices.ContainsFunc(job.Plan.Inputs, func(in dataset.Input) bool { return in.Role == "langid" }) {
		r, ok = rates[special]
	}
	if !ok {
		r, ok = rates[job.Plan.Pipeline]
	}
	switch {
	case bytesPerSecond > 0:
		r.bytes = bytesPerSecond
	case !ok:
		return Estimate{}, false
	case job.Plan.Pipeline == "corpus":
		r.bytes = int64(float64(r.bytes) / (1 + (expansion-1)*compressedShare(job)))
	}
	e := Estimate{Rate: r.bytes}
	for _, in := range job.Plan.Inputs {
		if !settings[in.Role] {
			e.Bytes += in.Bytes
		}
	}
	for _, phase := range job.Phases {
		e.AtOnce, e.Units = max(e.AtOnce, phase.Count), e.Units+phase.Count
	}
	e.Exchanged = int64(float64(e.Bytes) * r.exchanged)
	return e, true
}

// expansion is how many times as large compressed texts are when they are read.
const expansion = 4

// compressedShare is the part of a job's input that is compressed texts and pages. The
// rates of archives are of compressed ones.
func compressedShare(job *units.Job) float64 {
	if archiveOf(job) != "" {
		return 0
	}
	var all, compressed int64
	for _, unit := range job.Units {
		for _, span := range unit.Spans {
			all += span.To - span.From
			if strings.HasSuffix(span.Name, ".gz") {
				compressed += span.To - span.From
			}
		}
	}
	return float64(compressed) / float64(max(1, all))
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
