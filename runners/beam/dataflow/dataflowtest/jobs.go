package dataflowtest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	df "google.golang.org/api/dataflow/v1b3"
)

// job is a job with what was said of it.
type job struct {
	df.Job
	messages []*df.JobMessage
	cancel   func()
}

// The states that a job goes through, without their prefix, and where it may go from
// each (v1b3, Job.current_state).
var transitions = map[string][]string{
	"QUEUED":     {"PENDING", "CANCELLED"},
	"PENDING":    {"RUNNING", "FAILED", "CANCELLING", "CANCELLED"},
	"RUNNING":    {"DONE", "FAILED", "CANCELLING", "CANCELLED"},
	"CANCELLING": {"CANCELLED", "FAILED"},
}

const statePrefix = "JOB_STATE_"

func state(j *df.Job) string { return strings.TrimPrefix(j.CurrentState, statePrefix) }

func active(j *df.Job) bool { return len(transitions[state(j)]) > 0 }

// Advance brings a job into another state, with messages that the service tells of it,
// each "IMPORTANCE text". It is an error if a job cannot come there.
func (s *Service) Advance(id, target string, messages ...string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	j := s.find(id)
	if j == nil {
		return fmt.Errorf("no job %s", id)
	}
	for _, m := range messages {
		importance, text, _ := strings.Cut(m, " ")
		j.say(s, importance, text)
	}
	return j.advance(s, target)
}

// Obey makes jobs that nothing runs end as soon as they are cancelled.
func (s *Service) Obey() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.obedient = true
}

func (j *job) advance(s *Service, target string) error {
	current := state(&j.Job)
	if current == target {
		return nil
	}
	if !slices.Contains(transitions[current], target) {
		return fmt.Errorf("job %s is %s and cannot be %s", j.Id, current, target)
	}
	j.CurrentState, j.CurrentStateTime = statePrefix+target, s.now()
	return nil
}

func (j *job) say(s *Service, importance, text string) {
	j.messages = append(j.messages, &df.JobMessage{
		Id: fmt.Sprintf("m%d", len(j.messages)), Time: s.now(), MessageImportance: "JOB_MESSAGE_" + importance, MessageText: text,
	})
}

func (s *Service) find(id string) *job {
	for _, j := range s.jobs {
		if j.Id == id {
			return j
		}
	}
	return nil
}

// clone copies what may change of a job.
func clone(j *df.Job) *df.Job {
	c := *j
	c.Labels = maps.Clone(j.Labels)
	return &c
}

func (s *Service) createJob(w http.ResponseWriter, r *http.Request) {
	body, failure := decode(r)
	if failure == "" {
		failure = check(r.Context(), body, r.PathValue("project"), r.PathValue("region"))
	}
	if failure != "" {
		Refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "(7c8d): The workflow could not be created. Causes: (7c8d): "+failure)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, j := range s.jobs {
		repeated := body.ClientRequestId != "" && j.ClientRequestId == body.ClientRequestId && j.Name == body.Name
		if !repeated && (j.Name != body.Name || j.Location != r.PathValue("region") || !active(&j.Job)) {
			continue
		}
		if s.RefuseNames {
			Refuse(w, http.StatusConflict, "ALREADY_EXISTS",
				fmt.Sprintf("(5e6f): The workflow could not be created. Causes: (5e6f): There is already an active job named %s.",
					body.Name))
			return
		}
		reply(w, j.view("JOB_VIEW_ALL"))
		return
	}
	j := &job{Job: *body}
	j.Id = fmt.Sprintf("2026-01-02_03_04_05-%d", 1000+len(s.jobs))
	j.CreateTime, j.Location = s.now(), r.PathValue("region")
	j.CurrentState = statePrefix + "PENDING"
	if body.Environment.FlexResourceSchedulingGoal != "" {
		j.CurrentState = statePrefix + "QUEUED"
	}
	j.CurrentStateTime = j.CreateTime
	j.JobMetadata = &df.JobMetadata{SdkVersion: &df.SdkVersion{VersionDisplayName: "Apache Beam SDK for Go"}}
	j.say(s, "BASIC", "Worker configuration: "+body.Environment.WorkerPools[0].MachineType+" in "+j.Location+".")
	s.jobs = append(s.jobs, j)
	if s.runner != nil {
		s.runner.start(s, j)
	}
	reply(w, j.view("JOB_VIEW_ALL"))
}

