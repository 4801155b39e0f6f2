package recipe

import (
	"slices"
	"strings"
	"testing"
)

const table = `
name: table
about: A test.
paper: Somebody 2021
table: 3 and 4
parameters:
  scale:
    help: how much
    default: demo
    choices:
      demo: {steps: 10, encoder.batch: 2}
      paper: {steps: 1000000, encoder.rate: 0.1, encoder.batch: 512}
  row:
    help: row of the table
    default: base
    choices:
      base: {}
      large: {encoder.layers: {demo: 4, paper: 24}, encoder.rate: {demo: "", paper: 0.2}}
      given: {from: , encoder: "", steps: 0}
      two: {encoder: "encoder,other"}
  steps: {help: steps}
  from: {help: folder of an encoder, default: ""}
  encoder: {help: step, default: encoder}
steps:
  - name: encoder
    run: train
    with: {steps: "${steps}", from: "${from}", batch: 1}
  - name: other
    run: train
  - name: results
    run: evaluate
    from: {model: "${row}=${encoder}"}
`

// What choices set, and what is left to the caller, worked out by hand.
func TestChoices(t *testing.T) {
	r := parse(t, table)
	if r.Paper != "Somebody 2021" || r.Table != "3 and 4" {
		t.Errorf("%q, %q", r.Paper, r.Table)
	}
	tests := []struct {
		set, want string
	}{
		{"", "train --out=o/encoder --steps=10 --batch=2|evaluate --out=o/results --model=base=o/encoder"},
		{"scale=paper", "train --out=o/encoder --steps=1000000 --batch=512 --rate=0.1|evaluate --out=o/results --model=base=o/encoder"},
		{"row=large", "train --out=o/encoder --steps=10 --batch=2 --layers=4|evaluate --out=o/results --model=large=o/encoder"},
		{"row=large scale=paper",
			"train --out=o/encoder --steps=1000000 --batch=512 --layers=24 --rate=0.2|evaluate --out=o/results --model=large=o/encoder"},
		{"row=large encoder.layers=9 steps=3",
			"train --out=o/encoder --steps=3 --batch=2 --layers=9|evaluate --out=o/results --model=large=o/encoder"},
		{"row=given from=x", "train --out=o/encoder --steps=0 --from=x --batch=2|evaluate --out=o/results"},
		{"row=two", "train --out=o/encoder --steps=10 --batch=2|evaluate --out=o/results --model=two=o/encoder,two=o/other"},
		{"row=given", "parameter from is not set: folder of an encoder, which row=given needs; give --set from=…"},
		{"row=larg", `parameter row is "larg", did you mean large?; it must be one of base, large, given, two`},
		{"scale=", `parameter scale is ""; it must be one of demo, paper`},
		{"encodr.steps=3", `encodr.steps: the recipe has no step "encodr", did you mean encoder?; it has encoder, other, results`},
		{"encoder.steps=3 steps=5", "parameter steps is set, and so are the flags that would read it: leave --set steps out"},
		{"encoder=nowhere", `step results: model: there is no step "nowhere" before it`},
		{"encoder=results", `step results: model: there is no step "results" before it`},
	}
	for _, test := range tests {
		set := map[string]string{}
		for _, word := range strings.Fields(test.set) {
			name, value, _ := strings.Cut(word, "=")
			set[name] = value
		}
		commands, err := r.Commands("o", set)
		var lines []string
		for _, c := range commands {
			if c.Step != "other" {
				lines = append(lines, strings.Join(c.Args, " "))
			}
		}
		if got := strings.Join(lines, "|"); got != test.want && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", test.set, got, err, test.want)
		}
	}
}

// What the caller gives takes the place of a step's output, worked out by hand.
func TestStepOrParameter(t *testing.T) {
	r := parse(t, `
name: either
about: A test.
parameters:
  from: {help: folder of an encoder, default: ""}
steps:
  - {name: bag, run: train}
  - {name: encoder, run: init, from: {from: bag}, with: {from: "${from}", seed: 1}}
`)
	for from, want := range map[string]string{
		"":    "init --out=o/encoder --from=o/bag --seed=1, needs bag, --from is --set from",
		"lab": "init --out=o/encoder --from=lab --seed=1, needs , --from is --set from",
	} {
		commands, err := r.Commands("o", map[string]string{"from": from})
		if err != nil || len(commands) != 2 {
			t.Fatal(commands, err)
		}
		c := commands[1]
		if got := strings.Join(c.Args, " ") + ", needs " + strings.Join(c.Needs, " ") + ", --from is --set " +
			r.Setting("encoder", "from"); got != want {
			t.Errorf("from %q:\ngot  %s\nwant %s", from, got, want)
		}
	}
	if _, err := r.Commands("o", map[string]string{"encoder.from": "lab"}); err == nil ||
		!strings.Contains(err.Error(), "encoder.from is given by the recipe") {
		t.Error(err)
	}
}

