package gcs

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// Tokens are got by libraries that each have errors of their own.
func TestRevokedCredentials(t *testing.T) {
	f := &Folder{bucket: "b"}
	for _, text := range []string{
		`Get "https://storage.googleapis.com/b/x": oauth2: "invalid_grant" "Token has been expired or revoked."`,
		`Get "https://storage.googleapis.com/b/x": auth: "invalid_grant" "reauth related error (invalid_rapt)"`,
		`credentials: could not find default credentials`,
	} {
		err := f.fault("stat", "x", errors.New(text))
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "gs://b/x") ||
			!strings.Contains(err.Error(), "gcloud auth application-default login") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := f.fault("stat", "x", errors.New("dial tcp: lookup storage.googleapis.com: no such host")); errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
