package senteval

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"sentweave/schemas"
	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/transforms/testsets/benchmark"
)

// loaded runs SentEval's own loaders on a folder of the disk: for each task the rows
// that they give, as task, split, label, texts.
func loaded(t *testing.T, folder, how string, tasks ...string) map[string][][]string {
	t.Helper()
	python, senteval := peertest.Python(t), os.Getenv("SENTWEAVE_SENTEVAL")
	if senteval == "" {
		t.Skip("skipped: SENTWEAVE_SENTEVAL, a checkout of facebookresearch/SentEval, is not set")
	}
	if exec.Command(python, "-c", "import numpy; assert tuple(map(int, numpy.__version__.split('.')[:2])) < (1, 24)").Run() != nil {
		t.Skip("skipped: SentEval needs a NumPy before 1.24")
	}
	out := peertest.Output(t, nil, python, "-W", "ignore", filepath.Join("testdata", "loaders.py"), senteval, folder,
		strings.Join(tasks, ","), how)
	rows := map[string][][]string{}
	for _, row := range peertest.Values[[]string](t, out) {
		rows[row[0]] = append(rows[row[0]], row)
	}
	return rows
}

// asLoaded writes our rows as the loaders give theirs.
func asLoaded(t *testing.T, k Task, name string, rows []schemas.Benchmark) (list [][]string) {
	t.Helper()
	for _, r := range rows {
		if r.Skip {
			continue
		}
		label := r.Label
		switch n, ok := k.Class(r.Label); {
		case strings.HasPrefix(name, "sts") || name == "sick-r":
			label = python(*r.Target)
		case name == "snli":
		case !ok:
			t.Fatalf("%s: no class for %q", name, r.Label)
		default:
			label = strconv.Itoa(n)
		}
		row := []string{name, r.Split, label, strings.Join(strings.Fields(r.TextA), " ")}
		if k.Pairs() {
			row = append(row, strings.Join(strings.Fields(r.TextB), " "))
		}
		list = append(list, row)
	}
	return list
}

// python writes a float as str does.
func python(x float64) string {
	s := number(x)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func same(t *testing.T, name string, sorted bool, got, want [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: SentEval's loader gives %d rows, ours %d", name, len(got), len(want))
		return
	}
	if sorted {
		got, want = slices.Clone(got), slices.Clone(want)
		slices.SortFunc(got, slices.Compare)
		slices.SortFunc(want, slices.Compare)
	}
	different := 0
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			if different++; different <= 3 {
				t.Errorf("%s row %d:\nSentEval %q\nours     %q", name, i, got[i], want[i])
			}
		}
	}
	if different > 3 {
		t.Errorf("%s: %d rows differ", name, different)
	}
}

// names are SentEval's tasks of one of ours.
func names(k Task) []string {
	if k.Name == "sick" {
		return []string{"sick-e", "sick-r"}
	}
	return []string{k.Name}
}

func isSorted(k Task) bool { return k.kind == kindSTS || k.kind == kindSNLI }

// English: our rows are those of SentEval's loaders, after the steps of its script
// that are not lossless for us (cat -v, which we undo, and the tokenising, which comes first).
func TestSameAsSentEval(t *testing.T) {
	folder := realFolder(t)
	for name, f := range smallFolder() {
		folder[name] = f
	}
	for name, f := range folder {
		if strings.HasPrefix(name, "MR/") || strings.HasPrefix(name, "SUBJ/") {
			f.Data = []byte(catVisible(f.Data))
		}
	}
	disk := t.TempDir()
	place(t, disk, filesOf(folder))
	for _, k := range Tasks() {
		theirs := loaded(t, disk, "plain", names(k)...)
		rows := readAll(t, Source{Language: "eng", Partial: k.Name == "mrpc" || k.Name == "sick" || k.Name == "snli"}, k, folder)
		for _, name := range names(k) {
			want := asLoaded(t, k, name, rows)
			t.Logf("%-6s: ours %d, SentEval's loader %d, published %d", name, len(want), len(theirs[name]), k.Rows())
			if k.Name == "mr" || k.Name == "subj" {
				for _, row := range theirs[name] {
					row[3] = strings.Join(strings.Fields(undoCatV(row[3])), " ")
				}
			}
			same(t, name, isSorted(k), theirs[name], want)
		}
	}
}

