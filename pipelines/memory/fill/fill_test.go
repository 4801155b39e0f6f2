package fill_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/memory/fill"
	"sentweave/pipelines/memory/ingest"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/chrf"
	"sentweave/transforms/engines/enginetest"
	"sentweave/transforms/engines/google"
	"sentweave/transforms/testsets/benchmark"
)

// canaryVariable holds the key of the fake servers.
const canaryVariable = "SENTWEAVE_TEST_TRANSLATIONS_KEY"

// benchmarkOf writes a dataset of test sets with these texts, so many a shard.
func benchmarkOf(t testing.TB, perShard int, list []string) string {
	t.Helper()
	var rows []schemas.Benchmark
	for i, text := range list {
		rows = append(rows, schemas.Benchmark{
			ID: schemas.DerivedID("test", fmt.Sprint(i)), Task: "t", Split: "all", Row: int32(i), File: "f", LanguageA: "eng", TextA: text,
			Label: "1",
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
func config(t *testing.T, server *enginetest.Server, args ...string) fill.Config {
	t.Helper()
	t.Setenv(canaryVariable, enginetest.Canary)
	c, err := configure(server, args...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func configure(server *enginetest.Server, args ...string) (fill.Config, error) {
	args = append([]string{"--targets=deu", "--engine=libretranslate", "--libretranslate-server=" + server.URL,
		"--libretranslate-key-variable=" + canaryVariable,
		"--texts-per-request=8", "--retry-pause=1ms", "--request-timeout=2s", "--attempts=30", accept}, args...)
	return pipelinetest.Configure[fill.Config](args...)
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

// Texts that are in many units, of two datasets, are one request each, at any
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
		// Not Short and Long: a text alone that has twice met one is given up.
		server.Dice.Among = []enginetest.Trouble{enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Truncate}
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
	second, m := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 50, list), "--memory", first), settings,
		pipelinetest.Plain(2))
	once(t, server, list)
	if diff := cmp.Diff(want(list), got(rowsIn(t, second))); diff != "" {
		t.Error(diff)
	}
	known := int64(len([]rune(strings.Join(list[:40], ""))))
	if dropped := pipelinetest.Dropped(m)["characters memory known"]; dropped != known {
		t.Errorf("%d known characters, want %d", dropped, known)
	}
	third, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 50, list[30:]), "--memory", second), settings,
		pipelinetest.Plain(1))
	once(t, server, list)
	if diff := cmp.Diff(want(list[30:]), got(rowsIn(t, third))); diff != "" {
		t.Error(diff)
	}
	other, _ := pipelinetest.Run(t,
		config(t, server, "--texts", benchmarkOf(t, 50, list[:1]), "--memory", second, "--libretranslate-model=other"), settings,
		pipelinetest.Plain(1))
	if _, sent, _ := server.Dice.Counts(); sent[list[0]] != 2 || len(rowsIn(t, other)) != 1 {
		t.Errorf("another model's translation was taken for this one's: %d requests", sent[list[0]])
	}
	people := slices.Clone(rowsIn(t, second))
	for i := range people {
		people[i].Engine, people[i].Translation = "tmx", "of a person"
	}
	taken, _ := pipelinetest.Run(t,
		config(t, server, "--texts", benchmarkOf(t, 50, list[:2]), "--memory", datasettest.Write(t, nil, people), "--reuse=any"), settings,
		pipelinetest.Plain(1))
	for _, r := range rowsIn(t, taken) {
		if r.Engine != "tmx" || r.Translation != "of a person" {
			t.Errorf("with --reuse any: %+v", r)
		}
	}
	// What a memory holds as rejected for a verdict that is accepted here is good.
	for i := range people {
		people[i].Status, people[i].Reason = schemas.TranslationRejected, []string{"copied", "empty", "round_trip"}[i%3]
	}
	rules, _ := pipelinetest.Run(t,
		config(t, server, "--texts", benchmarkOf(t, 50, list[:6]), "--memory", datasettest.Write(t, nil, people), "--reuse=any"), settings,
		pipelinetest.Plain(1))
	accepted := 0
	for _, r := range rowsIn(t, rules) {
		if r.Status == schemas.TranslationOK {
			accepted++
		} else if r.Reason == "copied" {
			t.Errorf("%+v", r)
		}
	}
	if n := len(rowsIn(t, rules)); accepted == 0 || accepted == n {
		t.Errorf("%d of %d rejected rows are accepted", accepted, n)
	}
}

