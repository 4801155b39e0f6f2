package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A full queue refuses with a pause, a client that is gone has its waiting texts dropped, and a broken encoder is an error of the
// service.
func TestLoad(t *testing.T) {
	slow := &letters{gate: make(chan struct{})}
	broken := &letters{err: errors.New("out of memory at " + secretText)}
	nan := &letters{tag: float32(math.NaN())}
	url := start(t, settings(), Model{Name: "a", Encoder: slow}, Model{Name: "broken", Encoder: broken}, Model{Name: "nan", Encoder: nan})
	for _, name := range []string{"broken", "nan"} {
		if r, body := post(t, url, `{"model":"`+name+`","input":"x"}`); r.StatusCode != 500 || !strings.Contains(body, "server_error") ||
			strings.Contains(body, secretText) {
			t.Errorf("%s: %d %s", name, r.StatusCode, body)
		}
	}
	many := func(text string) string {
		return `{"model":"a","input":["` + strings.Repeat(text+`","`, 49) + text + `"]}`
	}
	gone, leave := context.WithCancel(t.Context())
	q, _ := http.NewRequestWithContext(gone, http.MethodPost, url+"/v1/embeddings", strings.NewReader(many("gone")))
	q.Header.Set("Content-Type", "application/json")
	left := make(chan error)
	go func() {
		r, err := http.DefaultClient.Do(q)
		if err == nil {
			r.Body.Close()
		}
		left <- err
	}()
	waitFor(t, slow, 2)
	stays := make(chan string)
	go func() {
		_, body := post(t, url, many("stays"))
		stays <- body
	}()
	waitForQueue(t, url, 100)
	if r, body := post(t, url, `{"model":"a","input":"late"}`); r.StatusCode != 429 || r.Header.Get("Retry-After") != "1" ||
		!strings.Contains(body, "rate_limit_exceeded") {
		t.Errorf("%v %s", r.Header, body)
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	waitForQueue(t, url, 50)
	close(slow.gate)
	if body := <-stays; strings.Count(body, `[6,115,0]`) != 50 {
		t.Errorf("%.300s", body)
	}
	count := 0
	for _, batch := range slow.batches {
		for _, text := range batch {
			if text == "gone" {
				count++
			}
		}
	}
	if count > 2*64/5 { // the two batches that were begun, of 64 tokens
		t.Errorf("%d texts of a client that is gone were encoded", count)
	}
}

// waitForQueue waits until so many texts are under way.
func waitForQueue(t *testing.T, url string, texts int) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		r, err := http.Get(url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if bytes.Contains(body, fmt.Appendf(nil, "sentweave_queue_texts %d\n", texts)) {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("there are never %d texts", texts)
		}
	}
}

// waitFor waits until so many batches have begun.
func waitFor(t *testing.T, l *letters, batches int) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		l.mutex.Lock()
		n := len(l.batches)
		l.mutex.Unlock()
		if n >= batches {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("%d batches have begun", n)
		}
	}
}

// Texts of many requests are encoded together, those of a long one do not go before those of short ones, and no batch mixes
// encoders or has more tokens than it may.
func TestBatches(t *testing.T) {
	slow := &letters{gate: make(chan struct{})}
	models := []Model{{Name: "a", Encoder: slow}, {Name: "b", Encoder: &letters{}}}
	url := start(t, settings(), models...)
	var group sync.WaitGroup
	send := func(model, input string) {
		group.Go(func() { post(t, url, `{"model":"`+model+`","input":`+input+`}`) })
	}
	send("a", `["`+strings.Repeat(`long","`, 49)+`long"]`)
	waitFor(t, slow, leastLanes)
	for i := range 8 {
		send("a", fmt.Sprintf(`"%d"`, i))
	}
	waitForQueue(t, url, 58)
	close(slow.gate)
	group.Wait()
	if next := slow.batches[leastLanes]; !slices.ContainsFunc(next, func(s string) bool { return len(s) == 1 }) {
		t.Errorf("behind a long request short ones wait: %q", slow.batches)
	}
	for _, batch := range slow.batches {
		tokens := 0
		for _, text := range batch {
			tokens += 1 + len(text)
		}
		if tokens > 64 {
			t.Errorf("a batch has %d tokens", tokens)
		}
	}
}

// Texts that come while a batch is encoded wait until they are as many as its, and no longer. As many batches are encoded at once as there
// are lanes.
func TestBatchesOfOneSize(t *testing.T) {
	c, slow := settings(), &letters{gate: make(chan struct{})}
	c.BatchWait, c.Lanes = time.Hour, 3
	q := newQueue(c, newMetrics())
	defer q.close()
	var group sync.WaitGroup
	defer group.Wait()
	defer close(slow.gate)
	send := func(text string) {
		ids, _ := slow.Sequence(text)
		group.Go(func() {
			if _, err := q.encode(context.Background(), slow, [][]int32{ids}); err != nil {
				t.Error(err)
			}
		})
	}
	send("first")
	waitFor(t, slow, 1)
	send("ab")
	time.Sleep(50 * time.Millisecond)
	send("cd")
	waitFor(t, slow, 2)
	send("third")
	waitFor(t, slow, 3)
	if next := slow.batches[1]; len(next) != 2 {
		t.Errorf("batches are %q, want the second one of two texts", slow.batches)
	}
}
