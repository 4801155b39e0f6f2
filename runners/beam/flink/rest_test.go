package flink

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// cluster answers as a JobManager does.
type cluster struct {
	mu      sync.Mutex
	version string
	slots   []int
	jobs    []clusterJob
	polls   int
	// listedAfter is the number of listings before the jobs are in it, stubborn the
	// number of listings for which a cancelled job still runs.
	listedAfter, stubborn int
	cancels               map[string]int
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/config":
		fmt.Fprintf(w, `{"refresh-interval":3000,"flink-version":%q,"features":{}}`, c.version)
	case r.Method == http.MethodGet && r.URL.Path == "/taskmanagers":
		var list []string
		for _, s := range c.slots {
			list = append(list, fmt.Sprintf(`{"id":"x","slotsNumber":%d,"freeSlots":1}`, s))
		}
		fmt.Fprintf(w, `{"taskmanagers":[%s]}`, strings.Join(list, ","))
	case r.Method == http.MethodGet && r.URL.Path == "/jobs/overview":
		c.polls++
		var list []string
		for i, j := range c.jobs {
			if c.cancels[j.ID] > 0 && c.polls > c.stubborn {
				c.jobs[i].State = "CANCELED"
			}
			if c.polls > c.listedAfter {
				list = append(list, fmt.Sprintf(`{"jid":%q,"name":%q,"state":%q}`, j.ID, j.Name, c.jobs[i].State))
			}
		}
		fmt.Fprintf(w, `{"jobs":[%s]}`, strings.Join(list, ","))
	case r.Method == http.MethodPatch && r.URL.Query().Get("mode") == "cancel":
		if c.cancels == nil {
			c.cancels = map[string]int{}
		}
		c.cancels[strings.TrimPrefix(r.URL.Path, "/jobs/")]++
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, "{}")
	default:
		http.Error(w, `{"errors":["Not found."]}`, http.StatusNotFound)
	}
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestSlots(t *testing.T) {
	master := serve(t, &cluster{slots: []int{2, 4, 1}})
	all, most, err := newREST(master).slots(t.Context())
	if err != nil || all != 7 || most != 4 {
		t.Errorf("%d slots, %d at most, %v", all, most, err)
	}
	for wanted, want := range map[int][2]int{0: {7, 4}, 3: {3, 3}, 100: {7, 4}} {
		all, perWorker, err := Options{Master: master}.parallelism(t.Context(), wanted)
		if err != nil || all != want[0] || perWorker != want[1] {
			t.Errorf("%d wanted: %d, %d a worker, %v", wanted, all, perWorker, err)
		}
	}
	if _, _, err := (Options{Master: serve(t, &cluster{})}).parallelism(t.Context(), 0); err == nil ||
		!strings.Contains(err.Error(), "it has no TaskManager") {
		t.Errorf("no TaskManager: %v", err)
	}
}

// A job is cancelled once, by its name, and has stopped when cancel returns.
func TestCancel(t *testing.T) {
	for name, c := range map[string]*cluster{
		"at once":              {},
		"it takes a while":     {stubborn: 3},
		"it is not listed yet": {listedAfter: 3},
	} {
		t.Run(name, func(t *testing.T) {
			c.jobs = []clusterJob{{"a", "ours", "RUNNING"}, {"b", "another", "RUNNING"}, {"c", "ours", "FINISHED"}}
			if err := newREST(serve(t, c)).cancel(t.Context(), "ours"); err != nil {
				t.Fatal(err)
			}
			if c.cancels["a"] != 1 || len(c.cancels) != 1 || c.jobs[0].State != "CANCELED" {
				t.Errorf("cancelled %v, states %v", c.cancels, c.jobs)
			}
		})
	}
	t.Run("it does not stop", func(t *testing.T) {
		c := &cluster{stubborn: 1 << 30, jobs: []clusterJob{{"a", "ours", "RUNNING"}}}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		if err := newREST(serve(t, c)).cancel(ctx, "ours"); err == nil || !strings.Contains(err.Error(), "did not stop") &&
			!strings.Contains(err.Error(), "deadline") {
			t.Errorf("got %v", err)
		}
	})
}

// What is wrong with an address is said in one line.
func TestNotFlink(t *testing.T) {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	listener.Close()
	answer := func(text string) string {
		return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
	}
	for name, test := range map[string]struct{ master, want string }{
		"nothing listens": {closed, "connection refused; is the cluster running"},
		"a web page":      {answer("<html>"), "is not Flink: /config"},
		"other JSON":      {answer("{}"), "it names no version"},
		"no such path":    {serve(t, http.NotFoundHandler()), "404 Not Found"},
	} {
		if _, err := newREST(test.master).version(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) ||
			strings.Contains(err.Error(), "\n\n") {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A job server of another Flink is refused before it is started.
func TestFits(t *testing.T) {
	server := jar(t, "beam-runners-flink-1.19-job-server-2.62.0.jar", map[string]string{driverFile: ""})
	for version, want := range map[string]string{
		"1.19.3": "", "1.20.0": "runs Flink 1.20.0, the job server is made for Flink 1.19; give --flink-job-server"} {
		err := fits(t.Context(), Options{Master: serve(t, &cluster{version: version})}, server)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", version, err)
		}
	}
}
