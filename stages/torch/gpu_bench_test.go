//go:build libtorch && linux

package torch

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// gpuShapes are batches of pairs: chunks of one length, sentences, and so few sentences that a GPU waits for the program.
var gpuShapes = []struct {
	name               string
	pairs, least, most int
}{{"chunks=256", 128, 256, 256}, {"texts=12-48", 1024, 12, 48}, {"few=12-48", 128, 12, 48}}

// A step of CMLM by BERT base with a vocabulary of 30,522, dropout .1 and AdamW, in bfloat16, one after another with a
// step of PyTorch from the same weights on the same batch: padded, packed, and packed and compiled. A tenth of the
// second sentences is masked. The last one is the step here without own kernels. Of the rate at which the card multiplies
// matrices, each reports the share that our step reaches, and the most memory of our tensors, as PyTorch prints that of its own.
func BenchmarkGPU(b *testing.B) {
	if tested() == "cpu" {
		b.Skip("skipped: SENTWEAVE_DEVICE names no GPU")
	}
	for _, shape := range gpuShapes {
		for _, way := range []string{"compiled", "packed", "padded", "unfused"} {
			b.Run(shape.name+"/"+way, func(b *testing.B) {
				onThread()
				use(b, tested(), bFloat16)
				rate := productRate(b)
				cmlm := objective.DefaultCMLM()
				trainer, optimizer := trainerFor(b, objective.Settings{"cmlm": &cmlm}, func(c *model.Config) {
					benchSize(c)
					c.VocabularySize, c.MaxPositions, c.HiddenDropout, c.AttentionDropout = 30522, 512, .1, .1
				})
				c, r := trainer.network.Folder.Config, rand.New(rand.NewPCG(1, 6))
				batch := &objective.CMLMBatch{
					A: padTo(drawn(r, shape.pairs, shape.least, shape.most, c.VocabularySize)),
					B: padTo(drawn(r, shape.pairs, shape.least, shape.most, c.VocabularySize)),
				}
				batch.Positions, batch.Targets = masksOf(&batch.B)
				folder := b.TempDir()
				err := trainer.Save(folder)
				var data []byte
				if err == nil {
					data, err = json.Marshal(map[string]any{"batch": batch, "vectors": cmlm.Vectors, "optimizer": optimizer,
						"rate": benchRate})
				}
				if err == nil {
					err = os.WriteFile(filepath.Join(folder, "case.json"), data, 0o666)
				}
				if err != nil {
					b.Fatal(err)
				}
				batches, losses := []objective.Batch{batch}, make([]float64, 1)
				var python *peertest.Peer
				if way == "unfused" {
					native.FuseKernels(false)
					defer native.FuseKernels(true)
				} else {
					python = peertest.Start(b, "torch", filepath.Join("testdata", "gpu.py"), folder, way)
				}
				if _, err := native.PeakMemory(); err != nil { // forgets that of the products
					b.Fatal(err)
				}
				for range 4 { // the first steps warm up, and say whether both do the same
					demoStep(b, trainer, batches, losses)
					python.Expect(b, "", .1, losses...) // dropout differs
				}
				ours, theirs := peertest.Alternate(b, func() { demoStep(b, trainer, batches, losses) }, python, "")
				reportSteps(b, ours, theirs, batch.Tokens())
				reached := operations(c, batch, cmlm.Vectors) / peertest.Clock(ours)
				b.ReportMetric(reached/1e12, "TFLOP/s")
				b.ReportMetric(100*reached/rate, "%-of-products")
				peak, err := native.PeakMemory()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(peak)/(1<<30), "GB")
			})
		}
	}
}

// productRate is how many operations a second the GPU does in products of bfloat16 alone, of 8,192 × 8,192 random numbers.
func productRate(b *testing.B) float64 {
	const size, products = 8192, 10
	values := make([]float32, size*size)
	if err := native.DrawNormal(values, 1); err != nil {
		b.Fatal(err)
	}
	defer native.WithoutGradients()()
	var s native.Scope
	defer s.Free()
	x := s.Keep(native.CopyReduced(s.Floats(values, size, size), 1, 0))
	multiply := func() peertest.Took {
		return peertest.Time(b, func() {
			y := x
			for range products {
				y = s.Keep(x.Matmul(x, false))
			}
			if err := errors.Join(s.Err, native.Floats(values[:size], s.Narrow(y, 0, 0, 1))); err != nil {
				b.Fatal(err)
			}
		})
	}
	multiply() // warms up
	return products * 2 * size * size * size / multiply().Clock
}

// operations are those of the products of a step of CMLM, forward and backward.
func operations(c model.Config, batch *objective.CMLMBatch, vectors int) float64 {
	h, f := float64(c.HiddenSize), float64(c.IntermediateSize)
	sum, layer := 0., 2*(4*h*h+2*h*f)
	for i := range batch.A.Lengths {
		for _, n := range []float64{float64(batch.A.Lengths[i]), float64(int(batch.B.Lengths[i]) + vectors)} {
			sum += float64(c.Layers) * (n*layer + 4*n*n*h)
		}
	}
	return 3 * (sum + float64(len(batch.Positions))*2*(h*h+h*float64(c.VocabularySize)))
}
