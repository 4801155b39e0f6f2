package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"sentweave/pipelines/pipelinetest"
	"sentweave/runners/beam/worker"
	"sentweave/runners/child/childtest"
	"sentweave/runners/command"
)

// Values of childVariable: with forbidden the kernel kills the command when it, or what it starts,
// listens on any socket; with lockless it refuses all locks of files.
const (
	forbidden = "may not listen"
	lockless  = "no locks"
)

// No verb listens on a socket, at any moment of its run, but those of Flink.
func TestNoVerbListens(t *testing.T) { everyVerb(t, forbidden) }

// Every verb works on a file system without locks, as Lustre and NFS often are.
func TestNoVerbNeedsLocks(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: all verbs")
	}
	everyVerb(t, lockless)
}

// everyVerb runs all verbs of this program but a few, each in a process with the variable.
func everyVerb(t *testing.T, variable string) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	input := articles(t, 8, nothing)
	recipe := at("recipe.yaml")
	if err := os.WriteFile(recipe,
		[]byte("name: two\nabout: Two steps.\nsteps:\n  - name: documents\n    run: corpus\n    with: {input: "+input+
			"}\n  - name: counts\n    run: wordcounts\n    from: {documents: documents}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := [][]string{
		{"--help"},
		{"corpus", "--input", input, "--layout", "{language}/{page}.html", "--no-repetition", "--shard-bytes", "4KiB", "--out",
			at("documents")},
		{"corpus", "--input", input, "--dry-run", "--out", at("planned")},
		{"dedup", "--documents", at("documents"), "--shard-bytes", "1KiB", "--out", at("dedup")},
		{"sample", "--documents", at("dedup"), "--rows", "5", "--by", "language", "--out", at("sample")},
		{"wordcounts", "--documents", at("dedup"), "--out", at("counts")},
		{"vocab", "--wordcounts", at("counts"), "--size", "200", "--min-count", "1", "--lower-threshold", "1", "--out", at("vocabulary")},
		{"pairs", "--documents", at("dedup"), "--out", at("pairs")},
		{"pairfilter", "--pairs", at("pairs"), "--out", at("filtered")},
		{"pairs", "--kind", "bitext", "--input", pipelinetest.Bitext(t), "--out", at("bitext")},
		{"pairnoise", "--pairs", at("bitext"), "--out", at("noise")},
		{"pairfilter", "--pairs", at("noise"), "--scores", "--out", at("scores")},
		{"pairtrain", "--scores", at("scores"), "--out", at("model.json")},
		{"decontaminate", "--pairs", at("pairs"), "--against", at("filtered"), "--out", at("clean")},
		{"erase", "--documents", at("dedup"), "--pairs", at("pairs"), "--domains", pipelinetest.Domains(t), "--search", root, "--out",
			at("erased")},
		{"examples", "--documents", at("dedup"), "--vocabulary", at("vocabulary/vocab.txt"), "--out", at("examples")},
		{"mine", "--source", pipelinetest.Vectors(t, "deu", 5, false), "--target", pipelinetest.Vectors(t, "eng", 5, false), "--out",
			at("mined")},
		{"index", "--vectors", pipelinetest.Vectors(t, "eng", 5, false), "--out", at("index")},
		{"memories", "--input", pipelinetest.Memories(t), "--both", "--out", at("memories")},
		{"benchmarks", "senteval", "--input", pipelinetest.TestSets(t), "--partial", "--folds", "3", "--out", at("benchmarks")},
		{"translations", "--texts", at("benchmarks"), "--memory", at("memories"), "--targets", "de", "--engine", "identity", "--accept",
			"copied", "--estimate", "--out", at("estimated")},
		{"translations", "--texts", at("benchmarks"), "--memory", at("memories"), "--targets", "de", "--engine", "identity", "--accept",
			"copied", "--out", at("translations")},
		{"translate", "--benchmarks", at("benchmarks"), "--memory", at("translations"), "--targets", "de", "--out", at("translated")},
		{"folders", "--benchmarks", at("translated"), "--format", "huggingface", "--out", at("folders")},
		{"validate", "--source", at("benchmarks"), "--translated", at("translated")},
		{"crosslingual", "--benchmarks", pipelinetest.Inference(t, 60), "--languages", "en,de", "--out", at("crosslingual")},
		{"views", "synonym", "--texts", at("documents"), "--wordnet", pipelinetest.Synsets(t), "--min-uses", "0", "--out", at("views")},
		{"report", "--translations", at("translations"), "--out", at("report")},
		{"run", recipe, "--out", at("recipe")},
		{"corpus", "--input", input, "--scores", "--out", at("document-scores")},
		{"quality", "fit", "--documents", at("document-scores"), "--method", "tail", "--least", "1", "--out", at("thresholds.json")},
		{"langid", "train", "--documents", at("documents"), "--least", "0", "--out", at("langid.bin")},
		{"maincontent", "extract", "--input", input, "--out", at("pages.jsonl")},
		{"status", at("documents")},
		{"finalize", at("documents")},
		{"inspect", at("documents"), "--head", "1"},
		{"trace", at("documents"), "en/page-000.html", "--input", input},
		{"diff", at("documents"), at("documents")},
		{"export", at("documents")},
		{"publish", at("documents"), "--out", at("published")},
		{"verify", at("documents")},
		{"doctor"},
	}
	elsewhere := []string{"pcr", "distill", "evaluate", "jobs", "worker-pool"} // encoders, a cloud, and what listens
	for _, v := range allVerbs {
		if !v.Libtorch && !slices.Contains(elsewhere, v.Name) &&
			!slices.ContainsFunc(lines, func(args []string) bool { return args[0] == v.Name }) {
			t.Errorf("there is no command line of %s", v.Name)
		}
	}
	for _, args := range lines {
		c := exec.Command(os.Args[0], args...)
		c.Env = append(os.Environ(), childVariable+"="+variable)
		output, err := c.CombinedOutput()
		if err != nil && !(args[0] == "validate" && c.ProcessState.ExitCode() == command.ExitFailed) { // the engine copies
			t.Errorf("%s: %v\n%.2000s", strings.Join(args, " "), err, output)
		}
	}
}

