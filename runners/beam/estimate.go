package beam

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"sentweave/pipelines/units"
	"sentweave/pipelines/verb"
	"sentweave/schemas/jsonfile"
)

// Estimate is what a job needs, on paper.
type Estimate struct {
	// Bytes is the size of the input: as its files are or, where the plan knows it, as they are
	// decompressed.
	Bytes int64
	// Rate is the input that one core does in a second.
	Rate int64
	// AtOnce is the most units that may run at once, 0 if unknown. Units are all.
	AtOnce, Units int
	// Exchanged are the bytes that units hand to each other, through files; Written are those of
	// the rows, 0 if unknown.
	Exchanged, Written int64
}

// What a job takes besides its input: to start, to plan and to finish; and for each unit to
// open files and to sync what it wrote.
const (
	startTime = 100 * time.Millisecond
	unitTime  = 4 * time.Millisecond
)

// Time is that of so many cores, all of them busy as long as there are units for them.
func (e Estimate) Time(cores int) time.Duration {
	if e.AtOnce > 0 {
		cores = min(cores, e.AtOnce)
	}
	work := time.Duration(float64(e.Bytes)/float64(e.Rate)*float64(time.Second)) + time.Duration(e.Units)*unitTime
	return startTime + work/time.Duration(cores)
}

// ofPairs ends the names of rates of pairs, where documents have others.
const ofPairs = "of pairs"

// byLanguage ends the names of rates with --langid.
const byLanguage = " by language"

// settings are the roles of inputs that are read once, by every worker.
var settings = map[string]bool{"langid": true, "vocabulary": true}

// EstimateOf says what a job needs, at the rate that was measured for its pipeline, one of those
// given, or at another one, if that is not 0. It is false where no rate is known.
func EstimateOf(job *units.Job, rates verb.Rates, bytesPerSecond int64) (Estimate, bool) {
	var config struct {
		Level  string `json:"level"`
		Kind   string `json:"kind"`
		Near   string `json:"near"`
		Within string `json:"within"`
	}
	_ = jsonfile.Unmarshal(job.Plan.Config, &config) // what it has not is empty
	special := cmp.Or(config.Near, config.Within, config.Level+config.Kind+archiveOf(job))
	reads := func(role string) bool { return job.Plan.InputHash(role) != "" }
	// rateOf takes the rate of the most special name that has one.
	rateOf := func(format string) (verb.Rate, bool) {
		names := []string{special + " " + format, special, ""}
		if reads("pairs") {
			names = slices.Insert(names, 0, ofPairs)
		}
		if job.Operations > 0 {
			names = slices.Insert(names, 0, verb.ByOperations)
		}
		if reads("langid") {
			names = slices.Insert(names, 0, special+" "+format+byLanguage, special+byLanguage)
		}
		return rates.First(names...)
	}
	formats := job.Content
	if formats == nil {
		formats = map[string]int64{"": 0}
		for _, input := range job.Plan.Inputs {
			if !settings[input.Role] {
				formats[""] += input.Bytes
			}
		}
	}
	e, seconds := Estimate{}, 0.0
	for _, format := range slices.Sorted(maps.Keys(formats)) { // sums of floats depend on their order
		size := formats[format]
		r, ok := rateOf(format)
		if !ok && bytesPerSecond == 0 {
			return Estimate{}, false
		}
		e.Bytes += size
		e.Written += int64(float64(size) * r.Written)
		e.Exchanged += int64(float64(size)*r.Exchanged + float64(job.Rows)*r.PerRow)
		switch {
		case bytesPerSecond > 0:
			seconds += float64(size) / float64(bytesPerSecond)
		case r.Operations > 0:
			seconds += job.Operations / r.Operations
		case r.Rows > 0:
			seconds += float64(job.Rows) / float64(r.Rows)
		case job.Plan.Pipeline == "corpus":
			seconds += float64(size) * (1 + (expansion-1)*compressedShare(job)) / float64(r.Bytes)
		default:
			seconds += float64(size) / float64(r.Bytes)
		}
	}
	if e.Rate = bytesPerSecond; e.Rate == 0 {
		e.Rate = max(1, int64(math.Round(float64(e.Bytes)/max(seconds, 1e-6))))
	}
	for _, phase := range job.Phases {
		e.AtOnce, e.Units = max(e.AtOnce, phase.Count), e.Units+phase.Count
	}
	return e, true
}

// pairBytes is about what a pair takes in Parquet, where plans know rows and not bytes.
const pairBytes = 60

// GuessOf says what a pipeline needs of inputs of so many bytes that nobody has made yet, at the rates
// that were measured for it. Kind is a part of their names, such as the kind of pairs; pairs and
// langid say that pairs are read, and that languages are identified. It is false where no rate is
// known; Written is 0 where that is not.
func GuessOf(rates verb.Rates, kind string, pairs, langid bool, bytes int64) (Estimate, bool) {
	names := []string{kind, ""}
	if pairs {
		names = slices.Insert(names, 0, ofPairs)
	}
	if langid {
		names = slices.Insert(names, 0, names[0]+byLanguage)
	}
	r, ok := rates.First(names...)
	if !ok {
		return Estimate{}, false
	}
	if r.Bytes == 0 {
		r.Bytes = r.Rows * pairBytes
	}
	return Estimate{Bytes: bytes, Rate: r.Bytes, Written: int64(float64(bytes) * r.Written)}, true
}

// expansion is how many times as large compressed texts are when they are read.
const expansion = 4

// compressedShare is the part of a job's input that is compressed texts and pages. The
// rates of archives are of compressed ones.
func compressedShare(job *units.Job) float64 {
	if archiveOf(job) != "" {
		return 0
	}
	var total, compressed int64
	for _, unit := range job.Units {
		for _, span := range unit.Spans {
			total += span.To - span.From
			if strings.HasSuffix(span.Name, ".gz") {
				compressed += span.To - span.From
			}
		}
	}
	return float64(compressed) / float64(max(1, total))
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
