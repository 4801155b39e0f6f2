package translations_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/translations"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/transforms/benchmark"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// canaryVariable holds the key of the fake servers.
const canaryVariable = "SENTWEAVE_TEST_TRANSLATIONS_KEY"

// benchmarkOf writes a dataset of test sets with these texts, so many a shard.
func benchmarkOf(t testing.TB, perShard int, list []string) string {
	t.Helper()
	var rows []schemas.Benchmark
	for i, text := range list {
		rows = append(rows, schemas.Benchmark{
			ID: schemas.DerivedID("test", fmt.Sprint(i)), Task: "t", Split: "all", Row: int32(i), File: "f", LanguageA: "eng", TextA: text, Label: "1",
		})
	}
	return datasettest.Write(t, nil, slices.Collect(slices.Chunk(rows, perShard))...)
}

// hard are n different texts that are hard to carry.
func hard(n int) []string { return enginetest.Texts(n) }

// accept lets everything pass that the fakes give: their translations are short and
// keep the text.
const accept = "--accept=copied,length_ratio,wrong_language,lost_number,lost_placeholder"

// config is the configuration for a fake server of LibreTranslate.
func config(t *testing.T, server *enginetest.Server, args ...string) translations.Config {
	t.Helper()
	t.Setenv(canaryVariable, enginetest.Canary)
	c, err := configure(server, args...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func configure(server *enginetest.Server, args ...string) (translations.Config, error) {
	args = append([]string{"--targets=deu", "--engine=libretranslate", "--libretranslate-server=" + server.URL, "--libretranslate-key-variable=" + canaryVariable,
		"--texts-per-request=8", "--retry-pause=1ms", "--request-timeout=2s", "--attempts=30", accept}, args...)
	return pipelinetest.Configure[translations.Config](args...)
}

// rowsIn reads a dataset of translations.
func rowsIn(t testing.TB, location string) []schemas.Translation {
	t.Helper()
	rows, err := dataset.ReadAll[schemas.Translation](t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// want are the translations of a well-behaved server, by text.
func want(list []string) map[string]string {
	all := map[string]string{}
	for _, text := range list {
		all[text] = enginetest.Translation("deu", text)
	}
	return all
}

func got(rows []schemas.Translation) map[string]string {
	all := map[string]string{}
	for _, r := range rows {
		all[r.Text] = r.Translation
		if r.Status != schemas.TranslationOK {
			all[r.Text] = r.Status + " " + r.Reason
		}
	}
	return all
}

// once checks that the server was asked for each text once.
func once(t *testing.T, server *enginetest.Server, list []string) {
	t.Helper()
	_, sent, _ := server.Dice.Counts()
	for _, text := range list {
		if sent[text] != 1 {
			t.Errorf("%q was sent %d times", text, sent[text])
		}
	}
	if len(sent) != len(list) {
		t.Errorf("%d texts were sent, want %d", len(sent), len(list))
	}
}

// Texts that stand in many units, of two datasets, are one request each, at any
// parallelism; the rows come in one order.
func TestEachTextOnce(t *testing.T) {
	list := hard(200)
	var first map[string]string
	for _, parallelism := range []int{1, 5} {
		server := enginetest.LibreTranslate(t)
		a, b := benchmarkOf(t, 10, append(list[:150:150], list[:50]...)), benchmarkOf(t, 30, list[100:])
		c := config(t, server, "--texts", a+","+b, fmt.Sprint("--requests=", 2*parallelism))
		location, m := pipelinetest.Run(t, c, pipelinetest.Settings(1<<10), pipelinetest.Plain(parallelism))
		if diff := cmp.Diff(want(list), got(rowsIn(t, location))); diff != "" {
			t.Error(diff)
		}
		once(t, server, list)
		if m.Rows != 200 || m.Plan.Units < 8 {
			t.Errorf("%d rows, %d units", m.Rows, m.Plan.Units)
		}
		if repeated := pipelinetest.Dropped(m)["texts unique repeated"]; repeated != 100 {
			t.Errorf("%d repeated", repeated)
		}
		if entries, _ := os.ReadDir(filepath.Join(location, "_run", "journal", "00000")); len(entries) > 0 {
			t.Errorf("the journal of a committed unit has %d entries", len(entries))
		}
		shards := pipelinetest.Digests(t, filepath.Join(location, "data"))
		if first == nil {
			first = shards
		}
		if diff := cmp.Diff(first, shards); diff != "" {
			t.Errorf("other bytes at parallelism %d: %s", parallelism, diff)
		}
	}
}

// A server of whose requests nearly a third fail gives the bytes of one that always
// works, and is asked for no text again that it has answered.
func TestThroughTroubles(t *testing.T) {
	list := hard(400)
	input := benchmarkOf(t, 100, list)
	data := func(server *enginetest.Server) map[string]string {
		location, _ := pipelinetest.Run(t, config(t, server, "--texts", input), pipelinetest.Settings(4<<10), pipelinetest.Plain(2))
		return pipelinetest.Digests(t, filepath.Join(location, "data"))
	}
	whole := data(enginetest.LibreTranslate(t))
	for seed := range uint64(3) {
		server := enginetest.LibreTranslate(t)
		server.Dice.Seed, server.Dice.Share = seed, .3
		server.Dice.Among = []enginetest.Trouble{enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Truncate, enginetest.Short, enginetest.Long}
		if diff := cmp.Diff(whole, data(server)); diff != "" {
			t.Error(diff)
		}
		_, _, answered := server.Dice.Counts()
		for _, text := range list {
			if answered[text] != 1 {
				t.Errorf("%q was answered %d times", text, answered[text])
			}
		}
	}
}

// What a memory has is not asked for, also when it is the memory of another memory;
// other options of the engine are another memory.
func TestMemory(t *testing.T) {
	list := hard(60)
	server := enginetest.LibreTranslate(t)
	settings := pipelinetest.Settings(1 << 20)
	first, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 50, list[:40])), settings, pipelinetest.Plain(2))
	second, m := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 50, list), "--memory", first), settings, pipelinetest.Plain(2))
	once(t, server, list)
	if diff := cmp.Diff(want(list), got(rowsIn(t, second))); diff != "" {
		t.Error(diff)
	}
	known := int64(len([]rune(strings.Join(list[:40], ""))))
	if dropped := pipelinetest.Dropped(m)["characters memory known"]; dropped != known {
		t.Errorf("%d known characters, want %d", dropped, known)
	}
	third, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 50, list[30:]), "--memory", second), settings, pipelinetest.Plain(1))
	once(t, server, list)
	if diff := cmp.Diff(want(list[30:]), got(rowsIn(t, third))); diff != "" {
		t.Error(diff)
	}
	other, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 50, list[:1]), "--memory", second, "--libretranslate-model=other"), settings, pipelinetest.Plain(1))
	if _, sent, _ := server.Dice.Counts(); sent[list[0]] != 2 || len(rowsIn(t, other)) != 1 {
		t.Errorf("another model's translation was taken for this one's: %d requests", sent[list[0]])
	}
	people := slices.Clone(rowsIn(t, second))
	for i := range people {
		people[i].Engine, people[i].Translation = "tmx", "of a person"
	}
	taken, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 50, list[:2]), "--memory", datasettest.Write(t, nil, people), "--reuse=any"), settings, pipelinetest.Plain(1))
	for _, r := range rowsIn(t, taken) {
		if r.Engine != "tmx" || r.Translation != "of a person" {
			t.Errorf("with --reuse any: %+v", r)
		}
	}
}

