package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/jsonfile"
	"sentweave/stages/pcr"
	"sentweave/transforms/read/jsonfields"
)

// request is the body of a request of embeddings. Other fields, such as user, mean nothing here.
type request struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Format     string          `json:"encoding_format"`
	Dimensions *int            `json:"dimensions"`
	Prompt     string          `json:"prompt_name"`
	Language   string          `json:"language"`
}

// requestValues is how many values of JSON a request may have besides its texts.
const requestValues = 64

type answer struct {
	Object string      `json:"object"`
	Data   []embedding `json:"data"`
	Model  string      `json:"model"`
	Usage  usage       `json:"usage"`
}

type embedding struct {
	Object string `json:"object"`
	Index  int    `json:"index"`
	Vector any    `json:"embedding"` // []float32, or base64 of them
}

type usage struct {
	Prompt int `json:"prompt_tokens"`
	Total  int `json:"total_tokens"`
}

// The formats of vectors.
const (
	formatFloat  = "float"
	formatBase64 = "base64"
)

// embeddings answers a request of embeddings.
func (s *Server) embeddings(w http.ResponseWriter, q *http.Request) error {
	ctx, cancel := context.WithTimeout(q.Context(), s.config.RequestTimeout)
	defer cancel()
	body, free, err := s.body(w, q)
	if err != nil {
		return err
	}
	defer free()
	r, texts, err := s.read(body)
	if err != nil {
		return err
	}
	e, components, err := s.encoder(r)
	if err != nil {
		return err
	}
	if !s.queue.enter(len(texts)) {
		return refuse(http.StatusTooManyRequests, "", "too many texts wait: try again later")
	}
	defer s.queue.leave(len(texts))
	sequences, tokens, long := make([][]int32, len(texts)), 0, 0
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		var cut int
		if sequences[i], cut = e.Sequence(text); cut > 0 {
			if long++; s.config.RefuseLong {
				return &refusal{http.StatusBadRequest, "input", "context_length_exceeded", fmt.Sprintf(
					"the text %d of input has %d tokens, the model takes %d: shorten it, or cut it into several", i, len(sequences[i])+cut, len(sequences[i]))}
			}
			s.noteCut(r.Model, len(sequences[i]))
		}
		if tokens += len(sequences[i]); tokens > s.config.RequestTokens {
			return refuse(http.StatusBadRequest, "input", "the texts have more than %d tokens: send fewer in a request",
				s.config.RequestTokens)
		}
	}
	vectors, err := s.queue.encode(ctx, e, sequences)
	if err != nil {
		return err
	}
	a := answer{Object: "list", Data: make([]embedding, len(texts)), Model: r.Model, Usage: usage{tokens, tokens}}
	for i := range texts {
		v := vectors[i*e.Dimension():][:e.Dimension()]
		if components != nil {
			if err := components.Apply(r.Language, v); err != nil {
				return err
			}
		}
		if schemas.Infinite(v) >= 0 {
			return fmt.Errorf("model %s: the vector of a text is not finite: its weights, or this text, are broken", r.Model)
		}
		if r.Dimensions != nil && *r.Dimensions < len(v) {
			v = shortened(v, *r.Dimensions)
		}
		a.Data[i] = embedding{"embedding", i, any(v)}
		if r.Format == formatBase64 {
			data, _ := binary.Append(nil, binary.LittleEndian, v) // float32 have a size
			a.Data[i].Vector = base64.StdEncoding.EncodeToString(data)
		}
	}
	s.metrics.texts.WithLabelValues(r.Model).Add(float64(len(texts)))
	s.metrics.tokens.WithLabelValues(r.Model).Add(float64(tokens))
	s.metrics.cut.WithLabelValues(r.Model).Add(float64(long))
	return writeJSON(w, http.StatusOK, a)
}

// noteCut says once of a model that it cuts texts.
func (s *Server) noteCut(model string, most int) {
	if _, told := s.cutting.LoadOrStore(model, true); !told {
		s.note(fmt.Sprintf("model %s: the ends of texts are cut off that have more than its %d tokens; sentweave_truncated_texts_total in /metrics counts them, --refuse-long refuses them",
			model, most))
	}
}

// shortened is the beginning of a vector, brought to unit length.
func shortened(v []float32, dimensions int) []float32 {
	v = v[:dimensions]
	sum := 0.
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if length := math.Sqrt(sum); length > 0 {
		for i, x := range v {
			v[i] = float32(float64(x) / length)
		}
	}
	return v
}

