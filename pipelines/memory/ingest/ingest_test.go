package ingest_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"sentweave/pipelines/memory/ingest"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/engines"
)

const head = `<tmx version="1.4"><header creationtool="Tool" srclang="%s"/><body>`

// file writes a file into a new folder and returns its path.
func file(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// memory writes a memory: units between commas, with variants "en=text" between bars.
func memory(t *testing.T, source, units string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, head, source)
	for unit := range strings.SplitSeq(units, ",") {
		b.WriteString("<tu>")
		for variant := range strings.SplitSeq(unit, "|") {
			tag, text, _ := strings.Cut(variant, "=")
			fmt.Fprintf(&b, `<tuv xml:lang="%s"><seg>%s</seg></tuv>`, tag, text)
		}
		b.WriteString("</tu>")
	}
	return file(t, "memory.tmx", []byte(b.String()+"</body></tmx>"))
}

// brief returns rows as "eng-spa text>translation".
func brief(rows []schemas.Translation) (lines []string) {
	for _, r := range rows {
		line := r.SourceLanguage + "-" + r.TargetLanguage + " " + r.Text + ">" + r.Translation
		if r.Status != schemas.TranslationOK {
			line += " " + r.Reason
		}
		lines = append(lines, line)
	}
	return lines
}

func run(t *testing.T, args ...string) ([]schemas.Translation, *dataset.Manifest) {
	t.Helper()
	out, m := pipelinetest.Run(t, pipelinetest.Parse[ingest.Config](t, args...), pipelinetest.Settings(1), pipelinetest.Plain(2))
	if err := m.Funnel.Check(); err != nil {
		t.Error(err)
	}
	return pipelinetest.Rows[schemas.Translation](t, out), m
}

// byPair returns what a chain dropped: "eng-spa reason".
func byPair(m *dataset.Manifest) map[string]int64 {
	dropped := map[string]int64{}
	for _, c := range m.Funnel.Chains {
		for _, s := range c.Steps {
			for pair, count := range s.Languages {
				for reason, n := range count.Dropped {
					dropped[pair+" "+reason] += n
				}
			}
		}
	}
	return dropped
}

