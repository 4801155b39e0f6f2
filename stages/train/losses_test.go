package train

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLinesAreMeans compares the lines with the losses that the model returned.
func TestLinesAreMeans(t *testing.T) {
	c := twoPeriods(t)
	c.LogEvery = 3
	out := filepath.Join(t.TempDir(), "out")
	o := options(nil)
	clock := time.Unix(1_000_000, 0)
	o.Now = func() time.Time { clock = clock.Add(time.Second); return clock }
	var steps []Progress
	o.Observer.Step = func(p Progress) { steps = append(steps, p) }
	result, _, err := Run(context.Background(), out, c, o)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := ReadLosses(filepath.Join(out, LossesName))
	if err != nil {
		t.Fatal(err)
	}
	var ends []int64
	from := 0
	var tokens int64
	var seconds float64
	for _, l := range lines {
		ends = append(ends, l.Step)
		part := steps[from:l.Step]
		from = int(l.Step)
		var loss, norm float64
		var sum int64
		for _, p := range part {
			loss += p.Losses["cmlm"] / float64(len(part))
			norm += p.GradientNorm / float64(len(part))
			sum += p.Tokens
		}
		last := part[len(part)-1]
		if math.Abs(l.Losses["cmlm"]-loss) > 1e-12 || math.Abs(l.GradientNorm-norm) > 1e-12 || l.Tokens != sum || l.Rate != last.Rate ||
			l.Period != last.Period {
			t.Errorf("%+v of %+v", l, part)
		}
		if want := l.Losses["cmlm"] + .2*l.Losses["bitext"]; math.Abs(l.Loss-want) > 1e-12 {
			t.Errorf("loss %v, want %v", l.Loss, want)
		}
		// Every look at the clock takes a second.
		if l.Seconds <= 0 || l.TokensPerSecond != float64(l.Tokens)/l.Seconds || l.WaitShare <= 0 || l.WaitShare >= 1 {
			t.Errorf("speed of %+v", l)
		}
		if (l.RemainingSeconds == 0) != (l.Step == 16) {
			t.Errorf("remaining %v at step %d", l.RemainingSeconds, l.Step)
		}
		tokens += l.Tokens
		seconds += l.Seconds
	}
	if !slices.Equal(ends, []int64{3, 6, 7, 9, 12, 15, 16}) {
		t.Errorf("lines at %v", ends)
	}
	if result.Tokens != tokens || result.Seconds < seconds || result.Wait <= 0 {
		t.Errorf("%+v, want %d tokens in %v s", result, tokens, seconds)
	}
}

func TestTrimLosses(t *testing.T) {
	line := func(step int64) string {
		data, err := json.Marshal(Line{Step: step, Period: "x", Losses: map[string]float64{"x": 1}})
		if err != nil {
			t.Fatal(err)
		}
		return string(data) + "\n"
	}
	whole := line(2) + line(4) + line(6)
	tests := []struct {
		name, text, want string
		step, last       int64
	}{
		{"all", whole, whole, 6, 6},
		{"later steps", whole, line(2) + line(4), 5, 4},
		{"nothing yet", whole, "", 0, 0},
		{"cut line", whole[:len(whole)-1], line(2) + line(4), 9, 4},
		{"cut to an object", line(2) + "{}\n" + line(4), line(2), 9, 2},
		{"no JSON", line(2) + "\x00\x00\x00", line(2), 9, 2},
		{"a step again", line(2) + line(4) + line(4), line(2) + line(4), 9, 4},
		{"empty", "", "", 9, 0},
	}
	for _, tt := range tests {
		root := t.TempDir()
		path := filepath.Join(root, LossesName)
		if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		last, err := trimLosses(t.Context(), worked(t, root), path, tt.step)
		got, readErr := os.ReadFile(path)
		if err != nil || readErr != nil || string(got) != tt.want || last != tt.last {
			t.Errorf("%s: %q, last %d, %v, %v", tt.name, got, last, err, readErr)
		}
	}
}

func TestLossesThatWereRemovedAreSaid(t *testing.T) {
	c := twoPeriods(t)
	out := stopped(t, c, 8)
	if err := os.Remove(filepath.Join(out, LossesName)); err != nil {
		t.Fatal(err)
	}
	var notices []string
	o := options(nil)
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	if _, _, err := Run(context.Background(), out, c, o); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, "has no lines between the steps 0 and 7") }) {
		t.Errorf("%q", notices)
	}
}

func FuzzScanLosses(f *testing.F) {
	f.Add([]byte(`{"step":1,"period":"x","losses":{"x":1}}` + "\n" + `{"step":2`))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		size, err := scanLosses(bytes.NewReader(data), func(Line) bool { n++; return true })
		if err != nil || size < 0 || size > int64(len(data)) {
			t.Fatal(size, err)
		}
		if bytes.Count(data[:size], []byte("\n")) != n || size > 0 && data[size-1] != '\n' {
			t.Fatalf("%d lines in %q", n, data[:size])
		}
		m := 0
		if again, err := scanLosses(bytes.NewReader(data[:size]), func(Line) bool { m++; return true }); again != size || m != n ||
			err != nil {
			t.Fatalf("again %d of %d, %d lines of %d", again, size, m, n)
		}
	})
}
