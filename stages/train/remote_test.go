package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/schemas/storage/workspace"
)

// onHost has what follows run on a machine with another disk.
func onHost(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	t.Setenv(cache.Variable, root)
	return root
}

// encoderName is that of the encoder's folder in a bucket.
const encoderName = "encoder"

// remote returns the location of an encoder, and the folder that it and the one of its
// training have in common.
func remote(t *testing.T) (string, storage.Folder) {
	t.Helper()
	location := gcstest.Start(t).Folder()
	folder, err := storage.Locate(location)
	if err != nil {
		t.Fatal(err)
	}
	return storage.Join(location, encoderName), folder
}

// versions lists the objects of a folder with their versions.
func versions(t *testing.T, folder storage.Folder) map[string]string {
	t.Helper()
	found := map[string]string{}
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		found[info.Name] = info.Version
	}
	return found
}

// lookAt is look at an output in a bucket.
func lookAt(t *testing.T, folder storage.Folder) outcome {
	t.Helper()
	root := filepath.Join(t.TempDir(), "out")
	for name := range versions(t, folder) {
		part, rest, _ := strings.Cut(name, "/")
		if err := storage.Download(t.Context(), folder, name,
			filepath.Join(root+strings.TrimPrefix(part, encoderName), filepath.FromSlash(rest))); err != nil {
			t.Fatal(err)
		}
	}
	return look(t, root)
}

// A training in a bucket gives the bytes of one on a disk, with a service that fails
// now and then, and leaves nothing on the disk. Run again, it does nothing.
func TestTrainInABucket(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	location, folder := remote(t)
	host := onHost(t)
	service := gcstest.Start(t)
	service.Unlucky(t, 9, 40)
	o := options(nil)
	var told []string
	o.Observer.Published = func(period, folder string) { told = append(told, period+" "+folder) }
	result, _, err := Run(t.Context(), location, c, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cmlm " + location + "/cmlm", "cmlm+br " + location}, told); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, lookAt(t, folder)); diff != "" {
		t.Error(diff)
	}
	if result.Last.Step != 16 || result.Last.Loss != want.Lines[len(want.Lines)-1].Loss {
		t.Errorf("the last line is %+v", result.Last)
	}
	if left, err := filepath.Glob(filepath.Join(host, "scratch", "*")); err != nil || len(left) > 0 {
		t.Errorf("left on the disk: %v, %v", left, err)
	}
	before := versions(t, folder)
	if _, there := before["encoder.train/owner.json"]; there {
		t.Errorf("%s is left", workspace.OwnerName)
	}
	o.Open = func(int, Period, string) (Trainer, error) { return nil, errors.New("opened") }
	onHost(t)
	var existed bool
	if result, existed, err = Run(t.Context(), location, c, o); err != nil || !existed || result.Last.Step != 16 {
		t.Errorf("again: %+v, %v", result, err)
	}
	if diff := cmp.Diff(before, versions(t, folder)); diff != "" {
		t.Errorf("again: %s", diff)
	}
}

// A run that is killed before any change of its disk or its bucket goes on on another
// machine, or on the same one, from what the bucket holds.
func TestResumeOnAnotherHost(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	stride := 9
	if testing.Short() {
		stride = 60
	}
	kills, remotes := 0, 0
	for n := 3; ; n += stride {
		location, folder := remote(t)
		onHost(t)
		killed, changes, last := options(nil), 0, storage.Step("")
		killed.intercept = func(step storage.Step, _ string) error {
			if changes++; changes > n {
				return errKilled
			}
			last = step
			return nil
		}
		_, _, err := Run(t.Context(), location, c, killed)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		kills++
		if last == workspace.StepUpload || last == workspace.StepDelete {
			remotes++
		}
		if n%2 == 0 {
			onHost(t)
		}
		if _, _, err := Run(t.Context(), location, c, options(nil)); err != nil {
			t.Fatalf("after %d changes: %v", n, err)
		}
		if diff := cmp.Diff(want, lookAt(t, folder)); diff != "" {
			t.Fatalf("killed after %d changes:\n%s", n, diff)
		}
	}
	t.Logf("killed %d times, %d of them among changes of the bucket", kills, remotes)
	if kills < 3 || remotes < 1 {
		t.Errorf("killed %d times, %d of them among changes of the bucket", kills, remotes)
	}
}

// A run whose output another one has taken over changes nothing any more, wherever it
// stands: in the midst of an upload, or between two checkpoints.
func TestTakenOver(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	for _, at := range []string{"upload encoder.train/checkpoints/000006/model.json",
		"upload encoder.train/checkpoints/000006/training.json", "upload encoder/cmlm/model.json", "upload encoder/losses.jsonl",
		"delete encoder.train/checkpoints/000003/training.json"} {
		t.Run(at, func(t *testing.T) {
			location, folder := remote(t)
			onHost(t)
			var after map[string]string
			var notices []string
			o := options(nil)
			o.intercept = func(step storage.Step, path string) error {
				if string(step)+" "+path != at || after != nil {
					return nil
				}
				onHost(t)
				second := options(nil)
				second.Observer.Notice = func(text string) { notices = append(notices, text) }
				if _, _, err := Run(t.Context(), location, c, second); err != nil {
					t.Errorf("the second run: %v", err)
				}
				after = versions(t, folder)
				return nil
			}
			_, _, err := Run(t.Context(), location, c, o)
			if err == nil || !strings.Contains(err.Error(), "another process has taken over the training in "+location) {
				t.Errorf("the first run: %v", err)
			}
			if diff := cmp.Diff(after, versions(t, folder)); diff != "" {
				t.Errorf("the first run has changed something:\n%s", diff)
			}
			if diff := cmp.Diff(want, lookAt(t, folder)); diff != "" {
				t.Error(diff)
			}
			if !slices.ContainsFunc(notices, func(s string) bool { return strings.Contains(s, "taking over from process ") }) {
				t.Errorf("notices: %q", notices)
			}
		})
	}
}

