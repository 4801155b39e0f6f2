//go:build pins

// Package pins holds the versions of modules that go.mod must name exactly,
// since their version lists do not resolve, also while nothing else imports
// them. It is never built.
package pins

import (
	_ "cloud.google.com/go/translate"
)
