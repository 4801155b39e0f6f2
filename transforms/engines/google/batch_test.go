package google

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sentweave/schemas/storage/gcs"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// awkward are texts that tables are hard on.
var awkward = []string{
	"plain", "a\ttab", "two\nlines", "three\r\n\r\nlines", `"quoted"`, `one " quote`, `""`, "\tat the start", "at the end\n", "comma, too",
	"0\t1", `\.`, "#", "'",
	"non-break\u00a0space", "next\u0085line", "line\u2028separator", "\ufeffmark", "עברית\u200f!", "äöü 中文 😀👩‍👩‍👧", "NUL\x00byte",
	"<b>&amp;</b>", "1\t\"2\n3\"\t4", strings.Repeat("long ", 1000),
}

// want are the answers of a good batch. In files line breaks are one character.
func want(texts []string) []engines.Answer {
	answers := enginetest.Answers(enginetest.Pair, texts)
	for i := range answers {
		answers[i].Text = strings.ReplaceAll(answers[i].Text, "\r\n", "\n")
	}
	return answers
}

func check(t *testing.T, texts []string, answers []engines.Answer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want(texts), answers); diff != "" {
		t.Error(diff)
	}
}

func TestBatch(t *testing.T) {
	for name, s := range map[string]*batches{
		"one file":               {calls: 3},
		"files in another order": {calls: 1, files: 5},
		"at once":                {},
	} {
		t.Run(name, func(t *testing.T) {
			folder, open := s.serve(t)
			e := open(nil)
			answers, err := e.Translate(t.Context(), enginetest.Pair, awkward)
			check(t, awkward, answers, err)
			if len(objects(t, folder)) < 4 {
				t.Error("the files are gone before anybody can have kept the answers")
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if left := objects(t, folder); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if starts, turned := s.count(); starts != 1 || turned != 0 || s.cancels != 0 {
				t.Errorf("%d starts, %d turned away, %d cancelled", starts, turned, s.cancels)
			}
			if e.Limits() != (engines.Limits{Items: maxBatchItems, Characters: maxBatchCharacters, TextCharacters: maxBatchText}) ||
				e.Price() != PriceGeneral {
				t.Errorf("limits %+v, price %v", e.Limits(), e.Price())
			}
		})
	}
}

// A batch names models and glossaries as a request does, and has its identity.
func TestBatchSends(t *testing.T) {
	for _, tt := range []struct {
		change          func(*Config)
		model, glossary string
	}{
		{func(*Config) {}, "general/nmt", ""},
		{func(c *Config) { c.Model, c.Glossary, c.IgnoreCase = "NM123", "terms", true }, "NM123", "terms"},
	} {
		s := &batches{}
		_, start := s.serve(t)
		e := start(tt.change)
		answers, err := e.Translate(t.Context(), enginetest.Pair, []string{"a", "b"})
		check(t, []string{"a", "b"}, answers, err)
		parent, glossary := "projects/project-1/locations/us-central1", s.last.GetGlossaries()["de"]
		if s.last.GetParent() != parent || s.last.GetModels()["de"] != parent+"/models/"+tt.model {
			t.Errorf("request %v", s.last)
		}
		if tt.glossary != "" && (glossary.GetGlossary() != parent+"/glossaries/"+tt.glossary || !glossary.GetIgnoreCase()) ||
			tt.glossary == "" && glossary != nil {
			t.Errorf("glossary %v", glossary)
		}
		other := open(t, &service{}, func(c *Config) { c.Location = "us-central1"; tt.change(c) })
		with, err := e.Identity(enginetest.Pair)
		without, err2 := other.Identity(enginetest.Pair)
		if with != without || err != nil || err2 != nil {
			t.Errorf("%+v by batches, %+v by requests, errors %v %v", with, without, err, err2)
		}
	}
}

// Rows that the service rejects are refused texts, and rows that it does not give are
// answers that do not fit.
func TestBatchRows(t *testing.T) {
	s := &batches{row: func(text string) (string, string) {
		switch text {
		case "refused":
			return "", "INVALID_ARGUMENT: Request is not valid."
		case "busy":
			return "", "RESOURCE_EXHAUSTED: Quota exceeded for quota metric."
		case "missing":
			return "", ""
		case "both":
			return "a", "an error"
		}
		return enginetest.Translation("deu", text), ""
	}}
	_, open := s.serve(t)
	texts := []string{"one", "refused", "missing", "busy", "two", "both"}
	e := open(nil)
	answers, err := e.Translate(t.Context(), enginetest.Pair, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]engines.Kind{1: engines.Refused, 2: engines.Malformed, 3: engines.Failed, 5: engines.Malformed} {
		if engines.KindOf(answers[i].Err) != want || answers[i].Err == nil {
			t.Errorf("%s: %v", texts[i], answers[i].Err)
		}
	}
	if !strings.Contains(answers[1].Err.Error(), "not valid") {
		t.Errorf("%v does not tell the reason", answers[1].Err)
	}
	check(t, []string{"one", "two"}, []engines.Answer{answers[0], answers[4]}, nil)

	// Where no row is left, the operation fails: its rows tell why.
	all := []string{"refused"}
	answers, err = e.Translate(t.Context(), enginetest.Pair, all)
	if err != nil || engines.KindOf(answers[0].Err) != engines.Refused {
		t.Errorf("answers %v, error %v", answers, err)
	}
	// Who asks again wants other answers.
	s.row = nil
	answers, err = e.Translate(t.Context(), enginetest.Pair, texts)
	check(t, texts, answers, err)
	if starts, _ := s.count(); starts != 3 {
		t.Errorf("%d starts", starts)
	}
}

// An operation that fails leaves nothing in the way of the next.
func TestBatchFails(t *testing.T) {
	for _, tt := range []struct {
		name             string
		refuse, fail     codes.Code
		want             engines.Kind
		unbilled, starts bool
	}{
		{"quota of starts", codes.ResourceExhausted, codes.OK, engines.Throttled, true, false},
		{"a wrong model", codes.InvalidArgument, codes.OK, engines.Fatal, true, false},
		{"no rights", codes.PermissionDenied, codes.OK, engines.Fatal, true, false},
		{"away", codes.Unavailable, codes.OK, engines.Unavailable, false, false},
		{"quota of operations", codes.OK, codes.ResourceExhausted, engines.Throttled, true, true},
		{"a breakdown", codes.OK, codes.Internal, engines.Failed, true, true},
		{"no rights to the bucket", codes.OK, codes.PermissionDenied, engines.Fatal, true, true},
		{"a bad file", codes.OK, codes.InvalidArgument, engines.Refused, true, true},
		{"cancelled by somebody", codes.OK, codes.Canceled, engines.Failed, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &batches{calls: 2}
			if tt.refuse != codes.OK {
				s.refuse = func([]string) error { return status.Error(tt.refuse, "reason") }
			}
			if tt.fail != codes.OK {
				s.fail = func([]string) error { return status.Error(tt.fail, "reason") }
			}
			_, open := s.serve(t)
			e := open(nil)
			_, err := e.Translate(t.Context(), enginetest.Pair, awkward)
			f := new(engines.Fault)
			if !errors.As(err, &f) || f.Kind != tt.want || f.Unbilled != tt.unbilled || !strings.Contains(err.Error(), "reason") {
				t.Errorf("%v, unbilled %v: %v", f.Kind, f.Unbilled, err)
			}
			if starts, _ := s.count(); (starts == 1) != tt.starts {
				t.Errorf("%d starts", starts)
			}
			s.refuse, s.fail = nil, nil
			answers, err := e.Translate(t.Context(), enginetest.Pair, awkward)
			check(t, awkward, answers, err)
		})
	}
	s := &batches{noIndex: true}
	_, open := s.serve(t)
	if _, err := open(nil).Translate(t.Context(), enginetest.Pair, awkward); engines.KindOf(err) != engines.Failed || err == nil {
		t.Errorf("without an index: %v", err)
	}
	// What was paid for is taken, whatever became of the operation.
	s.noIndex, s.undone = false, status.New(codes.Canceled, "reason")
	answers, err := open(nil).Translate(t.Context(), enginetest.Pair, awkward)
	check(t, awkward, answers, err)
}