// catVisible does what cat -v does.
func catVisible(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		high := c >= 0x80
		if high {
			b.WriteString("M-")
			c &= 0x7f
		}
		switch {
		case !high && (c == '\n' || c == '\t') || c >= 0x20 && c < 0x7f:
			b.WriteByte(c)
		default:
			b.WriteByte('^')
			b.WriteByte(c ^ 0x40)
		}
	}
	return b.String()
}

// The raw files of MR, which nobody has piped through cat -v, lose no row with the
// shim; without it SentEval cuts them at the byte 85.
func TestShimOnEnglish(t *testing.T) {
	folder, disk := realFolder(t), t.TempDir()
	folder[ShimName] = &fstest.MapFile{Data: shim}
	place(t, disk, filesOf(folder))
	k := task(t, "mr")
	same(t, "mr", false, loaded(t, disk, "shim", "mr")["mr"], asLoaded(t, k, "mr", readAll(t, Source{Language: "eng"}, k, folder)))
	for name, want := range map[string]int{"mr": 10685, "subj": 10021} {
		if got := len(loaded(t, disk, "plain", name)[name]); got != want {
			t.Errorf("%s without the shim: %d rows, want %d", name, got, want)
		}
	}
}

// A folder in another language comes out of SentEval's loaders with the rows, labels
// and words that went in: in UTF-8 with the shim, as references without it. In UTF-8
// without the shim it does not, and loaderRows foretells by how much.
func TestTranslatedFolders(t *testing.T) {
	folder := realFolder(t)
	for name, f := range smallFolder() {
		folder[name] = f
	}
	forms := []Format{{FormUTF8, SpacingText, true}, {FormReferences, SpacingText, true}, {FormUTF8, SpacingCharacters, true}}
	if testing.Short() {
		forms = forms[:1]
	}
	for _, form := range forms {
		t.Run(fmt.Sprint(form), func(t *testing.T) {
			var tasks []Task
			var all []string
			for _, k := range Tasks() {
				// All tasks in one form, and a task of each kind in the others.
				if form != (Format{FormUTF8, SpacingText, true}) &&
					slices.Contains([]string{"mr", "subj", "sst2", "sts12", "sts13", "sts14", "sts15"}, k.Name) {
					continue
				}
				tasks, all = append(tasks, k), append(all, names(k)...)
			}
			disk, ours := t.TempDir(), map[string][]schemas.Benchmark{}
			guide, err := form.Guide("Russian")
			if err != nil {
				t.Fatal(err)
			}
			place(t, disk, guide)
			for _, k := range tasks {
				rows := translate(t, readAll(t, Source{Language: "eng", Partial: true}, k, folder), form.Spacing)
				files, err := form.Write(k, rows)
				if err != nil {
					t.Fatal(err)
				}
				place(t, disk, files)
				ours[k.Name] = rows
				checker, err := benchmark.NewChecker(benchmark.CheckConfig{MaxUntranslated: 1, MinCorrelation: .5}, sourceOf(rows))
				if err != nil {
					t.Fatal(err)
				}
				report, err := form.Check(checker, k, rows[0].LanguageA, reader(folderOf(files)))
				if err != nil || len(report.Faults) > 0 {
					t.Errorf("%s: %v %v", k.Name, report.Faults[:min(3, len(report.Faults))], err)
				}
			}
			how := map[Form]string{FormUTF8: "shim", FormReferences: "unescape"}[form.Form]
			theirs := loaded(t, disk, how, all...)
			for _, k := range tasks {
				rows := slices.Clone(ours[k.Name])
				for i := range rows {
					rows[i].TextA, rows[i].TextB = shown(rows[i].TextA, form), shown(rows[i].TextB, form)
				}
				for _, name := range names(k) {
					same(t, name, isSorted(k), theirs[name], asLoaded(t, k, name, rows))
				}
			}
			if form.Form == FormUTF8 {
				cutWithoutShim(t, disk, tasks, ours)
			}
		})
	}
}

func shown(text string, form Format) string {
	text = benchmark.Clean(text)
	if form.Spacing == SpacingCharacters {
		text = benchmark.Characters(text)
	}
	return text
}