// drainedBodies is how many times the most bytes of a request are read of one that is refused.
const drainedBodies = 16

// body reads a body within the bounds of bytes. What it returns is called when the request has its answer. What is left of a refused body
// is read and dropped, since clients that send all of it before they read get no answer from a connection that is closed on unread bytes.
func (s *Server) body(w http.ResponseWriter, q *http.Request) (body []byte, free func(), err error) {
	defer func() {
		if err != nil && q.Header.Get("Expect") == "" { // a client that asks first sends nothing once it is refused
			_, _ = io.CopyN(io.Discard, q.Body, drainedBodies*int64(s.config.RequestBytes)) // the refusal is the error
		}
	}()
	if kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, nil, refuse(http.StatusUnsupportedMediaType, "", "the Content-Type of a request is application/json")
	}
	most := int64(s.config.RequestBytes)
	size := q.ContentLength
	if size < 0 {
		size = most // which nobody knows yet
	}
	tooLong := refuse(http.StatusRequestEntityTooLarge, "", "the request has more than %d bytes: send fewer texts in one", most)
	if size > most {
		return nil, nil, tooLong
	}
	if !s.bodies.TryAcquire(size) {
		return nil, nil, refuse(http.StatusTooManyRequests, "", "too many requests are under way: try again later")
	}
	body, err = io.ReadAll(http.MaxBytesReader(w, q.Body, most))
	if err == nil {
		s.bodies.Release(size - int64(len(body)))
		return body, func() { s.bodies.Release(int64(len(body))) }, nil
	}
	s.bodies.Release(size)
	long := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &long):
		err = tooLong
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = refuse(http.StatusRequestTimeout, "", "the request did not come within %v", s.config.ReadTimeout)
	default: // the client is gone, or sent less than it said
		err = refuse(http.StatusBadRequest, "", "the request ended too early")
	}
	return nil, nil, err
}

// read returns the request in a body, with its texts.
func (s *Server) read(body []byte) (r request, texts []string, err error) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if jsonfile.Check(body, s.config.RequestTexts+requestValues) != nil {
		return r, nil, refuse(http.StatusBadRequest, "", "more than %d texts, or values beside them, or lists in lists: send fewer in a request",
			s.config.RequestTexts)
	}
	switch err := jsonfile.Unmarshal(body, &r); {
	case errors.As(err, &syntax):
		return r, nil, refuse(http.StatusBadRequest, "", "the request is no JSON: there is a fault at byte %d", syntax.Offset)
	case errors.As(err, &kind) && kind.Field != "":
		return r, nil, refuse(http.StatusBadRequest, kind.Field, "%s is of another type than it must be", kind.Field)
	case err != nil:
		return r, nil, refuse(http.StatusBadRequest, "", "the request is no object of JSON")
	}
	r.Format = strings.ToLower(r.Format)
	if r.Format != "" && r.Format != formatFloat && r.Format != formatBase64 {
		return r, nil, refuse(http.StatusBadRequest, "encoding_format", "encoding_format must be %s or %s", formatFloat, formatBase64)
	}
	texts, err = inputs(r.Input)
	if err == nil && len(texts) > s.config.RequestTexts {
		err = refuse(http.StatusBadRequest, "input", "%d texts, a request may have %d", len(texts), s.config.RequestTexts)
	}
	return r, texts, err
}

