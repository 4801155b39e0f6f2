package engines

import "cmp"

// Batch is a request that was answered, or a text that was given up because of the
// engine's answer.
type Batch struct {
	Pair Pair
	// Indices are the places of the texts in the list that Caller.Translate received.
	Indices []int
	// Texts and Answers belong to the indices.
	Texts   []string
	Answers []Answer
	// Characters is the number of code points of the texts.
	Characters int64
}

// request is what is sent at once: texts by their indices.
type request struct {
	indices    []int
	characters int // as the engine measures them
	tries      int
	misfits    int  // of a single text: answers that do not fit
	suspect    bool // a program ended over a request with these texts
}

// smaller returns the stricter of two limits, of which 0 is none.
func smaller(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// tighten returns the stricter of both limits of a request. Rates are the configured ones where
// there are any: the engine's are only what it is known to take.
func (l Limits) tighten(configured Limits) Limits {
	return Limits{
		Items:               smaller(l.Items, configured.Items),
		Characters:          smaller(l.Characters, configured.Characters),
		Bytes:               smaller(l.Bytes, configured.Bytes),
		TextCharacters:      smaller(l.TextCharacters, configured.TextCharacters),
		RequestsPerMinute:   cmp.Or(configured.RequestsPerMinute, l.RequestsPerMinute),
		CharactersPerMinute: cmp.Or(configured.CharactersPerMinute, l.CharactersPerMinute),
	}
}

// cut puts the texts at the indices into as few requests as the limits allow when
// they stay in order.
func cut(texts []string, indices []int, l Limits, measure func(string) int) []request {
	var requests []request
	start, characters, bytes := 0, 0, 0
	exceeds := func(n, limit int) bool { return limit > 0 && n > limit }
	for position, index := range indices {
		c, b := measure(texts[index]), len(texts[index])
		if position > start && (exceeds(position-start+1, l.Items) || exceeds(characters+c, l.Characters) || exceeds(bytes+b, l.Bytes)) {
			requests = append(requests, request{indices: indices[start:position:position], characters: characters})
			start, characters, bytes = position, 0, 0
		}
		characters, bytes = characters+c, bytes+b
	}
	if start < len(indices) {
		requests = append(requests, request{indices: indices[start:], characters: characters})
	}
	return requests
}

// part returns the request for some of the texts.
func (w *work) part(indices []int) request {
	r := request{indices: indices}
	for _, i := range indices {
		r.characters += w.caller.measure(w.texts[i])
	}
	return r
}
