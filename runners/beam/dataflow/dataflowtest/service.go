// Package dataflowtest runs Google Cloud Dataflow within the process of a test. It has
// the part of the API v1b3 that concerns jobs, checks requests as the real service
// does, and can start workers as processes of their own.
package dataflowtest

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	df "google.golang.org/api/dataflow/v1b3"
)

// Project is the project that there is; Regions are those where there is a service.
const Project = "sentences-test"

// regions are those that there are.
var regions = []string{"us-central1", "europe-west1"}

// Service is the service. It has an address of its own, so that tests may have one each.
type Service struct {
	// RefuseNames has a second active job of a name be refused with 409, in the place
	// of being answered with the first one: the service is documented for the latter
	// and known for the former.
	RefuseNames bool
	// PageSize is the number of jobs and messages on a page.
	PageSize int

	server *httptest.Server
	mux    *http.ServeMux
	runner *runner
	answer atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
	lose   atomic.Pointer[func(r *http.Request) bool]

	mutex    sync.Mutex
	jobs     []*job
	requests []Request
	tokens   []string
	clock    time.Time
	// obedient is set by Obey.
	obedient bool
}

// Request is what was asked of the service.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// Start starts a service that lasts as long as the test, and gives the process
// credentials for it.
func Start(t testing.TB) *Service {
	t.Helper()
	s := &Service{PageSize: 2, mux: http.NewServeMux(), clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	const jobs = "/v1b3/projects/{project}/locations/{region}/jobs"
	s.mux.HandleFunc("POST /token", s.serveToken)
	s.mux.HandleFunc("POST "+jobs, s.authorized(s.createJob))
	s.mux.HandleFunc("GET "+jobs, s.authorized(s.listJobs))
	s.mux.HandleFunc("GET "+jobs+"/{id}", s.authorized(s.getJob))
	s.mux.HandleFunc("PUT "+jobs+"/{id}", s.authorized(s.updateJob))
	s.mux.HandleFunc("GET "+jobs+"/{id}/messages", s.authorized(s.listMessages))
	s.mux.HandleFunc("GET "+jobs+"/{id}/metrics", s.authorized(s.getMetrics))
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", s.credentials(t))
	return s
}

// Endpoint is the address of the service.
func (s *Service) Endpoint() string { return s.server.URL }

// credentials writes the key of an account whose tokens this service gives.
func (s *Service) credentials(t testing.TB) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": Project, "private_key_id": "1",
		"private_key":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})),
		"client_email": "launcher@" + Project + ".iam.gserviceaccount.com", "token_uri": s.server.URL + "/token",
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Answer has a function answer requests until the test ends; where it returns false
// the service does.
func (s *Service) Answer(t testing.TB, f func(w http.ResponseWriter, r *http.Request) bool) {
	s.answer.Store(&f)
	t.Cleanup(func() { s.answer.Store(nil) })
}

// Lose has the service do what it is asked, and fail to tell of it where the function
// returns true, until the test ends.
func (s *Service) Lose(t testing.TB, f func(r *http.Request) bool) {
	s.lose.Store(&f)
	t.Cleanup(func() { s.lose.Store(nil) })
}

// Requests are those that were made, the latest last.
func (s *Service) Requests() []Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		Refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", err.Error())
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mutex.Lock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: body})
	s.mutex.Unlock()
	if f := s.answer.Load(); f != nil && (*f)(w, r) {
		return
	}
	if f := s.lose.Load(); f != nil && (*f)(r) {
		s.mux.ServeHTTP(httptest.NewRecorder(), r)
		Refuse(w, http.StatusServiceUnavailable, "UNAVAILABLE", "The service is currently unavailable.")
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Refuse answers with an error as Google's services do.
func Refuse(w http.ResponseWriter, code int, status, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code": code, "message": message, "status": status,
		"errors": []map[string]string{{"message": message, "domain": "global", "reason": status}},
	}})
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(value)
}

// serveToken gives a token for a signed assertion.
func (s *Service) serveToken(w http.ResponseWriter, r *http.Request) {
	if r.PostFormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" ||
		strings.Count(r.PostFormValue("assertion"), ".") != 2 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant", "error_description": "Invalid JWT"})
		return
	}
	s.mutex.Lock()
	token := "ya29." + rand.Text()
	s.tokens = append(s.tokens, token)
	s.mutex.Unlock()
	reply(w, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

// Tokens are those that were given: secrets.
func (s *Service) Tokens() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.tokens)
}

// authorized refuses requests without token, and for what there is not.
func (s *Service) authorized(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !slices.Contains(s.Tokens(), token) {
			Refuse(w, http.StatusUnauthorized, "UNAUTHENTICATED",
				"Request had invalid authentication credentials. Expected OAuth 2 access token.")
			return
		}
		if project := r.PathValue("project"); project != Project {
			Refuse(w, http.StatusForbidden, "PERMISSION_DENIED",
				fmt.Sprintf("(1f2e): Could not create workflow; user does not have write access to project: %s Causes: (1f2e): Permission 'dataflow.jobs.create' denied on project: '%s'",
					project, project))
			return
		}
		if !slices.Contains(regions, r.PathValue("region")) {
			Refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT",
				fmt.Sprintf("(3a4b): The workflow could not be created. Causes: (3a4b): Dataflow doesn't recognize the region %s.",
					r.PathValue("region")))
			return
		}
		serve(w, r)
	}
}

// now is a clock that goes on by a millisecond with each look. The mutex is held.
func (s *Service) now() string {
	s.clock = s.clock.Add(time.Millisecond)
	return s.clock.Format("2006-01-02T15:04:05.000000Z")
}

// Job is a copy of a job as it stands.
func (s *Service) Job(id string) *df.Job {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if j := s.find(id); j != nil {
		return clone(&j.Job)
	}
	return nil
}

// Jobs is the number of jobs that were created.
func (s *Service) Jobs() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.jobs)
}