// What is listed is what holds with the choices that are made, worked out by hand.
func TestListed(t *testing.T) {
	r := parse(t, table)
	for _, test := range []struct {
		set  map[string]string
		want string
	}{
		{nil, "scale demo, row base, steps 10, from , encoder encoder"},
		{map[string]string{"scale": "paper", "row": "given"}, "from required, scale paper, row given, steps 0, encoder "},
		{map[string]string{"row": "two", "encoder.steps": "3"},
			"scale demo, row two, from , encoder encoder,other"}, // the flag is set, and not by the parameter
	} {
		list, of, err := r.Listed(test.set, func(_, _ string) bool { return true })
		if err != nil || len(of.Steps) != 3 {
			t.Fatal(of, err)
		}
		var got []string
		for _, p := range list {
			if p.Required {
				p.Default = "required"
			}
			got = append(got, p.Name+" "+p.Default)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%v: %q, want %s", test.set, got, test.want)
		}
	}
	list, _, err := r.Listed(nil, func(step, flag string) bool { return step+"."+flag != "encoder.from" })
	if err != nil || slices.ContainsFunc(list, func(p Parameter) bool { return p.Name == "from" }) {
		t.Error("from is listed, which no flag takes that has an effect", err)
	}
	if _, _, err := r.Listed(map[string]string{"row": "thre"}, nil); err == nil ||
		!strings.Contains(err.Error(), `parameter row is "thre"`) {
		t.Error(err)
	}
}

// Flags may be left out, and those that the caller has set are told.
func TestWithout(t *testing.T) {
	r := parse(t, table)
	for set, given := range map[string][]string{"": nil, "encoder.batch=7": {"batch"}, "scale=paper": nil} {
		want := "train --out=o/encoder --steps=10"
		if set == "scale=paper" {
			want = "train --out=o/encoder --steps=1000000"
		}
		settings := map[string]string{}
		if name, value, ok := strings.Cut(set, "="); ok {
			settings[name] = value
		}
		commands, err := r.Commands("o", settings)
		if err != nil {
			t.Fatal(err)
		}
		told := commands[0].Without(func(flag string) bool { return flag == "batch" || flag == "rate" })
		if got := strings.Join(commands[0].Args, " "); got != want || !slices.Equal(told, given) {
			t.Errorf("%s: %s, want %s; %q of the caller's, want %q", set, got, want, told, given)
		}
	}
	commands, err := r.Commands("o", map[string]string{"steps": "3"})
	if err != nil || slices.Contains(commands[0].Own, "steps") || !slices.Contains(commands[0].Own, "batch") {
		t.Error(commands, err)
	}
}

func TestChoiceFaults(t *testing.T) {
	for what, test := range map[string]struct{ from, to, want string }{
		"a default": {"default: demo", "default: demos",
			`:7: parameter "scale": the default "demos" is not one of the choices, which are demo, paper`},
		"a name": {"      two: {", "      Two one: {", `the choice "Two one" must consist of small letters`},
		"no parameter": {"encoder.batch: 2", "encodr.batch: 2",
			`:11: a choice of "scale" sets "encodr.batch", which is neither a parameter nor STEP.FLAG`},
		"a typo":   {"{steps: 10", "{step: 10", `which is neither a parameter nor STEP.FLAG, did you mean steps?`},
		"an input": {"encoder.batch: 2", "results.model: x", "results.model is given by the recipe"},
		"other choices": {"{demo: 4, paper: 24}", "{demo: 4, papr: 24}",
			`:18: a choice of "row" sets "encoder.layers" by demo, papr, and no parameter before it has these choices`},
		"one that stands over": {"base: {}", "base: {scale: demo}",
			`:17: a choice of "row" sets "scale", which comes before it: move that down`},
		"a flag to nothing": {"base: {}", "base: {encoder.batch: }", `leaves "encoder.batch" to the caller, who can set only parameters`},
	} {
		_, err := Parse("test.yaml", []byte(strings.Replace(table, test.from, test.to, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", what, err, test.want)
		}
	}
}

// The steps of another recipe that nothing reads are left out, and what is said of its
// parameters counts more.
func TestUse(t *testing.T) {
	const user = `
name: user
about: A test.
parameters:
  vocabulary-size: {default: 99}
  own: {help: mine, default: 1}
steps:
  - use: pages
  - {name: size, run: vocab, from: {wordcounts: wordcounts}, with: {size: "${own}", lower-threshold: "${vocabulary-size}"}}
`
	r := parse(t, user)
	commands, err := r.Commands("o", map[string]string{"input": "in"})
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, c := range commands {
		steps = append(steps, c.Step)
	}
	if want := []string{"documents", "heldout", "survivors", "wordcounts", "size"}; !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if got, want := strings.Join(commands[4].Args, " "),
		"vocab --out=o/size --wordcounts=o/wordcounts --size=1 --lower-threshold=99"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, p := range r.Parameters {
		if p.Help == "" || p.Name == "vocabulary-size" && p.Help != "pieces of the vocabulary" {
			t.Errorf("%s: the help is %q", p.Name, p.Help)
		}
	}
	of, err := r.Chosen(map[string]string{"input": "in", "examples.mode": "chunk", "mode": "chunk"})
	want := []string{"--set examples.mode has no effect: step examples is left out here, since no step that runs reads it",
		"--set mode has no effect: no step that runs here reads it"}
	if err != nil || !slices.Equal(of.Unread, want) {
		t.Errorf("%v, %q", err, of.Unread)
	}
	if with, err := r.Commands("o", map[string]string{"input": "in", "examples.mode": "chunk", "mode": "chunk"}); err != nil ||
		len(with) != len(commands) {
		t.Errorf("%v, %d commands", err, len(with))
	}
	_, err = Parse("test.yaml", []byte(strings.Replace(user, "use: pages", "use: page", 1)))
	if err == nil || !strings.Contains(
		err.Error(), `test.yaml:8: use: there are no steps "page", did you mean pages?; there are those of `) {
		t.Error(err)
	}
	_, err = Parse("test.yaml", []byte(strings.Replace(user, "name: size", "name: documents", 1)))
	if err == nil || !strings.Contains(err.Error(), `there are two steps "documents"`) {
		t.Error(err)
	}
}
