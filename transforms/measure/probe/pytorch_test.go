package probe

import (
	"runtime"
	"testing"

	"sentweave/schemas/peertest"
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
	python := peertest.PyTorch(b)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := Literature()
	c.MaxEpoch = 0
	tr := trainer{config: c, rows: clusters(8636, 768, .5), classes: 2, seed: 1}
	began := peertest.ProcessorSeconds(b)
	for b.Loop() {
		if _, err := tr.fit(b.Context(), upTo(8000), upTo(8636)[8000:], c.Penalties); err != nil {
			b.Fatal(err)
		}
	}
	ours := (peertest.ProcessorSeconds(b) - began) / float64(b.N)
	theirs := 0.0
	peertest.Answer(b, nil, &theirs, python, "-c", passes)
	b.ReportMetric(float64(len(c.Penalties))*theirs/ours, "times-PyTorch")
}
