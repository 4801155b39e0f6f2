package dataset

import (
	"errors"
	"testing"

	"sentweave/schemas"
)

// Which shares are too many, and what the error names.
func TestErrorLimit(t *testing.T) {
	funnel := NewFunnel(NewChain("documents", "read", "parse"))
	for reason, n := range map[string]int64{"damaged": 3, "cut": 1, "not_sampled": 56} {
		if err := funnel.Drop("documents", "eng", "read", reason, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(funnel.Drop("documents", "deu", "parse", "damaged", 20), funnel.Keep("documents", "deu", 20)); err != nil {
		t.Fatal(err)
	}
	rejects := []schemas.Reject{
		{Source: "b", Offset: 7, Step: "read", Reason: "damaged", Detail: "no end"},
		{Source: "a", Offset: 9, Step: "read", Reason: "not_sampled"},
		{Source: "a", Offset: 3, Step: "parse", Reason: "damaged"}, {Source: "b", Offset: 2, Step: "read", Reason: "cut", Detail: "1 byte"},
	}
	limit := func(share float64) *ErrorLimit {
		return &ErrorLimit{Share: share, Chain: "documents", Step: "read", Except: []string{"not_sampled"}}
	}
	for _, share := range []float64{.04, .5, 1} {
		if err := limit(share).check(funnel, rejects); err != nil {
			t.Errorf("%v: %v", share, err)
		}
	}
	if err := (*ErrorLimit)(nil).check(funnel, rejects); err != nil {
		t.Error(err)
	}
	const want = "too many inputs are rejected: 4 of 100, 4 %, and the limit is 3.9 %, such as b:2 cut (1 byte), b:7 damaged (no end)" +
		"; with a larger limit the same command ends at once, and `sentweave finalize` asks for none"
	if err := limit(.039).check(funnel, rejects); !errors.Is(err, ErrTooManyErrors) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
