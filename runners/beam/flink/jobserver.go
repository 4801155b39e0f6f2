package flink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"

	"sentweave/runners/child"
)

const (
	driverClass = "org.apache.beam.runners.flink.FlinkJobServerDriver"
	driverFile  = "org/apache/beam/runners/flink/FlinkJobServerDriver.class"
	// startLimit is how long a job server may take to listen.
	startLimit = 2 * time.Minute
	// endpointLimit is how long one that is given may take to answer.
	endpointLimit = 15 * time.Second
	// stopLimit is how long it may take to end before it is killed.
	stopLimit = 10 * time.Second
)

// server is a job server: a process of ours, or one that is given.
type server struct {
	client jobpb.JobServiceClient
	conn   *grpc.ClientConn
	// dir holds the process's log and artifacts; empty for one that is given.
	dir     string
	process *os.Process
	ended   chan struct{} // closed when the process has ended
}

// servers are those that this process uses: one for each options, since to start
// one takes seconds and a recipe has many jobs.
var servers struct {
	sync.Mutex
	open map[string]*server
}

// serverFor returns the job server for the options, and starts it if need be.
func serverFor(ctx context.Context, o Options, tell func(string)) (*server, error) {
	servers.Lock()
	defer servers.Unlock()
	key := strings.Join([]string{o.Master, o.JobServer, o.JobEndpoint, o.Conf}, "\x00")
	if s := servers.open[key]; s != nil {
		if !s.gone() {
			return s, nil
		}
		s.close(true)
		delete(servers.open, key)
	}
	tell("starting Flink's job server")
	s, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	if servers.open == nil {
		servers.open = map[string]*server{}
	}
	servers.open[key] = s
	return s, nil
}

// drop ends a job server and forgets it.
func drop(s *server) {
	servers.Lock()
	defer servers.Unlock()
	s.close(false)
	maps.DeleteFunc(servers.open, func(_ string, open *server) bool { return open == s })
}

// Close ends all job servers that this process has started.
func Close() {
	servers.Lock()
	defer servers.Unlock()
	for _, s := range servers.open {
		s.close(false)
	}
	servers.open = nil
}

