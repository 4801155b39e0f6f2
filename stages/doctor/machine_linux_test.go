package doctor

import "testing"

func TestDriverIn(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\nGCC version: gcc 12.2.0\n":       "535.183.01",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (root@x)  Mon\nGCC version:  gcc 13\n": "580.159.04",
		"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  570.86.15\n":                                                     "570.86.15",
		"GCC version: gcc version 12.2.0 (Debian)\n":                                                                                "",
		"": "",
	} {
		if got := driverIn(text); got != want {
			t.Errorf("%q in %q, want %q", got, text, want)
		}
	}
}
