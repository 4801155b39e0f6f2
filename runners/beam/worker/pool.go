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
	"slices"
	"strings"
	"sync"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"golang.org/x/net/netutil"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"sentweave/runners/child"
)

// maxWorkers bounds the workers of a pool: a TaskManager asks for one a job.
const maxWorkers = 256

// maxRequest bounds the bytes of a request, which holds an id and four addresses.
const maxRequest = 64 << 10

// Pool starts workers for runners that do not start any themselves, such as the
// TaskManagers of a cluster without Docker: it is on the same machine, or in
// the same pod. Each worker is a process of this program. A request that does not
// hold the pool's token is refused: a worker does what the endpoint says that the
// request names.
type Pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	program string
	token   Token
	log     io.Writer

	mu      sync.Mutex
	workers map[key]*exec.Cmd
	closed  bool
	wg      sync.WaitGroup
}

// key tells workers apart: two TaskManagers of a machine give theirs the same id.
type key struct{ id, endpoint string }

// NewPool returns a pool without workers, for requests that hold the token. What
// workers print goes to the log.
func NewPool(token Token, log io.Writer) (*Pool, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which is its own worker: %w", err)
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return nil, err
	}
	return &Pool{program: self, token: token, log: log, workers: map[key]*exec.Cmd{}}, nil
}

// Serve answers runners until the context ends, and then ends all workers.
func (p *Pool) Serve(ctx context.Context, listener net.Listener) error {
	// Whoever is on this machine can connect.
	listener = netutil.LimitListener(listener, 2*maxWorkers)
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxRequest),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: time.Minute}))
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
	if !p.token.equal(request.GetParams()[tokenParameter]) { // nothing of such a request goes to the log
		fmt.Fprintln(p.log, "a request was refused:", Refusal)
		return &fnpb.StartWorkerResponse{Error: Refusal}, nil
	}
	if err := p.start(request); err != nil {
		fmt.Fprintf(p.log, "worker %q: %v\n", request.GetWorkerId(), err)
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	return &fnpb.StartWorkerResponse{}, nil
}

func (p *Pool) start(request *fnpb.StartWorkerRequest) error {
	id, control := request.GetWorkerId(), request.GetControlEndpoint().GetUrl()
	provision := request.GetProvisionEndpoint().GetUrl()
	if id == "" || provision == "" {
		return errors.New("the runner names no worker, or no control endpoint")
	}
	k := key{id, provision}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return errors.New("the worker pool is closing")
	case p.workers[k] != nil:
		return errors.New("there is a worker of this id")
	case len(p.workers) >= maxWorkers:
		return fmt.Errorf("the worker pool has %d workers, the most that it starts", maxWorkers)
	}
	c := exec.Command(p.program, "--id="+id, "--provision_endpoint="+provision,
		"--logging_endpoint="+request.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+control)
	c.Stdout, c.Stderr = p.log, p.log
	c.Env = slices.DeleteFunc(os.Environ(),
		func(v string) bool { return strings.HasPrefix(v, TokenVariable+"=") }) // not for what workers start
	c.SysProcAttr = child.Group(false) // it ends when its runner does
	if err := c.Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	p.workers[k] = c
	fmt.Fprintf(p.log, "worker %q: process %d\n", id, c.Process.Pid)
	p.wg.Go(func() {
		err := c.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.workers, k)
		if err != nil {
			fmt.Fprintf(p.log, "worker %q: ended: %v\n", id, err)
		}
	})
	return nil
}

// StopWorker implements the service. It stops nothing: the request has no place for
// the token, and a worker ends by itself when its runner lets go of it.
func (p *Pool) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	return &fnpb.StopWorkerResponse{}, nil
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
