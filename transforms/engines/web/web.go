// Package web sends JSON requests to HTTP services. Its faults say whether a request
// may be repeated.
package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage/https"
	"sentweave/transforms/engines"
)

// longestAnswer bounds what is read of an answer, and longestMessage what an error
// tells of it.
const (
	longestAnswer  = 64 << 20
	longestMessage = 300
)

// Client sends requests to one service.
type Client struct {
	base   *url.URL
	secret engines.Secret
	http   *http.Client
}

// New returns a client for the service at base, a URL that begins with http:// or
// https://. The secret is that which requests carry; it is taken out of errors.
func New(base string, secret engines.Secret) (*Client, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, errors.New("the address of the service is not a URL: want one such as https://host:port") // err repeats it, with whatever key is in it
	case u.User != nil:
		return nil, fmt.Errorf("address %s://%s holds a user or password: give keys by environment variable or file", u.Scheme, u.Host)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("address %q: want a URL such as https://host:port", secret.Scrub(base))
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("address %s://%s%s: want it without what follows a ? or #", u.Scheme, u.Host, u.Path)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	return &Client{base: u, secret: secret, http: &http.Client{
		Transport: transport,
		// A redirected POST becomes a GET, and its key goes to somebody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Open returns a client for the service at base, and the key that an environment variable
// or a file holds, if either is named: see engines.ReadSecret.
func Open(base, keyVariable, keyFile string) (*Client, engines.Secret, error) {
	key, err := engines.ReadSecret(keyVariable, keyFile)
	if err != nil {
		return nil, key, err
	}
	c, err := New(base, key)
	return c, key, err
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Get asks for path and decodes the answer into answer.
func (c *Client) Get(ctx context.Context, path string, header http.Header, answer any) error {
	return c.do(ctx, request{method: http.MethodGet, path: path, header: header}, answer)
}

// Post sends a JSON body to path and decodes the answer into answer.
func (c *Client) Post(ctx context.Context, path string, body any, header http.Header, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode request: %w", c.secret.Hide(err))
	}
	return c.do(ctx, request{http.MethodPost, path, header, "application/json", data}, answer)
}

// PostForm sends a form to path and decodes the answer into answer.
func (c *Client) PostForm(ctx context.Context, path string, form url.Values, header http.Header, answer any) error {
	return c.do(ctx, request{http.MethodPost, path, header, "application/x-www-form-urlencoded", []byte(form.Encode())}, answer)
}

// fault returns one that names the service.
func (c *Client) fault(kind engines.Kind, path, format string, args ...any) *engines.Fault {
	return &engines.Fault{Kind: kind, Err: c.at(path, fmt.Sprintf(format, args...))}
}

// at is what went wrong at a path, without the secret.
func (c *Client) at(path, what string) located {
	return located{c.Address(path), c.secret.Scrub(what)}
}

// Address is that of a path of the service, without a secret.
func (c *Client) Address(path string) string { return c.base.String() + path }

// located is what went wrong at an address.
type located struct{ where, what string }

// Error tells both.
func (l located) Error() string { return l.where + ": " + l.what }

// Said tells what went wrong, for engines.Said.
func (l located) Said() string { return l.what }

// request is what a client sends to a path of its service. Without a body it has no type of content.
type request struct {
	method, path string
	header       http.Header
	contentType  string
	body         []byte
}

// do sends a request and decodes the answer into answer.
func (c *Client) do(ctx context.Context, q request, answer any) error {
	r, err := http.NewRequestWithContext(ctx, q.method, strings.TrimSuffix(c.base.String(), "/")+q.path, bytes.NewReader(q.body))
	if err != nil {
		return c.fault(engines.Fatal, q.path, "make request: %v", err)
	}
	for name, values := range q.header {
		r.Header[name] = values
	}
	if q.contentType != "" {
		r.Header.Set("Content-Type", q.contentType)
	}
	r.Header.Set("Accept", "application/json")
	response, err := c.http.Do(r)
	if err != nil {
		return c.unreachable(ctx, q.path, err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	if response.StatusCode != http.StatusOK {
		return c.status(q.path, response, data)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return c.fault(engines.Failed, q.path, "the answer was cut after %d bytes: %v", len(data), bare(err))
	}
	if len(data) > longestAnswer {
		return c.fault(engines.Malformed, q.path, "the answer is longer than %d MiB", longestAnswer>>20)
	}
	if !utf8.Valid(data) {
		return c.fault(engines.Malformed, q.path, "the answer is not UTF-8")
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("<")) { // of a proxy, a portal: the service was not reached
		return c.fault(engines.Unavailable, q.path, "the answer is a page: %s", c.line(string(data)))
	}
	if err := jsonfile.Unmarshal(data, answer); err != nil {
		return c.fault(engines.Malformed, q.path, "the answer is not the JSON that was expected: %v; it begins %s", err,
			c.line(string(data)))
	}
	return nil
}

// bare takes the URL off an error, which holds more than is to be told.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// unreachable is the fault of a request without an answer.
func (c *Client) unreachable(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f := c.fault(engines.Unavailable, path, "%v", bare(err))
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		f.Unbilled = true
	}
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		f.Kind = engines.Fatal
	}
	return f
}

// Complaint is what a service says against a request: the error of a Fault.
type Complaint struct {
	// Status is that of HTTP.
	Status int
	// Code and Param are what endpoints of OpenAI's protocol call the reason, and the
	// parameter that is to blame: "unsupported_value", "temperature".
	Code, Param string
	// Message is what the service says, on one line, without secrets.
	Message string

	located // tells the service, the status and the message
}

// requestCodes are codes of complaints that no other text would help against. A code
// that is not among them may be about the text, as context_length_exceeded is.
//
// Source: https://platform.openai.com/docs/guides/error-codes.
var requestCodes = regexp.MustCompile(
	`^(unsupported_|unknown_|missing_|invalid_model|model_not_found|invalid_api_key|insufficient_quota|billing_|account_)`)

// general says whether the complaint is about requests, whatever their texts.
func (c *Complaint) general() bool { return requestCodes.MatchString(c.Code) || c.Param == "model" }

// status is the fault of an answer that is not one.
func (c *Client) status(path string, response *http.Response, data []byte) error {
	complaint := c.complaint(data)
	complaint.Status = response.StatusCode
	kind := engines.Fatal
	switch code := response.StatusCode; {
	case code/100 == 4 && complaint.general():
	case code == http.StatusTooManyRequests:
		kind = engines.Throttled
	case code == http.StatusBadRequest || code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity ||
		code == http.StatusRequestHeaderFieldsTooLarge || code == http.StatusUnavailableForLegalReasons:
		kind = engines.Refused
	case code == http.StatusRequestTimeout || code == http.StatusTooEarly || code > http.StatusInternalServerError:
		kind = engines.Unavailable
	case code == http.StatusInternalServerError:
		kind = engines.Failed
	case code/100 == 2:
		kind = engines.Malformed
	}
	text := response.Status
	if location := response.Header.Get("Location"); location != "" && response.StatusCode/100 == 3 {
		text += ", to " + location + ": give that address"
	}
	if complaint.Message != "" {
		text += ": " + complaint.Message
	}
	complaint.located = c.at(path, text)
	f := &engines.Fault{Kind: kind, Err: complaint}
	// A gateway that gives up, and a service that does, may have been at work.
	f.Unbilled = response.StatusCode/100 == 4 && response.StatusCode != http.StatusRequestTimeout
	f.RetryAfter = https.RetryAfter(response.Header)
	return f
}

// complaint reads what an answer says went wrong: the field error, error.message,
// message or explanation where it is JSON, else how it begins.
func (c *Client) complaint(data []byte) *Complaint {
	var parsed struct {
		Error       json.RawMessage `json:"error"`
		Message     string          `json:"message"`
		Explanation string          `json:"explanation"`
	}
	said := &Complaint{Message: string(data)}
	if jsonfile.Unmarshal(data, &parsed) == nil {
		var inner struct {
			Message     string
			Code, Param any // of vLLM the code is a number
		}
		var plain string
		if jsonfile.Unmarshal(parsed.Error, &inner) == nil {
			said.Code, _ = inner.Code.(string)
			said.Param, _ = inner.Param.(string)
		}
		switch {
		case jsonfile.Unmarshal(parsed.Error, &plain) == nil && plain != "":
			said.Message = plain
		case inner.Message != "":
			said.Message = inner.Message
		case parsed.Explanation != "":
			said.Message = parsed.Explanation
		case parsed.Message != "":
			said.Message = parsed.Message
		}
	}
	said.Message = c.line(said.Message)
	return said
}

// line returns a text on one line of bounded length, without secrets.
func (c *Client) line(text string) string {
	text = c.secret.Scrub(text) // before it is cut, perhaps within the secret
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " ")
	if len(text) > longestMessage {
		text = excerpt.Bytes(text, longestMessage) + "…"
	}
	return text
}

// Bearer returns the header that carries a secret as an access token; none without.
func Bearer(s engines.Secret) http.Header {
	if s.Empty() {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + s.Reveal()}}
}
