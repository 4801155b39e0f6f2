package dataflow

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Prices are what a job costs, in US dollars.
type Prices struct {
	// VCPU is for a vCPU for an hour, Memory for a GB, Disk for a GB of standard disk.
	VCPU, Memory, Disk float64
	// Shuffle is for a GB that passes through Dataflow Shuffle.
	Shuffle float64
}

// The prices of batch jobs in us-central1, without discounts, as of 2024
// (cloud.google.com/dataflow/pricing); shuffled data of FlexRS is taken at the batch
// price. They differ by region and change: give those of the day where it matters. The
// page bills shuffled data at a part of its volume, which is left out here, so that
// the estimate is above the bill.
var (
	BatchPrices  = Prices{VCPU: .056, Memory: .003557, Disk: .000054, Shuffle: .011}
	FlexRSPrices = Prices{VCPU: .0336, Memory: .0021342, Disk: .000054, Shuffle: .011}
)

// Workload is what a job has to do.
type Workload struct {
	// Units is the number of units of the plan.
	Units int
	// Bytes is the size of the input.
	Bytes int64
	// Rate is the bytes of input that one core does in a second: measured by a run on
	// a sample. A vCPU is half a core of most machines: measure there, or halve it.
	Rate float64
	// Shuffled is the number of bytes that the service shuffles. Our graphs shuffle
	// ordinals and places in files, some 12 bytes each, so that 0 is near.
	Shuffled int64
}

// Estimate is the cost of a job on paper.
type Estimate struct {
	// Time is from the start of the machines to the end of the job.
	Time time.Duration
	// Dollars is the sum of the parts.
	Dollars                             float64
	Compute, Memory, DiskSpace, Shuffle float64
	// Busy is the share of the paid vCPU time in which units are worked on.
	Busy float64
}

const (
	// startTime is what machines take to start, fetch image and program, and to stop
	// again: an assumption, not measured.
	startTime = 4 * time.Minute
	// shuffleDiskGB is the disk of a worker where the options say none and the service
	// shuffles outside of the workers (cloud.google.com/dataflow/docs/guides/flexrs).
	shuffleDiskGB = 25
)

// Cost estimates time and dollars of a job on so many workers, which all run from
// start to end:
//
//	cores   = workers · vCPUs
//	rounds  = ⌈units / cores⌉                       each core does a unit at a time
//	hours   = start + rounds · (bytes / units) / rate
//	dollars = hours · workers · (vCPUs·VCPU + GB·Memory + disk·Disk) + shuffled·Shuffle
//
// All units are taken to be equal. Storage, its operations, and traffic between regions
// are billed apart and not in it.
func Cost(w Workload, machine Machine, workers, diskGB int, prices Prices) (Estimate, error) {
	switch {
	case w.Units < 1 || w.Bytes < 0 || w.Shuffled < 0 || workers < 1 || machine.VCPUs < 1 || diskGB < 0:
		return Estimate{}, fmt.Errorf("estimate the cost of %d units with %d bytes on %d workers of %d vCPUs: all must be positive",
			w.Units, w.Bytes, workers, machine.VCPUs)
	case !(w.Rate > 0) || math.IsInf(w.Rate, 0):
		return Estimate{}, errors.New("estimate the cost: the rate must be a positive number of bytes a second, measured on a sample")
	case machine.Memory == 0:
		return Estimate{}, fmt.Errorf("estimate the cost: the memory of %q is not known here, which is billed: set Machine.Memory",
			machine.Type)
	}
	if diskGB == 0 {
		diskGB = shuffleDiskGB
	}
	cores := workers * machine.VCPUs
	rounds := (w.Units + cores - 1) / cores
	working := float64(rounds) * float64(w.Bytes) / float64(w.Units) / w.Rate
	hours := startTime.Hours() + working/3600
	paid := hours * float64(workers)
	e := Estimate{
		Time:      time.Duration(hours * float64(time.Hour)),
		Compute:   paid * float64(machine.VCPUs) * prices.VCPU,
		Memory:    paid * float64(machine.Memory) / (1 << 30) * prices.Memory,
		DiskSpace: paid * float64(diskGB) * prices.Disk,
		Shuffle:   float64(w.Shuffled) / (1 << 30) * prices.Shuffle,
		Busy:      float64(w.Bytes) / w.Rate / 3600 / (paid * float64(machine.VCPUs)),
	}
	e.Dollars = e.Compute + e.Memory + e.DiskSpace + e.Shuffle
	return e, nil
}
