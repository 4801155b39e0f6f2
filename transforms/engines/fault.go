package engines

import (
	"errors"
	"fmt"
	"time"
)

// Kind says how a fault is handled.
type Kind uint8

// Kinds of faults.
const (
	// Fatal: nothing can be translated until somebody has fixed it, such as a wrong
	// key. Errors that are not a Fault are fatal too.
	Fatal Kind = iota
	// Throttled: the engine wants a pause. All requests wait.
	Throttled
	// Unavailable: the engine or the connection to it does not work. The request is
	// sent again, and cut in two only when all its attempts are used up.
	Unavailable
	// Failed: the engine failed on the request, or gave no answer in time. The request
	// is sent again once, and then cut in two, because a text may be to blame.
	Failed
	// Malformed: the answer does not fit the request, or was cut. The request is cut
	// in two; a single text is sent again, Config.Misfits times in all.
	Malformed
	// Refused: the engine refuses the content of the request. The request is cut in
	// two until the culprit is alone, which gets no translation. If the engine refuses
	// requests whatever their texts, the fault is Fatal.
	Refused
	// Crashed: a program on this machine ended during the request, or was ended
	// because it had stopped answering. A new one gets the texts without an answer,
	// without a pause. A text is given up when it is known to be to blame
	// (Fault.First), or when the program ended on it twice, the second time on it
	// alone.
	Crashed
)

var kinds = [...]string{"fatal", "throttled", "unavailable", "failed", "malformed", "refused", "crashed"}

// String returns the kind as reasons of rejects name it: "refused".
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Fault says why a request or a text was not translated.
type Fault struct {
	Kind Kind
	// RetryAfter is the pause that the engine asked for, or 0.
	RetryAfter time.Duration
	// Unbilled: the engine certainly charges nothing for the request, because it was
	// refused or never arrived. If a request was lost on the way, this is not known.
	Unbilled bool
	// First: only the first text that has no answer is to blame.
	First bool
	Err   error
}

// Error implements error.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns what happened.
func (f *Fault) Unwrap() error { return f.Err }

// Said returns the message of an engine in a form that rows can keep. If the error has
// a method Said, the message is without the engine's address.
func Said(err error) string {
	var s interface{ Said() string }
	if errors.As(err, &s) {
		return s.Said()
	}
	return err.Error()
}

// Faultf returns a fault of a kind.
func Faultf(kind Kind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// KindOf returns the kind of an error: Fatal unless it is a Fault.
func KindOf(err error) Kind { return faultOf(err).Kind }

func faultOf(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Err: err}
}

var (
	// ErrNotSent is the error of texts that were not translated because the work ended
	// before. They can be sent later.
	ErrNotSent = errors.New("the text was not translated: the work ended before")
	// ErrTooLong is the error of a text that is longer than the engine accepts.
	ErrTooLong = errors.New("the text is longer than the engine takes")
	// ErrBudget ends the work when the next request would exceed the budget.
	ErrBudget = errors.New("the budget is spent")
	// ErrUnsupported is the error of a pair that the engine does not translate.
	ErrUnsupported = errors.New("the engine does not translate this pair")
)
