package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestLists(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--kind a,b --kind c --column x,x --size 1,1 y y", "[a b c] [x x] [1 1] [y y]"},
		{"--kind a,b,a", `--kind: "a" is given twice`},
		{"--kind a --kind a", `--kind: "a" is given twice`},
		{"--code sr,hr,sr-Latn --kind z", "[z] [] [] []"},
		{"--code sr,hr,srp", `--code: "srp" is given twice: "sr" is the same language`},
		{"--code sr-Latn --code srp_Latn", `--code: "srp_Latn" is given twice: "sr-Latn" is the same language`},
		{"--kind sr,srp", "[sr srp] [] [] []"},
		{"--code|de, en", `--code: " en" begins or ends with a space: leave it out, only commas part the values`},
		{"--column|a, b|--kind|z", "[z] [a  b] [] []"},
		{"--size|1, 2", `--size: " 2" begins or ends with a space`},
		{"--file|a, b|--kind|z", "[z] [] [] []"},
		{"--kind z", "[z] [] [] []"},
		{"--size a", "--size: "},
		{"--rate 1 --rate 2 --list a --kind z", "[z] [] [] []"},
		{"--list a --list b", "--list is given twice"},
	} {
		var fields struct {
			Kind   []string `default:"z"`
			Column []string `repeats:""`
			Size   []int
			Rate   float64
			List   string   `once:""`
			Code   []string `placeholder:"CODE,…"`
			File   []string `placeholder:"FILE,…"`
			Names  []string `arg:"" optional:""`
		}
		parser, err := kong.New(&fields, listOption())
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.Parse(strings.FieldsFunc(test.args, func(r rune) bool {
			return r == '|' || r == ' ' && !strings.Contains(test.args, "|")
		}))
		if err == nil {
			err = onlyOnce(parsed.Path)
		}
		got := fmt.Sprint(fields.Kind, fields.Column, fields.Size, fields.Names)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", test.args, got, test.want)
		}
	}
}
