package translations

import (
	"strings"
	"testing"
	"time"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/transforms/engines/google"
)

func TestGoogleBatch(t *testing.T) {
	folder := gcstest.Start(t).Folder()
	for _, test := range []struct {
		args, want string // a fault, or none
	}{
		{"", ""},
		{"--google-batch=" + folder + " --google-location=us-central1", ""},
		{"--google-batch=" + folder + "/ --google-location=us-central1 --google-model=NM1 --google-glossary=terms --google-keep-batches", ""},
		{"--google-batch=" + folder, "location global has no batches"},
		{"--google-batch=" + folder + " --google-location=us-central1 --google-model=general/translation-llm", "takes no batches"},
		{"--google-batch=folder --google-location=us-central1", "want a folder in Cloud Storage"},
		{"--google-batch=gs://sentences --google-location=us-central1", "want a folder in Cloud Storage"},
		{"--google-batch=s3://sentences/batches --google-location=us-central1", "want a folder in Cloud Storage"},
		{"--google-batch-timeout=-1s", "google-batch-timeout -1s"},
		{"--google-model=a/b", `model "a/b"`},
		{"--google-glossary=terms", "location global has no glossaries"},
	} {
		args := append([]string{"--texts=x", "--targets=deu", "--engine=google", "--google-project=project-1"}, strings.Fields(test.args)...)
		_, err := pipelinetest.Configure[Config](args...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.args, err, test.want)
		}
	}
}

// A batch takes longer than a request: it has a time of its own.
func TestTimeouts(t *testing.T) {
	for _, test := range []struct {
		args            string
		google, another time.Duration
	}{
		{"", time.Minute, time.Minute},
		{"--request-timeout=5s", 5 * time.Second, 5 * time.Second},
		{"--google-batch-timeout=2h", time.Minute, time.Minute},
		{"--google-batch=gs://b/f --google-location=us-central1", google.BatchTimeout, time.Minute},
		{"--google-batch=gs://b/f --google-location=us-central1 --google-batch-timeout=2h --request-timeout=5s", 2 * time.Hour, 5 * time.Second},
	} {
		args := append([]string{"--texts=x", "--targets=deu", "--engine=google,fra=apertium", "--google-project=project-1"}, strings.Fields(test.args)...)
		c, err := pipelinetest.Configure[Config](args...)
		if err != nil {
			t.Fatal(err)
		}
		if google, another := c.Engines.caller("google").Timeout, c.Engines.caller("apertium").Timeout; google != test.google || another != test.another {
			t.Errorf("%s: %v and %v", test.args, google, another)
		}
	}
}
