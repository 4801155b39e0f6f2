//go:build libtorch && unix

package torchverbs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/embed"
	"sentweave/stages/encoder"
)

// stopVariable has what stops a process that embeds, the encoder, the texts and the folder.
const stopVariable = "SENTWEAVE_TEST_STOP"

// Ways in which a run of embed is stopped once a few batches are written and others are under way.
const (
	byKill, byLimit, byContext = "kill", "limit", "context"
)

var errContext = errors.New("stopped by the context")

// embedStopped embeds and is stopped when the rows of two units were written, which is in the midst of the third.
func embedStopped(ctx context.Context, way, encoder, texts, out string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	calls := 0
	_, _, err := embed.Run(ctx, out, embedConfig(encoder, texts), embed.Options{Open: embed.Open, Observe: func(int64, int64, int64) {
		if calls++; calls != 3 {
			return
		}
		switch way {
		case byContext:
			cancel(errContext)
		case byKill:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case byLimit:
			_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4, Max: 4})
		}
	}})
	return err
}

func embedConfig(encoder, texts string) embed.Config {
	return embed.Config{ModelConfig: embed.ModelConfig{Model: encoder, Layer: -1}, Texts: texts, ShardBytes: 1}
}

// TestStopProcess is a process that is stopped: a limit is one of a whole process.
func TestStopProcess(t *testing.T) {
	args := strings.Split(os.Getenv(stopVariable), "\n")
	if len(args) != 4 {
		return // this is not a process of another test
	}
	t.Fatal(embedStopped(t.Context(), args[0], args[1], args[2], args[3]))
}

// Whatever stops embed, and one text of 1 MB among short ones, the same command goes on and ends with the bytes of a run that
// nothing stopped.
func TestEmbedStopped(t *testing.T) {
	c, base := newCorpus(t), t.TempDir()
	model := filepath.Join(base, "encoder")
	call(t, c.untrained(model)...).expect(t, 0, nil, nil)
	long := strings.Repeat(pipelinetest.Sentence("eng", 1)+" ", 1+(1<<20)/len(pipelinetest.Sentence("eng", 1)))
	var shards [][]schemas.Pair
	for unit := range 5 {
		var rows []schemas.Pair
		for i := range 40 {
			rows = append(rows, schemas.Pair{ID: schemas.DerivedID("stop", fmt.Sprint(unit, i)), Kind: schemas.KindBitext, Origin: "test",
				LanguageA: "eng", LanguageB: "deu", TextA: pipelinetest.Sentence("eng", unit+i), TextB: pipelinetest.Sentence("deu", i)})
		}
		rows[unit].TextA = long
		shards = append(shards, rows)
	}
	texts := datasettest.Write(t, nil, shards...)
	whole := filepath.Join(base, "whole")
	m, _, err := embed.Run(t.Context(), whole, embedConfig(model, texts), embed.Options{Open: embed.Open})
	if err != nil || m.Rows != 400 || len(m.Shards) != 5 {
		t.Fatal(m, err)
	}
	want := shardsOf(t, whole)
	for way, says := range map[string]string{
		byContext: errContext.Error(), byKill: "signal: killed", byLimit: "raise the limit of a file's size (`ulimit -f`) and run the same command again",
	} {
		t.Run(way, func(t *testing.T) {
			out, said := filepath.Join(t.TempDir(), "out"), ""
			var err error
			if way == byContext {
				err = embedStopped(t.Context(), way, model, texts, out)
			} else {
				process := exec.Command(os.Args[0], "-test.run=^TestStopProcess$")
				process.Env = append(os.Environ(), stopVariable+"="+strings.Join([]string{way, model, texts, out}, "\n"))
				var output []byte
				output, err = process.CombinedOutput()
				said = string(output)
			}
			if err == nil || !strings.Contains(fmt.Sprint(err, said), says) {
				t.Fatalf("%v without %q: %s", err, says, said)
			}
			if left := shardsOf(t, out); len(left) != 2 {
				t.Errorf("it was to stop with 2 shards, and left %d", len(left))
			}
			_, existed, err := embed.Run(t.Context(), out, embedConfig(model, texts), embed.Options{Open: embed.Open})
			if err != nil || existed {
				t.Fatal(existed, err)
			}
			got := shardsOf(t, out)
			for name := range want {
				if len(got) != len(want) || got[name] != want[name] {
					t.Errorf("%s differs from that of a run that nothing stopped", name)
				}
			}
		})
	}
	opened, err := embed.Open(embedConfig(model, texts).ModelConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	vectors, err := opened.Encode(t.Context(), encoder.Texts("eng", long, long[:1<<10]))
	if err != nil || vectors.Cosine(0, vectors, 1) < .99999 {
		t.Errorf("1 MB is not cut to the tokens that the encoder takes: %v", err)
	}
}

// shardsOf are the shards of a dataset that is complete or not.
func shardsOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), "data", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".parquet" {
			return err
		}
		content, err := os.ReadFile(filepath.Join(folder, path))
		files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
