package worker_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
	"sentweave/pipelines/units"
	"sentweave/runners/beam/portable"
	"sentweave/runners/beam/worker"
	"sentweave/schemas/dataset"
)

// poolArgument makes the test's program a worker pool.
const poolArgument = "pool"

func TestMain(m *testing.M) {
	switch args := os.Args[1:]; {
	case worker.Is(args):
		os.Exit(worker.Main(args))
	case len(args) == 1 && args[0] == poolArgument:
		if err := pool(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	log.SetupLogging("error", "text")
	sdk.Init()
	os.Exit(m.Run())
}

func pool() error {
	p, err := worker.NewPool(os.Stderr)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return p.Serve(context.Background(), listener)
}

// startPool starts a pool as another process, which has no environment and stands
// in an empty folder, and returns its address and folder.
func startPool(t *testing.T) (address, folder string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	c := exec.Command(self, poolArgument)
	c.Env, c.Dir, c.Stderr = []string{}, folder, os.Stderr
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		t.Fatal("the pool does not start")
	}
	return lines.Text(), folder
}

// elsewhere runs jobs on Prism with the workers of a pool.
func elsewhere(t *testing.T, pool string) pipelinetest.Runner {
	t.Helper()
	client, err := prism.CreateJobServer(t.Context(), prism.Options{}) // at a free port
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, job *units.Job) (*dataset.Manifest, error) {
		return runElsewhere(ctx, client, job, pool)
	}
}

func runElsewhere(ctx context.Context, client jobpb.JobServiceClient, job *units.Job, pool string) (*dataset.Manifest, error) {
	folder, err := job.Folder()
	if err != nil {
		return nil, err
	}
	if _, err := job.Plan.Create(ctx, folder, job.Units); err != nil {
		return nil, err
	}
	graph, err := portable.Graph(ctx, job, 0, portable.External(pool))
	if err != nil {
		return nil, err
	}
	id, err := portable.Submit(ctx, client, filepath.Base(job.Output), graph, nil)
	if err != nil {
		return nil, err
	}
	if err := portable.Wait(ctx, client, id); err != nil {
		return nil, err
	}
	return dataset.Load(ctx, folder)
}

// Every pipeline runs with workers that are other processes, without environment,
// flags or files of their own, and leaves nothing behind in their folder.
func TestElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: workers are processes")
	}
	links := chain.Links(pipelinetest.Corpus{Pages: 12, Paragraphs: 4, Languages: []string{"eng", "deu"}}.Write(t), pipelinetest.Vocabulary(t))
	settings := pipelinetest.Settings(8 << 10)
	here, there := t.TempDir(), t.TempDir()
	chain.Run(t, links, here, settings, pipelinetest.Plain(2))
	address, folder := startPool(t)
	chain.Run(t, links, there, settings, elsewhere(t, address))
	for _, l := range links {
		want := pipelinetest.Digests(t, filepath.Join(here, l.Name))
		if diff := cmp.Diff(want, pipelinetest.Digests(t, filepath.Join(there, l.Name))); diff != "" || len(want) == 0 {
			t.Errorf("%s: %s", l.Name, diff)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left in the workers' folder: %v, %v", left, err)
	}
}

// What a pool refuses is said to the runner.
func TestPoolRefuses(t *testing.T) {
	address, _ := startPool(t)
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := fnpb.NewBeamFnExternalWorkerPoolClient(conn)
	silent, err := net.Listen("tcp", "localhost:0") // a runner that does not answer
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	endpoint := &pipepb.ApiServiceDescriptor{Url: silent.Addr().String()}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, test := range []struct {
		request *fnpb.StartWorkerRequest
		want    string
	}{
		{&fnpb.StartWorkerRequest{}, "names no worker"},
		{&fnpb.StartWorkerRequest{WorkerId: "w"}, "no endpoint"},
		{&fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint}, ""},
		{&fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint}, "there is a worker of this id"},
	} {
		response, err := client.StartWorker(ctx, test.request)
		if err != nil || (response.GetError() == "") != (test.want == "") || !strings.Contains(response.GetError(), test.want) {
			t.Errorf("%v: %q, %v; want %q", test.request, response.GetError(), err, test.want)
		}
	}
	for range 2 { // one that has ended is stopped
		if response, err := client.StopWorker(ctx, &fnpb.StopWorkerRequest{WorkerId: "w"}); err != nil || response.GetError() != "" {
			t.Errorf("stop: %q, %v", response.GetError(), err)
		}
	}
}

func TestIs(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "corpus --out x": false, "worker-pool": false, "--worker=true --id=1": true, "--worker": true, "--id=1-1 --provision_endpoint=localhost:1": true,
	} {
		if got := worker.Is(strings.Fields(args)); got != want {
			t.Errorf("%q: %t", args, got)
		}
	}
}
