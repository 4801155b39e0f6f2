package record

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// The record of a recipe says in which state it is.
func TestRunState(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const beat = 10 * time.Second
	tests := []struct {
		name string
		run  Run
		want string
	}{
		{"at work here", Run{Host: host, Process: os.Getpid(), Seen: now.Add(-beat)}, Running},
		{"at work elsewhere", Run{Host: "elsewhere", Process: 1, Seen: now.Add(-2 * beat)}, Running},
		{"killed elsewhere", Run{Host: "elsewhere", Process: 1, Seen: now.Add(-4 * beat)}, Stopped},
		{"killed here", Run{Host: host, Process: 1 << 30, Seen: now}, Stopped},
		{"interrupted", Run{Host: host, Process: 1 << 30, Seen: now, Ended: now, Fault: "interrupted"}, Stopped},
		{"failed", Run{Host: host, Process: 1 << 30, Seen: now, Ended: now, Fault: "no room"}, Failed},
		{"whole", Run{Host: host, Process: 1 << 30, Seen: now.Add(-time.Hour), Ended: now.Add(-time.Hour)}, Complete},
	}
	for _, test := range tests {
		if got := test.run.State(now, beat); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// The time of a step is that of all runs until it was whole.
func TestTook(t *testing.T) {
	r := &Record{}
	for _, step := range []struct {
		name  string
		took  time.Duration
		whole bool
	}{{"a", 2 * time.Second, false}, {"b", time.Second, true}, {"a", 3 * time.Second, true}, {"b", 500 * time.Millisecond, true},
		{"a", time.Second, true}} {
		r.took(step.name, step.took, step.whole)
	}
	data, err := json.Marshal(r.Steps)
	if want := `[{"step":"a","seconds":5,"whole":true},{"step":"b","seconds":1,"whole":true}]`; err != nil || string(data) != want ||
		r.Seconds() != 6 {
		t.Errorf("got %s, %v seconds, %v", data, r.Seconds(), err)
	}
}
