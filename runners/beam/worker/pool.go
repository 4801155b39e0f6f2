package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"

	"sentweave/runners/child"
)

// maxWorkers bounds the workers of a pool: a TaskManager asks for one a job.
const maxWorkers = 256

// Pool starts workers for runners that do not start any themselves, such as the
// TaskManagers of a cluster without Docker: it stands on the same machine, or in
// the same pod. Each worker is a process of this program.
type Pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	program string
	log     io.Writer

	mu      sync.Mutex
	workers map[string]*exec.Cmd
	closed  bool
	wg      sync.WaitGroup
}

// NewPool returns a pool without workers. What these print goes to the log.
func NewPool(log io.Writer) (*Pool, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which is its own worker: %w", err)
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return nil, err
	}
	return &Pool{program: self, log: log, workers: map[string]*exec.Cmd{}}, nil
}

// Serve answers runners until the context ends, and then ends all workers.
func (p *Pool) Serve(ctx context.Context, listener net.Listener) error {
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, p)
	stop := context.AfterFunc(ctx, server.Stop)
	defer stop()
	err := server.Serve(listener)
	p.close()
	if ctx.Err() != nil || errors.Is(err, grpc.ErrServerStopped) {
		return nil
	}
	return err
}

// StartWorker implements the service. What is wrong is part of the response.
func (p *Pool) StartWorker(_ context.Context, request *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	if err := p.start(request); err != nil {
		fmt.Fprintf(p.log, "worker %s: %v\n", request.GetWorkerId(), err)
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	return &fnpb.StartWorkerResponse{}, nil
}

func (p *Pool) start(request *fnpb.StartWorkerRequest) error {
	id := request.GetWorkerId()
	provision := request.GetProvisionEndpoint().GetUrl()
	if id == "" || provision == "" && request.GetControlEndpoint().GetUrl() == "" {
		return errors.New("the runner names no worker, or no endpoint at which it would be told what to do")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return errors.New("the worker pool is closing")
	case p.workers[id] != nil:
		return errors.New("there is a worker of this id")
	case len(p.workers) >= maxWorkers:
		return fmt.Errorf("the worker pool has %d workers, the most that it starts", maxWorkers)
	}
	c := exec.Command(p.program, "--id="+id, "--provision_endpoint="+provision,
		"--logging_endpoint="+request.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+request.GetControlEndpoint().GetUrl())
	c.Stdout, c.Stderr = p.log, p.log
	c.SysProcAttr = child.Group(false) // it ends when its runner does
	if err := c.Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	p.workers[id] = c
	fmt.Fprintf(p.log, "worker %s: process %d\n", id, c.Process.Pid)
	p.wg.Go(func() {
		err := c.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.workers, id)
		if err != nil {
			fmt.Fprintf(p.log, "worker %s: ended: %v\n", id, err)
		}
	})
	return nil
}

// StopWorker implements the service.
func (p *Pool) StopWorker(_ context.Context, request *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.workers[request.GetWorkerId()]; c != nil {
		c.Process.Kill()
	}
	return &fnpb.StopWorkerResponse{}, nil // one that has ended by itself is stopped
}

// close ends all workers and waits for their ends.
func (p *Pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.workers {
		c.Process.Kill()
	}
	p.mu.Unlock()
	p.wg.Wait()
}
