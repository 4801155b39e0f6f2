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

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
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
				return fmt.Sprintf("On day %d the travellers crossed the %s near the old %s and rested for a while.", i, things[k%8], things[(k+i)%8])
			},
			"de": func(k int) string {
				return fmt.Sprintf("Am Tag %d sahen die Reisenden zuerst den %s und später den alten %s, wo sie lange rasteten.", i, dinge[k%8], dinge[(k+i)%8])
			},
		} {
			var page strings.Builder
			fmt.Fprintf(&page, "<html lang=%s><head><title>%d</title></head><body><article>", language, i)
			for k := range 8 {
				fmt.Fprintf(&page, "<p>%s %s</p>\n", sentence(k), sentence(k+3))
			}
			page.WriteString("</article></body></html>")
			name := filepath.Join(root, language, fmt.Sprintf("page-%03d.html", i))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(page.String()), 0o666); err != nil {
				t.Fatal(err)
			}
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
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
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
