package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/transforms/engines/enginetest"
)

// keyVariable holds the key of fake servers.
const keyVariable = "SENTWEAVE_TEST_KEY"

// segments writes a test set of n different sentences.
func segments(t testing.TB, n int) (location string, list []string) {
	t.Helper()
	rows := make([]schemas.Benchmark, n)
	for i := range rows {
		rows[i] = schemas.Benchmark{
			ID: schemas.DerivedID("test", fmt.Sprint(i)), Task: "t", Split: "all", Row: int32(i), File: "f", LanguageA: "eng", Label: "1",
			TextA: fmt.Sprintf("The %d. of all the travellers who came to the harbour that day was tired.", i),
		}
		list = append(list, rows[i].TextA)
	}
	return datasettest.Write(t, nil, rows), list
}

// translating is the command that translates texts by a fake server.
func translating(server *enginetest.Server, texts, out string, more ...string) []string {
	return append([]string{
		"translations", "--texts", texts, "--targets", "deu", "--engine", "libretranslate", "--libretranslate-server", server.URL,
		"--libretranslate-key-variable", keyVariable, "--out", out,
	}, more...)
}

// A process that is killed ten times while it sends 10,000 segments that cost money
// sends again what was under way when it was killed, and nothing else.
func TestTranslationsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: ten kills take a while")
	}
	t.Setenv(keyVariable, enginetest.Canary)
	input, list := segments(t, 10_000)
	const items, slots, kills = 20, 4, 10
	whole := filepath.Join(t.TempDir(), "whole")
	args := func(server *enginetest.Server, out string) []string {
		return translating(server, input, out, "--libretranslate-price", "20", "--texts-per-request", fmt.Sprint(items), "--requests",
			fmt.Sprint(slots), "--shard-bytes", "64KiB")
	}
	if output, err := program(args(enginetest.LibreTranslate(t), whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	server := enginetest.LibreTranslate(t)
	out := filepath.Join(t.TempDir(), "out")
	killed := 0
	for n := range kills {
		command := program(args(server, out)...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { command.Wait(); close(ended) }()
		for at := (n + 1) * len(list) / items / (kills + 1); ; time.Sleep(200 * time.Microsecond) {
			if requests, _, _ := server.Dice.Counts(); requests >= at {
				break
			}
			select {
			case <-ended:
				t.Fatalf("it ended before %d requests", at)
			default:
			}
		}
		_ = command.Process.Kill() // it may have ended
		<-ended
		if _, err := dataset.Load(t.Context(), storage.NewLocal(out)); err != nil {
			killed++
		}
	}
	var stderr bytes.Buffer
	last := program(args(server, out)...)
	last.Stderr = &stderr
	if err := last.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if diff := cmp.Diff(digests(t, whole), digests(t, out)); diff != "" {
		t.Errorf("the result is another: %s", diff)
	}
	requests, sent, _ := server.Dice.Counts()
	again, missing := 0, 0
	for _, text := range list {
		if sent[text] == 0 {
			missing++
		}
		again += max(0, sent[text]-1)
	}
	t.Logf("%d kills; %d of %d segments were sent again, in %d requests in all", killed, again, len(list), requests)
	if killed < kills || missing > 0 || again > kills*slots*items {
		t.Errorf("%d kills, %d missing, %d sent again; want %d, 0 and at most %d", killed, missing, again, kills, kills*slots*items)
	}
}

// From the command line: the estimate, the budget, a second run and its memory; what
// was paid for is not overwritten; and the key shows nowhere.
func TestTranslationsFromTheCommandLine(t *testing.T) {
	t.Setenv(keyVariable, enginetest.Canary)
	input, list := segments(t, 400)
	server := enginetest.LibreTranslate(t)
	root := t.TempDir()
	out := filepath.Join(root, "memory")
	var told strings.Builder
	run := func(code int, stdout, stderr []string, args ...string) {
		t.Helper()
		o := sentweave(t, args...)
		o.expect(t, code, stdout, stderr)
		told.WriteString(o.stdout + o.stderr)
	}
	price := []string{"--libretranslate-price", "20"}
	run(0, []string{"eng-deu", "libretranslate", "400", "0.0 %", "$0.59"}, anything,
		translating(server, input, out, append(price, "--estimate")...)...)
	if requests, _, _ := server.Dice.Counts(); requests != 0 {
		t.Errorf("the estimate sent %d requests", requests)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the estimate left something in --out")
	}
	run(1, nil, []string{"the budget is spent", "raise the budget and run again"},
		translating(server, input, out, append(price, "--budget", "0.2USD", "--texts-per-request", "10")...)...)
	run(0, []string{"400", "!0.0 %", "!$0.59"}, anything,
		translating(server, input, out, append(price, "--estimate")...)...) // what was answered is known
	run(0, []string{"400 translations", "eng-deu"}, anything, translating(server, input, out, price...)...)
	_, sent, _ := server.Dice.Counts()
	for _, text := range list {
		if sent[text] != 1 {
			t.Fatalf("%q was sent %d times", text, sent[text])
		}
	}
	run(0, anything, []string{"is complete, nothing to do"}, translating(server, input, out, price...)...)
	run(2, nil, []string{"may have been paid for", "--memory"},
		translating(server, input, out, append(price, "--overwrite", "--libretranslate-model", "other")...)...)
	run(0, []string{"100.0 %"}, anything, translating(server, input, out, append(price, "--estimate")...)...)
	tmx := filepath.Join(root, "a.tmx")
	place(t, tmx, []byte("<tmx/>"))
	run(1, nil, []string{"holds what was paid for"}, "memories", "--input", tmx, "--out", out, "--overwrite")
	run(0, []string{"100.0 %"}, anything,
		translating(server, input, filepath.Join(root, "next"), append(price, "--estimate", "--memory", out)...)...)
	run(2, nil, []string{"budget: the workers of a cluster"}, translating(server, input, out, "--budget", "1M", "--runner", "flink")...)
	t.Setenv(keyVariable, "not "+enginetest.Canary)
	run(1, nil, []string{"403"}, translating(server, input, filepath.Join(root, "wrong"))...)
	enginetest.CheckSecret(t, strings.ReplaceAll(told.String(), "key "+enginetest.Canary,
		"")) // which the fake server says itself to a wrong key
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		enginetest.CheckSecret(t, path, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A memory in a bucket, with its journals there, where every tenth request fails; the
// budget ends the first run in its midst.
func TestTranslationsInABucket(t *testing.T) {
	t.Setenv(keyVariable, enginetest.Canary)
	service := gcstest.Start(t)
	input, list := segments(t, 600)
	remote, out, local := service.Folder(), service.Folder(), filepath.Join(t.TempDir(), "memory")
	upload(t, input, remote)
	service.Unlucky(t, 5, 20)
	server := enginetest.LibreTranslate(t)
	more := []string{"--libretranslate-price", "20", "--texts-per-request", "20", "--shard-bytes", "16KiB"}
	characters := len(strings.Join(list, ""))
	first := sentweave(t, translating(server, remote, out, append(more, "--budget", fmt.Sprint(characters/2))...)...)
	first.expect(t, 1, nil, []string{"the budget is spent"})
	if _, sent, _ := server.Dice.Counts(); len(sent) < len(list)/3 || len(sent) > len(list)/2 {
		t.Errorf("%d texts were sent within a budget for half of %d", len(sent), len(list))
	}
	sentweave(t, translating(server, remote, out, more...)...).expect(t, 0, []string{"600 translations"}, anything)
	_, sent, _ := server.Dice.Counts()
	for _, text := range list {
		if sent[text] != 1 {
			t.Errorf("%q was sent %d times", text, sent[text])
		}
	}
	sentweave(t, translating(server, input, local, more...)...).expect(t, 0, []string{"600 translations"}, anything)
	if diff := cmp.Diff(digests(t, local), digests(t, out)); diff != "" {
		t.Errorf("a bucket holds something else than a disk:\n%s", diff)
	}
}