func open(ctx context.Context, o Options) (*server, error) {
	if o.JobEndpoint != "" {
		s := &server{}
		if err := s.dial(ctx, o.JobEndpoint, endpointLimit); err != nil {
			return nil, fmt.Errorf("reach the job server at %s: %w; is it running? Its --job-host must be an address that is reachable from here",
				o.JobEndpoint, err)
		}
		return s, nil
	}
	java, _, err := Java(ctx)
	if err != nil {
		return nil, err
	}
	program := o.JobServer
	if program == "" {
		if program, err = Installed(); err != nil {
			return nil, err
		}
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	if err := fits(ctx, o, program); err != nil {
		return nil, err
	}
	// Between choosing a port and listening on it, another process may take it.
	for attempt := 1; ; attempt++ {
		s, err := start(ctx, o, java, program)
		if err == nil || attempt == 3 || !errors.Is(err, errPortTaken) {
			return s, err
		}
	}
}

// fits checks that the job server and the cluster are of one version of Flink:
// objects of one are not understood by another.
func fits(ctx context.Context, o Options, program string) error {
	version, err := flinkOf(program)
	if err != nil || o.isLocal() {
		return err
	}
	cluster, err := newREST(o.Master).version(ctx)
	if err != nil {
		return err
	}
	if version != "" && minor(version) != minor(cluster) {
		return fmt.Errorf("the cluster at %s runs Flink %s, the job server is made for Flink %s; give --flink-job-server, the jar beam-runners-flink-%s-job-server of Apache Beam",
			o.Master, cluster, version, minor(cluster))
	}
	return nil
}

// minor returns 1.19 of 1.19.3.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

var errPortTaken = errors.New("the port is taken")

// start starts a job server and waits until it listens.
func start(ctx context.Context, o Options, java, program string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	sweep(os.TempDir())
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", folderPrefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	args := JavaOpens()
	args = append(args, "-Xmx1g", "-Djava.io.tmpdir="+dir, "-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS")
	first := filepath.Join(dir, "server-factory.jar")
	if err := writeServerFactory(first, program); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	classes := program
	if info, err := os.Stat(program); err == nil && info.IsDir() {
		classes = filepath.Join(program, "*")
	}
	args = append(args, "-cp", first+string(filepath.ListSeparator)+classes, driverClass)
	args = append(args, "--job-host="+loopbackHost, "--job-port="+strconv.Itoa(port), "--artifact-port=0", "--expansion-port=0",
		"--flink-master="+o.Master, "--artifacts-dir=artifacts", "--clean-artifacts-per-job")
	// Names relative to its folder: the job server's own flags take no spaces.
	if err := prepareConf(filepath.Join(dir, "conf"), o); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("configure Flink: %w", err)
	}
	args = append(args, "--flink-conf-dir=conf")
	s := &server{dir: dir, ended: make(chan struct{})}
	log, err := os.Create(s.log())
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	defer log.Close()
	c := exec.Command(java, args...)
	c.Dir, c.Stdout, c.Stderr = dir, log, log
	c.SysProcAttr = child.Group(true)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the child ends with the thread that started it
		defer runtime.UnlockOSThread()
		err := c.Start()
		started <- err
		if err == nil {
			c.Wait() // how it ended is in its log
			close(s.ended)
		}
	}()
	if err := <-started; err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("start the job server of Flink: %w", err)
	}
	s.process = c.Process
	if err := s.dial(ctx, net.JoinHostPort(loopbackHost, strconv.Itoa(port)), startLimit); err != nil {
		said := s.tail()
		s.close(ctx.Err() == nil)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case strings.Contains(said, "Address already in use"), strings.Contains(said, "Failed to bind"):
			return nil, fmt.Errorf("start the job server of Flink: port %d: %w", port, errPortTaken)
		}
		return nil, fmt.Errorf("start the job server of Flink: %w%s; its log is %s", err, said, s.log())
	}
	return s, nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", loopbackHost+":0")
	if err != nil {
		return 0, fmt.Errorf("find a port for the job server of Flink: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// dial connects to the job service; it waits for one that starts.
func (s *server) dial(ctx context.Context, address string, limit time.Duration) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: pollBackoff, MinConnectTimeout: 5 * time.Second,
		}), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	go func() {
		select {
		case <-s.ended: // nil where the process is not ours
			cancel()
		case <-ctx.Done():
		}
	}()
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if !conn.WaitForStateChange(ctx, state) {
			conn.Close()
			if s.gone() {
				return errors.New("it ended at once")
			}
			return fmt.Errorf("nothing answers within %v", limit)
		}
	}
	s.conn, s.client = conn, jobpb.NewJobServiceClient(conn)
	return nil
}

// gone tells whether a process of ours has ended.
func (s *server) gone() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// log is the file of what the process prints.
func (s *server) log() string { return filepath.Join(s.dir, "job-server.log") }

// close lets go of the server, and ends its process if it is ours. Its log is
// kept if that is wanted, or if it has ended by itself: until the next one starts.
func (s *server) close(keep bool) {
	if s.conn != nil {
		s.conn.Close()
	}
	if s.process == nil {
		return
	}
	if s.gone() {
		keep = true
	} else {
		child.Terminate(s.process.Pid)
		select {
		case <-s.ended:
		case <-time.After(stopLimit):
		}
	}
	child.Kill(s.process.Pid) // and whatever it has started
	<-s.ended
	if !keep {
		os.RemoveAll(s.dir)
	}
}

const folderPrefix = "sentweave-flink-"

// sweep removes the folders of processes that are no more: one that is killed
// cannot remove its own.
func sweep(temporary string) {
	folders, err := filepath.Glob(filepath.Join(temporary, folderPrefix+"*"))
	if err != nil {
		return
	}
	for _, folder := range folders {
		number, _, ok := strings.Cut(strings.TrimPrefix(filepath.Base(folder), folderPrefix), "-")
		pid, err := strconv.Atoi(number)
		if ok && err == nil && !child.Alive(pid) {
			os.RemoveAll(folder)
		}
	}
}

// tail returns the last lines of the server's log that say what went wrong.
func (s *server) tail() string {
	if s.dir == "" {
		return ""
	}
	f, err := os.Open(s.log())
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 1<<16 {
		f.Seek(-1<<16, io.SeekEnd)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	said := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "Exception") || strings.Contains(line, "Error") || strings.Contains(line, "ERROR") {
			said = line
		}
	}
	if said == "" {
		return ""
	}
	return ": " + said
}
