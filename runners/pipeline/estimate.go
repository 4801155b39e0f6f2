package pipeline

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"sentweave/pipelines/units"
	"sentweave/pipelines/verb"
	"sentweave/runners/beam"
	"sentweave/runners/beam/dataflow"
	"sentweave/runners/command"
)

// ratesOf are the rates that were measured for a verb.
func ratesOf(verbs []verb.Verb, words string) verb.Rates {
	v, _ := verb.Find(verbs, words)
	return v.Rates
}

// printEstimate shows what a job takes on its runner, and what a service would be
// sent. The rate is the bytes that one core does in a second; 0 takes what was
// measured.
func printEstimate(ctx context.Context, p *command.Program, job *units.Job, options beam.Options, rate int64) error {
	if options.Runner == "dataflow" {
		return printRequest(ctx, p, job, options, rate)
	}
	w := p.Stdout
	cores := options.Parallelism
	if cores == 0 {
		cores = runtime.NumCPU()
	}
	e, ok := beam.EstimateOf(job, ratesOf(p.Verbs, job.Plan.Pipeline), rate)
	fmt.Fprintf(w, "memory    at most %s, %d units at once\n", command.Size(units.MemoryBudget(cores)), cores)
	if !ok {
		return nil
	}
	printSizes(w, e)
	if e.AtOnce > 0 {
		cores = min(cores, e.AtOnce) // others have nothing to do
	}
	speed := command.Size(e.Rate) + " of input"
	if job.Operations > 0 {
		fmt.Fprintf(w, "work      about %.2g multiplications and additions\n", job.Operations)
		speed = fmt.Sprintf("%.2g of them", job.Operations*float64(e.Rate)/float64(max(1, e.Bytes)))
	}
	fmt.Fprintf(w, "time      about %s on %s, at %s a second and core\n", command.Round(e.Time(cores)),
		command.Counted(int64(cores), "core"), speed)
	return nil
}

// printSizes shows what a job writes.
func printSizes(w io.Writer, e beam.Estimate) {
	fmt.Fprintf(w, "exchange  about %s between units, in the output's folder\n", command.Size(e.Exchanged))
	if e.Written > 0 {
		fmt.Fprintf(w, "output    about %s\n", command.Size(e.Written))
	}
}

func printRequest(ctx context.Context, p *command.Program, job *units.Job, options beam.Options, rate int64) error {
	request, err := dataflow.Prepare(ctx, job, options.Dataflow.Options)
	if err != nil {
		return err
	}
	w := p.Stdout
	workers := options.Dataflow.MaxWorkers
	if options.Dataflow.Workers > 0 && options.Dataflow.Autoscaling == "NONE" {
		workers = options.Dataflow.Workers
	}
	workers = max(1, min(workers, (len(job.Units)+request.Machine.VCPUs-1)/request.Machine.VCPUs))
	vCPUs := workers * request.Machine.VCPUs
	if e, ok := beam.EstimateOf(job, ratesOf(p.Verbs, job.Plan.Pipeline), rate); ok {
		e.Rate /= 2 // a vCPU is one of the two threads of a core
		prices, how := dataflow.BatchPrices, "batch"
		if options.Dataflow.FlexRS {
			prices, how = dataflow.FlexRSPrices, "FlexRS"
		}
		printSizes(w, e)
		cost, err := dataflow.Cost(dataflow.Workload{Units: max(1, len(job.Units)), Bytes: e.Bytes, Rate: float64(e.Rate)}, request.Machine,
			workers, options.Dataflow.DiskGB, prices)
		if err == nil {
			fmt.Fprintf(w, "time      about %s on %s with %d vCPUs each, at %s of input a second and vCPU\n", command.Round(cost.Time),
				command.Counted(int64(workers), "worker"), vCPUs, command.Size(e.Rate))
			fmt.Fprintf(w, "cost      about $%.2f: %s prices of us-central1 in 2024, storage apart\n", cost.Dollars, how)
		}
	}
	fmt.Fprintf(w, "memory    at most %s a worker, %d units at once\n\n%s", command.Size(units.MemoryBudget(request.Machine.Window())),
		request.Machine.Window(), request.Summary())
	return nil
}
