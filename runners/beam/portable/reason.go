package portable

import "strings"

// reason finds the cause in what a runner says of a failed job: the innermost
// exception of a Java stack trace, or the first line of anything else.
func reason(said string) string {
	first, cause := "", ""
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "Caused by: "); ok {
			cause = text
		}
		if first == "" && line != "" {
			first = line
		}
	}
	if cause == "" {
		cause = first
	}
	// java.net.ConnectException: Connection refused
	for {
		name, message, ok := strings.Cut(cause, ": ")
		if !ok || strings.ContainsAny(name, " /") || !strings.Contains(name, ".") || message == "" {
			return cause
		}
		cause = message
	}
}