// What a memory has of the same engine is judged by the rules of the run that takes it.
func TestMemoryRules(t *testing.T) {
	list := bottles(20)
	server, input, settings := liar(t, 1), benchmarkOf(t, 50, list), pipelinetest.Settings(1<<20)
	rejected := func(memory string, accept []string, args ...string) (location string, n int) {
		c := config(t, server, append([]string{"--texts", input}, args...)...)
		if c.Accept = accept; memory != "" {
			c.Memory = []string{memory}
		}
		location, _ = pipelinetest.Run(t, c, settings, pipelinetest.Plain(2))
		for _, row := range rowsIn(t, location) {
			if row.Status != schemas.TranslationOK {
				n++
				if row.Reason != "copied" && row.Reason != "length_ratio" {
					t.Errorf("%+v", row)
				}
			}
		}
		return location, n
	}
	first, n := rejected("", []string{"copied"})
	if n != 0 {
		t.Fatal("copies are rejected though they are accepted")
	}
	_, before, _ := server.Dice.Counts()
	for _, test := range []struct {
		accept []string
		args   []string
		want   int
	}{{[]string{"copied"}, nil, 0}, {nil, nil, 20}, {nil, []string{"--reuse=any"}, 20},
		{nil, []string{"--reuse=any", "--libretranslate-model=other"}, 0}} {
		made, n := rejected(first, test.accept, test.args...)
		if n != test.want {
			t.Errorf("%v %v: %d rejected, want %d", test.accept, test.args, n, test.want)
		}
		if _, back := rejected(made, []string{"copied"}, test.args...); back != 0 {
			t.Errorf("%v %v: %d stay rejected", test.accept, test.args, back)
		}
	}
	if _, after, _ := server.Dice.Counts(); !maps.Equal(before, after) {
		t.Error("what memories have was sent")
	}
}

// Of two memories the one is taken whose row passes the rules of the run.
func TestMemoryThatPasses(t *testing.T) {
	list := bottles(20)
	input, settings := benchmarkOf(t, 50, list), pipelinetest.Settings(1<<20)
	make := func(share float64, accept []string, memories ...string) string {
		c := config(t, liar(t, share), "--texts", input)
		c.Accept, c.Memory = accept, memories
		location, _ := pipelinetest.Run(t, c, settings, pipelinetest.Plain(2))
		return location
	}
	copies, good := make(1, []string{"copied"}), make(0, nil)
	for _, memories := range [][]string{{copies, good}, {good, copies}} {
		if diff := cmp.Diff(want(list), got(rowsIn(t, make(1, nil, memories...)))); diff != "" {
			t.Error(diff)
		}
	}
}