// The budget holds over all runs of a dataset, and what was answered before it was
// spent is not sent again.
func TestBudget(t *testing.T) {
	list := hard(100)
	characters := len([]rune(strings.Join(list, "")))
	server := enginetest.LibreTranslate(t)
	input, location := benchmarkOf(t, 20, list), filepath.Join(t.TempDir(), "out")
	settings := pipelinetest.Settings(256)
	run := func(budget string) error {
		job, err := config(t, server, "--texts", input, "--libretranslate-price=20", "--budget="+budget, "--requests=3").Plan(t.Context(), location, settings)
		if err != nil {
			t.Fatal(err)
		}
		_, err = pipelinetest.Plain(3)(t.Context(), job)
		return err
	}
	// The second bound is below what the first run has spent; the third is in dollars.
	for _, budget := range []struct {
		text       string
		characters int
	}{{fmt.Sprint(characters / 3), characters / 3}, {fmt.Sprint(characters / 4), characters / 3}, {fmt.Sprintf("%.7fUSD", float64(characters)/2*20/1e6), characters / 2}} {
		if err := run(budget.text); !errors.Is(err, engines.ErrBudget) || !strings.Contains(err.Error(), "raise the budget") {
			t.Fatalf("budget %s: %v", budget.text, err)
		}
		_, sent, _ := server.Dice.Counts()
		spent := 0
		for text, n := range sent {
			spent += n * len([]rune(text))
		}
		if spent > budget.characters || spent < budget.characters-300 {
			t.Errorf("budget %s: %d characters were sent", budget.text, spent)
		}
	}
	if err := run(""); err != nil {
		t.Fatal(err)
	}
	once(t, server, list)
	if diff := cmp.Diff(want(list), got(rowsIn(t, location))); diff != "" {
		t.Error(diff)
	}
}

