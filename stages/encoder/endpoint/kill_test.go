package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"sentweave/schemas/storage/cache"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/vectorcache"
)

const (
	childVariable = "ENDPOINT_TEST_CHILD" // the location that a child process encodes by
	killTexts     = 4000
)

func TestMain(m *testing.M) {
	if location := os.Getenv(childVariable); location != "" {
		if err := keepAll(location); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// keepAll has all texts encoded, and compares the vectors.
func keepAll(location string) error {
	c := Config{Location: location, KeyVariable: "FAKE_KEY", Call: DefaultCall()}
	c.Call.Pause = time.Millisecond
	e, err := vectorcache.OpenPaid("three", c.Identity(), func() (vectorcache.Streaming, error) { return Open(c) })
	if err != nil {
		return err
	}
	texts := textsOf(killTexts)
	for i := range texts {
		texts = append(texts, encoder.Text{Text: texts[i].Text, Language: "deu"}) // whose vectors are those
	}
	vectors, err := e.Encode(context.Background(), texts)
	if err != nil {
		return err
	}
	for i, text := range texts {
		if row := vectors.(encoder.Dense).Row(i); !slices.Equal(row, vectorOf(text.Text)) {
			return fmt.Errorf("the vector of %q is %v", text.Text, row)
		}
	}
	return e.Close()
}

// Processes that are killed again and again, and two at once, pay for each text once, but for the requests under way at a kill.
func TestPaidOnce(t *testing.T) {
	kills := 10
	if testing.Short() {
		kills = 2
	}
	var next atomic.Int64 // the answer at which a process is killed
	var process atomic.Pointer[os.Process]
	f := &fake{}
	f.change = func(number int, data []map[string]any) []map[string]any {
		if int64(number) == next.Load() {
			_ = process.Load().Kill()
		}
		time.Sleep(time.Millisecond)
		return data
	}
	t.Setenv(cache.Variable, t.TempDir())
	c := configOf(t, f)
	child := func() *exec.Cmd {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), childVariable+"="+c.Location)
		command.Stderr = os.Stderr
		return command
	}
	for range kills {
		f.mutex.Lock()
		next.Store(int64(f.requests + 9))
		command := child()
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		process.Store(command.Process)
		f.mutex.Unlock()
		if err := command.Wait(); err == nil {
			t.Fatal("a process ended before it was killed")
		}
	}
	next.Store(-1)
	pair := []*exec.Cmd{child(), child()}
	for _, command := range pair {
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range pair {
		if err := command.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	total := 0
	for text, n := range f.paid {
		if total += n; n > 1+kills {
			t.Errorf("%q was paid for %d times", text, n)
		}
	}
	again := total - len(f.paid)
	t.Logf("%d kills: %d of %d texts were paid for once more", kills, again, len(f.paid))
	if most := kills * c.Call.Parallel * c.Call.Limits.Items; len(f.paid) != killTexts || again > most {
		t.Errorf("%d texts were paid for, %d of them again, where at most %d were under way", len(f.paid), again, most)
	}
	f.trouble = func(http.ResponseWriter, int, []string) bool { t.Error("a request"); return false }
	if err := child().Run(); err != nil {
		t.Error(err)
	}
}