// An engine that was out of reach when a text was first sent, and answered the second
// time, has answered it: the next run does not pay for it again.
func TestSecondTryIsKept(t *testing.T) {
	var mutex sync.Mutex
	sent, answered, mended := map[string]int{}, map[string]int{}, false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Q []string }
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `[{"code":"en","targets":["de"]},{"code":"de","targets":["en"]}]`)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Q) != 1 {
			t.Errorf("%v, error %v", body, err)
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		text := body.Q[0]
		if sent[text]++; text == "flaky" && sent[text] <= 3 || text == "broken" && !mended {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		answered[text]++
		_ = json.NewEncoder(w).Encode(map[string]any{"translatedText": []string{enginetest.Translation("deu", text)}})
	}))
	defer server.Close()
	input, location := benchmarkOf(t, 50, []string{"good", "good too", "flaky", "broken"}), filepath.Join(t.TempDir(), "out")
	run := func() error {
		c, err := pipelinetest.Configure[fill.Config]("--targets=deu", "--engine=libretranslate", "--libretranslate-server="+server.URL,
			"--texts-per-request=1", "--requests=2", "--retry-pause=1ms", "--attempts=3", accept, "--texts", input)
		if err != nil {
			t.Fatal(err)
		}
		job, err := c.Plan(t.Context(), location, pipelinetest.Settings(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		_, err = pipelinetest.Plain(1)(t.Context(), job)
		return err
	}
	if err := run(); err == nil || !strings.Contains(err.Error(), "503") {
		t.Fatalf("error %v", err)
	}
	mutex.Lock()
	mended = true
	mutex.Unlock()
	if err := run(); err != nil {
		t.Fatal(err)
	}
	if answered["flaky"] != 1 || len(rowsIn(t, location)) != 4 {
		t.Errorf("answered %v", answered)
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
		job, err := config(t, server, "--texts", input, "--libretranslate-price=20", "--budget="+budget, "--requests=3").Plan(
			t.Context(), location, settings)
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
	}{{fmt.Sprint(characters / 3), characters / 3}, {fmt.Sprint(characters / 4), characters / 3},
		{fmt.Sprintf("%.7fUSD", float64(characters)/2*20/1e6), characters / 2}} {
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

// What a run was paid for that cannot go on, since its texts are others now, is a
// memory all the same: from its shards and its journals.
func TestUnfinished(t *testing.T) {
	list := hard(120)
	characters := len([]rune(strings.Join(list, "")))
	server := enginetest.LibreTranslate(t)
	settings, location := pipelinetest.Settings(1<<10), filepath.Join(t.TempDir(), "out")
	stopped := config(t, server, "--texts", benchmarkOf(t, 20, list[:100]), "--libretranslate-price=20",
		fmt.Sprint("--budget=", characters/2))
	job, err := stopped.Plan(t.Context(), location, settings)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipelinetest.Plain(2)(t.Context(), job); !errors.Is(err, engines.ErrBudget) {
		t.Fatal(err)
	}
	_, before, _ := server.Dice.Counts()
	input := benchmarkOf(t, 20, list)
	if _, err := config(t, server, "--texts", input, "--memory", location).Plan(t.Context(), filepath.Join(t.TempDir(), "x"),
		settings); err == nil || !strings.Contains(err.Error(), "sentweave memories --input "+location) {
		t.Errorf("got %v", err)
	}
	memory, m := pipelinetest.Run(t, pipelinetest.Parse[ingest.Config](t, "--input", location), settings, pipelinetest.Plain(2))
	if answered := len(got(rowsIn(t, memory))); answered != len(before) {
		t.Errorf("%d texts in %d rows, %d were answered", answered, m.Rows, len(before))
	}
	whole, _ := pipelinetest.Run(t, config(t, server, "--texts", input, "--memory", memory), settings, pipelinetest.Plain(2))
	if diff := cmp.Diff(want(list), got(rowsIn(t, whole))); diff != "" {
		t.Error(diff)
	}
	// The checks of a memory are the default ones, which some of the fake's answers fail.
	for _, row := range rowsIn(t, memory) {
		if row.Status == schemas.TranslationOK != (row.Reason == "") {
			t.Errorf("%+v", row)
		}
	}
	once(t, server, list)
}

// A translation of which another text comes back is asked for once more and then kept
// aside, by the score that anybody may compute.
func TestRoundTrip(t *testing.T) {
	list := []string{"Hi.", "Yes!", "It rained all day long, and then again all night until the river rose.", "No.",
		"A long sentence of many words hardly changes by the few letters that the fake adds to it."}
	server := enginetest.LibreTranslate(t)
	args := []string{"--texts", benchmarkOf(t, 2, list), "--engine=eng=libretranslate,deu=libretranslate", "--min-round-trip=60"}
	settings := pipelinetest.Settings(1 << 10)
	c := config(t, server, args...)
	location, m := pipelinetest.Run(t, c, settings, pipelinetest.Plain(2))
	rejected := 0
	for _, row := range rowsIn(t, location) {
		reason := ""
		if chrf.Segment("eng:deu:"+row.Text, row.Text) < 60 {
			reason = "round_trip"
			rejected++
		}
		if row.Reason != reason || row.Translation != "deu:"+row.Text {
			t.Errorf("%+v, want the reason %q", row, reason)
		}
	}
	if rejected != 3 || pipelinetest.Dropped(m)["answers quality round_trip"] != 3 {
		t.Errorf("%d rejected, dropped %v", rejected, pipelinetest.Dropped(m))
	}
	for _, r := range pipelinetest.Rejects(t, location) {
		if r.Detail != "deu:"+r.Sample+" → eng:deu:"+r.Sample {
			t.Errorf("reject %+v", r)
		}
	}
	// A text that failed was sent twice, and what the engine gave once: it was the same.
	_, sent, _ := server.Dice.Counts()
	for text, n := range sent {
		want := 1
		if len(text) < 5 {
			want = 2
		}
		if n != want {
			t.Errorf("%q was sent %d times, want %d", text, n, want)
		}
	}
	estimates, err := c.Estimates(t.Context(), filepath.Join(t.TempDir(), "scratch"), settings,
		func(job *units.Job) (*dataset.Manifest, error) {
			return pipelinetest.Plain(1)(t.Context(), job)
		})
	if err != nil || len(estimates) != 2 || estimates[1].Pair.String() != "deu-eng" || estimates[1].Sent != estimates[0].Sent ||
		estimates[1].Segments != 5 {
		t.Errorf("%+v %v", estimates, err)
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
	memory, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 200, list), "--memory", location),
		pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	if _, after, _ := server.Dice.Counts(); !maps.Equal(sent, after) {
		t.Error("what was rejected is asked for again without --retry-rejected")
	}
	if len(rowsIn(t, memory)) != len(list) {
		t.Error("rows are missing")
	}
}

// bottles are n texts whose copy is known for one.
func bottles(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("There were %d bottles of beer on the wall that day.", 100+i))
	}
	return list
}

