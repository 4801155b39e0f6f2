package fill

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/transforms/engines"
)

// asker asks the engines for the texts of a unit, and its journal first.
type asker struct {
	service *service
	journal *dataset.Journal
	known   *past
	// judge says what is wrong with an answer, "" if nothing is.
	judge func(pair int, text string, said answer) string
}

// question is a text to translate by a pair of the service, and where its answer goes.
type question struct {
	pair int
	text string
	said *answer
}

// ask gives each question its answer of a try. Where it is the last one, an engine that
// is out of reach is an error; so is one whose first answers cannot be used.
func (a asker) ask(ctx context.Context, questions []question, try int, last bool) error {
	byPair, passed := map[int][]question{}, map[int]int{}
	for _, q := range questions {
		key := askedOf(a.service.pairs[q.pair].Pair, q.text)
		said, ok := a.known[try-1][key]
		if !ok && try == 1 { // the engine was out of reach at the first one
			said, ok = a.known[1][key]
		}
		if !ok {
			byPair[q.pair] = append(byPair[q.pair], q)
			continue
		}
		*q.said = said
		if try == 1 {
			units.GaugeOf(ctx).Answer(1)
		}
		if a.service.trials.open(q.pair) && said.reason == "" && a.judge(q.pair, q.text, said) == "" {
			if passed[q.pair]++; passed[q.pair] > trialAnswers-trialFailed {
				a.service.trials.acquit(q.pair)
			}
		}
	}
	var group errgroup.Group // not with a context: what was sent is waited for
	for pair, list := range byPair {
		group.Go(func() error { return a.send(ctx, pair, list, try, last) })
	}
	err := group.Wait()
	if failed := a.service.trials.verdict(); failed != nil {
		if err == nil || errors.Is(err, failed) {
			return failed // once, and of its own pair
		}
		return errors.Join(failed, err)
	}
	return err
}

// heard looks at answers as they come: a window is much to pay for, if they are of no
// use. Second answers are to texts that are hard, and tell little of an engine but in a
// trial for which an earlier attempt has left nothing else.
func (a asker) heard(pair, try int, b engines.Batch) error {
	trials := a.service.trials
	for i, text := range b.Texts {
		if try == 2 {
			if _, answered := a.known[0][askedOf(b.Pair, text)]; !answered || !trials.open(pair) {
				continue
			}
		}
		if said := answerOf(b.Answers[i]); trials.wants(pair, text) && said.reason == "" { // others are judged by the caller
			trials.tell(pair, text, said.text, a.judge(pair, text, said))
		}
	}
	return trials.verdict()
}

func (a asker) send(ctx context.Context, pair int, list []question, try int, last bool) error {
	s := a.service
	if err := s.trials.verdict(); err != nil {
		return err
	}
	identity, texts := s.pairs[pair], make([]string, len(list))
	for i, q := range list {
		texts[i] = q.text
	}
	keep := a.journalled(ctx, identity, try, texts)
	caller := s.callers[pair].Journalled(func(b engines.Batch) error {
		if err := keep(b); err != nil {
			return err
		}
		return a.heard(pair, try, b)
	})
	answers, err := s.translate(ctx, caller, identity.Pair, texts)
	if err != nil {
		return err
	}
	for i, q := range list {
		if *q.said = answerOf(answers[i]); last && engines.KindOf(answers[i].Err) == engines.Unavailable {
			return fmt.Errorf("translate %s: %w; run again, what was answered is kept", identity.Pair, answers[i].Err)
		}
	}
	return nil
}