// paused starts the command, stops it when it has committed a unit, calls look with
// the number of its process, and lets it end.
func paused(t *testing.T, location string, args []string, look func(process int)) {
	t.Helper()
	c := program(args...)
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	receipts := filepath.Join(location, "_run", "units")
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if entries, err := os.ReadDir(receipts); err == nil && len(entries) > 0 {
			break
		}
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("no unit is committed: %s", &said)
		}
	}
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	look(c.Process.Pid)
	if err := c.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, &said)
	}
}

// A local run has no socket at all on which it waits for others, in the midst of its
// work: nobody can give it a job.
func TestLocalRunHasNoSocket(t *testing.T) {
	input := articles(t, 60, nothing)
	location := filepath.Join(t.TempDir(), "documents")
	args := []string{"corpus", "--input", input, "--no-repetition", "--shard-bytes", "2KiB", "--parallelism", "1", "--out", location}
	var sockets []childtest.Socket
	paused(t, location, args, func(process int) { sockets = childtest.Listening(t, process) })
	for _, s := range sockets {
		t.Errorf("it listens: %v", s)
	}
}

// A worker pool has one socket, which no other machine reaches, and starts nothing for
// who has not its token; the token is not to be seen from outside.
func TestWorkerPoolIsClosed(t *testing.T) {
	const secret = "0123456789abcdef"
	c := program("worker-pool", "--listen", "localhost:0")
	c.Env = append(c.Env, worker.TokenVariable+"="+secret)
	var said strings.Builder
	c.Stderr = &said
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	sockets := childtest.Listening(t, c.Process.Pid)
	if len(sockets) != 1 || sockets[0].Beyond() || line != "worker pool at "+sockets[0].Address.String()+"\n" {
		t.Fatalf("it says %q and has %v", line, sockets)
	}
	conn, err := grpc.NewClient(sockets[0].Address.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	endpoint := &pipepb.ApiServiceDescriptor{Url: "localhost:1"}
	response, err := fnpb.NewBeamFnExternalWorkerPoolClient(conn).StartWorker(
		t.Context(), &fnpb.StartWorkerRequest{WorkerId: "a stranger's", ProvisionEndpoint: endpoint})
	if err != nil || response.GetError() != worker.Refusal {
		t.Errorf("a request without a token: %q, %v", response.GetError(), err)
	}
	commandLine, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", c.Process.Pid))
	if err != nil || strings.Contains(string(commandLine), secret) {
		t.Errorf("%q, %v", commandLine, err)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if strings.Contains(said.String(), secret) || strings.Contains(said.String(), "process ") {
		t.Errorf("it says %s", &said)
	}
}

// What keeps a worker pool from starting is said in a line.
func TestWorkerPoolMisuse(t *testing.T) {
	for _, test := range map[string]struct {
		token string
		flags []string
		want  string
	}{
		"no token":       {"", nil, "a worker pool has a token"},
		"no file":        {"", []string{"--token-file", "none"}, "token of the worker pool: open none"},
		"all interfaces": {"a token that is long enough", []string{"--listen", ":50000"}, "is not a loopback address"},
		"an outer one":   {"a token that is long enough", []string{"--listen", "192.0.2.1:50000"}, "is not a loopback address"},
		"no port":        {"a token that is long enough", []string{"--listen", "localhost"}, "give host:port"},
	} {
		t.Setenv(worker.TokenVariable, test.token)
		sentweave(t, append([]string{"worker-pool"}, test.flags...)...).expect(t, command.ExitUsage, nil, []string{test.want})
	}
}