// Before the time of a request is over the batch is left to a later run: to send its
// halves would pay twice.
func TestBatchTakesTooLong(t *testing.T) {
	s := &batches{calls: 1 << 30}
	_, open := s.serve(t)
	e := open(nil)
	config := enginetest.Quick()
	config.Timeout = 2 * time.Second
	c, err := engines.NewCaller(e, config)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Translate(t.Context(), enginetest.Pair, awkward)
	if err == nil || !strings.Contains(err.Error(), "found again") {
		t.Errorf("error %v", err)
	}
	if starts, turned := s.count(); starts != 1 || turned != 0 {
		t.Errorf("%d starts, %d turned away", starts, turned)
	}
}

// Files stay for as long as who asked may not have kept the answers.
func TestBatchFilesStay(t *testing.T) {
	folder, open := (&batches{}).serve(t)
	e := open(nil)
	translate := func(text string, files int) {
		t.Helper()
		answers, err := e.Translate(t.Context(), enginetest.Pair, []string{text})
		check(t, []string{text}, answers, err)
		if found := objects(t, folder); len(found) != files {
			t.Errorf("after %s there are %d files", text, len(found))
		}
	}
	translate("one", 4)
	translate("two", 8)
	for location := range e.read {
		e.read[location] = time.Now().Add(-settled)
	}
	translate("three", 4)
}

