package blocklist

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// mostHost is the greatest length of a domain in other letters, in bytes: idna would take long for more.
const mostHost = 1 << 10

// lookup maps domains as browsers do (UTS 46, non-transitional), but for underscores and hyphens, which names of hosts do have.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))

// Host returns the domain of an address, in small letters of ASCII, without port, user and dots at its ends, or its address of the
// internet; "" where there is none. The address may lack a scheme, and what follows the domain may be malformed.
func Host(address string) string {
	_, authority, _ := cut(address)
	host, _, _ := hostOf(authority)
	return host
}

// split returns the host of an address and what follows it, both in the one spelling that is compared.
func split(address string) (host, path string) {
	_, authority, path := cut(address)
	host, _, _ = hostOf(authority)
	return host, normalize(path)
}

// entry is split for an entry of a list, where the error says why it is no address.
func entry(field string) (host, path string, err error) {
	if !utf8.ValidString(field) {
		return "", "", errors.New("it is not in UTF-8")
	}
	if i := strings.IndexFunc(field, unicode.IsControl); i >= 0 {
		return "", "", fmt.Errorf("it has the control character %q", field[i:i+1])
	}
	if strings.Contains(field, "/") {
		if _, err := netip.ParsePrefix(field); err == nil {
			return "", "", errors.New("it is a range")
		}
	}
	scheme, authority, path := cut(field)
	if scheme != "" && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "", "", fmt.Errorf("its scheme is %q", scheme)
	}
	host, port, err := hostOf(authority)
	if err != nil {
		return "", "", err
	}
	if rest := strings.TrimLeft(port, "0123456789"); rest != "" {
		return "", "", fmt.Errorf("its port is %q", port)
	}
	if strings.Contains(host, ":") { // an address of the internet
		return host, normalize(path), nil
	}
	wrong := strings.TrimLeft(host, "abcdefghijklmnopqrstuvwxyz0123456789-._")
	switch {
	case host == "":
		return "", "", errors.New("it has no domain")
	case wrong != "":
		r, _ := utf8.DecodeRuneInString(wrong)
		return "", "", fmt.Errorf("no domain has the character %q", r)
	case len(host) > 253:
		return "", "", errors.New("its domain has more than 253 characters")
	case strings.Contains(host, ".."):
		return "", "", errors.New("its domain has two dots in a row")
	}
	return host, normalize(path), nil
}

// cut cuts an address into its scheme, "" for none, its user, host and port, and what follows these.
func cut(address string) (scheme, authority, path string) {
	if before, rest, ok := strings.Cut(address, "://"); ok && !strings.ContainsAny(before, ends) {
		scheme, address = before, rest
	} else {
		address = strings.TrimPrefix(address, "//")
	}
	if i := strings.IndexAny(address, ends); i >= 0 {
		return scheme, address[:i], address[i:]
	}
	return scheme, address, ""
}

// hostOf returns the host of user, host and port. Where the error says that a domain in other letters is none, it is kept.
func hostOf(authority string) (host, port string, err error) {
	host = authority[strings.LastIndexByte(authority, '@')+1:]
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.String(), "", nil
	}
	if end := strings.IndexByte(host, ']'); end > 0 && host[0] == '[' {
		if ip, err := netip.ParseAddr(host[1:end]); err == nil {
			return ip.String(), strings.TrimPrefix(host[end+1:], ":"), nil
		}
	}
	host, port, _ = strings.Cut(host, ":")
	host = strings.ToLower(host)
	if strings.IndexFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		ascii := ""
		if len(host) > mostHost {
			err = errors.New("its domain is too long")
		} else if ascii, err = lookup.ToASCII(host); err != nil {
			err = fmt.Errorf("its domain: %w", err)
			if punycode, failed := idna.ToASCII(host); failed == nil {
				host = punycode
			}
		} else {
			host = ascii
		}
	}
	return strings.Trim(strings.TrimPrefix(host, "*."), "."), port, err
}

// normalize writes what follows the host as RFC 3986 has it (section 6.2.2): characters that need no escape, and those of other alphabets,
// without, all others that cannot be in an address with one, and escapes in capitals. What is no escape stays.
func normalize(path string) string {
	if strings.IndexFunc(path, escaped) < 0 && strings.IndexByte(path, '%') < 0 {
		return path
	}
	const digits = "0123456789ABCDEF"
	list := make([]byte, 0, len(path)+8)
	for i := 0; i < len(path); i++ {
		b := path[i]
		if b == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]) {
			b = value(path[i+1])<<4 | value(path[i+2])
			i += 2
			if b >= utf8.RuneSelf || isUnreserved(b) {
				list = append(list, b)
			} else {
				list = append(list, '%', digits[b>>4], digits[b&15])
			}
		} else if escaped(rune(b)) {
			list = append(list, '%', digits[b>>4], digits[b&15])
		} else {
			list = append(list, b)
		}
	}
	return string(list)
}

// escaped says whether a character of ASCII can only be in an address as an escape.
func escaped(r rune) bool {
	switch r {
	case '"', '<', '>', '\\', '^', '`', '{', '|', '}', 0x7f:
		return true
	}
	return r <= ' '
}

func isUnreserved(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0
}

func isHex(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'f' }

func value(b byte) byte {
	if b <= '9' {
		return b - '0'
	}
	return b&^0x20 - 'A' + 10
}
