// Package gcs keeps folders in buckets of Google Cloud Storage: gs://BUCKET/FOLDER.
package gcs

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	gcs "cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"

	"sentweave/schemas/storage"
)

// Scheme is what locations begin with.
const Scheme = "gs"

// Register has storage.At take locations with the scheme. Nothing is connected to
// before a folder is used.
func Register() { storage.Register(Scheme, Open) }

// Bounds of what a call may take. Retries end with the deadline, and an upload with
// that of each of its chunks, so that a dead connection is an error in the end.
const (
	callDeadline  = 2 * time.Minute
	chunkDeadline = 5 * time.Minute
	chunkTimeout  = 1 * time.Minute
)

// anonymousVariable has buckets that everybody may read read without credentials.
const anonymousVariable = "SENTWEAVE_GCS_ANONYMOUS"

// client is shared by all folders of the process.
var client = sync.OnceValues(func() (*gcs.Client, error) {
	var options []option.ClientOption
	if os.Getenv(anonymousVariable) != "" {
		options = append(options, option.WithoutAuthentication())
	}
	c, err := gcs.NewClient(context.Background(), append(options, gcs.WithDisabledClientMetrics())...)
	if err != nil {
		return nil, fmt.Errorf("connect to Google Cloud Storage: %w; `gcloud auth application-default login` makes credentials, GOOGLE_APPLICATION_CREDENTIALS names a file of some, and $%s=1 does without", err, anonymousVariable)
	}
	c.SetRetry(
		gcs.WithBackoff(gax.Backoff{Initial: 200 * time.Millisecond, Max: 20 * time.Second, Multiplier: 2}),
		// Every change here may be repeated: deletions by nature, writes since they are
		// bound to a generation, or replace by the same bytes.
		gcs.WithPolicy(gcs.RetryAlways), gcs.WithMaxRetryDuration(callDeadline),
	)
	return c, nil
})

// Open returns the folder at a location, which need not exist. The bucket must.
func Open(location string) (storage.Folder, error) {
	rest, ok := strings.CutPrefix(location, Scheme+"://")
	bucket, prefix, _ := strings.Cut(rest, "/")
	prefix = strings.TrimSuffix(prefix, "/")
	if !ok || bucket == "" {
		return nil, fmt.Errorf("location %q is none of Google Cloud Storage; it must be gs://BUCKET/FOLDER", location)
	}
	if prefix != "" {
		if err := storage.CheckName(prefix); err != nil {
			return nil, fmt.Errorf("location %q: the folder must be a clean path, without empty parts and dots", location)
		}
		prefix += "/"
	}
	return &Folder{bucket: bucket, prefix: prefix, connect: client}, nil
}
