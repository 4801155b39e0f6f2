package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestMaps(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--size a=1,b=2 --size c=3 --set x=1,2 --set y=a=b", "map[a:1 b:2 c:3] map[x:1,2 y:a=b]"},
		{"--size a=1 --size a=2", "--size: a is set twice"},
		{"--size a=1,a=1", "--size: a is set twice"},
		{"--set x=1 --set x=1", "--set: x is set twice; a list is one value, as in --set x=A,B"},
		{"--size a", `--size: "a" is not NAME=N`},
		{"--size a=", `--size: "a=" is not NAME=N`},
		{"--size a=1,=2", `--size: "=2" is not NAME=N`},
		{"--set =1", `--set: "=1" is not NAME=VALUE`},
		{"--set a=", "map[] map[a:]"},
		{"--set", "--set: there is no NAME=VALUE"},
		{"--size a=many", "--size: "},
	} {
		var fields struct {
			Size map[string]int    `placeholder:"NAME=N" mapsep:","`
			Set  map[string]string `placeholder:"NAME=VALUE" mapsep:"none"`
		}
		parser, err := kong.New(&fields, mapOption())
		if err != nil {
			t.Fatal(err)
		}
		_, err = parser.Parse(strings.Fields(test.args))
		got := fmt.Sprint(fields.Size, fields.Set)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", test.args, got, test.want)
		}
	}
}
