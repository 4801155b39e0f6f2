package blocklist

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The deepest entries that there may be.
var deepHost, deepPath = strings.Repeat("x.", mostParts-1) + "deep", strings.Repeat("/x", mostParts)

func TestBlocks(t *testing.T) {
	l, err := Read(strings.NewReader("\ufefffirst.example\n" + `# comment
example.org
0.0.0.0 ads.example.com # as in a file of hosts
https://example.net/shop/
*.wild.test
Bücher.example

example.org
co.uk/a/b
::1 localhost ip6-localhost
[2001:db8::7]
2001:db8::8
a.net/größe
b.net/%7Euser
c.net/50%off/%2f|
d.net/r?u=https://e.net/
` + deepHost + "\n" + "f.net" + deepPath + "\n"))
	if err != nil || l.Len() != 17 {
		t.Fatal(l, err)
	}
	for address, want := range map[string]bool{
		"https://example.org/": true, "http://WWW.Example.org:8080/x?y": true, "https://user@example.org": true, "//example.org.": true,
		"https://notexample.org/": false, "https://example.org.evil.com/": false, "https://ads.example.com/": true,
		"https://example.net/shop": true, "https://www.example.net/shop/1": true, "https://example.net/shop?x": true,
		"https://example.net/shopping": false, "https://example.net/": false, "https://example.net/a/shop": false,
		"https://wild.test/": true, "https://xn--bcher-kva.example/": true, "https://a.bücher.example/": true,
		"https://x.co.uk/a/b/c": true, "https://x.co.uk/a": false, "/example.org": false, "": false, "https:///x": false,
		"example.org": true, "https://example.com/": false, "https://first.example/": true, "http://ip6-localhost/": true,
		"http://[2001:db8::7]:80/x": true, "http://[2001:DB8:0::8]/": true, "http://[2001:db8::9]/": false,
		"https://a.net/gr%C3%B6%c3%9fe/x": true, "https://b.net/~user": true, "https://b.net/%7euser/": true,
		"https://c.net/50%off/%2F%7c/x": true, "https://c.net/50%off//|": false, "https://c.net/50%off/%252F%7C": false,
		"https://d.net/r?u=https://e.net": true, "https://e.net/": false, "d.net/r?u=https://e.net": true,
		"https://" + strings.Repeat("a.", 60) + "example.org/": true, "https://x.y." + deepHost: true, deepHost[2:]: false,
		"https://f.net" + deepPath + deepPath: true, "https://f.net" + deepPath[2:]: false,
		"https://bu\u0308cher。example./": true, "https://bü\u00adcher.example/": true, "https://ｅｘａｍｐｌｅ.org/": true,
		"https://" + strings.Repeat("ü", 2000) + ".example.org": true, "https://a\ufffdü.example.org": true, "ftp://example.org": true,
	} {
		if l.Blocks(address) != want {
			t.Errorf("%q: want %t", address, want)
		}
	}
	for list, want := range map[string]string{
		"a.org\nb org\n": "a space", "||ads.org^": "the character '|'", "a.org\n\n/path": "it has no domain", "a..b": "two dots",
		"192.0.2.0/24": "it is a range", "a.org\n" + strings.Repeat("a", maxLine+1): "it has 1048576 bytes or more",
		"x." + deepHost: "more than 32 labels", "a.org/x" + deepPath + "/x": "more than 32 labels or parts",
		`"https://a.org/"`: `its scheme is "\"https"`, "<https://a.org/>": `its scheme is "<https"`, "ftp://a.org/": `its scheme is "ftp"`,
		`"a.org"`: `the character '"'`, "a.org/\x00": `the control character "\x00"`, "a.org/\xe4": "not in UTF-8", "a%62.org": "'%'",
		"a,b.org": "','", "ü\ufffd.org": "its domain: idna", "a.org:b": `its port is "b"`, strings.Repeat("a", 254): "253 characters",
		"mailto:x@a.org;b.org": "';'",
	} {
		_, err := Read(strings.NewReader("g.org\n" + list))
		line := fmt.Sprintf("line %d: ", 2+strings.Count(strings.TrimRight(list, "\n"), "\n"))
		if err == nil || !strings.HasPrefix(err.Error(), line) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", list, err)
		}
	}
	if _, err := ReadPages(strings.NewReader("a.org/x" + deepPath + deepPath)); err != nil {
		t.Error(err)
	}
}

// A list of pages stands for these alone, however their addresses are written.
func TestPages(t *testing.T) {
	l, err := ReadPages(strings.NewReader(
		"https://example.org/\nexample.org/shop/ # a shop\nhttp://example.net/a%23b?x=1\nhttps://example.org/shop\n"))
	if err != nil || l.Len() != 3 {
		t.Fatal(l, err)
	}
	for address, want := range map[string]bool{
		"http://EXAMPLE.org:80": true, "https://example.org/#top": true, "https://www.example.org/": false, "https://example.org/?x": false,
		"https://example.org/shop": true, "https://example.org/shop/#a": true, "https://example.org/shop/1": false,
		"https://example.org/shopping": false, "https://example.net/a%23b?x=1": true, "https://example.net/a#b?x=1": false,
		"https://example.net/a": false, "": false,
	} {
		if l.Blocks(address) != want {
			t.Errorf("%q: want %t", address, want)
		}
	}
	_, err = ReadPages(strings.NewReader("https://a.org/\nb.org\n"))
	if err == nil || !strings.Contains(err.Error(), `line 2: "b.org" is a domain`) {
		t.Error(err)
	}
	again, err := ReadPages(strings.NewReader("example.net/a%23b?x=1\nhttps://example.org/shop\nhttps://example.org\n"))
	if err != nil || again.XXH3() != l.XXH3() || again.XXH3() == new(List).XXH3() {
		t.Error("the hash of a list depends on more than its entries", err)
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("example.org/a\nb.org", "https://example.org/a")
	f.Fuzz(func(t *testing.T, list, address string) {
		l, err := Read(strings.NewReader(list))
		if err != nil {
			return
		}
		l.Blocks(address)
		for line := range strings.Lines(list) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
			if line != "" && !strings.ContainsAny(line, "# \t\u0085\u00a0") && !l.Blocks(line) {
				t.Errorf("%q does not block itself", line)
			}
		}
	})
}

// BenchmarkBlocks asks a list of a million domains.
func BenchmarkBlocks(b *testing.B) {
	var list strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&list, "site-%d.example\n", rand.New(rand.NewPCG(1, uint64(i))).Uint32())
	}
	l, err := Read(strings.NewReader(list.String()))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Blocks("https://www.site-in-no-list.example/a/path?query")
	}
}
