package distill

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/random"
)

// A step on 512 pairs of vectors in three languages, one after another with a step of eager PyTorch from the same
// weights on the same batch.
func BenchmarkStep(b *testing.B) {
	const size, dim, languages, rate = 512, 384, 3, 1e-4
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			draw := random.New(1, 2, "weights", "", 0)
			n := newNetwork(dim, languages, func(string) *random.Stream { return &draw })
			others := random.New(1, 3, "others", "", 0)
			batch := newMaker(planted(size, dim), languages, size, dim).batch(upTo(0, size), &others)
			folder := b.TempDir()
			data, err := json.Marshal(map[string]any{"dim": dim, "names": languages, "languages": batch.languages, "rate": rate})
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, "case.json"), data, 0o666)
			}
			data = nil
			for _, list := range append(n.lists(), batch.vectors.Data) {
				data, _ = binary.Append(data, binary.LittleEndian, list)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, "numbers"), data, 0o666)
			}
			if err != nil {
				b.Fatal(err)
			}
			python := peertest.Start(b, "torch", filepath.Join("testdata", "bench.py"), folder, strconv.Itoa(threads))
			c, w, optimizer, gradient, loss := settings(), newWorkspace(size, dim, languages), newAdam(n), n.like(), 0.
			step := func() {
				loss = n.loss(c, w, batch, &gradient)
				optimizer.move(n, gradient, rate)
			}
			for range 3 { // the first steps warm up, and say whether both do the same
				step()
				python.Expect(b, "", 1e-4, loss)
			}
			ours, theirs := peertest.Alternate(b, step, python, "")
			peertest.ReportSteps(b, ours, theirs)
		})
	}
}
