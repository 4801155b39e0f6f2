package command_test

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"sentweave/runners/command"
)

type passed struct {
	Runner   string `default:"local" enum:"local,flink"`
	Parallel int    `default:"0"`
	Deep     struct {
		Master string            `default:"[local]"`
		Set    map[string]string `mapsep:"none"`
		Yes    bool
	} `embed:"" prefix:"flink-"`
}

// Flags set a struct to what it was; what is as it is without a flag has none.
func TestFlagsOf(t *testing.T) {
	for _, test := range []struct {
		args, want []string
	}{
		{nil, nil},
		{[]string{"--runner=local", "--flink-master", "[local]"}, []string{"--runner=local", "--flink-master=[local]"}},
		{[]string{"--runner=flink", "--parallel=3", "--flink-set=b=2=3", "--flink-set=a=x,y;z", "--flink-yes"},
			[]string{"--runner=flink", "--parallel=3", "--flink-set=a=x,y;z", "--flink-set=b=2=3", "--flink-yes=true"}},
	} {
		parse := func(args []string) (fields passed) {
			parser, err := kong.New(&fields)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(args); err != nil {
				t.Fatalf("%v: %v", args, err)
			}
			return fields
		}
		fields := parse(test.args)
		flags, err := command.FlagsOf(&fields, test.args)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, flags); diff != "" {
			t.Errorf("%v: %s", test.args, diff)
		}
		if diff := cmp.Diff(fields, parse(flags)); diff != "" {
			t.Errorf("%v are not the same: %s", flags, diff)
		}
	}
	if diff := cmp.Diff([]string{"--a=1", "--b"}, command.Flags{"b": {}, "a": {Many: true}, "d": {}}.Having(
		[]string{"--a=1", "--c=2", "--b"})); diff != "" {
		t.Error(diff)
	}
}