// inputs are the texts of a request: one, or a list of them.
func inputs(raw json.RawMessage) (texts []string, err error) {
	list := []json.RawMessage{raw}
	if bytes.HasPrefix(raw, []byte("[")) {
		if err := jsonfile.Unmarshal(raw, &list); err != nil {
			return nil, err // which has been parsed
		}
	}
	if len(list) == 0 {
		return nil, refuse(http.StatusBadRequest, "input", "input has no text")
	}
	var p jsonfields.Picker
	for i, raw := range list {
		if len(raw) == 0 || raw[0] != '"' {
			return nil, refuse(http.StatusBadRequest, "input",
				"input must be a text or a list of texts; ids of tokens are not taken, since they are those of one vocabulary")
		}
		text, valid := p.Text(raw[1 : len(raw)-1])
		if !valid {
			return nil, refuse(http.StatusBadRequest, "input", "the text %d of input is not valid Unicode", i)
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// encoder returns what a request asks for, and the components that are taken off its vectors, nil for none.
func (s *Server) encoder(r request) (e Encoder, components *pcr.Components, err error) {
	if r.Model == "" {
		return nil, nil, refuse(http.StatusBadRequest, "model", "model is missing")
	}
	i := slices.IndexFunc(s.models, func(m Model) bool { return m.Name == r.Model })
	if i < 0 {
		return nil, nil, s.noModel()
	}
	m := s.models[i]
	e = m.Encoder
	if r.Prompt != "" {
		if e = m.Prompts[r.Prompt]; e == nil {
			return nil, nil, refuse(http.StatusBadRequest, "prompt_name", "the model has no prompt of that name, only: %s",
				strings.Join(slices.Sorted(maps.Keys(m.Prompts)), ", "))
		}
	}
	if r.Language != "" {
		var languages []string
		if components = m.Components; components != nil {
			languages = components.Languages()
		}
		switch {
		case len(languages) == 0:
			return nil, nil, refuse(http.StatusBadRequest, "language", "the model is served without components: send no language")
		case !slices.Contains(languages, r.Language):
			return nil, nil, refuse(http.StatusBadRequest, "language", "the model has components of other languages: %s",
				strings.Join(languages, ", "))
		}
	}
	if r.Dimensions != nil && (*r.Dimensions < 1 || *r.Dimensions > e.Dimension()) {
		return nil, nil, refuse(http.StatusBadRequest, "dimensions", "dimensions must be from 1 to %d", e.Dimension())
	}
	return e, components, nil
}

func (s *Server) noModel() error {
	names := make([]string, len(s.models))
	for i, m := range s.models {
		names[i] = m.Name
	}
	return &refusal{http.StatusNotFound, "model", "model_not_found", "there is no model of that name, only: " + strings.Join(names, ", ")}
}

// modelEntry is a model as a list of models has it.
type modelEntry struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Owner   string `json:"owned_by"`
}

func (s *Server) entry(m Model) modelEntry {
	return modelEntry{m.Name, "model", s.began.Unix(), "sentweave"}
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) error {
	a := struct {
		Object string       `json:"object"`
		Data   []modelEntry `json:"data"`
	}{Object: "list"}
	for _, m := range s.models {
		a.Data = append(a.Data, s.entry(m))
	}
	return writeJSON(w, http.StatusOK, a)
}

func (s *Server) model(w http.ResponseWriter, q *http.Request) error {
	for _, m := range s.models {
		if m.Name == q.PathValue("name") {
			return writeJSON(w, http.StatusOK, s.entry(m))
		}
	}
	return s.noModel()
}

// refusal is an error that the client is told.
type refusal struct {
	status               int
	param, code, message string
}

// Error implements error.
func (r *refusal) Error() string { return r.message }

func refuse(status int, param, format string, args ...any) error {
	return &refusal{status, param, "", fmt.Sprintf(format, args...)}
}

// fail answers with an error, in OpenAI's form.
func (s *Server) fail(w http.ResponseWriter, q *http.Request, err error) {
	told := (*refusal)(nil)
	switch {
	case errors.As(err, &told):
	case q.Context().Err() != nil && !s.draining.Load(): // nobody reads it
		told = &refusal{statusGone, "", "", "the client is gone"}
	case q.Context().Err() != nil:
		told = &refusal{http.StatusServiceUnavailable, "", "", "the service has ended before the answer"}
	case errors.Is(err, context.DeadlineExceeded):
		told = &refusal{http.StatusServiceUnavailable, "", "",
			fmt.Sprintf("there was no answer within %v: try again later", s.config.RequestTimeout)}
	default:
		s.note(err.Error())
		told = &refusal{http.StatusInternalServerError, "", "", "the service has failed; what it prints says why"}
	}
	kind := "invalid_request_error"
	switch {
	case told.status == http.StatusTooManyRequests:
		kind = "rate_limit_exceeded"
	case told.status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	if told.status == http.StatusTooManyRequests || told.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	_ = writeJSON(w, told.status, map[string]any{"error": map[string]any{ // nobody may read it
		"message": told.message, "type": kind, "param": orNull(told.param), "code": orNull(told.code)}})
}

// statusGone is what nginx counts where a client did not wait for its answer, which is no fault of the service.
const statusGone = 499

// retryAfter is after how many seconds a client that was refused for the load may come again: some batches are done then.
const retryAfter = 1

func writeJSON(w http.ResponseWriter, status int, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may be gone
	return nil
}

func writeText(w http.ResponseWriter, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := io.WriteString(w, text)
	return err
}
