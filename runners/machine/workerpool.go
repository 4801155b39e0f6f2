package machine

import (
	"context"
	"errors"
	"fmt"
	"net"

	"sentweave/pipelines/verb"
	"sentweave/runners/beam/worker"
	"sentweave/runners/command"
)

// workerPoolVerb is what the programs know of the verb worker-pool.
var workerPoolVerb = verb.Verb{
	Name: "worker-pool", Group: verb.GroupMachine,
	Help: "Start workers for the TaskManagers of a Flink cluster on this machine, or in this pod.",
	Examples: []string{
		"worker-pool --token-file token",
	},
	New: func() any { return new(workerPoolCommand) },
}

type workerPoolCommand struct {
	Listen    string `help:"Address of this machine's loopback at which the TaskManagers of the machine, or pod, find the pool (${default})." default:"127.0.0.1:50000" placeholder:"HOST:PORT"`
	TokenFile string `help:"File with the pool's token, without which a request is refused; if not given, $$SENTWEAVE_WORKER_POOL_TOKEN is the token." placeholder:"FILE"`
}

// Validate is called by the parser.
func (c *workerPoolCommand) Validate() error {
	_, addressErr := c.address()
	_, tokenErr := worker.ReadToken(c.TokenFile)
	return errors.Join(addressErr, tokenErr)
}

// address is where the pool listens. A TaskManager tells its workers to find it at its
// own loopback: a pool that is elsewhere could do nothing for it.
func (c *workerPoolCommand) address() (*net.TCPAddr, error) {
	address, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen %q is not an address: %w; give host:port, as in 127.0.0.1:50000", c.Listen, err)
	}
	if !address.IP.IsLoopback() {
		return nil, fmt.Errorf("listen %q is not a loopback address, as 127.0.0.1:50000 is: a TaskManager can only be served by a pool on its own machine, or in its own pod",
			c.Listen)
	}
	return address, nil
}

// Run implements the verb.
func (c *workerPoolCommand) Run(ctx context.Context, p *command.Program) error {
	address, err := c.address()
	if err != nil {
		return err
	}
	token, err := worker.ReadToken(c.TokenFile)
	if err != nil {
		return err
	}
	pool, err := worker.NewPool(token, p.Stderr)
	if err != nil {
		return err
	}
	listener, err := net.ListenTCP("tcp", address)
	if err != nil {
		return fmt.Errorf("start the worker pool: %w; give another address by --listen", err)
	}
	fmt.Fprintf(p.Stdout, "worker pool at %s\n", listener.Addr())
	return pool.Serve(ctx, listener)
}
