package recipe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/yamlfile"
)

const small = `
name: small
about: A test.
parameters:
  input: {help: folder of pages}
  size: {help: a number, default: 0.10}
  model: {help: a file, default: ""}
  languages: {help: some, default: [eng, "a,b"]}
steps:
  - name: documents
    run: corpus
    with: &common
      input: ${input}
      languages: ${languages}
      langid: ${model}
      shard-bytes: 1MiB
      flag: true
      list: [1, "x,y", "${size}"]
      text: "${input}/sub and ${size}"
  - name: heldout
    run: corpus
    with:
      <<: *common
      list: [0]
  - name: survivors
    run: dedup
    from: {documents: documents, against: [heldout, x=documents/extra/file.txt]}
  - name: counts
    run: wordcounts
    from:
      documents: survivors
`

func parse(t *testing.T, text string) *Recipe {
	t.Helper()
	r, err := Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCommands(t *testing.T) {
	r := parse(t, small)
	commands, err := r.Commands("out", map[string]string{"input": "my pages"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Command{
		{Step: "documents", Out: "out/documents",
			Args: []string{"corpus", "--out=out/documents", "--input=my pages", `--languages=eng,a\,b`, "--shard-bytes=1MiB", "--flag=true",
				`--list=1,x\,y,0.10`, "--text=my pages/sub and 0.10"}, Own: []string{"languages", "shard-bytes", "flag", "list"}},
		{Step: "heldout", Out: "out/heldout", Args: []string{"corpus", "--out=out/heldout", "--input=my pages", `--languages=eng,a\,b`,
			"--shard-bytes=1MiB", "--flag=true", "--list=0", "--text=my pages/sub and 0.10"},
			Own: []string{"languages", "shard-bytes", "flag", "list"}},
		{Step: "survivors", Out: "out/survivors", Needs: []string{"documents", "heldout", "documents"},
			Args: []string{"dedup", "--out=out/survivors", "--documents=out/documents",
				"--against=out/heldout,x=out/documents/extra/file.txt"}, Lone: []int{2}},
		{Step: "counts", Out: "out/counts", Needs: []string{"survivors"},
			Args: []string{"wordcounts", "--out=out/counts", "--documents=out/survivors"}, Lone: []int{2}},
	}
	if diff := cmp.Diff(want, commands); diff != "" {
		t.Error(diff)
	}
}

// TestStepFlags sets flags of single steps: in the place of a setting, or after all.
func TestStepFlags(t *testing.T) {
	set := map[string]string{"input": "a", "documents.flag": "", "documents.langid": "m", "documents.zz": "1", "heldout.list": "7,8",
		"documents.aa": "2"}
	commands, err := parse(t, small).Commands("out", set)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"corpus --out=out/documents --input=a --languages=eng,a\\,b --langid=m --shard-bytes=1MiB --list=1,x\\,y,0.10 --text=a/sub and 0.10 --aa=2 --zz=1",
		"corpus --out=out/heldout --input=a --languages=eng,a\\,b --shard-bytes=1MiB --flag=true --list=7,8 --text=a/sub and 0.10",
	} {
		if got := strings.Join(commands[i].Args, " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestFlagsThatAreNoSettings(t *testing.T) {
	for _, flag := range []string{"help", "version", "out"} {
		if _, err := parse(t, small).Commands("out", map[string]string{"input": "a", "documents." + flag: "true"}); err == nil ||
			!strings.Contains(err.Error(), flag) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

func TestByteOrderMark(t *testing.T) { parse(t, "\ufeff"+small) }

// A comma in the name of a folder is a letter of it, whatever the flag takes.
func TestEscape(t *testing.T) {
	commands, err := parse(t, small).Commands("out,1", map[string]string{"input": "my, pages"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		c.Escape(func(flag string) bool { return flag == "against" || flag == "documents" && c.Step == "counts" })
	}
	for i, want := range map[int]string{
		0: "--input=my, pages",
		2: `--documents=out,1/documents --against=out\,1/heldout,x=out\,1/documents/extra/file.txt`,
		3: `--documents=out\,1/survivors`,
	} {
		if got := strings.Join(commands[i].Args[2:], " "); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

const labelled = `
name: labelled
about: A test.
steps:
  - {name: a, run: embed}
  - {name: b, run: pcr}
  - name: c
    run: evaluate kind
    from:
      model: [one=a, two_2.x=a/sub/file, b]
      components: one=b
publish: [c/page.html, a/deep/down/table.csv]
`

func TestLabels(t *testing.T) {
	r := parse(t, labelled)
	commands, err := r.Commands("out", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Command{Step: "c", Out: "out/c", Needs: []string{"a", "a", "b", "b"},
		Args: []string{"evaluate", "kind", "--out=out/c", "--model=one=out/a,two_2.x=out/a/sub/file,out/b", "--components=one=out/b"},
		Lone: []int{4}}
	if diff := cmp.Diff(want, commands[2]); diff != "" || want.Verb() != "evaluate kind" {
		t.Errorf("%s: %s", want.Verb(), diff)
	}
}

func TestPublish(t *testing.T) {
	var got []string
	for _, ref := range parse(t, labelled).Publish {
		got = append(got, ref.Step+" "+ref.File)
	}
	if want := []string{"c page.html", "a deep/down/table.csv"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if r := parse(t, strings.Replace(labelled, "publish: [c/page.html, a/deep/down/table.csv]", "publish:", 1)); len(r.Publish) != 0 {
		t.Errorf("got %+v", r.Publish)
	}
}

func TestParameters(t *testing.T) {
	r := parse(t, small)
	tests := []struct {
		set  map[string]string
		want []string
	}{
		{nil, []string{"parameter input is not set: folder of pages; give --set input=…"}},
		{map[string]string{"input": "a", "sise": "3"},
			[]string{`recipe small has no parameter "sise", did you mean size?; it has input, size, model, languages`}},
		{map[string]string{"zz": "", "yy": ""}, []string{"parameter input is not set", `no parameter "yy"`, `no parameter "zz"`}},
		{map[string]string{"input": "", "documents.langs": "3"}, nil},
		{map[string]string{"input": "", "survivors.documents": "x", "heldout.out": "y", "nowhere.size": "z"}, []string{
			"survivors.documents is given by the recipe", "heldout.out is given by the recipe", `the recipe has no step "nowhere"`}},
	}
	for _, test := range tests {
		_, err := r.Commands("out", test.set)
		if (err == nil) != (test.want == nil) {
			t.Errorf("%v: %v", test.set, err)
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: got %v, want %s", test.set, err, want)
			}
		}
	}
}

// faults are written as `line: part of the message`, all that there are.
func TestFaults(t *testing.T) {
	const head = "name: x\nabout: y\n" // steps come on line 3
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"1: holds 0 YAML documents"}},
		{"two documents", "name: a\n---\nname: b\n", []string{"1: holds 2 YAML documents"}},
		{"a list", "- a\n- b\n", []string{"1: a recipe is not a mapping", "1: no name", "1: no about", "1: no steps"}},
		{"unknown keys", head + "step: []\nsteps:\n  - name: a\n    run: b\n    form: {}\n",
			[]string{`3: a recipe has no key "step", did you mean steps?`, `7: a step has no key "form", did you mean from?`}},
		{"types", "name: [a]\nabout: {b: c}\nsteps: text\n", []string{
			"1: name is not a text", "1: no name", "1: no about", "1: no steps", "2: about is not a text", "3: steps is not a list"}},
		{"parameters", head + "parameters:\n  Big: {help: h}\n  unused: {help: h, defualt: 3}\n  bare:\n  ok: {help: h}\nsteps:\n  - {name: a, run: b, with: {c: \"${ok} ${Big} ${nope}\"}}\n",
			[]string{
				`4: the parameter name "Big"`, `5: parameter "unused" has no key "defualt", did you mean default?`,
				`5: parameter "unused" is used by no step`,
				`6: parameter "bare" has no help`, `6: parameter "bare" is used by no step`,
				`9: step "a": c: there is no parameter "nope"`}},
		{"steps", head + "steps:\n  - run: b\n  - name: A b\n    run: c\n  - name: d\n  - name: d\n    run: e --out=x\n", []string{
			"4: the step has no name", `5: the step name "A b"`, `7: step "d" has no run`, `8: there are two steps "d"`,
			`8: step "d": run "e --out=x" is not a verb`}},
		{"flags", head + "steps:\n  - name: a\n    run: b\n    with:\n      out: x\n      Case: y\n      nil:\n      deep: {x: y}\n      nest: [[1]]\n  - name: c\n    run: d\n    with: {e: 1}\n    from: {e: a}\n",
			[]string{
				`7: step "a": out is given by the recipe`, `8: step "a": "Case" is not the name of a flag`,
				`9: nil has no value; an empty one is written ""`,
				"10: deep is not a text", "11: nest is not a text",
				`14: step "c": e is given under from and under with, where only a parameter may stand`}},
		{"references", head + "steps:\n  - name: a\n    run: b\n    from: {c: docs}\n  - name: docs1\n    run: d\n    from:\n      e: docs1\n      f: [a, last]\n      g: a/../../x\n      h: \"${a}\"\n  - name: last\n    run: d\n",
			[]string{
				`6: step "a": c: there is no step "docs", did you mean docs1?`, `10: step "docs1": e: the step takes its own output`,
				`11: step "docs1": f: step "last" stands later in the file; move it up`,
				`12: step "docs1": g: the file "../../x" does not lie in the output`, `13: step "docs1": h: there is no parameter "a"`}},
		{"circle", head + "steps:\n  - {name: a, run: x, from: {f: c}}\n  - {name: b, run: x, from: {f: a}}\n  - {name: c, run: x, from: {f: b}}\n",
			[]string{
				`4: step "a": f: the steps go in a circle: a needs c needs b needs a`}},
		{"anchors", head + "steps:\n  - name: a\n    run: b\n    with: *none\n  - name: c\n    run: d\n    with: &self\n      <<: *self\n",
			[]string{
				"6: there is no anchor &none", "10: with merges itself"}},
		{"keys twice", head + "steps:\n  - name: a\n    name: b\n    run: c\n", []string{"is not YAML"}},
		{"labels", head + "steps:\n  - {name: a, run: b}\n  - name: c\n    run: d\n    from:\n      e: =a\n      f: [x=a, \"x y=a\"]\n      g: x=aa\n      h: x=a/../b\n",
			[]string{
				`8: e: the label "" must consist of`, `9: f: the label "x y" must consist of`,
				`10: step "c": g: there is no step "aa", did you mean a?`,
				`11: step "c": h: the file "../b"`}},
		{"publish", head + "steps:\n  - {name: report, run: b}\npublish:\n  - repor/a.html\n  - report\n  - report/\n  - report/../../a\n  - /etc/passwd\n  - report/run.json\n  - report/sub/report\n  - report/a.html\n  - report/sub/a.html\n  - {a: b}\n  - report/.\n",
			[]string{
				`6: publish: there is no step "repor", did you mean report?`, `7: publish: "report" names no file`,
				`8: publish: "report" names no file`, `9: publish: the file "../../a" does not lie in the output of step "report"`,
				`10: publish: there is no step ""`,
				`11: publish: report/run.json has the name run.json, which is that of the record of the run`,
				`12: publish: report/sub/report has the name report, which is that of a step`,
				`14: publish: report/sub/a.html has the name a.html, which is that of another file to publish`, `15: publish is not a text`,
				`16: publish: "report/." names no file`}},
		{"publish is not a list", head + "steps:\n  - {name: a, run: b}\npublish: {a: b}\n", []string{"5: publish is not a list"}},
		{"publish is one file", head + "steps:\n  - {name: a, run: b}\npublish: a/b\n", []string{"5: publish is not a list"}},
		{"flags that do nothing", head + "steps:\n  - name: a\n    run: b\n    with: {help: true, version: true}\n",
			[]string{`6: step "a": help is not a setting of a step`, `6: step "a": version is not a setting`}},
		{"UTF-16", "\xff\xfen\x00", []string{"test.yaml is not UTF-8"}},
		{"no YAML", "name: x\n  about: : y\n", []string{"is not YAML"}},
		{"tabs", "name:\tx\nsteps:\n\t- a\n", []string{"is not YAML"}},
	}
	for _, test := range tests {
		r, err := Parse("test.yaml", []byte(test.text))
		if err == nil {
			t.Errorf("%s: no fault, %+v", test.name, r)
			continue
		}
		var got []string
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				got = append(got, e.Error())
			}
		} else {
			got = []string{err.Error()}
		}
		if len(got) != len(test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			continue
		}
		for i, want := range test.want {
			line, message, numbered := strings.Cut(want, ": ")
			if numbered && !strings.HasPrefix(got[i], "test.yaml:"+line+": ") || numbered && !strings.Contains(got[i], message) ||
				!strings.Contains(got[i], "test.yaml") {
				t.Errorf("%s: got %q, want %q", test.name, got[i], want)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	commands, err := parse(t, small).Commands("out", map[string]string{"input": "a"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		only []string
		from string
		want string
	}{
		{nil, "", "documents heldout survivors counts"},
		{[]string{"counts", "heldout"}, "", "heldout counts"},
		{nil, "survivors", "survivors counts"},
		{[]string{"documents", "counts"}, "heldout", "counts"},
		{[]string{"count"}, "", `no step "count", did you mean counts?`},
		{[]string{"zzz"}, "yyy", `no step "zzz"; it has documents, heldout, survivors, counts`},
	}
	for _, test := range tests {
		chosen, err := Choose(commands, test.only, test.from)
		var names []string
		for _, c := range chosen {
			names = append(names, c.Step)
		}
		if got := strings.Join(names, " "); got != test.want && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("only %v, from %q: got %q, %v; want %q", test.only, test.from, got, err, test.want)
		}
	}
}

func TestRun(t *testing.T) {
	commands, err := parse(t, small).Commands("out", map[string]string{"input": "a"})
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	run := func(fails string) func(context.Context, Command) error {
		ran = nil
		return func(_ context.Context, c Command) error {
			ran = append(ran, c.Step)
			if c.Step == fails {
				return errors.New("no room")
			}
			return nil
		}
	}
	results, err := Run(t.Context(), commands, run(""))
	if err != nil || len(results) != 4 || !slices.Equal(ran, []string{"documents", "heldout", "survivors", "counts"}) {
		t.Errorf("%v, %v, %v", results, ran, err)
	}
	results, err = Run(t.Context(), commands, run("heldout"))
	if err == nil || err.Error() != "step heldout: no room" || len(results) != 2 || len(ran) != 2 {
		t.Errorf("%v, %v, %v", results, ran, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Run(ctx, commands, func(context.Context, Command) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLoad(t *testing.T) {
	if r, err := Load(t.Context(), "handbook"); err != nil || r.Name != "handbook" {
		t.Errorf("%v, %v", r, err)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if _, err := Load(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	if err := os.WriteFile(path, []byte(small), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := Load(t.Context(), path); err != nil || r.Name != "small" {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := Load(t.Context(), "hanbook"); err == nil || !strings.Contains(err.Error(), `no recipe "hanbook", did you mean handbook?`) {
		t.Errorf("a typo: %v", err)
	}
	if err := os.WriteFile(path, make([]byte, yamlfile.MaxBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "more than the limit") {
		t.Errorf("a large file: %v", err)
	}
}

// The name of an embedded recipe is that of its file, so that Load finds what --list lists.
func TestEmbedded(t *testing.T) {
	recipes, err := Embedded()
	if err != nil || len(recipes) == 0 {
		t.Fatal(recipes, err)
	}
	var names []string
	for _, r := range recipes {
		names = append(names, r.Name)
		if _, err := embedded.ReadFile(r.Name + ".yaml"); err != nil {
			t.Error(err)
		}
	}
	if got := EmbeddedNames(); !slices.Equal(got, names) {
		t.Errorf("EmbeddedNames lists %q, the recipes are %q", got, names)
	}
}

// A recipe that multiplies what it holds is one error that names the line, and takes
// neither time nor memory.
func TestBounds(t *testing.T) {
	merges := "a0: &a0 {x: 1}\n"
	for i := 1; i < 15; i++ {
		merges += fmt.Sprintf("a%d: &a%d\n  <<: [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	aliases := "parameters:\n  p: {default: &list [" + strings.Repeat("v,", 4_000) + "]}\nsteps:\n"
	for i := range 500 {
		aliases += fmt.Sprintf("- {name: s%d, with: {a: *list}}\n", i)
	}
	wide := "a: &a {"
	for i := range 2_000 {
		wide += fmt.Sprintf("k%d: 1, ", i)
	}
	wide += "}\nname:\n  <<: [" + strings.Repeat("*a, ", 3_000) + "]\n"
	texts := "name: a\nabout: &a \"" + strings.Repeat("x", 100_000) + "\"\nsteps: [{name: b, run: c, with: {d: [" +
		strings.Repeat("*a, ", 1_000) + "]}}]\n"
	faults := ""
	for i := range 4_000 {
		faults += fmt.Sprintf("k%d: 1\n", i)
	}
	tests := map[string]struct{ text, want string }{
		"merges":           {merges + "name:\n  <<: *a14\n", "recipe.yaml"},
		"merges of a step": {merges + "steps:\n- *a14\n", "aliases and merges make more than 20000 lines"},
		"merges of wide":   {wide, ""},
		"texts":            {texts, "recipe.yaml:3: aliases and merges make more than 4194304 bytes of text"},
		"lists":            {aliases, "aliases and merges make more than 20000 lines"},
		"brackets":         {"name: a\nx: " + strings.Repeat("[", 200_000), "recipe.yaml:2: lists and mappings stand more than 32 deep"},
		"braces":           {strings.Repeat("{a: ", 50_000), "recipe.yaml:1: lists and mappings stand more than 32 deep"},
		"dashes": {"name: a\n" + strings.Repeat("- ", 100_000) + "b",
			"recipe.yaml:2: lists and mappings stand more than 32 deep"},
		"questions": {strings.Repeat("? ", 100_000) + "b", "recipe.yaml:1: "},
		"anchors":   {strings.Repeat("&a ", 80_000) + "b", "recipe.yaml:1: "},
		"tags":      {strings.Repeat("!a ", 80_000) + "b", "recipe.yaml:1: "},
		"a long key": {"name: a\n" + strings.Repeat("k", 100_000) + ": [" + strings.Repeat("1,", 9_000) + "]",
			"recipe.yaml:2: a key has 100000 bytes"},
		"words":  {"name: a\nx: [" + strings.Repeat("1,", 60_000) + "]", "recipe.yaml:2: there are more than 20000 words"},
		"bytes":  {strings.Repeat("# comment\n", 40_000), "recipe.yaml:1: the file has 400000 bytes"},
		"faults": {faults, "recipe.yaml:100: a recipe has no key"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse("recipe.yaml", []byte(tt.text))
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.300v, want %q", err, tt.want)
			}
			t.Logf("%d bytes: %d MB, %.200v", len(tt.text), allocated>>20, err)
			if allocated > 512<<20 || err != nil && len(err.Error()) > 100_000 {
				t.Errorf("%d bytes make %d, and a message of %d", len(tt.text), allocated, len(err.Error()))
			}
		})
	}
}

// Values of parameters that make a long text of a short one are refused before they are in it.
func TestExpandedBounds(t *testing.T) {
	for _, tt := range []struct{ name, from, with string }{
		{"settings", "d: b", strings.Repeat("${p}", 1_000)},
		{"labels", "d: ['" + strings.Repeat("${p}", 100) + "=${q}']", "e"},
	} {
		text := fmt.Sprintf("name: a\nabout: b\nparameters: {p: {help: h, default: %q}, q: {help: h, default: %q}}\nsteps:\n- {name: b, run: c}\n- {name: f, run: c, from: {%s}, with: {g: %q, h: \"${q}\"}}\n",
			strings.Repeat("x", 50_000), strings.Repeat("b,", 2_000), tt.from, tt.with)
		r, err := Parse("recipe.yaml", []byte(text))
		if err != nil {
			t.Fatal(tt.name, err)
		}
		const want = "step f: the settings up to here have more than 1048576 bytes"
		for _, set := range []map[string]string{nil, {"p": strings.Repeat("y", 60_000)}} {
			if _, err := r.Commands("out", set); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %.200v, want %q", tt.name, err, want)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add("name: a\nabout: b\nsteps: [{name: c, run: d, from: {e: f}}]\n")
	f.Add("a: &a [*a]\n<<: *a\n")
	f.Add("steps:\n- &x\n  <<: [*x, *y]\n  with: {a: !!str 3, b: |\n    c}\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse("x", []byte(text))
		if (r == nil) != (err != nil) {
			t.Fatalf("recipe %v with the error %v", r, err)
		}
		if r == nil {
			return
		}
		set := map[string]string{}
		for _, p := range r.Parameters {
			set[p.Name] = "v"
		}
		commands, err := r.Commands("out", set)
		if err != nil || len(commands) != len(r.Steps) || len(r.Steps) == 0 {
			t.Fatalf("a valid recipe gives %v, %v", commands, err)
		}
		before := map[string]bool{}
		for _, c := range commands {
			for _, need := range c.Needs {
				if !before[need] {
					t.Fatalf("step %q needs %q, which does not come before it", c.Step, need)
				}
			}
			before[c.Step] = true
			if rel, err := filepath.Rel("out", c.Out); err != nil || !filepath.IsLocal(rel) {
				t.Fatalf("the output %q leaves the folder", c.Out)
			}
		}
	})
}
