package openlineage

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	for target, want := range map[string]string{filepath.Join(t.TempDir(), "no", "file"): "no such file",
		"gs://bucket/events": "a file of this machine", "https://user:pass@host": "holds a user or password",
		"https://host/?key=1": "what follows a ?", "http://": "want a URL"} {
		if _, err := Open(target, nil); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%s: %v, want %q", target, err, want)
		}
	}
}

// Names are those of https://openlineage.io/docs/spec/naming.
func TestNameOf(t *testing.T) {
	t.Chdir("/")
	for location, want := range map[string][2]string{"gs://bucket/a/b": {"gs://bucket", "a/b"}, "/a/b": {"file", "/a/b"},
		"a/./b/": {"file", "/a/b"}, "https://host/a": {"https://host", "a"}} {
		if space, name := nameOf(location); [2]string{space, name} != want {
			t.Errorf("%s: %s %s, want %v", location, space, name, want)
		}
	}
}