// KeepBatches has the next process read what there is.
func TestKeepBatches(t *testing.T) {
	s := &batches{}
	folder, open := s.serve(t)
	for range 2 {
		e := open(func(c *Config) { c.KeepBatches = true })
		answers, err := e.Translate(t.Context(), enginetest.Pair, awkward)
		check(t, awkward, answers, err)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if starts, _ := s.count(); starts != 1 || len(objects(t, folder)) != 4 {
		t.Errorf("%d starts, files %v", starts, len(objects(t, folder)))
	}
}

// small has its texts in several batches.
type small struct{ *Engine }

func (small) Limits() engines.Limits { return engines.Limits{Items: 30} }

func TestBatchThroughTroubles(t *testing.T) {
	s := &batches{calls: 2}
	s.dice = enginetest.Dice{Seed: 1, Share: .4, Among: []enginetest.Trouble{enginetest.Throttle, enginetest.Break, enginetest.Vanish}}
	folder, open := s.serve(t)
	e := open(nil)
	config := enginetest.Quick()
	config.Timeout = time.Minute
	c, err := engines.NewCaller(small{e}, config)
	if err != nil {
		t.Fatal(err)
	}
	var mutex sync.Mutex
	journal := map[string]int{}
	texts := enginetest.Texts(400)
	answers, err := c.Journalled(func(b engines.Batch) error {
		mutex.Lock()
		defer mutex.Unlock()
		for _, text := range b.Texts {
			journal[text]++
		}
		return nil
	}).Translate(t.Context(), enginetest.Pair, texts)
	check(t, texts, answers, err)
	_, _, answered := s.dice.Counts()
	for _, text := range texts {
		if answered[text] != 1 || journal[text] != 1 {
			t.Errorf("%q was answered %d times, and recorded %d times", text, answered[text], journal[text])
		}
	}
	for _, trouble := range s.dice.Among {
		if s.dice.Seen(trouble) == 0 {
			t.Errorf("%v was not tried: take another seed", trouble)
		}
	}
	if err := e.Close(); err != nil || len(objects(t, folder)) > 0 {
		t.Errorf("error %v, left %v", err, objects(t, folder))
	}
}

func TestBatchConfig(t *testing.T) {
	valid := DefaultConfig("project-1")
	valid.Location, valid.Batch = "us-central1", "gs://bucket/folder"
	for _, tt := range []struct {
		change func(*Config)
		want   string
	}{
		{func(*Config) {}, ""},
		{func(c *Config) { c.Batch += "/" }, ""},
		{func(c *Config) { c.Batch = "folder" }, "gs://BUCKET/FOLDER"},
		{func(c *Config) { c.Batch = "gs://bucket" }, "gs://BUCKET/FOLDER"},
		{func(c *Config) { c.Batch = "gs:///folder" }, "gs://BUCKET/FOLDER"},
		{func(c *Config) { c.Location = "global" }, "location global has no batches"},
		{func(c *Config) { c.Model = llm }, "takes no batches"},
		{func(c *Config) { c.BatchPoll = 0 }, "batch poll"},
	} {
		c := valid
		tt.change(&c)
		if err := c.Validate(); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", c, err, tt.want)
		}
	}
}

