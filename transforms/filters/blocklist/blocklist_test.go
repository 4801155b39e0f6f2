package blocklist

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

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
`))
	if err != nil || l.Len() != 13 {
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
	} {
		if l.Blocks(address) != want {
			t.Errorf("%q: want %t", address, want)
		}
	}
	for list, want := range map[string]string{
		"a.org\nb org\n": "line 2", "||ads.org^": "line 1", "a.org\n\n/path": "line 3", "a..b": "line 1",
		"192.0.2.0/24":                 "line 1",
		strings.Repeat("a", maxLine+1): "line 1",
	} {
		if _, err := Read(strings.NewReader(list)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", list, err)
		}
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
				if host, path := split(line); strings.Count(host+path, ".")+strings.Count(path, "/") < mostParts-1 {
					t.Errorf("%q does not block itself", line)
				}
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
