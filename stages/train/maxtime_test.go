package train

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/storage"
)

// Runs that end by their time give what one run gives, and each says in its checkpoint why it ended.
func TestMaxTime(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    Config
		time time.Duration
		runs int
	}{
		{"three steps a run", twoPeriods(t), 3 * time.Minute, 6},
		{"one step a run", twoPeriods(t), 1, 15}, // the last step of a period does not end a run
		{"spikes and one step a run", spiky(t), 1, 101},
		{"enough", twoPeriods(t), time.Hour, 1},
	} {
		plain, out := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
		trained(t, plain, tt.c, options(spiking))
		now := time.Unix(0, 0)
		o := options(func(f *fake) {
			spiking(f)
			f.fail = func(call string, _ *fake) error {
				if call == "update" {
					now = now.Add(time.Minute)
				}
				return nil
			}
		})
		o.Now = func() time.Time { return now }
		o.MaxTime = tt.time
		runs := 1
		for ; ; runs++ {
			_, _, err := Run(t.Context(), out, tt.c, o)
			if err == nil {
				break
			}
			if !errors.Is(err, ErrTime) || !strings.Contains(err.Error(), "the same command goes on from there") || runs > 150 {
				t.Fatalf("%s: run %d: %v", tt.name, runs, err)
			}
			names := folders(t, out)
			newest := filepath.Join(out+Suffix, "checkpoints", names[len(names)-1])
			p, err := ReadPublished(t.Context(), storage.NewLocal(newest))
			if err != nil || p.MaxTime != tt.time.String() {
				t.Errorf("%s: run %d: the checkpoint says %q, %v", tt.name, runs, p.MaxTime, err)
			}
		}
		if runs != tt.runs {
			t.Errorf("%s: %d runs, want %d", tt.name, runs, tt.runs)
		}
		if diff := cmp.Diff(look(t, plain), look(t, out)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}
