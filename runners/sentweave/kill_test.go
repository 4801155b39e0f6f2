package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/storagetest"
	"sentweave/transforms/random"
)

// childVariable makes the test binary behave as the command.
const childVariable = "SENTWEAVE_TEST_COMMAND"

func program(args ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], args...)
	command.Env = append(os.Environ(), childVariable+"=1")
	return command
}

// pages writes a folder of HTML pages in two languages, n of each, whose
// paragraphs all differ, and returns it.
func pages(t *testing.T, n int) string {
	t.Helper()
	root := t.TempDir()
	things := []string{"river", "mountain", "garden", "kitchen", "library", "harbour", "station", "village"}
	dinge := []string{"Fluss", "Berg", "Garten", "Herd", "Turm", "Hafen", "Bahnhof", "Markt"}
	for i := range n {
		for language, sentence := range map[string]func(k int) string{
			"en": func(k int) string {
				return fmt.Sprintf("On day %d the travellers crossed the %s near the old %s and rested for a while.", i, things[k%8],
					things[(k+i)%8])
			},
			"de": func(k int) string {
				return fmt.Sprintf("Am Tag %d sahen die Reisenden zuerst den %s und später den alten %s, wo sie lange rasteten.", i,
					dinge[k%8], dinge[(k+i)%8])
			},
		} {
			var page strings.Builder
			fmt.Fprintf(&page, "<html lang=%s><head><title>%d</title></head><body><article>", language, i)
			for k := range 8 {
				fmt.Fprintf(&page, "<p>%s %s</p>\n", sentence(k), sentence(k+3))
			}
			page.WriteString("</article></body></html>")
			storagetest.WriteFiles(t, root, map[string]string{fmt.Sprintf("%s/page-%03d.html", language, i): page.String()})
		}
	}
	return root
}

// digests is the hash of every file below a location, by its name, but for records
// of runs.
func digests(t *testing.T, location string) map[string]string {
	t.Helper()
	folder := at(t, location)
	files := map[string]string{}
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(info.Name, "run.json") {
			continue
		}
		data, err := storage.ReadFile(t.Context(), folder, info.Name, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		files[info.Name] = hex.EncodeToString(sum[:])
	}
	return files
}

