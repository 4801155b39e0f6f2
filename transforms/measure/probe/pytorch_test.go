package probe

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

const passes = `
import time, torch
torch.set_num_threads(1)
x, y = torch.randn(8000, 768), torch.randint(0, 2, (8000,))
model = torch.nn.Linear(768, 2)
optimizer = torch.optim.Adam(model.parameters(), weight_decay=1e-4)
loss = torch.nn.CrossEntropyLoss()
def fit():
    for _ in range(4):
        order = torch.randperm(8000)
        for i in range(0, 8000, 64):
            rows = order[i:i + 64]
            error = loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            error.backward()
            optimizer.step()
fit()
began = time.process_time()
fit()
print(time.process_time() - began)
`

// BenchmarkBesidePyTorch measures four passes over 8,000 rows with the four penalties of SentEval,
// which it trains one after the other, by the time of one processor.
func BenchmarkBesidePyTorch(b *testing.B) {
	python := os.Getenv("SENTWEAVE_PYTORCH")
	if python == "" {
		b.Skip("skipped: SENTWEAVE_PYTORCH, a Python with PyTorch, is not set")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := Literature()
	c.MaxEpoch = 0
	tr := trainer{config: c, rows: clusters(8636, 768, .5), classes: 2, seed: 1}
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	began := used()
	for b.Loop() {
		if _, err := tr.fit(b.Context(), upTo(8000), upTo(8636)[8000:], c.Penalties); err != nil {
			b.Fatal(err)
		}
	}
	ours := (used() - began) / float64(b.N)
	out, err := exec.Command(python, "-c", passes).Output()
	if err != nil {
		b.Fatal(err)
	}
	theirs := 0.0
	if _, err := fmt.Sscan(string(out), &theirs); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(c.Penalties))*theirs/ours, "times-PyTorch")
}