func TestDirections(t *testing.T) {
	const units = "en-GB=a|es-MX=b|ca=c,es=d|ca=e"
	for name, test := range map[string]struct {
		source  string
		args    string
		want    []string
		dropped map[string]int64
	}{
		"as the memory says": {"en-US", "", []string{"eng-spa a>b", "eng-cat a>c"}, map[string]int64{"eng-und no_source": 1}},
		"any":                {"*all*", "", nil, map[string]int64{"und-und no_source": 2}},
		"any, one wanted":    {"*all*", "--source es", []string{"spa-eng b>a", "spa-cat b>c", "spa-cat d>e"}, nil},
		"another than said":  {"en", "--source spa --targets eng", []string{"spa-eng b>a"}, map[string]int64{"spa-cat other_languages": 2}},
		"targets": {"en", "--targets cat", []string{"eng-cat a>c"},
			map[string]int64{"eng-spa other_languages": 1, "eng-und no_source": 1}},
		"both": {"*all*", "--both", []string{"eng-spa a>b", "eng-cat a>c", "spa-eng b>a", "spa-cat b>c", "cat-eng c>a",
			"cat-spa c>b", "spa-cat d>e", "cat-spa e>d"}, nil},
		"both of one": {"en", "--both --source eng --targets cat", []string{"eng-cat a>c", "cat-eng c>a"},
			map[string]int64{"eng-spa other_languages": 1, "spa-eng other_languages": 1, "spa-cat other_languages": 2,
				"cat-spa other_languages": 2}},
	} {
		rows, m := run(t, append([]string{"--input", memory(t, test.source, units)}, strings.Fields(test.args)...)...)
		if diff := cmp.Diff(test.want, brief(rows)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(test.dropped, byPair(m)); diff != "" && len(test.dropped)+len(byPair(m)) > 0 {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestUnusable(t *testing.T) {
	rows, m := run(t, "--input", memory(
		t, "en", "en=a|es=,en= &#9;|es=b,en=c|en-GB=d,en=e|qq=f,en=g,en=h&nbsp;|es=i,en= j\n k&#x2028;|es=l,en=m|es=n\u00a0o"))
	if diff := cmp.Diff([]string{"eng-spa j k>l", "eng-spa m>n o"}, brief(rows)); diff != "" {
		t.Error(diff)
	}
	want := map[string]int64{"eng-spa empty_translation": 1, "eng-spa empty_text": 1, "eng-eng same_language": 2,
		"eng-und unknown_language": 1, "eng-und no_translation": 1, "und-und malformed_xml": 1}
	if diff := cmp.Diff(want, byPair(m)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"eng-spa": 2}, m.Funnel.Out("texts made one line")); diff != "" {
		t.Error(diff)
	}
}

func TestColumns(t *testing.T) {
	rows, _ := run(t, "--input", memory(t, "en", "en=house 🏠|es=casa"))
	pair := engines.Pair{Source: "eng", Target: "spa"}
	identity := engines.Identity{Engine: "tmx", Model: "Tool"}
	want := []schemas.Translation{{
		Key: identity.Key(pair, "house 🏠"), Engine: "tmx", Model: "Tool", OptionsXXH3: identity.OptionsXXH3(),
		SourceLanguage: "eng", TargetLanguage: "spa", Text: "house 🏠", Translation: "casa", Characters: 7, Status: schemas.TranslationOK,
	}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	rows, _ = run(t, "--input", memory(t, "en", "en=house|es=casa"), "--engine-name", "deepl", "--model-name", "2026")
	if r := rows[0]; r.Engine != "deepl" || r.Model != "2026" || r.Key != (engines.Identity{Engine: "deepl", Model: "2026"}).Key(
		pair, "house") {
		t.Errorf("%+v", r)
	}
}

// translation is a row that an engine made.
func translation(engine, text, translation string) schemas.Translation {
	identity := engines.Identity{Engine: engine, Model: "m", Options: "o"}
	return schemas.Translation{
		Key: identity.Key(engines.Pair{Source: "eng", Target: "spa"}, text), Engine: engine, Model: "m",
		OptionsXXH3:    identity.OptionsXXH3(),
		SourceLanguage: "eng", TargetLanguage: "spa", Text: text, Translation: translation, Characters: int32(engines.Characters(text)),
		Status: schemas.TranslationOK,
	}
}

// A unit that is a row which was exported has its engine again, unless it was changed.
func TestExported(t *testing.T) {
	row := translation("google", "the house", "la casa")
	unit := func(attributes, options, text string) string {
		return fmt.Sprintf(`<tu tuid="%s" creationtool="google" creationtoolversion="m" %s><prop type="x-other">x</prop><prop type="x-sentweave-options">%s</prop><tuv xml:lang="en"><seg>%s</seg></tuv><tuv xml:lang="es"><seg>la casa</seg></tuv></tu>`,
			row.Key, attributes, options, text)
	}
	for units, want := range map[string]string{
		unit("", row.OptionsXXH3, row.Text): "google", unit(`changeid="Ann"`, row.OptionsXXH3, row.Text): "tmx",
		unit("", "0123456789abcdef", row.Text): "tmx", unit("", row.OptionsXXH3, "a house"): "tmx",
	} {
		rows, _ := run(t, "--input", file(t, "memory.tmx", []byte(fmt.Sprintf(head, "en")+units+"</body></tmx>")))
		if len(rows) != 1 || rows[0].Engine != want {
			t.Errorf("got %+v, want the engine %s", rows, want)
		} else if diff := cmp.Diff(row, rows[0]); want == "google" && diff != "" {
			t.Error(diff)
		}
	}
	// It was translated in one direction, which --both does not change.
	for units, want := range map[string]int{unit("", row.OptionsXXH3, row.Text): 1, unit("", row.OptionsXXH3, "a house"): 2} {
		if rows, _ := run(t, "--both", "--input", file(t, "memory.tmx", []byte(fmt.Sprintf(head, "en")+units+"</body></tmx>"))); len(
			rows) != want {
			t.Errorf("in both directions %+v", rows)
		}
	}
}

// The shards of a dataset, without its manifest, give its rows, however they are cut.
func TestShards(t *testing.T) {
	var rows []schemas.Translation
	for i := range 40_000 {
		rows = append(rows, translation("google", fmt.Sprint("text ", i), fmt.Sprint("texto ", i)))
	}
	rejected := translation("google", "no", "")
	rejected.Status, rejected.Reason = schemas.TranslationRejected, "empty"
	rows = append(rows, rejected)
	at := datasettest.Write(t, nil, rows[:39_000], rows[39_000:])
	got, m := run(t, "--input", filepath.Join(at, "data"), "--both")
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("%.2000s", diff)
	}
	if m.Plan.Units < 4 { // the first shard has three row groups
		t.Errorf("%d units", m.Plan.Units)
	}
	// The folder of a dataset has its rejects, too.
	if got, _ := run(t, "--input", at); len(got) != len(rows) {
		t.Errorf("%d rows of %d", len(got), len(rows))
	}
}

// Rows of a dataset of translations stay as they are, whatever white space they hold;
// one that is not whole, or has no key, is a foreign one, and becomes one line.
func TestSpaces(t *testing.T) {
	ours := []schemas.Translation{
		translation("google", "two  spaces", "dos  espacios"), translation("google", " a\u00a0line\nand\tanother ", " una\n línea "),
		translation("google", "one line", "una línea"),
	}
	rejected := translation("google", "no  way", "no  way ")
	rejected.Status, rejected.Reason = schemas.TranslationRejected, "copied"
	ours = append(ours, rejected)
	at := datasettest.Write(t, nil, ours)
	rows, m := run(t, "--input", filepath.Join(at, "data"), "--both")
	if diff := cmp.Diff(ours, rows); diff != "" {
		t.Error(diff)
	}
	if n := m.Funnel.Out("texts made one line"); len(n) > 0 {
		t.Errorf("%v", n)
	}
	// By another name it is another row, of the same texts.
	rows, _ = run(t, "--input", filepath.Join(at, "data"), "--engine-name", "deepl")
	pair := engines.Pair{Source: "eng", Target: "spa"}
	if r := rows[0]; r.Text != "two  spaces" || r.Key != engines.Key("deepl", r.Model, r.OptionsXXH3, pair, r.Text) {
		t.Errorf("%+v", r)
	}

	type row struct {
		Key         string `parquet:"key,optional"`
		Engine      string `parquet:"engine,optional"`
		Model       string `parquet:"model,optional"`
		Options     string `parquet:"options_xxh3,optional"`
		Source      string `parquet:"source_language"`
		Target      string `parquet:"target_language"`
		Text        string `parquet:"text"`
		Translation string `parquet:"translation"`
		Status      string `parquet:"status"`
	}
	whole := row{ours[0].Key, ours[0].Engine, ours[0].Model, ours[0].OptionsXXH3, "eng", "spa", ours[0].Text, ours[0].Translation, "ok"}
	keyless, tagged, unjudged := whole, whole, whole
	keyless.Key = ""
	tagged.Source = "en"
	tagged.Key = engines.Key(tagged.Engine, tagged.Model, tagged.Options, engines.Pair{Source: "en", Target: "spa"}, tagged.Text)
	unjudged.Status = ""
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := parquet.WriteFile(path, []row{whole, keyless, tagged, unjudged}); err != nil {
		t.Fatal(err)
	}
	rows, m = run(t, "--input", path)
	if diff := cmp.Diff([]string{"eng-spa two  spaces>dos  espacios", "eng-spa two spaces>dos espacios", "eng-spa two spaces>dos espacios",
		"eng-spa two spaces>dos espacios"}, brief(rows)); diff != "" {
		t.Error(diff)
	}
	for _, r := range rows {
		if r.Key != engines.Key(r.Engine, r.Model, r.OptionsXXH3, pair, r.Text) {
			t.Errorf("the key of %+v is not that of its text", r)
		}
	}
	if diff := cmp.Diff(map[string]int64{"eng-spa": 6}, m.Funnel.Out("texts made one line")); diff != "" {
		t.Error(diff)
	}
}

func TestForeignParquet(t *testing.T) {
	type row struct {
		Translation string  `parquet:"translation"`
		Engine      *string `parquet:"engine"`
		Key         string  `parquet:"key,optional"`
		Text        *string `parquet:"text"`
		Source      string  `parquet:"source_language"`
		Other       []int64 `parquet:"other"`
		Target      string  `parquet:"target_language"`
	}
	text := func(s string) *string { return &s }
	path := filepath.Join(t.TempDir(), "x.parquet")
	err := parquet.WriteFile(path, []row{
		{Translation: "casa", Text: text("house"), Source: "en", Target: "es-MX", Other: []int64{1, 2}},
		{Translation: "gos", Text: text("dog"), Source: "eng", Target: "ca", Engine: text("hand")},
		{Translation: "x", Text: nil, Source: "eng", Target: "cat"},
		{Translation: "x", Text: text("y"), Source: "eng", Target: "klingon"},
		{Translation: "x", Text: text("z"), Source: "eng", Target: "cat", Key: strings.Repeat("0", 32)},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, m := run(t, "--input", path, "--both")
	if diff := cmp.Diff([]string{"eng-spa house>casa", "spa-eng casa>house", "eng-cat dog>gos"}, brief(rows)); diff != "" {
		t.Error(diff)
	}
	if rows[0].Engine != "parquet" || rows[2].Engine != "hand" {
		t.Errorf("%+v", rows)
	}
	want := map[string]int64{"eng-cat empty_text": 1, "cat-eng empty_translation": 1, "eng-und unknown_language": 1, "eng-cat wrong_key": 1}
	if diff := cmp.Diff(want, byPair(m)); diff != "" {
		t.Error(diff)
	}
}

func TestDamaged(t *testing.T) {
	var units strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&units, "<tu><tuv lang='en'><seg>text %d</seg></tuv><tuv lang='es'><seg>texto %d</seg></tuv></tu>", i*i, i)
	}
	data := []byte(fmt.Sprintf(head, "en") + units.String() + "</body></tmx>")
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(data)
	_ = z.Close()
	whole, _ := run(t, "--input", file(t, "a.tmx.gz", zipped.Bytes()))
	if len(whole) != 5000 {
		t.Fatalf("%d rows", len(whole))
	}
	cut, m := run(t, "--input", file(t, "a.tmx.gz", zipped.Bytes()[:zipped.Len()/2]))
	if len(cut) < 1000 || !slices.Equal(brief(cut), brief(whole)[:len(cut)]) || byPair(m)["und-und damaged_gzip"] != 1 {
		t.Errorf("%d rows, %v", len(cut), byPair(m))
	}
	for name, content := range map[string]string{"not_tmx": "hello", "truncated": string(data[:len(data)/2]), "damaged_gzip": ""} {
		extension := ".tmx"
		if name == "damaged_gzip" {
			extension += ".gz"
		}
		if _, m := run(t, "--input", file(t, "a"+extension, []byte(content))); byPair(m)["und-und "+name] != 1 {
			t.Errorf("%s: %v", name, byPair(m))
		}
	}
}

// Files and folders of one command are told apart by their numbers.
func TestInputs(t *testing.T) {
	a, b := memory(t, "en", "en=a|es=b"), memory(t, "en", "en=c|es=d")
	if rows, _ := run(t, "--input", a+","+filepath.Dir(b)); !slices.Equal(brief(rows), []string{"eng-spa a>b", "eng-spa c>d"}) {
		t.Error(brief(rows))
	}
	// One that is given twice is read once, and told.
	job, err := pipelinetest.Parse[ingest.Config](t, "--input", a+","+filepath.Dir(a)+","+b+","+a).Plan(
		t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
	if err != nil || len(job.Units) != 2 || len(job.Notes) != 1 ||
		job.Notes[0] != "files that are given more than once are read once, such as "+a {
		t.Errorf("%v, %+v", err, job)
	}
	if rows, _ := run(t, "--input", a+","+filepath.Dir(a)+","+b+","+a); !slices.Equal(brief(rows), []string{"eng-spa a>b", "eng-spa c>d"}) {
		t.Error(brief(rows))
	}
}

// A link that leads nowhere is left out, and counted.
func TestDanglingLink(t *testing.T) {
	a := memory(t, "en", "en=a|es=b")
	root := filepath.Dir(a)
	if err := os.Symlink("gone", filepath.Join(root, "z.tmx")); err != nil {
		t.Fatal(err)
	}
	job, err := pipelinetest.Parse[ingest.Config](t, "--input", root).Plan(t.Context(), filepath.Join(t.TempDir(), "out"),
		pipelinetest.Settings(1))
	if err != nil || len(job.Units) != 1 || len(job.Notes) != 1 ||
		!strings.HasSuffix(job.Notes[0], "1 of 2 files is left out, z.tmx: a link that leads nowhere") {
		t.Errorf("%v, %+v", err, job)
	}
}

func TestMisuse(t *testing.T) {
	err := errors.Join((ingest.Config{Source: "qq", Targets: []string{"ww"}}).Validate(),
		(ingest.Config{Input: []string{"a.tmx"}, Source: "es", Targets: []string{"spa"}}).Validate())
	for _, want := range []string{"input is empty", `source: language "qq"`, `targets: language "ww"`, "spa is the source"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	plan := func(args ...string) error {
		_, err := pipelinetest.Parse[ingest.Config](t, args...).Plan(t.Context(), filepath.Join(t.TempDir(), "out"),
			pipelinetest.Settings(1))
		return err
	}
	other := filepath.Join(t.TempDir(), "other.parquet")
	if err := parquet.WriteFile(other, []struct {
		Text        string   `parquet:"text"`
		Translation []string `parquet:"translation"`
	}{{"a", nil}}); err != nil {
		t.Fatal(err)
	}
	own := filepath.Dir(file(t, "own.tmx", nil))
	if _, err := pipelinetest.Parse[ingest.Config](t, "--input", own).Plan(t.Context(), own, pipelinetest.Settings(1)); err == nil ||
		!strings.Contains(err.Error(), "is the folder that the memory goes to") {
		t.Errorf("got %v", err)
	}
	for want, args := range map[string][]string{
		"readme.txt: want a file whose name ends in .tmx, .tmx.gz or .parquet, or a folder of such files": {
			"--input", file(t, "readme.txt", nil)},
		"no such file":             {"--input", filepath.Join(t.TempDir(), "x.tmx")},
		"there is no file to read": {"--input", t.TempDir()},
		"no column of texts translation, source_language, target_language": {"--input", other},
		"is left out": {"--input", filepath.Dir(other)},
		"x.parquet":   {"--input", file(t, "x.parquet", []byte("PAR1 but no more PAR1"))},
	} {
		if err := plan(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
