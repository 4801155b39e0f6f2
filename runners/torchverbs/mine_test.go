//go:build libtorch

package torchverbs

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
)

// The search by libtorch gives the bytes of that in Go at any parallelism, and goes on with what the other has done.
func TestMine(t *testing.T) {
	base := t.TempDir()
	for _, exact := range []bool{true, false} {
		source, target := pipelinetest.Vectors(t, "deu", 300, exact), pipelinetest.Vectors(t, "eng", 300, exact)
		line := func(name string, flags ...string) (out string) {
			out = filepath.Join(base, fmt.Sprint(exact, name))
			call(t, append([]string{"mine", "--source=" + source, "--target=" + target, "--shard-bytes=20KB", "--out=" + out},
				flags...)...).expect(t, 0, nil, nil)
			return out
		}
		want := pipelinetest.Digests(t, line("go"))
		for _, parallelism := range []int{1, 4} {
			out := line(fmt.Sprint(parallelism), "--device=cpu", fmt.Sprint("--parallelism=", parallelism))
			if diff := cmp.Diff(want, pipelinetest.Digests(t, out)); diff != "" {
				t.Errorf("exact %t, parallelism %d: %s", exact, parallelism, diff)
			}
		}
		call(t, "mine", "--source="+source, "--target="+target, "--shard-bytes=20KB", "--out="+line("go"), "--device=cpu").
			expect(t, 0, nil, []string{"is complete, nothing to do"})
		for device, want := range map[string]string{"gpu": `device "gpu" is unknown`, "cuda:99": "--device=cuda:99 needs a GPU"} {
			for _, dry := range []string{"", "--dry-run"} {
				o := call(t, with([]string{"mine", "--source=" + source, "--target=" + target, "--out=" + filepath.Join(base, "none")},
					strings.Fields("--device="+device+" "+dry)...)...)
				o.expect(t, map[string]int{"gpu": 2, "cuda:99": 1}[device], nil, []string{want})
			}
		}
		call(t, "mine", "--source="+source, "--target="+target, "--out="+filepath.Join(base, "none"), "--device=cpu", "--runner=flink").
			expect(t, 2, nil, []string{"device cpu is of this machine, where the runner flink does not compute"})
	}
}
