package engines

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Secret is a key of a service. Printing or encoding it gives a stand-in.
type Secret struct {
	value *string // fmt follows no pointers inside of structs, whose fields have no methods to it
}

// hidden takes the place of a secret.
const hidden = "(secret)"

// longestSecret bounds a file of a secret: a longer one is the wrong file.
const longestSecret = 64 << 10

// ReadSecret reads a secret from the environment variable, or else from the file,
// without the white space around it. Without either name there is no secret. A name
// under which there is no secret is an error.
func ReadSecret(variable, file string) (Secret, error) {
	if variable != "" {
		if value := strings.TrimSpace(os.Getenv(variable)); value != "" {
			return checked(value, "environment variable "+variable)
		}
	}
	if file != "" {
		info, err := os.Stat(file)
		if err != nil {
			return Secret{}, fmt.Errorf("read key: %w", err)
		}
		if info.Size() > longestSecret {
			return Secret{}, fmt.Errorf("read key: file %q has %d bytes, too many for a key", file, info.Size())
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return Secret{}, fmt.Errorf("read key: %w", err)
		}
		return checked(strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff")), fmt.Sprintf("file %q", file))
	}
	if variable != "" {
		return Secret{}, fmt.Errorf("read key: environment variable %s is not set: set it, or name a file that holds the key",
			shownVariable(variable))
	}
	return Secret{}, nil
}

// variableName is what names of variables for keys look like. Another one may be the
// key itself, given in the wrong place.
var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$|^[A-Z]*(KEY|TOKEN)$`)

func shownVariable(name string) string {
	if variableName.MatchString(name) {
		return name
	}
	return "(whose name is not shown, since it may be the key itself)"
}

func checked(value, source string) (Secret, error) {
	if value == "" {
		return Secret{}, fmt.Errorf("read key: %s is empty", source)
	}
	for _, r := range value {
		if r < ' ' || r == 0x7f {
			return Secret{}, fmt.Errorf("read key: %s holds more than one line, or control characters", source)
		}
	}
	return Secret{&value}, nil
}

// Reveal returns the secret itself, for the request that needs it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty says whether there is no secret.
func (s Secret) Empty() bool { return s.value == nil }

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return hidden
}

// Format implements fmt.Formatter, so that no verb prints the secret.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Scrub removes the secret from a text, such as the message of a server, in every form
// in which a server would repeat it.
func (s Secret) Scrub(text string) string {
	if s.Empty() {
		return text
	}
	text = strings.ReplaceAll(text, *s.value, hidden)
	forms, err := regexp.Compile(escaped(*s.value))
	if err != nil {
		return hidden // it is too long for an expression: so is the text to be told
	}
	return forms.ReplaceAllLiteralString(text, hidden)
}

// escaped returns an expression for a text of which any character may be escaped by
// the rules of JSON, URLs, HTML, or of HTML within JSON.
func escaped(text string) string {
	const and = `(?:&|\\u0026)`
	var b strings.Builder
	for _, r := range text {
		c := string(r)
		fmt.Fprintf(&b, `(?:\\?%s|(?i:\\u%04x|%s#0*%d;|%s#x0*%x;`, regexp.QuoteMeta(c), r, and, r, and, r)
		b.WriteByte('|')
		for i := range len(c) {
			fmt.Fprintf(&b, "%%%02x", c[i])
		}
		switch r {
		case '&':
			b.WriteString("|" + and + "amp;")
		case '<':
			b.WriteString("|" + and + "lt;")
		case '>':
			b.WriteString("|" + and + "gt;")
		case '"':
			b.WriteString("|" + and + "quot;")
		case '\'':
			b.WriteString("|" + and + "apos;")
		case ' ':
			b.WriteString(`|\+`)
		}
		b.WriteString("))")
	}
	return b.String()
}

// Hide returns an error with the text of err, without the secret. It drops the errors
// that err wraps, because they would reveal it.
func (s Secret) Hide(err error) error {
	if err == nil || s.Empty() {
		return err
	}
	return errors.New(s.Scrub(err.Error()))
}
