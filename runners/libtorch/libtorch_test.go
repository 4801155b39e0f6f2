package libtorch

import (
	"slices"
	"testing"
)

// The threads of libtorch sleep soon while they have no work, unless the user says otherwise.
func TestTorchEnvironment(t *testing.T) {
	const sleeping = "GOMP_SPINCOUNT=3000"
	for _, given := range []string{"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} {
		t.Setenv("OMP_WAIT_POLICY", "")
		t.Setenv("GOMP_SPINCOUNT", "")
		if !slices.Contains(torchEnvironment("none"), sleeping) {
			t.Errorf("%s is not set", sleeping)
		}
		t.Setenv(given, "1")
		if environment := torchEnvironment("none"); slices.Contains(environment, sleeping) || !slices.Contains(environment, given+"=1") {
			t.Errorf("with %s=1 the environment is %q", given, environment)
		}
	}
}