// A key in a file of credentials is in no error, and in no file of a batch.
func TestBatchSecretIsNotTold(t *testing.T) {
	folder, _ := (&batches{}).serve(t)
	file := filepath.Join(t.TempDir(), "credentials.json")
	text := `{"type":"service_account","private_key":"` + strings.ReplaceAll(enginetest.Canary, `"`, `\"`) +
		`","client_email":"x@y","token_uri":"http://127.0.0.1:1/"}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config := DefaultConfig("project-1")
	config.CredentialsFile, config.Location, config.Batch = file, "us-central1", folder
	e, err := Open(t.Context(), config)
	if err == nil {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		_, err = e.Translate(ctx, enginetest.Pair, []string{"text"})
		cancel()
		err = errors.Join(err, e.Close())
	}
	if err == nil {
		t.Error("no error")
	}
	enginetest.CheckSecret(t, err, config, objects(t, folder))
}

// TestBatchLive translates in the project that SENTWEAVE_GOOGLE_PROJECT names through
// the folder that SENTWEAVE_GOOGLE_BATCH names, by the credentials of the environment,
// in the region of SENTWEAVE_GOOGLE_LOCATION or us-central1. It costs less than a
// cent and takes minutes.
func TestBatchLive(t *testing.T) {
	project, folder := os.Getenv("SENTWEAVE_GOOGLE_PROJECT"), os.Getenv("SENTWEAVE_GOOGLE_BATCH")
	if project == "" || folder == "" {
		t.Skip("skipped: SENTWEAVE_GOOGLE_PROJECT names no project, or SENTWEAVE_GOOGLE_BATCH no folder gs://BUCKET/FOLDER")
	}
	if os.Getenv("STORAGE_EMULATOR_HOST") != "" {
		t.Skip("skipped: another test of this process has put a fake in the place of Cloud Storage; give -run TestBatchLive")
	}
	gcs.Register()
	config := DefaultConfig(project)
	if config.Batch, config.Location = folder, os.Getenv("SENTWEAVE_GOOGLE_LOCATION"); config.Location == "" {
		config.Location = "us-central1"
	}
	e, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	c := engines.DefaultConfig()
	c.Timeout = time.Hour
	caller, err := engines.NewCaller(e, c)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"The house is red.", "I have 27 books\nand \"two\"\tcats.", "Good morning"}
	answers, err := caller.Translate(t.Context(), engines.Pair{Source: "eng", Target: "spa"}, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if a.Err != nil || a.Text == "" || a.Text == texts[i] {
			t.Errorf("%q became %q, error %v", texts[i], a.Text, a.Err)
		}
	}
	t.Log(answers)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