// liar is a server of whose answers a share are copies.
func liar(t *testing.T, share float64) *enginetest.Server {
	server := enginetest.LibreTranslate(t)
	server.Dice.Seed, server.Dice.Share, server.Dice.Among = 1, share, []enginetest.Trouble{enginetest.Lie}
	return server
}

// An engine nearly all of whose first answers cannot be used is not paid for the rest, in
// however many units they are, nor when the command is given again.
func TestTrial(t *testing.T) {
	list := bottles(1000)
	input := benchmarkOf(t, 500, list)
	for _, test := range []struct {
		share       float64
		accept      []string
		parallelism int
		want        string // in the error; "" for none
	}{
		{1, nil, 3, "translate eng-deu by libretranslate: 200 of the first 200 answers cannot be used (copied 200), such as "},
		{1, nil, 1, "(copied 200)"},
		{1, []string{"copied"}, 3, ""},
		{.75, nil, 3, ""}, // too bad to keep, good enough to go on
	} {
		server := liar(t, test.share)
		c := config(t, server, "--texts", input, "--requests=4")
		c.Accept = test.accept
		location := filepath.Join(t.TempDir(), "out")
		for run := 1; run <= 2; run++ {
			_, before, _ := server.Dice.Counts()
			job, err := c.Plan(t.Context(), location, pipelinetest.Settings(4<<10))
			if err != nil {
				t.Fatal(err)
			}
			_, err = pipelinetest.Plain(test.parallelism)(t.Context(), job)
			_, after, _ := server.Dice.Counts()
			sent := -total(before) + total(after)
			if test.want == "" {
				if err != nil || len(after) != len(list) || run == 2 && sent != 0 {
					t.Errorf("share %v, accept %v: %d sent, %v", test.share, test.accept, sent, err)
				}
				continue
			}
			if err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "give --accept=copied and another --out") {
				t.Errorf("share %v: %v", test.share, err)
			}
			if most := 2*200 + test.parallelism*4*8; sent > most {
				t.Errorf("run %d, %d units at once: %d texts were sent, want at most %d: those of the trial, twice where a unit ends before it, and what was under way",
					run, test.parallelism, sent, most)
			}
		}
	}
}

func total(sent map[string]int) (n int) {
	for _, times := range sent {
		n += times
	}
	return n
}

// An engine that was mended goes on where it was ended, and one that is asked only for
// what failed before is not judged by that.
func TestTrialIsOver(t *testing.T) {
	list := bottles(400)
	input, location := benchmarkOf(t, 500, list), filepath.Join(t.TempDir(), "out")
	server := liar(t, 1)
	run := func(location string, args ...string) error {
		c := config(t, server, append([]string{"--texts", input}, args...)...)
		c.Accept = nil
		job, err := c.Plan(t.Context(), location, pipelinetest.Settings(1<<20))
		if err == nil {
			_, err = pipelinetest.Plain(2)(t.Context(), job)
		}
		return err
	}
	if err := run(location); err == nil {
		t.Fatal("a liar was believed")
	}
	server.Dice.Share = 0
	if err := run(location); err != nil {
		t.Error(err)
	}
	for text, translation := range got(rowsIn(t, location)) {
		if translation != enginetest.Translation("deu", text) {
			t.Errorf("%q: %q", text, translation)
		}
	}
	server.Dice.Share = .8
	half := filepath.Join(t.TempDir(), "half")
	if err := run(half); err != nil {
		t.Fatal(err)
	}
	server.Dice.Share = 1
	if err := run(filepath.Join(t.TempDir(), "again"), "--memory", half, "--retry-rejected"); err != nil {
		t.Error(err)
	}
}

