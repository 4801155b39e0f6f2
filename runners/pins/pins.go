//go:build pins

// Package pins keeps modules in go.mod at exact versions, since their version lists do
// not resolve, even while nothing else imports them. It is never built.
package pins

import (
	_ "cloud.google.com/go/translate"
)