// What a bucket's folder holds is treated as what a folder on the disk holds.
func TestForeignBucketFolders(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	onHost(t)
	run := func(location string, c Config, overwrite bool) error {
		o := options(nil)
		o.Overwrite = overwrite
		_, _, err := Run(t.Context(), location, c, o)
		return err
	}
	location, folder := remote(t)
	if err := storage.WriteFile(t.Context(), folder, "encoder/notes.txt", []byte("x"), storage.Replace); err != nil {
		t.Fatal(err)
	}
	before := versions(t, folder)
	for _, overwrite := range []bool{false, true} {
		err := run(location, c, overwrite)
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), location+` holds "notes.txt", but no training`) {
			t.Errorf("got %v", err)
		}
	}
	if diff := cmp.Diff(before, versions(t, folder)); diff != "" {
		t.Error(diff)
	}
	location, folder = remote(t)
	other := c
	other.Seed = 4
	if err := run(location, other, false); err != nil {
		t.Fatal(err)
	}
	before = versions(t, folder)
	if err := run(location, c, false); !errors.Is(err, dataset.ErrOtherPlan) ||
		!strings.Contains(err.Error(), "config.seed is 4 there and 3 here") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, versions(t, folder)); diff != "" {
		t.Error(diff)
	}
	if err := run(location, c, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, lookAt(t, folder)); diff != "" {
		t.Error(diff)
	}
	// A model that has changed is told.
	if err := storage.WriteFile(t.Context(), folder, "encoder/model.json", []byte("x"), storage.Replace); err != nil {
		t.Fatal(err)
	}
	onHost(t)
	if err := run(location, c, false); !errors.Is(err, dataset.ErrCorrupt) ||
		!strings.Contains(err.Error(), "model.json is missing, or its size is not the ") {
		t.Errorf("got %v", err)
	}
	bucket, _, _ := strings.Cut(strings.TrimPrefix(location, "gs://"), "/")
	if err := run("gs://"+bucket, c, false); err == nil || !strings.Contains(err.Error(), "it is a whole bucket") {
		t.Errorf("got %v", err)
	}
}

// An interrupt ends with a checkpoint in the bucket.
func TestInterruptInABucket(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	location, folder := remote(t)
	onHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := options(nil)
	o.Observer.Step = func(p Progress) {
		if p.Step == 10 {
			cancel()
		}
	}
	_, _, err := Run(ctx, location, c, o)
	if !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "the last good checkpoint is "+location+".train/checkpoints/000010") {
		t.Fatalf("got %v", err)
	}
	onHost(t)
	result, _, err := Run(t.Context(), location, c, options(nil))
	if err != nil || result.Steps != 6 {
		t.Fatalf("%+v, %v", result, err)
	}
	if diff := cmp.Diff(want, lookAt(t, folder)); diff != "" {
		t.Error(diff)
	}
}

// The best checkpoint comes along to another machine: in the midst of a training, and when
// a whole one goes on for more steps.
func TestValidatedOnAnotherHost(t *testing.T) {
	c := validated(t)
	c.Keep = 1
	o := options(losing(someLosses))
	o.Private = []string{"1_Pooling/config.json"}
	long := c
	long.Periods = slices.Clone(c.Periods)
	long.Periods[1].Steps += 6
	result := func(location string) (found []string) {
		t.Helper()
		for _, config := range []Config{c, long} {
			if r, _, err := Run(t.Context(), location, config, o); err != nil {
				t.Fatal(err)
			} else {
				found = append(found, fmt.Sprintf("%d %+v %v", r.Record.Step, *r.Record.Validated, r.Record.Files))
			}
			onHost(t)
		}
		return found
	}
	want := result(filepath.Join(t.TempDir(), "out"))
	stride, kills := 25, 0
	if testing.Short() {
		stride = 120
	}
	for n := 20; ; n += stride {
		location, _ := remote(t)
		onHost(t)
		changes := 0
		killed := o
		killed.intercept = func(storage.Step, string) error {
			if changes++; changes > n {
				return errKilled
			}
			return nil
		}
		if _, _, err := Run(t.Context(), location, c, killed); err == nil {
			break
		} else if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		kills++
		onHost(t)
		if diff := cmp.Diff(want, result(location)); diff != "" {
			t.Errorf("killed after %d changes: %s", n, diff)
		}
	}
	if kills < 2 {
		t.Errorf("%d kills", kills)
	}
}
