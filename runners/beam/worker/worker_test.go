package worker_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
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
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

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
	case worker.IsWorker(args):
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
	token, err := worker.ReadToken("")
	if err != nil {
		return err
	}
	p, err := worker.NewPool(token, os.Stderr)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return p.Serve(ctx, listener)
}

// secret is the token of the pools.
const secret = "a secret of sixteen letters or more"

// startPool starts a pool as another process, which has nothing but its token in its
// environment and is in an empty folder, and returns its address and folder.
func startPool(t *testing.T) (address, folder string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	c := exec.Command(self, poolArgument)
	c.Env, c.Dir, c.Stderr = []string{worker.TokenVariable + "=" + secret}, folder, os.Stderr
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM) // it ends its workers
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		t.Fatal("the pool does not start")
	}
	return lines.Text(), folder
}

// token returns what a file with the text gives.
func token(t *testing.T, text string) worker.Token {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := worker.ReadToken(file)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// elsewhere runs jobs on Prism with the workers of a pool.
func elsewhere(t *testing.T, pool string) pipelinetest.Runner {
	t.Helper()
	client, err := prism.CreateJobServer(t.Context(), prism.Options{}) // at a free port
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, job *units.Job) (*dataset.Manifest, error) {
		return runElsewhere(ctx, client, job, portable.External(pool, token(t, secret).Parameters()))
	}
}

func runElsewhere(ctx context.Context, client jobpb.JobServiceClient, job *units.Job, environment portable.Environment) (
	*dataset.Manifest, error) {
	folder, err := job.Folder()
	if err != nil {
		return nil, err
	}
	if _, err := job.Plan.Create(ctx, folder, job.Units); err != nil {
		return nil, err
	}
	graph, err := portable.Graph(ctx, job, 0, environment)
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
	links := chain.Links(pipelinetest.Corpus{Pages: 12, Paragraphs: 4, Languages: []string{"eng", "deu"}}.Write(t),
		pipelinetest.Vocabulary(t))
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

// What a pool refuses is said to the runner, and without the token it does nothing
// for it.
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
	right := token(t, secret).Parameters()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, test := range []struct {
		request *fnpb.StartWorkerRequest
		want    string
	}{
		{&fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint}, worker.Refusal},
		{&fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint, Params: map[string]string{}}, worker.Refusal},
		{&fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint, Params: token(t, secret+"x").Parameters()}, worker.Refusal},
		{&fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint, Params: token(t, strings.ToUpper(secret)).Parameters()},
			worker.Refusal},
		{&fnpb.StartWorkerRequest{Params: right}, "names no worker"},
		{&fnpb.StartWorkerRequest{WorkerId: "w", Params: right}, "no control endpoint"},
		{&fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint, Params: right}, ""},
		{&fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint, Params: right}, "there is a worker of this id"},
	} {
		response, err := client.StartWorker(ctx, test.request)
		if err != nil || (response.GetError() == "") != (test.want == "") || !strings.Contains(response.GetError(), test.want) {
			t.Errorf("%v: %q, %v; want %q", test.request, response.GetError(), err, test.want)
		}
	}
	// Whoever asks, which needs no token, has stopped nothing.
	if response, err := client.StopWorker(ctx, &fnpb.StopWorkerRequest{WorkerId: "w"}); err != nil || response.GetError() != "" {
		t.Errorf("stop: %q, %v", response.GetError(), err)
	}
	response, err := client.StartWorker(ctx, &fnpb.StartWorkerRequest{WorkerId: "w", ProvisionEndpoint: endpoint, Params: right})
	if err != nil || response.GetError() != "there is a worker of this id" {
		t.Errorf("after it was stopped: %q, %v", response.GetError(), err)
	}
}

// Whoever is on this machine can ask: the log takes nothing of a request without the
// token, and no request is large.
func TestPoolLogsNothingOfStrangers(t *testing.T) {
	var log bytes.Buffer
	pool, err := worker.NewPool(token(t, secret), &log)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- pool.Serve(ctx, listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := fnpb.NewBeamFnExternalWorkerPoolClient(conn)
	response, err := client.StartWorker(ctx, &fnpb.StartWorkerRequest{WorkerId: "stranger"})
	if err != nil || response.GetError() != worker.Refusal {
		t.Errorf("without the token: %q, %v", response.GetError(), err)
	}
	if _, err := client.StartWorker(ctx, &fnpb.StartWorkerRequest{WorkerId: strings.Repeat("stranger", 1<<17)}); status.Code(
		err) != codes.ResourceExhausted {
		t.Errorf("a request of a megabyte: %v", err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if got := log.String(); strings.Contains(got, "stranger") || !strings.Contains(got, worker.Refusal) {
		t.Errorf("the log has %.200q", got)
	}
}

// A token comes from a file or the environment, is long enough, and is never printed.
func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for name, test := range map[string]struct{ variable, text, want string }{ // text "-": no file is named
		"of a file":         {"", secret + "\n", ""},
		"of the variable":   {" " + secret + "\n", "-", ""},
		"the file goes":     {"short", secret, ""},
		"none":              {"", "-", "a worker pool has a token: give the same to the pool"},
		"short":             {"0123456789abcde", "-", "the token of $" + worker.TokenVariable + " has 15 characters"},
		"an empty file":     {secret, "\n", " has 0 characters, it needs 16"},
		"a file of another": {"", strings.Repeat("x", 1<<16), "it needs 16 to 4096"},
	} {
		t.Setenv(worker.TokenVariable, test.variable)
		named := ""
		if test.text != "-" {
			named = file
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := worker.ReadToken(named)
		if (err == nil) != (test.want == "") || err != nil &&
			(!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "0123456789")) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if printed := fmt.Sprintf("%v %+v %#v %s %q", got, got, got, got, got); strings.Contains(printed, "sixteen") {
			t.Errorf("%s: it prints as %s", name, printed)
		}
	}
	if _, err := worker.ReadToken(file + "-none"); err == nil || !strings.Contains(err.Error(), "token of the worker pool: open ") {
		t.Errorf("no such file: %v", err)
	}
}

func TestIs(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "corpus --out x": false, "worker-pool": false, "--worker=true --id=1": true, "--worker": true,
		"--id=1-1 --provision_endpoint=localhost:1": true,
	} {
		if got := worker.IsWorker(strings.Fields(args)); got != want {
			t.Errorf("%q: %t", args, got)
		}
	}
}
