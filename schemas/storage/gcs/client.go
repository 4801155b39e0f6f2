// Package gcs reads and writes folders in buckets of Google Cloud Storage:
// gs://BUCKET/FOLDER.
package gcs

import (
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
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

// Register has storage.Locate take locations with the scheme. Nothing is connected to
// before a folder is used.
func Register() { storage.Register(Scheme, open) }

// bounds of what a call may take. Retries end with them, so that a dead connection
// is an error in the end.
type bounds struct {
	// call bounds a request with its retries, and the time in which a read must give
	// something; chunk the retries of a chunk of an upload, transfer one try of it.
	call, chunk, transfer time.Duration
	// pause is that before the second try; each later one is twice as long.
	pause time.Duration
}

var patient = bounds{call: 2 * time.Minute, chunk: 5 * time.Minute, transfer: time.Minute, pause: 200 * time.Millisecond}

// anonymousVariable has buckets that everybody may read read without credentials.
const anonymousVariable = "SENTWEAVE_GCS_ANONYMOUS"

// client is shared by all folders of the process.
var client = sync.OnceValues(func() (*gcs.Client, error) { return connect(patient) })

const credentials = "`gcloud auth application-default login` makes credentials, GOOGLE_APPLICATION_CREDENTIALS names a file of some, and $" + anonymousVariable + "=1 does without"

func connect(b bounds) (*gcs.Client, error) {
	var options []option.ClientOption
	if os.Getenv(anonymousVariable) != "" {
		options = append(options, option.WithoutAuthentication())
	}
	c, err := gcs.NewClient(context.Background(), append(options, gcs.WithDisabledClientMetrics())...)
	if err != nil {
		return nil, fmt.Errorf("connect to Google Cloud Storage: %w; %s", err, credentials)
	}
	c.SetRetry(
		gcs.WithBackoff(gax.Backoff{Initial: b.pause, Max: 20 * time.Second, Multiplier: 2}),
		// Every change here may be repeated: deletions by nature, writes since they are
		// bound to a generation, or replace by the same bytes.
		gcs.WithPolicy(gcs.RetryAlways), gcs.WithMaxRetryDuration(b.call),
	)
	return c, nil
}

// bucketName holds the characters that names of buckets have.
var bucketName = regexp.MustCompile(`^[a-z0-9._-]+$`)

// open returns the folder at a location, which need not exist. The bucket must.
func open(location string) (storage.Folder, error) {
	rest, ok := strings.CutPrefix(location, Scheme+"://")
	bucket, prefix, _ := strings.Cut(rest, "/")
	prefix = strings.TrimSuffix(prefix, "/")
	if !ok || !bucketName.MatchString(bucket) {
		return nil, fmt.Errorf("location %q names no bucket: it must be gs://BUCKET/FOLDER, and names of buckets have lower-case letters, digits, dots, dashes and underscores",
			location)
	}
	if prefix != "" {
		if err := storage.CheckName(prefix); err != nil {
			return nil, fmt.Errorf("location %q: the folder must have no empty parts and no dots for parts: give gs://%s%s", location,
				bucket, path.Clean("/"+prefix))
		}
		prefix += "/"
	}
	return &Folder{bucket: bucket, prefix: prefix, connect: client, bounds: patient}, nil
}