// A translation that cannot be used is asked for once more, and then kept aside with
// the reason; the second answer counts if it is better.
func TestQuality(t *testing.T) {
	var list []string
	for i := range 120 {
		list = append(list, fmt.Sprintf("There were %d bottles of beer on the wall that day.", 100+i))
	}
	server := enginetest.LibreTranslate(t)
	server.Dice.Seed, server.Dice.Share, server.Dice.Among = 1, .5, []enginetest.Trouble{enginetest.Lie}
	c := config(t, server, "--texts", benchmarkOf(t, 200, list), "--texts-per-request=1")
	c.Accept = nil
	location, m := pipelinetest.Run(t, c, pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	_, sent, _ := server.Dice.Counts()
	rejected, again := 0, 0
	for _, r := range rowsIn(t, location) {
		if sent[r.Text] > 2 || r.Status == schemas.TranslationRejected && sent[r.Text] != 2 {
			t.Errorf("%q is %s and was sent %d times", r.Text, r.Status, sent[r.Text])
		}
		if sent[r.Text] == 2 {
			again++
		}
		if r.Status == schemas.TranslationRejected {
			rejected++
			if r.Reason != "copied" || r.Translation != r.Text {
				t.Errorf("%+v", r)
			}
		} else if r.Translation != enginetest.Translation("deu", r.Text) {
			t.Errorf("%q: %q", r.Text, r.Translation)
		}
	}
	if again < 40 || rejected < 15 || rejected > again-15 {
		t.Errorf("%d sent again, %d rejected: the dice give about 60 and 30", again, rejected)
	}
	if n := pipelinetest.Dropped(m)["answers quality copied"]; n != int64(rejected) {
		t.Errorf("the funnel has %d, there are %d", n, rejected)
	}
	if _, err := dataset.Verify(t.Context(), storage.NewLocal(location)); err != nil {
		t.Errorf("a dataset with rejected translations does not pass: %v", err)
	}
	memory, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 200, list), "--memory", location), pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	if _, after, _ := server.Dice.Counts(); !maps.Equal(sent, after) {
		t.Error("what was rejected is asked for again without --retry-rejected")
	}
	if len(rowsIn(t, memory)) != len(list) {
		t.Error("rows are missing")
	}
}

// Texts that break rows, formats and protocols come out as one line each.
func TestHardTexts(t *testing.T) {
	list := []string{
		"a\ttab and a\nnewline", "next\u0085line", "line\u2028separator", "no\u00a0break", `"quoted" and 'quoted'`, "1", "pos\t1",
		"\u200fright \u202eto left", "family \U0001f468\u200d\U0001f469\u200d\U0001f467", strings.Repeat("very long ", 500), "{0} %s <b>bold</b>", "\ufeffmark", `back\slash \n`,
	}
	server := enginetest.LibreTranslate(t)
	location, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 4, list), "--accept=broken"), pipelinetest.Settings(1<<10), pipelinetest.Plain(2))
	rows := got(rowsIn(t, location))
	for _, text := range list {
		translation := rows[benchmark.Clean(text)]
		if strings.ContainsAny(translation, "\t\n\r\u0085\u2028\u2029\ufeff") {
			t.Errorf("%q has a row with %q", text, translation)
		}
		if translation != benchmark.Clean("deu:"+benchmark.Clean(text)) {
			t.Errorf("%q came back as %q", text, translation)
		}
	}
}

