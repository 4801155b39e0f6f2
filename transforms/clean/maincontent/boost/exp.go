package boost

import "math"

// Sigmoid returns 1/(1+e^-x), the same on every machine: those of package math that
// are written in assembly differ in the last bit.
func Sigmoid(x float64) float64 {
	if x < 0 {
		e := exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + exp(-x))
}

// exp returns e^x for x of at most 0: 2^k times e^r with r within half of ln 2, by the
// series of Taylor.
func exp(x float64) float64 {
	const (
		log2e     = 1.44269504088896340735992468100189214
		ln2High   = 6.93147180369123816490e-01 // as in FreeBSD's e_exp.c: its low bits are zero
		ln2Low    = 1.90821492927058770002e-10
		terms     = 14
		underflow = -700
	)
	if x < underflow {
		return 0
	}
	k := math.Floor(float64(x*log2e) + .5)
	r := x - float64(k*ln2High) - float64(k*ln2Low)
	sum := 1.0
	for i := float64(terms); i >= 1; i-- {
		sum = 1 + float64(r*sum)/i
	}
	return math.Ldexp(sum, int(k))
}
