package main

import (
	"context"
	"fmt"
	"net"

	"sentweave/runners/beam/worker"
	"sentweave/runners/command"
)

type workerPoolCommand struct {
	Listen string `help:"Address at which the TaskManagers of this machine, or pod, find the pool (${default})." default:"localhost:50000" placeholder:"HOST:PORT"`
}

// Run implements the verb.
func (c *workerPoolCommand) Run(ctx context.Context, p *command.Program) error {
	pool, err := worker.NewPool(p.Stderr)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("start the worker pool: %w; give another address by --listen", err)
	}
	fmt.Fprintf(p.Stdout, "worker pool at %s\n", listener.Addr())
	return pool.Serve(ctx, listener)
}
