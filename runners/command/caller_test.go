package command

import "testing"

// A program that is run by another one writes flags as the caller of that sets them.
func TestCaller(t *testing.T) {
	settings := map[string]string{"bitext-batch": "--set bag.bitext-batch=…", "cased": "--set cased=true", "steps": "--set steps=…"}
	p := &Program{Caller: func(text string) string {
		return RewriteFlags(text, func(flag string) string { return settings[flag] })
	}}
	caller := CallerOf(p.CallerText([]string{"bitext-batch", "cased", "steps", "rate", "out"}))
	for text, want := range map[string]string{
		"take at most 46 by --bitext-batch":     "take at most 46 by --set bag.bitext-batch=…",
		"give --cased":                          "give --set cased=true",
		"as in --steps=20; or leave --rate out": "as in --set steps=20; or leave --rate out",
		`unknown flag "--steps"`:                `unknown flag "--steps"`,
		"--steps-more is none":                  "--steps-more is none",
		"nothing":                               "nothing",
	} {
		if got := caller(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if (&Program{}).CallerText([]string{"steps"}) != "" || CallerOf("") != nil {
		t.Error("there is a caller where none is")
	}
}
