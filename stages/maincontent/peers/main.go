// Peers answers pages with what go-trafilatura finds in them, for `sentweave maincontent
// evaluate`. It is a module of its own, so that the program does not depend on that library:
//
//	runners/fetch.sh gotrafilatura
//
// It first prints the library's version, and then, for each line of standard input, which is a page in
// base64, a line with the text that was found, both as JSON.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	trafilatura "github.com/markusmobius/go-trafilatura"
)

const library = "github.com/markusmobius/go-trafilatura"

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func serve(input io.Reader, output io.Writer) error {
	answers := json.NewEncoder(output)
	if err := answers.Encode(version()); err != nil {
		return err
	}
	lines := bufio.NewReader(input)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		page, err := base64.StdEncoding.DecodeString(line[:len(line)-1])
		if err != nil {
			return err
		}
		if err := answers.Encode(extract(page)); err != nil {
			return err
		}
	}
}

// extract returns the text that the library finds by default, without comments; "" if it
// finds none or breaks down.
func extract(page []byte) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	result, err := trafilatura.Extract(
		bytes.NewReader(page), trafilatura.Options{EnableFallback: true, ExcludeComments: true, HtmlDateMode: trafilatura.Disabled})
	if err != nil {
		return ""
	}
	return result.ContentText
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == library {
				return m.Version
			}
		}
	}
	return "of an unknown version"
}
