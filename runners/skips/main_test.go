package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTally(t *testing.T) {
	events := `{"Action":"start","Package":"a"}
# command-line noise of a compiler
{"Action":"run","Package":"a","Test":"TestOne"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"=== RUN   TestOne\n"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"    one_test.go:9: skipped: WORDS is not set\n"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"--- SKIP: TestOne (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestOne","Elapsed":0}
{"Action":"output","Package":"b","Test":"TestOne","Output":"    one_test.go:9: skipped: /tmp/x1/y is absent\n"}
{"Action":"skip","Package":"b","Test":"TestOne","Elapsed":0}
{"Action":"output","Package":"b","Test":"TestTwo/part","Output":"    two_test.go:9: skipped: WORDS is not set\n"}
{"Action":"skip","Package":"b","Test":"TestTwo/part","Elapsed":0}
{"Action":"pass","Package":"b","Test":"TestTwo","Elapsed":0}
{"Action":"skip","Package":"b","Test":"TestMute","Elapsed":0}
{"Action":"fail","Package":"b","Test":"TestThree","Elapsed":0}
{"Action":"skip","Package":"c","Elapsed":0}
{"Action":"skip","Package":"d","Test":"TestLater","Elapsed":0}
{"Action":"pass","Package":"d","Test":"TestLater","Elapsed":0}
{"Action":"skip","Package":"d","Test":"TestLater","Elapsed":0}
{"Action":"fail","Package":"b","Elapsed":1}
`
	all := tally{}
	if err := all.add(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	all.print(&out)
	want := `Skipped tests, by reason:
      2  WORDS is not set
      1  no reason is given
      1  … is absent
2 passed, 1 failed, 4 skipped
`
	if difference := cmp.Diff(want, out.String()); difference != "" {
		t.Error(difference)
	}
}
