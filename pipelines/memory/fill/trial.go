package fill

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/excerpt"
	"sentweave/transforms/engines/checks"
)

// An engine is on trial for the first texts of a pair that it answers in a process: if
// nearly none of the answers can be used, it does not do what is asked of it, and the rest
// is not paid for. One that works has a few in a hundred rejected. From then on the same
// is asked of a sample of its answers again and again, for an engine may turn bad: some
// give back the text when a quota is used up.
const (
	trialAnswers = 200
	trialFailed  = 180
	// sampleShare is how many later answers one of the sample stands for: to look at all
	// as they come would double the work of the checks.
	sampleShare = 8
)

// trials are those of the pairs of a job. They outlive its units.
type trials struct {
	mutex sync.Mutex
	pairs []*trial
	// err is the outcome for all, once an engine has failed.
	err error
}

// trial counts the first answers of an engine for a pair, and then the last of a sample.
type trial struct {
	pairEngine
	sampled bool
	tally
}

type tally struct {
	answered, passed int
	failed           map[string]int // by reason
	// text and said are of the first one that failed.
	text, said string
}

// newTrials returns those of some pairs; other pairs have none.
func newTrials(pairs []pairEngine) *trials {
	t := &trials{}
	for _, p := range pairs {
		t.pairs = append(t.pairs, &trial{pairEngine: p})
	}
	return t
}

// open says whether the first answers for a pair are still awaited.
func (t *trials) open(pair int) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return pair < len(t.pairs) && !t.pairs[pair].sampled
}

// wants says whether the answer to a text is to be told.
func (t *trials) wants(pair int, text string) bool {
	return pair < len(t.pairs) && (t.open(pair) || xxh3.HashString(text)%sampleShare == 0)
}

// tell tells of an answer and what is wrong with it, "" if nothing is.
func (t *trials) tell(pair int, text, said, reason string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	x := t.pairs[pair]
	if x.answered++; reason == "" {
		x.passed++
	} else {
		if x.failed == nil {
			x.failed, x.text, x.said = map[string]int{}, text, said
		}
		x.failed[reason]++
	}
	if x.answered < trialAnswers {
		return
	}
	if x.answered-x.passed >= trialFailed && t.err == nil {
		t.err = x.failure()
	}
	x.sampled, x.tally = true, tally{}
}

// acquit ends the trial of a pair that enough answers of an earlier attempt have passed:
// of those alone none can fail, for the engine may have been mended since.
func (t *trials) acquit(pair int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if x := t.pairs[pair]; !x.sampled {
		x.sampled, x.tally = true, tally{}
	}
}

// verdict returns why the work must end, or nil.
func (t *trials) verdict() error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.err
}

// failure is the error of a failed trial.
func (t *trial) failure() error {
	var said, accept []string
	for _, reason := range slices.Sorted(maps.Keys(t.failed)) {
		n := t.failed[reason]
		said = append(said, fmt.Sprintf("%s %d", reason, n))
		if n >= trialAnswers/10 && reason != string(checks.Empty) { // which is none in any case
			accept = append(accept, reason)
		}
	}
	place, kind := "first", ""
	if t.sampled {
		place, kind = "last", "sampled "
	}
	text := fmt.Sprintf("translate %s by %s: %d of the %s %d %sanswers cannot be used (%s), such as %q for %q: nothing more is sent, and what was answered is kept; mend the engine",
		t.Pair, t.Identity.Engine, trialAnswers-t.passed, place, trialAnswers, kind, strings.Join(said, ", "),
		excerpt.Characters(t.said, 80), excerpt.Characters(t.text, 80))
	if len(accept) > 0 {
		text += fmt.Sprintf(", or give --accept=%s and another --out if they are right", strings.Join(accept, ","))
	}
	return errors.New(text)
}
