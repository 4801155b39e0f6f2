// Package flinktest runs a standalone Flink cluster for tests. The JobManager and each
// TaskManager are processes that use the class path of the installed job server.
package flinktest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"sentweave/runners/beam/flink"
	"sentweave/runners/child"
)

// Require skips the test where there is no Java or no job server.
func Require(t testing.TB) {
	t.Helper()
	if _, _, err := flink.Java(t.Context()); err != nil {
		t.Skipf("skipped: %v", err)
	}
	if _, err := flink.Installed(); err != nil {
		t.Skipf("skipped: %v", err)
	}
}

// Cluster is a running cluster.
type Cluster struct {
	// Master is the address of its REST interface.
	Master string
	t      testing.TB
	dir    string
	// managers are the TaskManagers' processes.
	managers []*process
}

type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// Start starts a cluster of so many TaskManagers with one slot each, and ends it
// with the test. A TaskManager that is lost is noticed within seconds.
func Start(t testing.TB, taskManagers int) *Cluster {
	t.Helper()
	Require(t)
	c := &Cluster{t: t, dir: t.TempDir()}
	restPort, rpcPort := freePort(t), freePort(t)
	c.Master = net.JoinHostPort("localhost", strconv.Itoa(restPort))
	settings := map[string]any{
		"jobmanager.rpc.address": "localhost", "jobmanager.rpc.port": rpcPort, "jobmanager.bind-host": "localhost",
		"rest.address": "localhost", "rest.bind-address": "localhost", "rest.port": restPort,
		"taskmanager.bind-host": "localhost", "taskmanager.host": "localhost", "taskmanager.numberOfTaskSlots": 1,
		"jobmanager.memory.process.size": "1600m", "heartbeat.interval": 1000, "heartbeat.timeout": 20000,
		"io.tmp.dirs": filepath.Join(c.dir, "tmp"),
	}
	var conf strings.Builder
	for name, value := range settings {
		fmt.Fprintf(&conf, "%s: %v\n", name, value)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "flink-conf.yaml"), []byte(conf.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	c.start("jobmanager", "-Xmx1g", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint")
	for range taskManagers {
		c.StartTaskManager()
	}
	c.wait(taskManagers)
	return c
}

// StartTaskManager adds a TaskManager.
func (c *Cluster) StartTaskManager() {
	c.t.Helper()
	const mb = 1 << 20
	args := []string{"-Xmx512m", "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"}
	// Flink's own scripts work these out; without them they have to be given.
	for name, bytes := range map[string]int{
		"task.heap.size": 384 * mb, "task.off-heap.size": 0, "framework.heap.size": 128 * mb, "framework.off-heap.size": 128 * mb,
		"network.min": 64 * mb, "network.max": 64 * mb, "managed.size": 128 * mb, "jvm-metaspace.size": 256 * mb,
		"jvm-overhead.min": 192 * mb, "jvm-overhead.max": 192 * mb,
	} {
		args = append(args, "-D", fmt.Sprintf("taskmanager.memory.%s=%db", name, bytes))
	}
	args = append(args, "-D", "taskmanager.cpu.cores=1")
	c.managers = append(c.managers, c.start(fmt.Sprint("taskmanager-", len(c.managers)), args...))
}

// KillTaskManager ends the TaskManager by SIGKILL, and nothing of what it started.
func (c *Cluster) KillTaskManager(i int) {
	c.t.Helper()
	if err := c.managers[i].cmd.Process.Kill(); err != nil {
		c.t.Error(err)
	}
}

// start starts a process: flags of Java, its main class, and the class's arguments.
func (c *Cluster) start(name string, args ...string) *process {
	c.t.Helper()
	java, _, err := flink.Java(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	lib, err := flink.Installed()
	if err != nil {
		c.t.Fatal(err)
	}
	arguments := append(append([]string{}, flink.JavaOpens()...), args[0], "-cp", filepath.Join(lib, "*"), args[1], "--configDir", c.dir)
	arguments = append(arguments, args[2:]...)
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	p := &process{cmd: exec.Command(java, arguments...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = log, log, c.dir
	p.cmd.SysProcAttr = child.Group(true)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the child ends with the thread that started it
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		child.Kill(p.cmd.Process.Pid)
		<-p.ended
		if c.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			c.t.Logf("%s:\n%s", name, text[max(0, len(text)-4000):])
		}
	})
	return p
}

// Job is a job as the cluster's REST interface lists it.
type Job struct {
	ID, Name, State string
}

// Jobs lists the cluster's jobs.
func (c *Cluster) Jobs() []Job {
	c.t.Helper()
	var answer struct {
		Jobs []struct {
			ID    string `json:"jid"`
			Name  string `json:"name"`
			State string `json:"state"`
		} `json:"jobs"`
	}
	if err := c.get("/jobs/overview", &answer); err != nil {
		c.t.Fatal(err)
	}
	var jobs []Job
	for _, j := range answer.Jobs {
		jobs = append(jobs, Job{ID: j.ID, Name: j.Name, State: j.State})
	}
	return jobs
}

// wait waits until so many TaskManagers have registered.
func (c *Cluster) wait(taskManagers int) {
	c.t.Helper()
	limit := time.Now().Add(2 * time.Minute)
	var err error
	for time.Now().Before(limit) {
		var answer struct {
			TaskManagers []struct{} `json:"taskmanagers"`
		}
		if err = c.get("/taskmanagers", &answer); err == nil && len(answer.TaskManagers) >= taskManagers {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	c.t.Fatalf("the cluster does not start: %v", err)
}

func (c *Cluster) get(path string, answer any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Master+path, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(answer)
}

// freePort returns a port that is free, below those that systems give to connections: one of these may be taken before the
// cluster has begun to listen.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		if listener, err := net.Listen("tcp", net.JoinHostPort("localhost", strconv.Itoa(port))); err == nil {
			listener.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}
