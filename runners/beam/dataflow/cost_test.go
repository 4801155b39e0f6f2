package dataflow_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"sentweave/runners/beam/dataflow"
)

// The figures are worked out by hand.
func TestCost(t *testing.T) {
	machine, err := dataflow.ParseMachine("e2-standard-4")
	if err != nil {
		t.Fatal(err)
	}
	// 2 workers of 4 vCPUs, 80 units: 10 rounds of 1 GB at 2 MB/s, 500 s each: 5000 s,
	// and 240 s of start: 5240 s = 1.4556 h, 2.9111 hours of workers.
	work := dataflow.Workload{Units: 80, Bytes: 80e9, Rate: 2e6}
	for _, c := range []struct {
		prices                         dataflow.Prices
		compute, memory, disk, dollars float64
	}{
		// 2.9111·4·0.056 = 0.652089; 2.9111·16·0.003557 = 0.165677; 2.9111·25·0.000054 = 0.003930
		{dataflow.BatchPrices, .652089, .165677, .003930, .821696},
		// 2.9111·4·0.0336 = 0.391253; 2.9111·16·0.0021342 = 0.099406
		{dataflow.FlexRSPrices, .391253, .099406, .003930, .494590},
	} {
		e, err := dataflow.Cost(work, machine, 2, 0, c.prices)
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string][2]float64{
			"compute": {e.Compute, c.compute}, "memory": {e.Memory, c.memory}, "disk": {e.DiskSpace, c.disk},
			"dollars": {e.Dollars, c.dollars},
			"seconds": {e.Time.Seconds(), 5240}, "busy": {e.Busy, 5000. / 5240},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-5*math.Max(1, pair[1]) {
				t.Errorf("%s: %.6f, want %.6f", name, pair[0], pair[1])
			}
		}
	}
	// 81 units take a round more, 8 times as many workers an eighth of the rounds.
	if e, err := dataflow.Cost(dataflow.Workload{Units: 81, Bytes: 81e9, Rate: 2e6}, machine, 2, 0, dataflow.BatchPrices); err != nil ||
		e.Time.Round(time.Second) != 5740*time.Second {
		t.Errorf("81 units: %v, %v", e.Time, err)
	}
	if e, err := dataflow.Cost(work, machine, 16, 0, dataflow.BatchPrices); err != nil || e.Time.Round(time.Second) != 1240*time.Second {
		t.Errorf("16 workers: %v, %v", e.Time, err)
	}
	// 100 GiB shuffled at 0.011, 50 GB of disk instead of 25.
	e, err := dataflow.Cost(dataflow.Workload{Units: 80, Bytes: 80e9, Rate: 2e6, Shuffled: 100 << 30}, machine, 2, 50, dataflow.BatchPrices)
	if err != nil || math.Abs(e.Shuffle-1.1) > 1e-9 || math.Abs(e.DiskSpace-.00786) > 1e-5 {
		t.Errorf("shuffle and disk: %+v, %v", e, err)
	}
}

func TestCostNeedsFigures(t *testing.T) {
	machine := dataflow.Machine{Type: "z9-turbo-4", VCPUs: 4, Memory: 1 << 34}
	good := dataflow.Workload{Units: 1, Bytes: 1, Rate: 1}
	for want, call := range map[string]func() (dataflow.Estimate, error){
		"must be positive": func() (dataflow.Estimate, error) {
			return dataflow.Cost(dataflow.Workload{Bytes: 1, Rate: 1}, machine, 1, 0, dataflow.BatchPrices)
		},
		"0 workers": func() (dataflow.Estimate, error) { return dataflow.Cost(good, machine, 0, 0, dataflow.BatchPrices) },
		"the rate must be": func() (dataflow.Estimate, error) {
			return dataflow.Cost(dataflow.Workload{Units: 1, Bytes: 1, Rate: math.NaN()}, machine, 1, 0, dataflow.BatchPrices)
		},
		`the memory of "z9-turbo-4" is not known`: func() (dataflow.Estimate, error) {
			return dataflow.Cost(good, dataflow.Machine{Type: "z9-turbo-4", VCPUs: 4}, 1, 0, dataflow.BatchPrices)
		},
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