// An engine that turns bad in the midst of a run, as one whose quota is used up, is not
// paid for the rest either.
func TestTurnsBad(t *testing.T) {
	list := bottles(8000)
	input := benchmarkOf(t, 500, list)
	for _, test := range []struct {
		calm int // requests of at most 8 texts
		unit int64
		ends bool
	}{{60, 16 << 10, true}, {60, 1 << 20, true}, {980, 16 << 10, false}} {
		server := liar(t, 1)
		server.Dice.Calm = test.calm
		c := config(t, server, "--texts", input, "--requests=4")
		c.Accept = nil
		job, err := c.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(test.unit))
		if err != nil {
			t.Fatal(err)
		}
		_, err = pipelinetest.Plain(2)(t.Context(), job)
		_, sent, _ := server.Dice.Counts()
		if !test.ends {
			if err != nil {
				t.Errorf("bad after %d requests: %v", test.calm, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "of the last 200 sampled answers cannot be used (copied ") {
			t.Errorf("bad after %d requests, units of %d bytes: %v", test.calm, test.unit, err)
		}
		if n := total(sent); n > 8*test.calm+2*(2*200*8+200) {
			t.Errorf("bad after %d requests, units of %d bytes: %d texts were sent, want at most those of two samples more, each twice",
				test.calm, test.unit, n)
		}
	}
}

// Second answers, to texts whose first ones an earlier run got and could not use, do not
// speak against an engine.
func TestSecondAnswers(t *testing.T) {
	list := bottles(4000)
	input, location := benchmarkOf(t, 500, list), filepath.Join(t.TempDir(), "out")
	server := liar(t, .8)
	run := func(budget int) error {
		c := config(t, server, "--texts", input, "--requests=1",
			fmt.Sprintf("--budget=%d", budget)) // one after the other, so that the first answers are the same each time
		c.Accept = nil
		job, err := c.Plan(t.Context(), location, pipelinetest.Settings(1<<20))
		if err == nil {
			_, err = pipelinetest.Plain(1)(t.Context(), job)
		}
		return err
	}
	characters := len(strings.Join(list, ""))
	if err := run(characters + characters/100); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Fatal(err)
	}
	if _, sent, _ := server.Dice.Counts(); len(sent) != len(list) || total(sent) > len(list)+len(list)/50 {
		t.Fatalf("%d of %d texts were sent, %d times", len(sent), len(list), total(sent))
	}
	server.Dice.Share = 1
	if err := run(4 * characters); err != nil {
		t.Error(err)
	}
}

// Texts that break rows, formats and protocols come out as one line each.
func TestHardTexts(t *testing.T) {
	list := []string{
		"a\ttab and a\nnewline", "next\u0085line", "line\u2028separator", "no\u00a0break", `"quoted" and 'quoted'`, "1", "pos\t1",
		"\u200fright \u202eto left", "family \U0001f468\u200d\U0001f469\u200d\U0001f467", strings.Repeat("very long ", 500),
		"{0} %s <b>bold</b>", "\ufeffmark", `back\slash \n`,
	}
	server := enginetest.LibreTranslate(t)
	location, _ := pipelinetest.Run(t, config(t, server, "--texts", benchmarkOf(t, 4, list), "--accept=broken"),
		pipelinetest.Settings(1<<10), pipelinetest.Plain(2))
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
	c := config(t, server, "--texts", benchmarkOf(t, 50, append(list, list[:10]...)), "--memory", memory, "--libretranslate-price=20",
		"--characters-per-minute=600")
	estimates, err := c.Estimates(t.Context(), filepath.Join(t.TempDir(), "scratch"), settings,
		func(job *units.Job) (*dataset.Manifest, error) {
			return pipelinetest.Plain(2)(t.Context(), job)
		})
	if err != nil || len(estimates) != 1 {
		t.Fatal(estimates, err)
	}
	if requests, _, _ := server.Dice.Counts(); requests != before {
		t.Errorf("%d requests were sent", requests-before)
	}
	unknown := int64(0) // as they are sent
	for _, text := range list[30:] {
		if strings.Contains(text, "&amp;") {
			text = strings.ReplaceAll(text, "&", "&amp;")
		}
		unknown += int64(len([]rune(text)))
	}
	e := estimates[0]
	if e.Texts != 160 || e.Segments != 150 || e.Known != 30 || e.Sent != unknown || e.Dollars != float64(unknown)*20/1e6 ||
		int64(e.Time.Seconds()+.5) != unknown/10 && e.Time.Seconds() < 1 {
		t.Errorf("%+v, want %d characters", e, unknown)
	}
	pipelinetest.Run(t, c, settings, pipelinetest.Plain(1))
	if requests, _, _ := server.Dice.Counts(); int64(requests-before) != e.Requests {
		t.Errorf("%d requests were sent, the estimate is %d", requests-before, e.Requests)
	}
}

