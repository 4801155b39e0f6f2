package inputs

import (
	"strings"
	"testing"
)

func TestBytes(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  Bytes
		print string // "" for a text that is refused
	}{
		{"500", 500, "500B"},
		{"0", 0, "0B"},
		{"7B", 7, "7B"},
		{"64MiB", 64 << 20, "64MiB"},
		{"64 MiB", 64 << 20, "64MiB"},
		{"1.5KiB", 1536, "1536B"},
		{"1024KiB", 1 << 20, "1MiB"},
		{"2GiB", 2 << 30, "2GiB"},
		{"3TiB", 3 << 40, "3TiB"},
		{"1kB", 1000, "1000B"},
		{"1KB", 1000, "1000B"},
		{"64MB", 64_000_000, "62500KiB"},
		{"1e3", 1000, "1000B"},
		{text: ""}, {text: "MiB"}, {text: "-1"}, {text: "-1MiB"}, {text: "NaN"}, {text: "NaNMiB"}, {text: "Inf"}, {text: "1e30"},
		{text: "8388608TiB"}, {text: "64mib"}, {text: "64 M"}, {text: "1,5KiB"}, {text: "64MiB/s"},
	} {
		got := Bytes(-1)
		err := got.UnmarshalText([]byte(test.text))
		switch {
		case test.print == "" && (err == nil || got != -1 || !strings.Contains(err.Error(), `"`+test.text+`"`)):
			t.Errorf("%q: %d, %v, want an error that quotes it", test.text, got, err)
		case test.print != "" && (err != nil || got != test.want || got.String() != test.print):
			t.Errorf("%q: %d %s %v, want %d %s", test.text, got, got, err, test.want, test.print)
		}
	}
}

// What is read prints as a text that reads as the same number.
func FuzzBytes(f *testing.F) {
	for _, text := range []string{"500", "64MiB", "1.5 GB", "1e15", "0x10B", "4611686018427387904", "Infinity"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var read, again Bytes
		if read.UnmarshalText([]byte(text)) != nil {
			return
		}
		if read < 0 {
			t.Fatalf("%q reads as %d", text, read)
		}
		// Beyond 2^53 a number passes through a float64 and may be rounded.
		if err := again.UnmarshalText([]byte(read.String())); err != nil || again != read && read < 1<<53 {
			t.Fatalf("%q reads as %d, which prints as %s and reads as %d, %v", text, read, read, again, err)
		}
	})
}
