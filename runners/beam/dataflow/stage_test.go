package dataflow_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"sentweave/runners/beam/dataflow"
	"sentweave/runners/beam/dataflow/dataflowtest"
	"sentweave/schemas/storage"
)

func stagedFile(t *testing.T, location string) string {
	t.Helper()
	data, err := storage.ReadLocation(t.Context(), location, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEqualContentIsStagedOnce(t *testing.T) {
	c := newCloud(t)
	r := c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
	first, err := dataflow.Stage(t.Context(), r)
	if err != nil || first <= r.Binary.Bytes {
		t.Fatalf("%d bytes, %v", first, err)
	}
	program, err := os.ReadFile(r.Binary.Path)
	if err != nil || stagedFile(t, r.WorkerURL) != string(program) {
		t.Errorf("the staged worker is another: %v", err)
	}
	var writes int
	c.storage.Answer(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			writes++
		}
		return false
	})
	if again, err := dataflow.Stage(t.Context(), r); err != nil || again != 0 || writes != 0 {
		t.Errorf("again: %d bytes, %d writes, %v", again, writes, err)
	}
	// Another graph of the same program.
	other := c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
	if sent, err := dataflow.Stage(t.Context(), other); err != nil || sent == 0 || sent > 100<<10 || other.WorkerURL != r.WorkerURL {
		t.Errorf("another graph: %d bytes, %v", sent, err)
	}
}

func TestDamagedStagingIsReplaced(t *testing.T) {
	c := newCloud(t)
	r := c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
	in, name, err := storage.Split(r.WorkerURL)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := storage.Locate(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := storage.WriteFile(t.Context(), folder, name, []byte("half"), storage.Replace); err != nil {
		t.Fatal(err)
	}
	if _, err := dataflow.Stage(t.Context(), r); err != nil || !strings.HasPrefix(stagedFile(t, r.WorkerURL), "\x7fELF") {
		t.Errorf("the damaged worker stays: %v", err)
	}
}

func TestStagingByAnUnluckyService(t *testing.T) {
	c := newCloud(t)
	random := rand.New(rand.NewPCG(1, 2))
	var mutex sync.Mutex
	unlucky := func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return random.IntN(3) == 0
	}
	c.storage.Answer(t, func(w http.ResponseWriter, _ *http.Request) bool {
		if unlucky() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	c.storage.Lose(t, func(*http.Request) bool { return unlucky() })
	r := c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
	if _, err := dataflow.Stage(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := dataflow.Stage(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func TestStagingErrors(t *testing.T) {
	c := newCloud(t)
	r := c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
	c.storage.Answer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			return false
		}
		dataflowtest.Refuse(w, http.StatusForbidden, "forbidden",
			"launcher@sentences-test.iam.gserviceaccount.com does not have storage.objects.create access")
		return true
	})
	if _, err := dataflow.Stage(t.Context(), r); !errors.Is(err, fs.ErrPermission) ||
		!strings.Contains(err.Error(), "roles/storage.objectUser") || !strings.HasPrefix(err.Error(), "stage the worker binary: ") {
		t.Errorf("read-only bucket: %v", err)
	}
	c.storage.Answer(t, func(http.ResponseWriter, *http.Request) bool { return false })

	c.options.Staging = "gs://there-is-none/staging"
	r = c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
	if _, err := dataflow.Stage(t.Context(), r); err == nil || !strings.Contains(err.Error(), "there-is-none does not exist") {
		t.Errorf("no bucket: %v", err)
	}

	c.options.Staging = c.storage.Folder()
	r = c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
	if err := os.WriteFile(r.Binary.Path, []byte(strings.Repeat("x", int(r.Binary.Bytes))), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := dataflow.Stage(t.Context(), r); err == nil || !strings.Contains(err.Error(), "was replaced while it was read") {
		t.Errorf("another program: %v", err)
	}
	if _, err := storage.ReadLocation(t.Context(), r.WorkerURL, 1<<30); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the wrong program was staged: %v", err)
	}
}
