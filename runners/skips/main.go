// Skips counts the tests that did not run, by reason. Run it on what `go test -json`
// printed: `go run ./runners/skips FILE…`. It prints one line for each reason, the
// commonest first, and a line with all counts at the end. A test that is skipped says
// why in one line, "skipped: REASON", which names the variable or the program that it
// needs.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "skips: name the files that go test -json wrote")
		os.Exit(2)
	}
	all := tally{}
	for _, name := range os.Args[1:] {
		if err := all.addFile(name); err != nil {
			fmt.Fprintln(os.Stderr, "skips:", err)
			os.Exit(1)
		}
	}
	all.print(os.Stdout)
}

// tally holds how each test ended, subtests among them, by its package and name. A test
// that several files have, since what it needs was there only once, counts by the best
// that is known of it: that it failed, that it passed, why it was skipped.
type tally map[[2]string]ending

type ending struct{ action, reason string }

// event is what the program reads of an event of cmd/test2json.
type event struct{ Action, Package, Test, Output string }

func (t tally) addFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := t.add(file); err != nil {
		return fmt.Errorf("read the events of %s: %w", name, err)
	}
	return nil
}

// add takes in a stream of events. Lines that are not an event, such as those of the
// compiler, are passed over.
func (t tally) add(events io.Reader) error {
	// reasons holds what a running test printed in a line with a reason.
	reasons := map[[2]string]string{}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil && e.Test != "" {
			test := [2]string{e.Package, e.Test}
			switch e.Action {
			case "output":
				if _, reason, ok := strings.Cut(e.Output, "skipped: "); ok {
					reasons[test] = varying.ReplaceAllString(strings.TrimSpace(reason), "…")
				}
			case "fail", "pass", "skip":
				// The actions are in the order of the alphabet, the best known first.
				if before, ok := t[test]; !ok || e.Action < before.action {
					t[test] = ending{e.Action, cmp.Or(reasons[test], "no reason is given")}
				}
				delete(reasons, test)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// varying matches what differs between tests that are skipped for one reason: temporary
// folders.
var varying = regexp.MustCompile(`/tmp/\S+|/dev/shm/\S+`)

func (t tally) print(out io.Writer) {
	actions, reasons := map[string]int{}, map[string]int{}
	for _, e := range t {
		actions[e.action]++
		if e.action == "skip" {
			reasons[e.reason]++
		}
	}
	if len(reasons) > 0 {
		fmt.Fprintln(out, "Skipped tests, by reason:")
	}
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	}) {
		fmt.Fprintf(out, "%7d  %s\n", reasons[reason], reason)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", actions["pass"], actions["fail"], actions["skip"])
}
