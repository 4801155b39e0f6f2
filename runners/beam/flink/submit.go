package flink

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"sentweave/pipelines/units"
	"sentweave/runners/beam/portable"
	"sentweave/runners/beam/worker"
)

const (
	submitLimit = 10 * time.Minute // a cluster is sent the job server's jars
	cancelLimit = 2 * time.Minute
	// maxAttempts is how often a job is begun at most, maxIdle how often without
	// having got on.
	maxAttempts = 10
	maxIdle     = 3
	replaceTime = 3 * time.Second
)

// Submission is a job on its way to Flink.
type Submission struct {
	Job *units.Job
	// Name tells the job from all others.
	Name string
	// Parallelism is the number of units at once; 0 means as many as the cluster has
	// slots, or one a core of a local Flink.
	Parallelism int
	Options     Options
	// Tell is called with what is under way before units are done.
	Tell func(string)
}

// Run executes the job and waits for its end. When the context is cancelled, the job
// is, too, and Run returns the context's error when it has stopped.
//
// A job of Flink that loses a TaskManager or a worker fails, unless the cluster is
// configured otherwise: it is begun again as long as it has got on, without the
// units that are committed. A unit that fails by itself ends it.
func (s Submission) Run(ctx context.Context) error {
	folder, err := s.Job.Folder()
	if err != nil {
		return err
	}
	idle := 0 // attempts in a row that have committed nothing
	for attempt := 1; ; attempt++ {
		previous, err := s.Job.Plan.CountReceipts(ctx, folder)
		if err != nil {
			return err
		}
		jobErr := s.attempt(ctx, fmt.Sprint(s.Name, "-", attempt))
		var failure *portable.Failure
		if !errors.As(jobErr, &failure) || failure.OfWorker() || s.Options.way(failure) != "" || attempt == maxAttempts {
			return jobErr
		}
		current, err := s.Job.Plan.CountReceipts(ctx, folder)
		if err != nil {
			return errors.Join(jobErr, err)
		}
		if idle++; current > previous {
			idle = 0
		}
		if idle == maxIdle {
			return jobErr
		}
		s.Tell("Flink has given the job up, it is submitted again")
		select {
		case <-time.After(time.Duration(1+idle) * replaceTime): // until what is lost is replaced, or taken off the list
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// attempt submits the job once, by a name of its own, and waits for its end.
func (s Submission) attempt(ctx context.Context, name string) error {
	o := s.Options
	server, err := serverFor(ctx, o, s.Tell)
	if err != nil {
		return err
	}
	parallelism, perWorker, err := o.parallelism(ctx, s.Parallelism)
	if err != nil {
		return err
	}
	environment, err := o.environment(perWorker)
	if err != nil {
		return err
	}
	// Not the caller's context: that would drop the connection and leave the job running.
	background := context.WithoutCancel(ctx)
	graph, err := portable.Graph(background, s.Job, 0, environment)
	if err != nil {
		return err
	}
	options := map[string]any{"runner": "flink", "parallelism": parallelism}
	for option, value := range o.Set {
		options[option] = optionValue(value)
	}
	s.Tell("submitting " + name + " to Flink")
	submitting, stop := context.WithTimeout(background, submitLimit)
	defer stop()
	id, err := portable.Submit(submitting, server.client, name, graph, options)
	if err != nil {
		if len(o.Set) > 0 {
			err = fmt.Errorf("%w; are the values of --flink-set what their options take?", err)
		}
		return server.explain(err)
	}
	s.Tell(name + " is submitted to Flink")
	finished := make(chan error, 1)
	go func() { finished <- portable.Wait(background, server.client, id) }()
	select {
	case err := <-finished:
		return o.hint(server.explain(err))
	case <-ctx.Done():
	}
	return errors.Join(context.Cause(ctx), server.cancel(background, o, id, name, finished))
}

// parallelism returns how many units run at once, and how many in one worker.
func (o Options) parallelism(ctx context.Context, requested int) (total, perWorker int, err error) {
	if o.isLocal() {
		if requested == 0 {
			requested = runtime.NumCPU()
		}
		return requested, requested, nil
	}
	slots, largest, err := newREST(o.Master).slots(ctx)
	if err != nil {
		return 0, 0, err
	}
	if slots == 0 {
		return 0, 0, fmt.Errorf("the cluster at %s has no task slots: it has no TaskManager", o.Master)
	}
	if requested == 0 || requested > slots { // more would wait forever
		requested = slots
	}
	return requested, min(largest, requested), nil
}

// hint adds the way out to what a TaskManager says that cannot start a worker.
func (o Options) hint(err error) error {
	var failure *portable.Failure
	if !errors.As(err, &failure) {
		return err
	}
	if way := o.way(failure); way != "" {
		return fmt.Errorf("%w; %s", err, way)
	}
	return err
}

// way is the way out of a failure that another attempt would not mend.
func (o Options) way(failure *portable.Failure) string {
	switch {
	case failure.OfWorker():
	case o.WorkerPool != "" && strings.Contains(failure.Said, "finishConnect"):
		return fmt.Sprintf("a TaskManager does not reach the worker pool at %s: `sentweave worker-pool` must run there, as the TaskManager sees the address",
			o.WorkerPool)
	case strings.Contains(failure.Said, worker.Refusal):
		return fmt.Sprintf("give the token of the pool at %s by $%s or --flink-worker-pool-token-file", o.WorkerPool, worker.TokenVariable)
	case strings.Contains(failure.Said, "Cannot run program"):
		program, err := o.worker()
		if err != nil {
			program = err.Error()
		}
		return fmt.Sprintf("a TaskManager cannot start the worker %s on its machine: put this program there, or name its path there by --flink-worker",
			program)
	}
	return ""
}

// worker is the path of the program that TaskManagers start.
func (o Options) worker() (string, error) {
	if o.Worker != "" {
		return o.Worker, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program, which is its own worker: %w; give --flink-worker", err)
	}
	return filepath.EvalSymlinks(self)
}

// environment says how Flink starts a worker that does so many units at once.
func (o Options) environment(units int) (portable.Environment, error) {
	if o.WorkerPool != "" {
		token, err := worker.ReadToken(o.WorkerPoolToken)
		return portable.External(o.WorkerPool, token.Parameters()), err
	}
	program, err := o.worker()
	return portable.Process(program, memoryVariables(units)), err
}

// memoryVariables keep a worker within the budget for so many units.
func memoryVariables(n int) map[string]string {
	return map[string]string{"GOMEMLIMIT": strconv.FormatInt(units.MemoryLimit(n), 10)}
}

// optionValue is a number or a truth value where the text is one.
func optionValue(text string) any {
	if n, err := strconv.ParseInt(text, 10, 53); err == nil {
		return n
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	return text
}

// cancel stops the job and waits until it has stopped.
func (s *server) cancel(ctx context.Context, o Options, id, name string, finished <-chan error) error {
	ctx, stop := context.WithTimeout(ctx, cancelLimit)
	defer stop()
	if o.isLocal() && s.process != nil {
		// It says that a job is cancelled while the workers go on; they end with it.
		drop(s)
		return nil
	}
	if !o.isLocal() {
		// The job server answers that it has cancelled, while the cluster goes on.
		if err := newREST(o.Master).cancel(ctx, name); err != nil {
			return err
		}
	}
	if s.gone() {
		return nil
	}
	if err := portable.Cancel(ctx, s.client, id); err != nil && !s.gone() {
		return err
	}
	select {
	case <-finished: // however it ended, it has
		return nil
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the job %s did not stop within %v", name, cancelLimit)
	}
}

// explain adds what the job server says when it is the one that failed.
func (s *server) explain(err error) error {
	var failure *portable.Failure
	if err == nil || errors.As(err, &failure) {
		return err
	}
	select {
	case <-s.ended:
	case <-time.After(2 * time.Second): // the connection ends before the process does
	}
	if s.ended != nil && s.gone() {
		return fmt.Errorf("the job server of Flink has ended%s; run the same command again to go on; its log is %s", s.tail(), s.log())
	}
	return err
}
