package main

import (
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"sentweave/runners/recipe"
	"sentweave/transforms/engines/catalog"
)

func TestUsage(t *testing.T) {
	tests := []struct {
		args           []string
		code           int
		stdout, stderr []string
	}{
		{nil, 0, []string{"Usage: sentweave", "inspect", "Build a corpus", "Train an encoder", "Evaluate an encoder"}, nil},
		{[]string{"--help"}, 0, []string{"Usage: sentweave"}, nil},
		{[]string{"--version"}, 0, []string{"sentweave "}, nil},
		{[]string{"inspect", "--help"}, 0, []string{"--where", "--sample"}, nil}, // though DIR is missing
		{[]string{"corpus", "--help"}, 0, []string{"stopes ", "gopher-repetition ", "c4 * ", "--filters=NAME,… ", "--min-characters=10 ",
			"(cc-net)."}, nil},
		{[]string{"views", "--help"}, 0, []string{"views synonym ", "views entailment ", "views back-translation ", "views translation "},
			nil},
		{[]string{"benchmarks", "--help"}, 0,
			[]string{"benchmarks senteval ", "benchmarks multinli ", "benchmarks snli ", "benchmarks xnli ", "benchmarks xnli-mt ",
				"benchmarks paws-x ", "benchmarks table "}, nil},
		{[]string{"views", "entailment", "--share", "0.2"}, 2, nil,
			[]string{"unknown flag --share", "see `sentweave views entailment --help`"}},
		{[]string{"views", "--texts", "x"}, 2, nil, []string{"unknown flag --texts", "see `sentweave views --help`"}},
		{[]string{"inspct", "x"}, 2, nil, []string{`did you mean "inspect"?`, "see `sentweave --help`"}},
		{[]string{"inspect", "x", "--hed", "3"}, 2, nil, []string{`"--head"`, "see `sentweave inspect --help`"}},
		{[]string{"inspect"}, 2, nil, []string{"<dataset>"}},
		{[]string{"inspect", "x", "--head", "3", "--sample", "3"}, 2, nil, []string{"--head and --sample can't be used together"}},
		{[]string{"inspect", "x", "--head=-3"}, 2, nil, []string{"negative"}},
		{[]string{"inspect", "x", "--funnel", "--rejects"}, 2, nil, []string{"funnel and the flags for rows exclude each other"}},
		{[]string{"inspect", "x", "--what-if", "a > 1", "--rejects"}, 2, nil, []string{"what-if counts all rows of the dataset"}},
		{[]string{"export", "x", "--format", "text"}, 2, nil, []string{"needs --column"}},
		{[]string{"export", "x", "--format", "csv"}, 2, nil, []string{"jsonl", "text"}},
		{[]string{"diff", "x"}, 2, nil, []string{"<b>"}},
		{[]string{"run"}, 2, nil, []string{"name a recipe", "give --out"}},
		{[]string{"corpus"}, 2, nil, []string{"input is empty", "out is empty", "see `sentweave corpus --help`"}},
		{[]string{"corpus", "--out", "x", "--input", "y", "--parallelism=-1", "--languages", "xx1"}, 2, nil,
			[]string{"parallelism -1", "xx1"}}, // all at once
		{[]string{"corpus", "--out", "x", "--input", "y", "--filters", "stopes,gopher"}, 2, nil,
			[]string{`"gopher" is not a filter: the filters are stopes, cc-net, c4, gopher-repetition`}},
		{[]string{"corpus", "--out", "x", "--input", "y", "--runner", "prism"}, 2, nil,
			[]string{`must be one of "local","flink","dataflow" but got "prism"`}},
		{[]string{"status", "s3://bucket/x"}, 1, nil, []string{`scheme "s3" is not supported`, "gs://"}},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			sentweave(t, test.args...).expect(t, test.code, test.stdout, test.stderr)
		})
	}
}

