// Package flink runs jobs on Apache Flink. It starts Beam's job server for Flink or
// uses a running one, submits the job, and ends the processes that it started.
package flink

import (
	"errors"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"sentweave/runners/beam/worker"
	"sentweave/schemas/fault"
)

// local is the master of a Flink inside of the job server's process.
const local = "[local]"

// Options say which Flink and how. The tags are read by the command line, which
// puts flink- before each name.
type Options struct {
	Master string `help:"Address of Flink's REST interface, or [local], the default, for a Flink of its own." default:"[local]" placeholder:"HOST:PORT"`
	// JobServer is a file; JobEndpoint an address.
	JobServer   string `help:"Jar of Beam's job server for Flink; if not given, what doctor --install flink has fetched." placeholder:"JAR" env:"SENTWEAVE_FLINK_JOB_SERVER"`
	JobEndpoint string `help:"Address of a job server that runs already." placeholder:"HOST:PORT"`
	Worker      string `help:"Path of this program on the machines of the TaskManagers; if not given, its path here." placeholder:"FILE"`
	WorkerPool  string `help:"Address at which a TaskManager finds its sentweave worker-pool, instead of starting workers itself." placeholder:"HOST:PORT"`
	// WorkerPoolToken names a file: a secret is not a flag.
	WorkerPoolToken string `name:"worker-pool-token-file" help:"File with the token of the worker pool; if not given, $$SENTWEAVE_WORKER_POOL_TOKEN is the token." placeholder:"FILE"`
	Conf            string `help:"Folder of Flink's configuration." placeholder:"DIR"`
	// Set is passed on as pipeline options.
	Set map[string]string `help:"Set an option of Beam's Flink runner, as in max_parallelism=128." placeholder:"OPTION=VALUE" mapsep:"none"`
}

// optionName is the form of a pipeline option's name.
var optionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs fault.List
	address := func(flag, value string) {
		host, port, err := net.SplitHostPort(value)
		if n, numberErr := strconv.Atoi(port); err != nil || host == "" || numberErr != nil || n < 1 || n > 65535 {
			errs.Addf("%s %q is not an address: give host:port, as in flink.example:8081", flag, value)
		}
	}
	if o.Master != local {
		address("flink-master", o.Master)
	}
	if o.JobEndpoint != "" {
		address("flink-job-endpoint", o.JobEndpoint)
	}
	if o.WorkerPool != "" {
		address("flink-worker-pool", o.WorkerPool)
		_, err := worker.ReadToken(o.WorkerPoolToken)
		errs.Add(err)
	} else if o.WorkerPoolToken != "" {
		errs.Addf("flink-worker-pool-token-file has no effect without flink-worker-pool")
	}
	errs.Check(o.JobEndpoint == "" || o.JobServer == "",
		"flink-job-endpoint names a job server that runs, flink-job-server one to start: give one of them")
	errs.Check(o.WorkerPool == "" || o.Worker == "", "a flink-worker-pool starts its own program: flink-worker has no effect beside it")
	errs.Check(o.Worker == "" || filepath.IsAbs(o.Worker), "flink-worker %q is not absolute: a TaskManager has another working folder",
		o.Worker)
	if o.JobServer != "" {
		if info, err := os.Stat(o.JobServer); errors.Is(err, fs.ErrNotExist) {
			errs.Addf("flink-job-server %s does not exist", o.JobServer)
		} else if err != nil {
			errs.Addf("flink-job-server: %w", err)
		} else if !info.Mode().IsRegular() {
			errs.Addf("flink-job-server %s is not a file: give a jar", o.JobServer)
		}
	}
	if o.Conf != "" {
		if info, err := os.Stat(o.Conf); err != nil {
			errs.Addf("flink-conf: %w", err)
		} else if !info.IsDir() {
			errs.Addf("flink-conf %s is not a folder", o.Conf)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Set)) {
		if advice, ok := ownOptions[name]; ok {
			errs.Addf("flink-set: %s is set by this program%s", name, advice)
		}
		errs.Check(optionName.MatchString(name), "flink-set: %q is not the name of an option: these are like max_parallelism", name)
	}
	return errs.Err()
}

// ownOptions are those that are set here, with the flag that sets them.
var ownOptions = map[string]string{"parallelism": ": give --parallelism", "runner": "", "job_name": "", "app_name": "", "experiments": "",
	"streaming": ": its jobs are bounded"}

// isLocal tells a Flink inside of the job server from a cluster.
func (o Options) isLocal() bool { return o.Master == local }
