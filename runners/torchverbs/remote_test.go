//go:build libtorch

package torchverbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/gcs/gcstest"
)

// hashes are those of the objects at a location, without records of runs.
func hashes(t *testing.T, location string) map[string]string {
	t.Helper()
	folder, err := storage.Locate(location)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(info.Name, "tensorboard/") || info.Name == "_run/run.json" || info.Name == "lock" ||
			info.Name == "losses.jsonl" { // which have times
			continue
		}
		data, err := storage.ReadFile(t.Context(), folder, info.Name, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		found[info.Name] = dataset.HashString(xxh3.Hash(data))
	}
	return found
}

// Encoders and checkpoints in a bucket are those on a disk, byte for byte: made, trained
// from, killed and gone on with on another machine, used and measured.
func TestEncodersInABucket(t *testing.T) {
	c := newCorpus(t)
	disk, bucket := t.TempDir(), gcstest.Start(t).Folder()
	host := func() { t.Setenv(cache.Variable, t.TempDir()) }
	same := func(what string) {
		t.Helper()
		want, got := hashes(t, filepath.Join(disk, what)), hashes(t, bucket+"/"+what)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 3 {
			t.Errorf("%s in a bucket is another one, of %d files:\n%s", what, len(want), diff)
		}
	}
	host()
	for _, base := range []string{disk, bucket} {
		call(t, c.untrained(base+"/begin")...).expect(t, 0, []string{base + "/begin: an encoder of 1 layers"}, nil)
		call(t, c.untrained(base+"/begin")...).expect(t, 0, nil, []string{base + "/begin is complete, nothing to do"})
		call(t, c.untrained(base+"/begin", "--seed=9")...).expect(t, 1, nil, []string{"another plan", base + "/begin", "--overwrite"})
	}
	same("begin")
	call(t, c.untrained(bucket+"/begin", "--seed=9", "--overwrite")...).expect(t, 0, nil, nil)
	call(t, c.untrained(bucket+"/begin", "--overwrite")...).expect(t, 0, nil, nil)
	same("begin")

	line := func(base string) []string {
		return []string{"train", "--out=" + base + "/trained", "--from=" + base + "/begin", "--threads=1", "--seed=3",
			"--preset=cmlm-then-cmlm+br", "--examples=" + c.consecutive, "--bitext=" + c.bitext, "--vectors=3",
			"--batch=8", "--bitext-batch=8", "--optimizer=adamw", "--steps=20,40", "--rate=0.01", "--log-every=2", "--checkpoint-every=3",
			"--tokens=24"}
	}
	call(t, line(disk)...).expect(t, 0, []string{"trained: 60 steps"}, nil)
	folder, err := storage.Locate(bucket)
	if err != nil {
		t.Fatal(err)
	}
	// kill runs until the object is there, and then kills.
	kills := 0
	kill := func(name string) {
		t.Helper()
		host()
		p, stderr := process(t, line(bucket)...)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- p.Wait() }()
		for there := false; !there; {
			select {
			case err := <-ended:
				t.Fatalf("it ended before it had written %s: %v\n%s", name, err, stderr)
			case <-time.After(5 * time.Millisecond):
				_, err := folder.Stat(t.Context(), name)
				there = err == nil
			}
		}
		_ = p.Process.Kill() // it may have ended
		if <-ended != nil {
			kills++
		}
	}
	kill("trained.train/checkpoints/000006/model.safetensors") // in the midst of an upload
	kill("trained/cmlm/training.json")
	host()
	call(t, line(bucket)...).expect(t, 0, []string{bucket + "/trained: 60 steps, loss "},
		[]string{"train: going on after step ", "train: taking over from process ", "train: cmlm+br: the encoder is in " + bucket +
			"/trained"})
	if kills != 2 {
		t.Errorf("killed %d times in the midst of the work", kills)
	}
	same("trained")
	same("trained.train")
	host()
	call(t, line(bucket)...).expect(t, 0, []string{bucket + "/trained: 60 steps, loss "}, []string{"nothing to do"})

	for _, base := range []string{disk, bucket} {
		call(t, "embed", "--out="+base+"/vectors", "--model="+base+"/trained", "--texts="+c.pairs, "--threads=1").expect(
			t, 0, []string{"240 embeddings"}, nil)
		call(t, "prefix", "--out="+base+"/prefix", "--model="+base+"/trained", "--examples="+c.consecutive, "--batch=8").expect(
			t, 0, []string{"trained: loss with its own prefix"}, nil)
		call(t, "replace", "--out="+base+"/views", "--model="+base+"/trained", "--texts="+c.pairs, "--threads=1").expect(
			t, 0, []string{" views"}, nil)
	}
	same("vectors")
	same("prefix")
	same("views")
	// One encoder, one copy, with the files that any of them needs.
	copies, err := filepath.Glob(filepath.Join(os.Getenv(cache.Variable), "copies", "*", "trained", "*.safetensors"))
	if err != nil || len(copies) != 2 {
		t.Errorf("the cache holds %v, %v", copies, err)
	}
	call(t, "embed", "--out="+bucket+"/x", "--model="+bucket+"/absent", "--texts="+c.pairs).expect(
		t, 1, nil, []string{bucket + "/absent holds nothing"})
	call(t, "prefix", "--out="+bucket+"/x", "--model="+bucket+"/begin", "--examples="+c.consecutive).expect(
		t, 1, nil, []string{bucket + "/begin holds no training.json"})
}
