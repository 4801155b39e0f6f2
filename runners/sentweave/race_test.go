//go:build unix

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
)

// Processes that make one dataset in a bucket at the same time, where one in twenty
// requests fails before and one after it is done, make it once, with the bytes of a
// disk. One of them is stopped in the midst of its work for so long that the others
// are done; it finds that, and changes nothing.
func TestLaunchersRaceInABucket(t *testing.T) {
	input := pages(t, 12)
	local := filepath.Join(t.TempDir(), "documents")
	command := func(out string, more ...string) []string {
		return append([]string{"corpus", "--input", input, "--layout", "{language}/{page}.html", "--no-repetition", "--shard-bytes", "4KiB",
			"--out", out}, more...)
	}
	if o := sentweave(t, command(local)...); o.code != 0 {
		t.Fatal(o.stderr)
	}
	want := digests(t, local)

	service := gcstest.Start(t)
	service.Unlucky(t, 11, 20)
	out := service.Folder()
	folder := at(t, out)
	type launcher struct {
		*exec.Cmd
		stderr bytes.Buffer
	}
	launch := func(parallelism string) *launcher {
		l := &launcher{Cmd: program(command(out, "--parallelism", parallelism)...)}
		l.Stderr = &l.stderr
		if err := l.Start(); err != nil {
			t.Fatal(err)
		}
		return l
	}
	ended := func(l *launcher) {
		t.Helper()
		if err := l.Wait(); err != nil {
			t.Errorf("%v\n%s", err, &l.stderr)
		}
	}
	receipts := func() (n int) {
		for _, err := range folder.List(t.Context(), "_run/units/") {
			if err == nil {
				n++
			}
		}
		return n
	}
	zombie := launch("2")
	for receipts() < 1 {
		time.Sleep(time.Millisecond)
	}
	if err := zombie.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = zombie.Process.Kill() }) // where the test has failed
	if _, err := folder.Stat(t.Context(), "manifest.json"); err == nil {
		t.Fatal("it was done before it was stopped")
	}
	others := []*launcher{launch("1"), launch("3")}
	for _, l := range others {
		ended(l)
	}
	if diff := cmp.Diff(want, digests(t, out)); diff != "" {
		t.Errorf("the bucket holds something else than the disk:\n%s", diff)
	}
	before := versionsIn(t, folder)
	if err := zombie.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	ended(zombie)
	if diff := cmp.Diff(before, versionsIn(t, folder)); diff != "" {
		t.Errorf("the one that was stopped has changed something:\n%s", diff)
	}
	sentweave(t, "verify", out).expect(t, 0, []string{"is whole"}, nil)
}

// versionsIn are the versions of all objects, but of records of runs.
func versionsIn(t *testing.T, folder storage.Folder) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(info.Name, "run.json") {
			versions[info.Name] = info.Version
		}
	}
	return versions
}