// Every verb and flag has a help text that ends like a sentence.
func TestEveryFlagHasHelp(t *testing.T) {
	parser, err := newProgram(io.Discard, io.Discard).Parser()
	if err != nil {
		t.Fatal(err)
	}
	err = kong.Visit(parser.Model.Node, func(node kong.Visitable, next kong.Next) error {
		help, name := "", ""
		switch n := node.(type) {
		case *kong.Flag:
			help, name = n.Help, "--"+n.Name
			if n.Name == "help" {
				help += "."
			}
		case *kong.Node:
			help, name = n.Help, n.Name
		case *kong.Value:
			help, name = n.Help, n.Name
		default:
			return next(nil)
		}
		if !strings.HasSuffix(help, ".") && name != "sentweave" {
			t.Errorf("%s: the help is %q", name, help)
		}
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The embedded recipes' command lines are taken by the verbs, in every row and scale of a table.
func TestEmbeddedRecipesParse(t *testing.T) {
	recipes, err := recipe.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	documented, err := os.ReadFile("../docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{} // command lines that several recipes and rows have
	for _, r := range recipes {
		t.Run(r.Name, func(t *testing.T) {
			rows, scales := []string{""}, []string{""}
			for _, p := range r.Parameters {
				switch p.Name {
				case "row":
					rows = p.Names()
				case "scale":
					scales = p.Names()
				}
			}
			if r.Paper != "" && (r.Table == "" || len(rows) < 2 || !slices.Equal(scales, []string{"demo", "paper"})) {
				t.Errorf("a recipe of %s with the table %q, the rows %q and the scales %q", r.Paper, r.Table, rows, scales)
			}
			if r.Paper != "" && !strings.Contains(string(documented), "\n| `"+r.Name+"` |") {
				t.Error("runners/docs/papers.md has no row of it")
			}
			for _, row := range rows {
				for _, scale := range scales {
					parses(t, r, row, scale, checked)
				}
			}
		})
	}
}

// parses checks the steps of a row. Of the first row it checks that a dry run prints it whole and
// ends with 1, since nothing that it reads is there.
func parses(t *testing.T, r *recipe.Recipe, row, scale string, checked map[string]bool) {
	set, args := map[string]string{}, []string{"run", r.Name, "--out", "x", "--dry-run"}
	for _, p := range r.Parameters {
		switch {
		case p.Name == "row" && row != "":
			set[p.Name] = row
		case p.Name == "scale" && scale != "":
			set[p.Name] = scale
		case p.Name == "engine":
			set[p.Name] = "identity"
		case strings.HasSuffix(p.Name, "-language"):
			set[p.Name] = "deu"
		case p.Required:
			set[p.Name] = "elsewhere"
		}
		for _, c := range p.Choices {
			for _, a := range c.Sets {
				if a.Required && (c.Name == row || c.Name == scale) {
					set[a.Name] = "elsewhere"
				}
			}
		}
	}
	counts, _, err := r.Listed(set, func(_, _ string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(set, func(name, _ string) bool {
		return !slices.ContainsFunc(counts, func(p recipe.Parameter) bool { return p.Name == name })
	})
	for name, value := range set {
		args = append(args, "--set", name+"="+value)
	}
	commands, err := r.Commands("x", set)
	if err != nil {
		t.Errorf("row %s, scale %s: %v", row, scale, err)
	}
	if !checked[r.Name] {
		if got := sentweave(t, args...); got.code != 1 || strings.Count("\n"+got.stdout, "\nsentweave ") != len(commands) ||
			!strings.Contains(got.stderr, "the run would not begin") {
			t.Errorf("row %s, scale %s: %+v", row, scale, got)
		}
	}
	for _, c := range commands {
		line := strings.Join(c.Args, " ")
		if c.Verb() == "report" { // which has the name of the row in its page
			line = r.Name
		}
		if checked[line] {
			continue
		}
		checked[line] = true
		if err := newProgram(io.Discard, io.Discard).Check(c.Args); err != nil {
			t.Errorf("row %s, scale %s: %s: %v", row, scale, line, err)
		}
	}
}

func TestReaderThatGoes(t *testing.T) {
	location := complete(t, 1)
	for _, args := range [][]string{{"export", location}, {"inspect", location, "--head", "0"}, {"inspect", location, "--json"},
		{"diff", location, location}} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		var stderr strings.Builder
		copied, err := syscall.Dup(int(writer.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		stdout := os.NewFile(uintptr(copied), os.Stdout.Name())
		p := newProgram(stdout, &stderr)
		if code := p.ExitCode(t.Context(), p.Execute(t.Context(), args)); code != 141 || stderr.String() != "" {
			t.Errorf("%v: code %d, %q", args, code, stderr.String())
		}
		stdout.Close()
		writer.Close()
	}
}

func TestFlagsOfVerbs(t *testing.T) {
	verbs, err := newProgram(io.Discard, io.Discard).Flags()
	if err != nil {
		t.Fatal(err)
	}
	has := func(verb, flag string) bool { _, ok := verbs[verb][flag]; return ok }
	if !has("corpus", "parallelism") || !has("corpus", "out") || has("vocab", "parallelism") || has("verify", "out") ||
		!verbs["dedup"]["against"].Many || !verbs["corpus"]["filters"].Many || !has("corpus", "min-sentences") ||
		!has("views synonym", "wordnet") || has("views entailment", "wordnet") || verbs["dedup"]["documents"].Many {
		t.Errorf("got %v", verbs)
	}
}

// The page on engines has a row for each, and names no flag that there is not.
func TestEnginesPage(t *testing.T) {
	data, err := os.ReadFile("../docs/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows, names []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllSubmatch(data, -1) {
		rows = append(rows, string(row[1]))
	}
	for _, s := range new(catalog.Settings).All() {
		names = append(names, s.Describe().Name)
	}
	slices.Sort(rows)
	slices.Sort(names)
	if diff := cmp.Diff(names, rows); diff != "" {
		t.Error(diff)
	}
	verbs, err := newProgram(io.Discard, io.Discard).Flags()
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range regexp.MustCompile(`--((?:`+strings.Join(names, "|")+`)-[a-z-]+[a-z])`).FindAllSubmatch(data, -1) {
		if _, ok := verbs["translations"][string(flag[1])]; !ok {
			t.Errorf("translations has no flag --%s", flag[1])
		}
	}
	if help := strings.Join(strings.Fields(sentweave(t, "translations", "--help").stdout), " "); !strings.Contains(help, catalog.Help()) {
		t.Errorf("the help does not list the engines: %s", help)
	}
}
