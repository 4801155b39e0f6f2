package engines

import "fmt"

// crashed decides what is done with a request over which a program on this machine
// has ended. The text that is to blame is given up at once where it is known. Where it
// is not, the texts are sent one by one, so that it costs the program once more.
func (w *work) crashed(r request, fault *Fault) ([]request, error) {
	if !fault.First && (len(r.indices) > 1 || !r.suspect) {
		retries := make([]request, len(r.indices))
		for i, index := range r.indices { // the last one is the next
			retries[len(retries)-1-i] = w.part([]int{index})
			retries[len(retries)-1-i].suspect = true
		}
		return retries, nil
	}
	if err := w.lives(fault); err != nil {
		return nil, err
	}
	if err := w.give(w.part(r.indices[:1]), fault); err != nil || len(r.indices) == 1 {
		return nil, err
	}
	return []request{w.part(r.indices[1:])}, nil
}

// crashProofs is how often a program may end over a text that is not poison before it
// is taken for out of order.
const crashProofs = 2

// lives returns nil if the engine still translates: then a text over which it ended
// is to blame itself. It is asked for what it has answered before, or for the proof; the
// program that answers is the one that goes on. An engine that ends over that as well is out
// of order, and the error is fatal.
func (w *work) lives(fault *Fault) error {
	p := w.caller.pace
	p.proving.Lock()
	defer p.proving.Unlock()
	text := p.preferred(w.pair)
	for range crashProofs {
		_, err := w.translate([]string{text}, w.caller.measure(text))
		switch KindOf(err) {
		case Refused, Malformed: // which is an answer
			err = nil
		case Crashed:
			fault = faultOf(err)
			continue
		}
		if err == nil {
			p.answered()
		}
		return err
	}
	return &Fault{Err: fmt.Errorf("the engine ends over every text, even %q: %w", text, fault)}
}