// killed starts the command and kills it once it has committed at least n
// units. It says whether the kill came in the midst of the work.
func killed(t *testing.T, location string, n int, args []string) bool {
	t.Helper()
	command := program(args...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { command.Wait(); close(ended) }()
	receipts := filepath.Join(location, "_run", "units")
	for {
		select {
		case <-ended:
			return false
		default:
		}
		if entries, err := os.ReadDir(receipts); err == nil && len(entries) >= n {
			break
		}
		time.Sleep(200 * time.Microsecond)
	}
	_ = command.Process.Kill() // it may have ended
	<-ended
	folder := storage.NewLocal(location)
	if _, err := dataset.Load(t.Context(), folder); err == nil {
		return false // it was done already
	}
	plan, err := dataset.LoadPlan(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	done, err := plan.CountReceipts(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return done > 0 && done < plan.Units
}

// A process that is killed while units are in flight, and run again, gives the
// bytes of one that was never killed, in a pipeline of one phase and in one
// that exchanges records.
func TestKill(t *testing.T) {
	input := pages(t, 60)
	base := t.TempDir()
	documents := filepath.Join(base, "documents")
	corpus := []string{"corpus", "--input", input, "--layout", "{language}/{page}.html", "--no-repetition", "--shard-bytes", "4KiB"}
	if output, err := program(append(corpus, "--out", documents)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	tests := []struct {
		name string
		args []string
	}{
		{"corpus", corpus},
		{"dedup", []string{"dedup", "--documents", documents, "--shard-bytes", "1KiB"}},
	}
	want := 10
	if testing.Short() {
		want = 2
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			clean := filepath.Join(t.TempDir(), "clean")
			if output, err := program(append(test.args, "--out", clean)...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			plan, err := dataset.LoadPlan(t.Context(), storage.NewLocal(clean))
			if err != nil {
				t.Fatal(err)
			}
			whole := digests(t, clean)
			kills := 0
			for attempt := 0; kills < want && attempt < 4*want; attempt++ {
				location := filepath.Join(t.TempDir(), fmt.Sprint(attempt))
				args := append(test.args, "--out", location, "--parallelism", fmt.Sprint(1+attempt%3))
				at := 1 + attempt*plan.Units/(2*want)%(plan.Units-1)
				if !killed(t, location, at, args) {
					continue
				}
				kills++
				var stderr bytes.Buffer
				again := program(args...)
				again.Stderr = &stderr
				if err := again.Run(); err != nil {
					t.Fatalf("run again after a kill at %d of %d units: %v\n%s", at, plan.Units, err, &stderr)
				}
				if diff := cmp.Diff(whole, digests(t, location)); diff != "" {
					t.Errorf("killed at %d of %d units, then run again:\n%s", at, plan.Units, diff)
				}
			}
			t.Logf("%d units, killed %d times in the midst of the work", plan.Units, kills)
			if kills < want {
				t.Errorf("only %d of %d kills came in the midst of the work", kills, want)
			}
		})
	}
}

// reviews is a dataset of SentEval's tasks cr and sick, and a file of vectors of its words, by
// which a classifier has something to learn.
func reviews(t *testing.T) (benchmarks, words string) {
	t.Helper()
	var vectors strings.Builder
	draw := random.New(1, 1, "reviews", "", 0)
	for word := range 60 {
		fmt.Fprintf(&vectors, "w%d", word)
		for range 16 {
			fmt.Fprintf(&vectors, " %.3f", draw.Float64()-.5)
		}
		vectors.WriteString("\n")
	}
	words = filepath.Join(t.TempDir(), "words.vec")
	place(t, words, []byte(vectors.String()))
	text := func() (string, int) {
		var list []string
		low := 0
		for range 7 {
			word := draw.IntN(60)
			if list = append(list, fmt.Sprint("w", word)); word < 30 {
				low++
			}
		}
		return strings.Join(list, " "), low
	}
	var rows []schemas.Benchmark
	for _, split := range []string{"pool", "train", "dev", "test"} {
		for i := range 500 {
			a, low := text()
			r := schemas.Benchmark{ID: schemas.DerivedID(split, fmt.Sprint(i)), Task: "cr", Split: split, Row: int32(i), File: split,
				LanguageA: "eng", TextA: a, Label: fmt.Sprint(low / 4)}
			if split != "pool" {
				score := 1 + float64(low)/2
				r.Task, r.TextB, r.LanguageB, r.Target, r.Label = "sick", "w1 w40", "eng", &score,
					[]string{"contradiction", "neutral", "entailment"}[min(2, low/3)]
			}
			rows = append(rows, r)
		}
	}
	return datasettest.Write(t, nil, rows), words
}

// An evaluation that is killed in the midst of senteval, its only unit, trains only what it had not
// trained, and gives the bytes of one that was never killed, at other parallelism.
func TestKillTrainings(t *testing.T) {
	benchmarks, words := reviews(t)
	const seeds, all = 2, 2 * 3 // of cr, sick-e and sick-r
	run := func(out, store string, processors int) *exec.Cmd {
		c := program("evaluate", "--benchmarks", benchmarks, "--tasks", "senteval", "--model", "words=baseline:vectors="+words, "--seeds",
			fmt.Sprint(seeds), "--out", out)
		c.Env = append(c.Env, cache.Variable+"="+store, fmt.Sprint("GOMAXPROCS=", processors))
		return c
	}
	told := func(c *exec.Cmd) (trainings []string) {
		t.Helper()
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Run(); err != nil {
			t.Fatalf("%v\n%s", err, &stderr)
		}
		for line := range strings.Lines(stderr.String()) {
			if strings.HasPrefix(line, "evaluate: training") {
				trainings = append(trainings, line)
			}
		}
		return trainings
	}
	clean := filepath.Join(t.TempDir(), "clean")
	full := told(run(clean, t.TempDir(), 2))
	if want := "evaluate: training a classifier for sick-r in eng, seed 2 of 2\n"; len(full) != all || full[all-1] != want {
		t.Fatalf("%d trainings, want %d, the last one %s: %q", len(full), all, want, full)
	}
	whole := digests(t, clean)
	for _, n := range []int{1, 4} {
		out, store := filepath.Join(t.TempDir(), "out"), t.TempDir()
		kept := func() int {
			files, err := filepath.Glob(filepath.Join(store, "kept", "*", "kept", "*-[0-9]"))
			if err != nil {
				t.Fatal(err)
			}
			return len(files)
		}
		c := run(out, store, 1)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); kept() < n; time.Sleep(time.Millisecond) {
			if time.Since(began) > time.Minute {
				break
			}
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		done := kept()
		if done < n || done == all {
			t.Fatalf("%d of %d trainings were done when it was killed, after %d", done, all, n)
		}
		again := told(run(out, store, 3))
		if diff := cmp.Diff(full[done:], again); diff != "" {
			t.Errorf("trainings after %d of %d:\n%s", done, all, diff)
		}
		if diff := cmp.Diff(whole, digests(t, out)); diff != "" {
			t.Errorf("killed after %d of %d trainings, then run again:\n%s", done, all, diff)
		}
	}
}
