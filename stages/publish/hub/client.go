// Package hub uploads files as one commit into a repository of the Hub of Hugging Face, or of a service that speaks its protocol, as
// huggingface_hub 1 and 2 do: a request that asks which files are large ones, Git LFS's batches for these, and the commit.
package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage/https"
	"sentweave/transforms/engines"
)

// Kinds of repositories.
const (
	Model   = "model"
	Dataset = "dataset"
)

// Bounds of requests. A request may take answerTime, and a second for each slowest bytes of its body.
const (
	longestAnswer  = 64 << 20
	longestMessage = 300
	answerTime     = time.Minute
	slowest        = 64 << 10
	attempts       = 6
)

// Repository is one at the Hub. A Repository is for one goroutine.
type Repository struct {
	// Kind is Model or Dataset.
	Kind string
	// Name is OWNER/NAME, Revision a branch.
	Name, Revision string
	// Private is for a repository that does not exist yet.
	Private bool

	base  *url.URL
	token engines.Secret
	http  *retryablehttp.Client
}

// Open checks the address, the name and the token, and asks nothing of the service. Pause is the one before the second attempt of a
// request; each later pause is twice as long, up to thirty times as long, or what the service asks for.
func (r *Repository) Open(address string, token engines.Secret, pause time.Duration) error {
	base, err := url.Parse(address)
	switch {
	case err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return errors.New("the address of the Hub is not one such as https://huggingface.co")
	case !https.Allowed(base):
		return fmt.Errorf("the address of the Hub is %s: a token goes by https alone, or to this machine", base)
	}
	if !IsName(r.Name) {
		return fmt.Errorf("repository %q: want OWNER/NAME, of letters, digits, dots, hyphens and underscores", r.Name)
	}
	if token.Empty() {
		return errors.New("an upload needs a token that may write")
	}
	r.base, r.token = base.JoinPath(), token
	r.http = retryablehttp.NewClient()
	r.http.Logger = nil
	r.http.RetryMax, r.http.RetryWaitMin, r.http.RetryWaitMax = attempts-1, pause, 30*pause
	r.http.ErrorHandler = retryablehttp.PassthroughErrorHandler
	// A redirected POST becomes a GET, and a token goes to nobody else.
	r.http.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return nil
}

// IsName says whether a text can be the name of a repository, OWNER/NAME.
func IsName(text string) bool {
	owner, name, ok := strings.Cut(text, "/")
	return ok && valid(owner) && valid(name)
}

// valid says whether a name can be a part of that of a repository.
func valid(name string) bool {
	allowed := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
	}
	return name != "" && len(name) <= 96 && strings.Trim(name, ".") != "" && strings.TrimFunc(name, allowed) == ""
}

// Address is that of the page of the repository.
func (r *Repository) Address() string {
	if r.Kind == Dataset {
		return r.base.JoinPath("datasets", r.Name).String()
	}
	return r.base.JoinPath(r.Name).String()
}

// api is the address of a part of the repository.
func (r *Repository) api(parts ...string) string {
	return r.base.JoinPath(append([]string{"api", r.Kind + "s", r.Name}, parts...)...).String()
}

// body is what a request sends, of a type.
type body struct {
	kind string
	size int64
	open func() (io.Reader, error)
}

// encoded is a body of JSON.
func encoded(kind string, value any) (body, error) {
	data, err := json.Marshal(value)
	return bodyOf(kind, data), err
}

func bodyOf(kind string, data []byte) body {
	return body{kind, int64(len(data)), func() (io.Reader, error) { return bytes.NewReader(data), nil }}
}

// refusal is an answer that says no.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

// Refused says whether the service has answered that it will not do it, however often it is asked.
func Refused(err error) bool {
	var r refusal
	return errors.As(err, &r) && r.status < http.StatusInternalServerError && r.status != http.StatusTooManyRequests
}

// refused says whether the service has answered with one of some statuses.
func refused(err error, statuses ...int) bool {
	var r refusal
	return errors.As(err, &r) && slices.Contains(statuses, r.status)
}

// send sends a request, repeats it where that may help, decodes the answer into answer unless that is nil, and returns the header. Only
// the service itself gets the token.
func (r *Repository) send(ctx context.Context, method, address string, content body, answer any) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, attempts*(answerTime+time.Duration(content.size/slowest)*time.Second))
	defer cancel()
	request, err := retryablehttp.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, r.fault(method, address, "the address is not one")
	}
	if content.open != nil {
		if err := request.SetBody(retryablehttp.ReaderFunc(content.open)); err != nil {
			return nil, err
		}
		request.ContentLength = content.size
		if content.kind != "" {
			request.Header.Set("Content-Type", content.kind)
		}
	}
	own := request.URL.Scheme == r.base.Scheme && request.URL.Host == r.base.Host
	if own {
		request.Header.Set("Authorization", "Bearer "+r.token.Reveal())
		request.Header.Set("Accept", "application/json")
		if content.kind == lfsType {
			request.Header.Set("Accept", lfsType)
		}
	} else if !https.Allowed(request.URL) {
		return nil, r.fault(method, address, "the service names an address that is not of https")
	}
	request.Header.Set("User-Agent", "sentweave")
	response, err := r.http.Do(request)
	if response == nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
			return nil, cause
		}
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, r.fault(method, address, fmt.Sprint(err))
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if response.StatusCode/100 != 2 {
		text := response.Status + r.message(data)
		if location := response.Header.Get("Location"); location != "" {
			text = response.Status + ", to " + location + ": give the name that the repository has there"
		}
		return nil, refusal{response.StatusCode, r.fault(method, address, text).Error()}
	}
	if err != nil {
		return nil, r.fault(method, address, "the answer was cut: "+err.Error())
	}
	if answer != nil {
		if err := jsonfile.Unmarshal(data, answer); err != nil {
			return nil, r.fault(method, address, fmt.Sprintf("the answer is not the JSON that was expected: %v", err))
		}
	}
	return response.Header, nil
}

// message is what the service says against a request.
func (r *Repository) message(data []byte) string {
	var said struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	text := string(data)
	if jsonfile.Unmarshal(data, &said) == nil && said.Error+said.Message != "" {
		text = said.Error + said.Message
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(r.token.Scrub(text), "�")), " ")
	if text == "" {
		return ""
	}
	return ": " + excerpt.Bytes(text, longestMessage)
}

// fault names what was asked, without what follows a question mark, which may be a signature.
func (r *Repository) fault(method, address, what string) error {
	address, _, _ = strings.Cut(address, "?")
	return fmt.Errorf("%s %s: %s", method, r.token.Scrub(address), r.token.Scrub(what))
}