// cutWithoutShim checks that the damage is what loaderRows says.
func cutWithoutShim(t *testing.T, disk string, tasks []Task, ours map[string][]schemas.Benchmark) {
	for _, k := range tasks {
		if k.kind != kindLines {
			continue
		}
		want := 0
		for _, f := range k.Files {
			data, err := os.ReadFile(filepath.Join(disk, f.Name))
			if err != nil {
				t.Fatal(err)
			}
			n, err := loaderRows(k, f.Name, data, false)
			if err != nil {
				t.Fatal(err)
			}
			want += n
		}
		got := len(loaded(t, disk, "plain", k.Name)[k.Name])
		t.Logf("%s in UTF-8 without the shim: %d rows instead of %d", k.Name, got, len(ours[k.Name]))
		if got != want || got == len(ours[k.Name]) {
			t.Errorf("%s without the shim: %d rows, LoaderRows says %d, there are %d", k.Name, got, want, len(ours[k.Name]))
		}
	}
}

// sourceOf makes rows the source of themselves, cleaned as they are written.
func sourceOf(rows []schemas.Benchmark) []schemas.Benchmark {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].TextA, rows[i].TextB = benchmark.Clean(rows[i].TextA), benchmark.Clean(rows[i].TextB)
	}
	return rows
}

var (
	cyrillic = []rune("абцдефгхийклмнопЯрстувшхызАБЦДЕФГХИЙКЛМНОПЯРСТУВШХЫЗ")
	// What a translator may return: all that Python cuts lines and words at.
	cutters = []string{" ", "\u00a0", "\t", "\u0085", "\u2028", "\u2029", "\u3000", "\r", "\x1c", "\x1e", "\v", "\f", "\u202f", "\n"}
)

// translate writes English with letters of other scripts, and spaces of all kinds.
func translate(t *testing.T, rows []schemas.Benchmark, spacing Spacing) []schemas.Benchmark {
	t.Helper()
	code := "rus"
	if spacing == SpacingCharacters {
		code = "zho"
	}
	change := func(text string, n int) string {
		var b strings.Builder
		for _, r := range text {
			switch {
			case r == ' ':
				b.WriteString(cutters[n%len(cutters)])
				n++
			case r >= 'a' && r <= 'z' && code == "zho":
				b.WriteRune(0x4e00 + (r-'a')*37)
			case r >= 'a' && r <= 'z':
				b.WriteRune(cyrillic[r-'a'])
			case r >= 'A' && r <= 'Z':
				b.WriteRune(cyrillic[r-'A'+26])
			default:
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	var out []schemas.Benchmark
	for i, r := range rows {
		b := ""
		if r.TextB != "" {
			b = change(r.TextB, i+1)
		}
		row, err := benchmark.Translate(r, code, change(r.TextA, i), b)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

// What SentEval's script makes of MR and SUBJ, cat -v and tokenizer.sed, reads as the
// original does: nothing of cat -v is left in it.
func TestCatVOfTheScript(t *testing.T) {
	senteval := realdata.Variable(t, "SENTWEAVE_SENTEVAL")
	folder := realFolder(t)
	for _, name := range []string{"mr", "subj"} {
		k := task(t, name)
		original := readAll(t, Source{Language: "eng"}, k, folder)
		for _, f := range k.Files {
			c := exec.Command("sed", "-f", filepath.Join(senteval, "data", "downstream", "tokenizer.sed"))
			c.Stdin = strings.NewReader(catVisible(folder[f.Name].Data))
			out, err := c.Output()
			if err != nil {
				t.Fatal(err)
			}
			folder[f.Name].Data = out
		}
		rows := readAll(t, Source{Language: "eng"}, k, folder)
		letters := func(s string) string {
			return strings.NewReplacer(" ", "", `"`, "", "'", "", "`", "").Replace(s)
		}
		spoilt := 0
		for i := range rows {
			if letters(rows[i].TextA) != letters(original[i].TextA) {
				if spoilt++; spoilt <= 3 {
					t.Logf("%s row %d:\nfolder   %s\noriginal %s", name, i, rows[i].TextA, original[i].TextA)
				}
			}
		}
		t.Logf("%s: %d of %d rows keep something of cat -v", name, spoilt, len(rows))
		if spoilt > 0 {
			t.Errorf("%s: %d rows", name, spoilt)
		}
	}
}