// The estimate counts what is then sent, and sends nothing.
func TestEstimate(t *testing.T) {
	list := hard(150)
	server := enginetest.LibreTranslate(t)
	settings := pipelinetest.Settings(2 << 10)
	memory, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 50, list[:30])), settings, pipelinetest.Plain(1))
	before, _, _ := server.Dice.Counts()
	c := config(t, server, "--texts", benchmarkOf(t, 50, append(list, list[:10]...)), "--memory", memory, "--libretranslate-price=20", "--characters-per-minute=600")
	estimates, err := c.Estimates(t.Context(), filepath.Join(t.TempDir(), "scratch"), settings, func(job *units.Job) (*dataset.Manifest, error) {
		return pipelinetest.Plain(2)(t.Context(), job)
	})
	if err != nil || len(estimates) != 1 {
		t.Fatal(estimates, err)
	}
	if requests, _, _ := server.Dice.Counts(); requests != before {
		t.Errorf("%d requests were sent", requests-before)
	}
	unknown := int64(len([]rune(strings.Join(list[30:], ""))))
	e := estimates[0]
	if e.Texts != 160 || e.Segments != 150 || e.Known != 30 || e.Sent != unknown || e.Dollars != float64(unknown)*20/1e6 || int64(e.Time.Seconds()+.5) != unknown/10 && e.Time.Seconds() < 1 {
		t.Errorf("%+v, want %d characters", e, unknown)
	}
	pipelinetest.Run(t, c, settings, pipelinetest.Plain(1))
	if requests, _, _ := server.Dice.Counts(); int64(requests-before) != e.Requests {
		t.Errorf("%d requests were sent, the estimate is %d", requests-before, e.Requests)
	}
}

// A pair that the engine does not have, or no key, is refused before anything is sent
// or written.
func TestRefused(t *testing.T) {
	input := benchmarkOf(t, 10, hard(5))
	server := enginetest.LibreTranslate(t)
	t.Setenv(canaryVariable, enginetest.Canary)
	for _, test := range []struct{ args, want string }{
		{"--targets=fra", "eng-fra"}, {"--engine=deu=apertium,deu=identity", "second engine"}, {"--libretranslate-server=", "engine libretranslate needs --libretranslate-server"},
		{"--engine=nothing", `engine "nothing" is none of google`}, {"--budget=much", "want characters"}, {"--engine=deu=chat", "engine chat needs --chat-server"},
		{"--accept=wrong", `accept "wrong" is none of`}, {"--sources=xx1", "sources"},
	} {
		c, err := configure(server, "--texts", input, test.args)
		if err == nil {
			_, err = c.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1<<10))
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.args, err)
		}
	}
	c := config(t, server, "--texts", input)
	c.Targets = []string{"eng"}
	if _, err := c.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<10)); err == nil || !strings.Contains(err.Error(), "each target is the source") {
		t.Errorf("into the source's language: %v", err)
	}
	if err := pipelinetest.Fails(t, config(t, server, "--texts", input, "--libretranslate-key-variable="), pipelinetest.Settings(1<<10)); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("without a key: %v", err)
	}
	if requests, _, _ := server.Dice.Counts(); requests != 0 {
		t.Errorf("%d requests", requests)
	}
}

// No file of a run, whole or in the midst of failing, tells the key.
func TestSecret(t *testing.T) {
	server := enginetest.LibreTranslate(t)
	server.Dice.Share, server.Dice.Among = .5, []enginetest.Trouble{enginetest.Break, enginetest.Lie}
	c := config(t, server, "--texts", benchmarkOf(t, 10, hard(50)), "--attempts=1")
	job, err := c.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1<<10))
	if err != nil {
		t.Fatal(err)
	}
	_, err = pipelinetest.Plain(1)(t.Context(), job)
	enginetest.CheckSecret(t, err, fmt.Sprintf("%+v", job))
	err = filepath.WalkDir(job.Output, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		enginetest.CheckSecret(t, path, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Two launchers at once pay once.
func TestTwoLaunchers(t *testing.T) {
	list := hard(300)
	server := enginetest.LibreTranslate(t)
	input, location := benchmarkOf(t, 50, list), filepath.Join(t.TempDir(), "out")
	errs := make(chan error, 2)
	for i := range 2 { // other requests, as another program would have them
		job, err := config(t, server, "--texts", input, fmt.Sprint("--requests=", 1+i)).Plan(t.Context(), location, pipelinetest.Settings(2<<10))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := pipelinetest.Plain(3)(t.Context(), job)
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	once(t, server, list)
	if diff := cmp.Diff(want(list), got(rowsIn(t, location))); diff != "" {
		t.Error(diff)
	}
}
