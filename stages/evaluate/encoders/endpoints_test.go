package encoders

import (
	"context"
	"strings"
	"testing"
	"time"

	"sentweave/schemas/storage/cache"
	"sentweave/stages/torch"
)

func TestEndpointFaults(t *testing.T) {
	t.Setenv("SOME_KEY", "sk-canary")
	for name, test := range map[string]struct {
		change func(m *Models)
		want   string // "" for none
	}{
		"well": {func(*Models) {}, ""},
		"an unnamed one": {func(m *Models) {
			m.Model = []string{"https://host/v1#intfloat/e5"}
			m.Price = map[string]float64{"e5": 1}
		}, ""},
		"two sizes of one": {func(m *Models) {
			m.Model = append(m.Model, "b="+m.Model[0][4:])
			m.Dimensions = map[string]int{"b": 64}
		}, ""},
		"no model": {func(m *Models) { m.Model = []string{"api=https://host/v1"} }, "https://host/v1#MODEL"},
		"a password": {func(m *Models) { m.Model = []string{"api=https://me:word@host/v1#m"} },
			"give keys by environment variable or file"},
		"another name": {func(m *Models) { m.Price = map[string]float64{"apx": 1} }, `price: no endpoint has the name "apx"`},
		"no endpoint": {func(m *Models) { m.Model = []string{"api=folder"}; m.KeyFile = map[string]string{"api": "f"} },
			`key-file: no endpoint has the name "api"`},
		"no price":       {func(m *Models) { m.Budget = 3 }, "--price api=DOLLARS"},
		"below 0":        {func(m *Models) { m.Budget = -1 }, "budget is -1"},
		"requests":       {func(m *Models) { m.Requests = -1 }, "parallel -1"},
		"of folders":     {func(m *Models) { m.Pooling = "mean" }, "have no effect on baselines, programs and endpoints"},
		"a budget alone": {func(m *Models) { m.Model = []string{"folder"}; m.Budget = 1 }, "budget has no effect without an endpoint"},
	} {
		m := Models{Model: []string{"api=https://host/v1#m"}, Layer: -1, Compute: torch.Compute{Device: "cpu", Precision: "float32"}}
		test.change(&m)
		err := m.Validate()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "me:word") {
			t.Errorf("%s: the password is in %v", name, err)
		}
	}
}

// What is wrong with a service shows before anything is measured.
func TestEndpointReady(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	for name, test := range map[string]struct{ location, key, want string }{
		"no key":    {"https://host/v1#m", "NO_SUCH_KEY", "environment variable NO_SUCH_KEY is not set"},
		"no server": {"https://host.invalid/v1#m", "", "model api: https://host.invalid/v1#m: https://host.invalid/v1/embeddings: "},
	} {
		m := Models{Model: []string{"api=" + test.location}, Endpoints: Endpoints{KeyVariable: map[string]string{"api": test.key}}}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // where no service of names answers
		if err := m.Ready(ctx, nil, nil); err == nil || ctx.Err() == nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// What decides vectors is an input of the plan; the key and the price are not.
func TestEndpointInputs(t *testing.T) {
	hash := func(location string, dimensions int, key string) string {
		m := Models{Model: []string{"api=" + location}, Endpoints: Endpoints{Dimensions: map[string]int{"api": dimensions},
			KeyVariable: map[string]string{"api": key}}}
		inputs, err := m.Inputs(t.Context(), m.Specs()[0])
		if err != nil || len(inputs) != 1 {
			t.Fatal(inputs, err)
		}
		return inputs[0].XXH3
	}
	first := hash("https://host/v1#m", 0, "A_KEY")
	if hash("https://host/v1#m", 0, "B_KEY") != first || hash("https://host/v1#m", 8, "A_KEY") == first ||
		hash("https://host/v1#n", 0, "A_KEY") == first {
		t.Error("the inputs of endpoints do not tell them apart")
	}
}
