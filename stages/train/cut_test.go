//go:build unix

package train

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cutVariable has the output of a process that may write no longer files than these bytes from its
// checkpoint after step 6 on.
const (
	cutVariable = "SENTWEAVE_TEST_CUT"
	cutBytes    = 700
)

// cut is a training whose record, with the patience that has been used up, is far longer than its model.
func cut(t testing.TB) (Config, Options) {
	c := validated(t)
	c.CheckpointEvery, c.Validation.Patience = 2, 3
	return c, options(losing(map[string][]float64{"cmlm": {3, 3.5, 3.25}, "cmlm+br": {9, 8, 5, 7}}))
}

// TestCutProcess is that process.
func TestCutProcess(t *testing.T) {
	out := os.Getenv(cutVariable)
	if out == "" {
		return // this is not a process of another test
	}
	c, o := cut(t)
	open := o.Open
	o.Open = func(period int, s Period, from string) (Trainer, error) {
		m, err := open(period, s, from)
		m.(*fake).fail = func(call string, f *fake) error {
			if call == "save" && f.steps == 6 {
				return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: cutBytes, Max: cutBytes})
			}
			return nil
		}
		return m, err
	}
	_, _, err := Run(t.Context(), out, c, o)
	t.Fatal(err)
}

// The writing of a record ends in its midst. The checkpoint before it is whole, with the patience that
// was used up by then, and the run that goes on from it ends as one that was not cut.
func TestRecordCutInItsMidst(t *testing.T) {
	c, o := cut(t)
	whole, out := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), whole, c, o); err != nil {
		t.Fatal(err)
	}
	process := exec.Command(os.Args[0], "-test.run=^TestCutProcess$")
	process.Env = append(os.Environ(), cutVariable+"="+out)
	said, err := process.CombinedOutput()
	if err == nil || !strings.Contains(string(said), syscall.EFBIG.Error()) || !strings.Contains(string(said), "000006") {
		t.Fatalf("%v: %s", err, said)
	}
	checkpoint := filepath.Join(out+Suffix, checkpointFolder, "000004")
	record, err := readWhole(checkpoint)
	if err != nil || record.Validated.Since != 1 || record.Validated.Best != 2 {
		t.Errorf("%+v, %v", record, err)
	}
	if data, err := os.ReadFile(filepath.Join(checkpoint, RecordName)); err != nil || len(data) < 2*cutBytes {
		t.Errorf("a record of %d bytes is cut after %d: %v", len(data), cutBytes, err)
	}
	if _, _, err := Run(t.Context(), out, c, o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(look(t, whole), look(t, out)); diff != "" {
		t.Error(diff)
	}
}
