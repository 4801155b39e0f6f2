// Package mediatype reads the HTTP header Content-Type as browsers do, by the rules of the WHATWG's
// MIME sniffing standard, and where these give up, reads on.
//
// Malformed parameters are passed over. The standard gives a whole header up where its
// type is malformed ("text/html charset=koi8-r", "text/html/; charset=koi8-r"), and a parameter
// with spaces around "=", or a colon for it; here these tell what they plainly mean.
package mediatype

import "strings"

// Parse returns the types in a header, such as "text/html", in lower case and in their order, and the
// labels of its parameters named charset, the one that counts most first: of several values, which are in
// several lines or behind commas, the last counts, and in a value the first parameter. Labels are as
// written, without quotes. Several lines have to be joined by commas.
func Parse(header string) (types, labels []string) {
	for rest, comma := header, true; comma; {
		var value string
		value, rest, comma = cut(rest, ',')
		var charsets []string
		for part, parts, next := "", value, true; next; {
			part, parts, next = cut(parts, ';')
			if t, suffix, ok := essence(part); ok {
				types = append(types, t)
				part = suffix
			}
			if l := label(part); l != "" {
				charsets = append(charsets, l)
			}
		}
		labels = append(charsets, labels...)
	}
	return types, labels
}

// cut cuts s at the first separator that is not in quotes. Quotes that do not end hold the rest.
func cut(s string, separator byte) (before, after string, found bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == separator && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// essence returns the type in a part of a value, in lower case, and what follows it.
func essence(part string) (t, rest string, ok bool) {
	slash := strings.IndexByte(part, '/')
	if slash < 0 || strings.ContainsAny(part[:slash], "=\"") {
		return "", part, false
	}
	from, to := slash, slash+1
	for from > 0 && isToken(part[from-1]) {
		from--
	}
	for to < len(part) && isToken(part[to]) {
		to++
	}
	if from == slash || to == slash+1 {
		return "", part, false
	}
	return strings.ToLower(part[from:to]), part[to:], true
}

// isToken reports whether c is in names of HTTP (RFC 9110, 5.6.2).
func isToken(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// label returns the value of a parameter, if its name is charset, or "".
func label(parameter string) string {
	i := strings.IndexAny(parameter, "=:")
	if i < 0 || !strings.EqualFold(strings.Trim(parameter[:i], " \t\r\n/"), "charset") {
		return ""
	}
	value := strings.TrimSpace(parameter[i+1:])
	if strings.HasPrefix(value, `"`) {
		value = unquoted(value[1:])
	}
	value = strings.Trim(value, " \t\r\n'\"")
	if end := strings.IndexAny(value, " \t\r\n,;'\""); end >= 0 {
		value = value[:end] // of quotes that do not end
	}
	return value
}

// unquoted returns the content of quotes, from behind the first to the last or to the end.
func unquoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