// view is what a request for a view of a job is answered with.
func (j *job) view(view string) *df.Job {
	c := clone(&j.Job)
	switch view {
	case "", "JOB_VIEW_SUMMARY", "JOB_VIEW_UNKNOWN":
		return &df.Job{
			Id: c.Id, ProjectId: c.ProjectId, Name: c.Name, Type: c.Type, Location: c.Location, JobMetadata: c.JobMetadata,
			CurrentState: c.CurrentState, CurrentStateTime: c.CurrentStateTime, CreateTime: c.CreateTime,
		}
	case "JOB_VIEW_DESCRIPTION":
		c.ClientRequestId = ""
	}
	return c
}

func (s *Service) getJob(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if j := s.named(w, r); j != nil {
		reply(w, j.view(r.URL.Query().Get("view")))
	}
}

// named finds the job of a request, or refuses it. The mutex is held.
func (s *Service) named(w http.ResponseWriter, r *http.Request) *job {
	j := s.find(r.PathValue("id"))
	if j == nil || j.Location != r.PathValue("region") {
		Refuse(w, http.StatusNotFound, "NOT_FOUND",
			fmt.Sprintf("(9a0b): Information about job %s could not be found in our system. Please double check the id is correct.",
				r.PathValue("id")))
		return nil
	}
	return j
}

// page returns a part of a list and the token of the next part.
func page[T any](s *Service, r *http.Request, list []T) ([]T, string) {
	from, _ := strconv.Atoi(r.URL.Query().Get("pageToken"))
	if from > len(list) {
		from = len(list)
	}
	to, next := from+s.PageSize, ""
	if to < len(list) {
		next = strconv.Itoa(to)
	}
	return list[from:min(to, len(list))], next
}

func (s *Service) listJobs(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	query := r.URL.Query()
	var list []*df.Job
	for _, j := range slices.Backward(s.jobs) {
		fits := query.Get("filter") != "ACTIVE" || active(&j.Job)
		fits = fits && (query.Get("filter") != "TERMINATED" || !active(&j.Job))
		if name := query.Get("name"); fits && j.Location == r.PathValue("region") && (name == "" || name == j.Name) {
			list = append(list, j.view(""))
		}
	}
	answer := &df.ListJobsResponse{}
	answer.Jobs, answer.NextPageToken = page(s, r, list)
	reply(w, answer)
}

// updateJob takes a requested state; nothing else of a batch job can be changed.
func (s *Service) updateJob(w http.ResponseWriter, r *http.Request) {
	requested, failure := decode(r)
	if failure != "" {
		Refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", failure)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	j := s.named(w, r)
	if j == nil {
		return
	}
	if requested.RequestedState != statePrefix+"CANCELLED" {
		Refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT",
			"The requested state "+requested.RequestedState+" is not supported for batch jobs.")
		return
	}
	if !active(&j.Job) {
		Refuse(w, http.StatusBadRequest, "FAILED_PRECONDITION",
			fmt.Sprintf("(b1c2): The job is already in a terminal state: %s.", j.CurrentState))
		return
	}
	j.RequestedState = requested.RequestedState
	if state(&j.Job) == "QUEUED" {
		_ = j.advance(s, "CANCELLED")
	} else if state(&j.Job) != "CANCELLING" {
		_ = j.advance(s, "CANCELLING")
		j.say(s, "BASIC", "Cancel request is committed for workflow job: "+j.Id+".")
		if j.cancel != nil {
			go j.cancel()
		} else if s.obedient {
			_ = j.advance(s, "CANCELLED")
		}
	}
	reply(w, j.view("JOB_VIEW_ALL"))
}

var importances = []string{"JOB_MESSAGE_DEBUG", "JOB_MESSAGE_DETAILED", "JOB_MESSAGE_BASIC", "JOB_MESSAGE_WARNING", "JOB_MESSAGE_ERROR"}

func (s *Service) listMessages(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	j := s.named(w, r)
	if j == nil {
		return
	}
	query := r.URL.Query()
	minimum := slices.Index(importances, query.Get("minimumImportance"))
	var list []*df.JobMessage
	for _, m := range j.messages {
		// Times are of one length, so that their texts compare as they do.
		start := strings.TrimSuffix(query.Get("startTime"), "Z")
		if slices.Index(importances, m.MessageImportance) >= minimum && strings.TrimSuffix(m.Time, "Z") >= start {
			list = append(list, m)
		}
	}
	answer := &df.ListJobMessagesResponse{}
	answer.JobMessages, answer.NextPageToken = page(s, r, list)
	reply(w, answer)
}

func (s *Service) getMetrics(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if j := s.named(w, r); j != nil {
		reply(w, &df.JobMetrics{MetricTime: s.now()})
	}
}