// Texts of rows without gold are left out on demand, unless they stand with gold elsewhere.
func TestGoldOnly(t *testing.T) {
	item := func(n int, text string, skip bool) schemas.Benchmark {
		r := schemas.Benchmark{ID: schemas.DerivedID("test", fmt.Sprint(n)), Task: "t", Split: "all", Row: int32(n), File: "f",
			LanguageA: "eng", TextA: text, Skip: skip}
		if !skip {
			r.Label = "1"
		}
		return r
	}
	input := datasettest.Write(t, nil,
		[]schemas.Benchmark{item(0, "One cat.", false), item(1, "Two cats.", true), item(2, "One cat.", true),
			item(3, "Three cats.", true)})
	for args, want := range map[string]int{"--gold-only": 1, "--gold-only=false": 3} {
		location, m := pipelinetest.Run(t, config(t, enginetest.LibreTranslate(t), "--texts", input, args), pipelinetest.Settings(1<<10),
			pipelinetest.Plain(2))
		if rows := rowsIn(t, location); len(rows) != want || want == 1 && pipelinetest.Dropped(m)["texts gold no_gold"] != 3 {
			t.Errorf("%s: %d rows, dropped %v", args, len(rows), pipelinetest.Dropped(m))
		}
	}
}

// An estimate for Cloud Translation needs no credentials; the run asks for them before
// it makes anything.
func TestEstimateWithoutCredentials(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
	list := hard(20)
	c := config(t, enginetest.LibreTranslate(t), "--texts", benchmarkOf(t, 50, list), "--engine=deu=google", "--google-project=p")
	settings, location := pipelinetest.Settings(2<<10), filepath.Join(t.TempDir(), "out")
	estimates, err := c.Estimates(t.Context(), location, settings, func(job *units.Job) (*dataset.Manifest, error) {
		return pipelinetest.Plain(1)(t.Context(), job)
	})
	if err != nil || len(estimates) != 1 || estimates[0].Dollars != float64(len([]rune(strings.Join(list, ""))))*google.PriceGeneral/1e6 {
		t.Fatalf("%+v %v", estimates, err)
	}
	if _, err := c.Plan(t.Context(), location, settings); err == nil || !strings.Contains(err.Error(), "connect to Cloud Translation") {
		t.Errorf("planned: %v", err)
	}
}

// A pair that the engine does not have, or no key, is refused before anything is sent
// or written.
func TestRefused(t *testing.T) {
	input := benchmarkOf(t, 10, hard(5))
	server := enginetest.LibreTranslate(t)
	t.Setenv(canaryVariable, enginetest.Canary)
	for _, test := range []struct{ args, want string }{
		{"--targets=fra", "eng-fra"}, {"--min-round-trip=101", "min_round_trip 101"},
		{"--engine=deu=apertium,deu=identity", "second engine"},
		{"--libretranslate-server=", "engine libretranslate needs --libretranslate-server"},
		{"--engine=nothing", `engine "nothing" is not one of google`}, {"--budget=much", "want characters"},
		{"--engine=deu=chat", "engine chat needs --chat-server"},
		{"--accept=wrong", `accept "wrong" is not one of`}, {"--sources=xx1", "sources"},
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
	if _, err := c.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<10)); err == nil ||
		!strings.Contains(err.Error(), "each target is the source") {
		t.Errorf("into the source's language: %v", err)
	}
	if err := pipelinetest.Fails(t, config(t, server, "--texts", input, "--libretranslate-key-variable="),
		pipelinetest.Settings(1<<10)); err == nil || !strings.Contains(err.Error(), "403") {
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
		job, err := config(t, server, "--texts", input, fmt.Sprint("--requests=", 1+i)).Plan(
			t.Context(), location, pipelinetest.Settings(2<<10))
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
