package portable

import (
	"testing"
)

func TestReason(t *testing.T) {
	for said, want := range map[string]string{
		"":                            "",
		"bundle failed\n  more of it": "bundle failed",
		"java.lang.RuntimeException: The Runner experienced the following error during execution:\n" +
			"\tat org.example.A.b(A.java:1)\nCaused by: org.example.JobException: Recovery is suppressed\n\t... 3 more\n" +
			"Caused by: java.net.ConnectException: Connection refused: localhost/127.0.0.1:8081\n": "Connection refused: localhost/127.0.0.1:8081",
		"Caused by: java.util.concurrent.CompletionException: java.io.IOException: Cannot run program \"/opt/x\": error=2, No such file": "Cannot run program \"/opt/x\": error=2, No such file",
		"Caused by: java.lang.NullPointerException": "java.lang.NullPointerException",
	} {
		if got := reason(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// What the worker said is found inside of what the runner says.
func TestFailure(t *testing.T) {
	for said, want := range map[string]string{
		"":                                 "job j failed, and the runner does not say why",
		"Caused by: x.Y: quota is used up": "job j failed: quota is used up",
		"stage ⟦sentweave: unit 7: disk full⟧ …": "unit 7: disk full",
	} {
		if got := (&Failure{Job: "j", Said: said}).Error(); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
