package worker

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// TokenVariable is the environment variable that holds the token of a worker pool.
const TokenVariable = "SENTWEAVE_WORKER_POOL_TOKEN"

const (
	// tokenParameter is the name under which a runner hands the token to the pool.
	tokenParameter = "sentweave_worker_pool_token"
	shortestToken  = 16
	longestToken   = 4096
)

// Refusal is what a pool answers to a request without its token.
const Refusal = "the request does not hold the token of this worker pool"

// Token is the secret of a worker pool: whoever holds it may start workers there,
// and have them do what he says. It prints as nothing.
type Token struct{ secret string }

// ReadToken returns the token that a file holds, or else the environment. Space
// around it does not belong to it.
func ReadToken(file string) (Token, error) {
	const way = "`openssl rand -hex 32` makes one"
	secret, source := os.Getenv(TokenVariable), "$"+TokenVariable
	if file != "" {
		source = file
		f, err := os.Open(file)
		if err != nil {
			return Token{}, fmt.Errorf("token of the worker pool: %w", err)
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, longestToken+2))
		if err != nil {
			return Token{}, fmt.Errorf("token of the worker pool: %w", err)
		}
		secret = string(text)
	}
	secret = strings.TrimSpace(secret)
	switch {
	case secret == "" && file == "":
		return Token{}, errors.New("a worker pool has a token: give the same to the pool and to the command that submits, by $" +
			TokenVariable + " or a file; " + way)
	case len(secret) < shortestToken || len(secret) > longestToken:
		return Token{}, fmt.Errorf("the token of %s has %d characters, it needs %d to %d; %s", source, len(secret), shortestToken,
			longestToken, way)
	}
	return Token{secret}, nil
}

// Parameters are what a runner hands to the pool to be let in.
func (t Token) Parameters() map[string]string { return map[string]string{tokenParameter: t.secret} }

// equal tells, in a time that does not depend on where they differ, whether a
// request holds the token.
func (t Token) equal(candidate string) bool {
	ours, theirs := sha256.Sum256([]byte(t.secret)), sha256.Sum256([]byte(candidate))
	return subtle.ConstantTimeCompare(ours[:], theirs[:]) == 1
}

// String keeps the secret from logs and errors.
func (t Token) String() string { return "(token)" }

// GoString does as well.
func (t Token) GoString() string { return t.String() }
