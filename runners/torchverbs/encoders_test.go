//go:build libtorch

package torchverbs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/embed"
	"sentweave/stages/torch"
)

func (c corpus) untrained(out string, flags ...string) []string {
	return with([]string{"init", "--out=" + out, "--vocabulary=" + c.vocabulary, "--layers=1", "--hidden=16", "--heads=2",
		"--intermediate=32", "--positions=48", "--seed=5"}, flags...)
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestInit(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	out := filepath.Join(base, "deep", "down", "encoder")
	call(t, c.untrained(out)...).expect(t, 0, []string{out + ": an encoder of 1 layers × 16 with random weights\n"}, nil)
	weights := read(t, out, "model.safetensors")
	call(t, c.untrained(out)...).expect(t, 0, []string{out + ": an encoder"}, []string{"init: " + out + " is complete, nothing to do\n"})
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the encoder there are %v, %v", entries, err)
	}
	info, err := os.Stat(out)
	if err != nil || info.Mode().Perm()&0o055 != 0o055 {
		t.Errorf("the folder is %v, %v", info.Mode(), err)
	}
	other := filepath.Join(base, "other")
	call(t, c.untrained(other)...).expect(t, 0, nil, nil)
	if read(t, other, "model.safetensors") != weights {
		t.Error("equal calls give other weights")
	}

	// Another seed or vocabulary makes another encoder, of the same size or not.
	fewer := strings.Join(lines(t, c.vocabulary)[:100], "\n") + "\n"
	for name, flag := range map[string]string{
		"seed": "--seed=6", "pooling": "--pooling=max", "size": "--hidden=32", "tokens": "--encode-tokens=20",
		"vocabulary": "--vocabulary=" + file(t, "vocab.txt", fewer),
	} {
		call(t, c.untrained(out, flag)...).expect(t, 1, nil, []string{"another plan", out, "--overwrite"})
		if read(t, out, "model.safetensors") != weights {
			t.Fatalf("%s: the encoder has changed", name)
		}
	}
	call(t, c.untrained(out, "--seed=6", "--overwrite")...).expect(t, 0, []string{"an encoder of 1 layers"}, nil)
	if read(t, out, "model.safetensors") == weights {
		t.Error("another seed gives the same weights")
	}
	// With --overwrite, what is there already is not made again, and nobody's file is deleted.
	call(t, c.untrained(out, "--seed=6", "--overwrite")...).expect(t, 0, nil, []string{"nothing to do"})
	// What is damaged is made again.
	whole := read(t, out, "model.safetensors")
	for _, damage := range []func(string) error{os.Remove, func(path string) error { return os.Truncate(path, 100) }} {
		if err := damage(filepath.Join(out, "model.safetensors")); err != nil {
			t.Fatal(err)
		}
		call(t, c.untrained(out, "--seed=6")...).expect(t, 0, []string{"an encoder of 1 layers"}, nil)
		if read(t, out, "model.safetensors") != whole {
			t.Error("the weights are not made again")
		}
	}
	if err := os.WriteFile(filepath.Join(out, "notes.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	call(t, c.untrained(out, "--seed=7", "--overwrite")...).expect(
		t, 1, nil, []string{`holds "notes.txt", which init did not make; nothing was deleted`})
	read(t, out, "notes.txt")
	read(t, out, "model.safetensors")

	call(t, c.untrained(c.documents)...).expect(t, 1, nil, []string{c.documents, "but no encoder", "choose an empty folder"})
	call(t, c.untrained(c.documents, "--overwrite")...).expect(t, 1, nil, []string{"but no encoder"})
	call(t, c.untrained(filepath.Join(base, "x"), "--vocabulary="+filepath.Join(base, "absent"))...).expect(
		t, 1, nil, []string{"absent", "no such file"})
}

// init copies an encoder, which is then as it was made, whatever the flags of a new one say. It
// has no head, so that a training may begin with the words' frequencies.
func TestInitFrom(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	one, copied := filepath.Join(base, "one"), filepath.Join(base, "copied")
	call(t, c.untrained(one)...).expect(t, 0, nil, nil)
	line := []string{"init", "--out=" + copied, "--from=" + one, "--vocabulary=" + filepath.Join(base, "absent"), "--size=small",
		"--seed=9"}
	call(t, line...).expect(t, 0, []string{copied + ": an encoder of 1 layers × 16 with the weights of " + one + "\n"}, nil)
	call(t, line...).expect(t, 0, nil, []string{"nothing to do"})
	for _, name := range []string{"model.safetensors", "vocab.txt", "config.json"} {
		if read(t, copied, name) != read(t, one, name) {
			t.Errorf("%s is another one", name)
		}
	}
	training := []string{"train", "--out=" + filepath.Join(base, "trained"), "--from=" + copied, "--size=tiny", "--preset=cmlm",
		"--examples=" + c.consecutive, "--unigram-bias", "--mean-projection", "--steps=2", "--batch=4", "--threads=1"}
	call(t, training...).expect(t, 0, []string{": 2 steps"},
		[]string{"train cmlm: step 2 of 2", copied + ": it has no head of a masked language model, so its training begins with a new one"})
	call(t, with(training, "--dry-run", "--out="+filepath.Join(base, "none"))...).expect(t, 0, []string{"1 layer × 16: about", "cmlm"}, nil)
	// What is frozen is not among what is trained.
	call(t, with(training, "--dry-run", "--out="+filepath.Join(base, "none"), "--freeze=embeddings,layer 0", "--layer-decay=.9")...).expect(
		t, 0, []string{"trained  of parameters"}, nil)
	call(t, with(training, "--out="+filepath.Join(base, "none"), "--freeze=layers 0-1")...).expect(
		t, 1, nil, []string{`period cmlm: freeze: "layers 0-1" names a layer that does not exist; the encoder has the layers 0 to 0`})
	call(t, "train", "--out="+filepath.Join(base, "none"), "--from="+copied, "--preset=br", "--bitext="+c.bitext, "--steps=2",
		"--bitext-batch=4", "--threads=1", "--freeze=embeddings,layer 0").expect(
		t, 1, nil, []string{"period br: nothing is left to train: frozen are embeddings, layer 0"})
	if _, err := os.Stat(filepath.Join(base, "none")); err == nil {
		t.Error("a dry run, or a fault, leaves a folder")
	}
	call(t, "init", "--out="+copied, "--from="+one, "--seed=8").expect(t, 1, nil, []string{"another plan", copied})
	// What was trained has Dense layers behind it.
	trained := "--from=" + filepath.Join(base, "trained")
	call(t, "init", "--out="+filepath.Join(base, "none"), trained).expect(
		t, 1, nil, []string{"has more than its encoder, which init does not copy"})
	call(t, "train", "--out="+filepath.Join(base, "further"), trained, "--preset=br", "--bitext="+c.bitext, "--steps=1", "--bitext-batch=4",
		"--threads=1").
		expect(t, 0, []string{": 1 step"}, []string{"sends its vectors through Dense layers"})
	call(t, "embed", "--out="+filepath.Join(base, "vectors"), "--model="+filepath.Join(base, "trained"), "--texts="+c.pairs,
		"--threads=1").expect(t, 0, []string{": 240 embeddings"}, nil)
}

// init puts layers on a bag of embeddings, and says of others why it does not.
func TestInitOnABag(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	call(t, c.untrained(at("bag"), "--layers=0")...).expect(t, 0, nil, nil)
	call(t, c.untrained(at("whole"))...).expect(t, 0, nil, nil)
	line := func(out string, flags ...string) []string {
		return with([]string{"init", "--out=" + at(out), "--from=" + at("bag"), "--seed=4"}, flags...)
	}
	call(t, line("begun", "--layers=2")...).expect(
		t, 0, []string{at("begun") + ": an encoder of 2 layers × 16 with the embeddings of " + at("bag") +
			" under layers that add nothing yet\n"}, nil)
	call(t, line("begun", "--layers=2")...).expect(t, 0, nil, []string{"nothing to do"})
	call(t, line("begun", "--layers=3")...).expect(t, 1, nil, []string{"another plan"})
	call(t, line("again", "--layers=2")...).expect(t, 0, nil, nil)
	if read(t, at("begun"), "model.safetensors") != read(t, at("again"), "model.safetensors") {
		t.Error("equal calls give other weights")
	}
	// What is given of layers counts, and the rest is the bag's. The size is that of a recipe.
	call(t, line("other", "--layers=1", "--heads=4", "--intermediate=8", "--hidden=16", "--positions=48",
		"--vocabulary="+c.vocabulary)...).expect(t, 0, []string{"an encoder of 1 layers × 16"}, nil)
	call(t, line("sized", "--size=tiny", "--vocabulary="+at("absent"))...).expect(
		t, 0, []string{"an encoder of 2 layers × 16 with the embeddings of"}, nil)
	call(t, line("copy")...).expect(t, 0, []string{"an encoder of 0 layers × 16 with the weights of"}, nil)

	fewer := file(t, "vocab.txt", strings.Join(lines(t, c.vocabulary)[:100], "\n")+"\n")
	for _, test := range []struct {
		flags []string
		want  []string
	}{
		{[]string{"--layers=2", "--hidden=32", "--positions=64"},
			[]string{"hidden is 32, but the vectors of the bag of --from", "have 16 dimensions", "positions is 64, but the bag", "has 48"}},
		{[]string{"--layers=2", "--heads=5"}, []string{"hidden_size 16 is not a multiple of --heads 5"}},
		{[]string{"--layers=-1"}, []string{"--layers is -1"}},
		{[]string{"--layers=2", "--vocabulary=" + fewer}, []string{fewer + " is not the vocabulary of the bag of --from"}},
		{[]string{"--layers=2", "--cased"}, []string{"cased is true, but the bag of --from", "was trained otherwise"}},
		{[]string{"--layers=2", "--pooling=max"}, []string{"pooling is max, but the encoder of --from"}},
		{[]string{"--layers=2", "--from=" + at("whole")},
			[]string{"layers is 2, but the encoder of --from, " + at("whole") + ", has 1 already"}},
	} {
		call(t, line("none", test.flags...)...).expect(t, 1, nil, test.want)
	}
	if _, err := os.Stat(at("none")); err == nil {
		t.Error("a fault leaves a folder")
	}
	call(t, "train", "--out="+at("trained"), "--from="+at("begun"), "--preset=br", "--bitext="+c.bitext, "--steps=2", "--bitext-batch=4",
		"--threads=1").expect(t, 0, []string{": 2 steps"}, nil)
}

func TestEmbed(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	model := filepath.Join(base, "model")
	call(t, c.untrained(model)...).expect(t, 0, nil, nil)
	line := func(out string, flags ...string) []string {
		return with([]string{"embed", "--out=" + out, "--model=" + model, "--texts=" + c.pairs, "--threads=1", "--shard-bytes=1"}, flags...)
	}
	out := filepath.Join(base, "pairs")
	dry := []string{"texts     240 of 120 rows, ", "tokens    about ", "vectors   of 16 numbers, about ", "shards    3\n"}
	call(t, line(out, "--dry-run")...).expect(t, 0, dry, nil)
	if _, err := os.Stat(out); err == nil {
		t.Error("a dry run made a folder")
	}
	call(t, line(out)...).expect(t, 0, []string{out + ": 240 embeddings in 3 shards, "}, nil)
	call(t, line(out, "--dry-run")...).expect(t, 0, []string{"shards    3, which are complete\n"}, nil)
	call(t, line(out)...).expect(t, 0, []string{out + ": 240 embeddings"}, []string{"embed: " + out + " is complete, nothing to do\n"})
	whole := pipelinetest.Digests(t, out)

	// Each side of each pair has a vector, under its id, and the one that Open gives.
	m, err := embed.Open(embed.ModelConfig{Model: model, Layer: -1, Compute: torch.Compute{Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	sides := map[string]schemas.Embedding{}
	for _, e := range pipelinetest.Rows[schemas.Embedding](t, out) {
		sides[e.ID] = e
	}
	for _, p := range pipelinetest.Rows[schemas.Pair](t, c.pairs) {
		a, b := sides[p.ID+"/a"], sides[p.ID+"/b"]
		if a.Text != p.TextA || b.Text != p.TextB || a.Language != "eng" || b.Language != "deu" {
			t.Fatalf("%+v has the vectors of %q and %q", p, a.Text, b.Text)
		}
		vectors, err := m.Vectors(t.Context(), []string{p.TextA, p.TextB})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range append(append([]float32{}, a.Vector...), b.Vector...) {
			if math.Abs(float64(v-vectors[i])) > 1e-5 {
				t.Fatalf("%s: vector %v, want %v", p.ID, v, vectors[i])
			}
		}
	}

	// A text that is in several pairs has one vector, whatever stands around it.
	repeated := pipelinetest.Rows[schemas.Pair](t, c.pairs)
	for i := range repeated {
		repeated[i].TextB = repeated[i%7].TextB
	}
	call(t, line(filepath.Join(base, "repeated"), "--texts="+datasettest.Write(t, nil, repeated))...).expect(
		t, 0, []string{"240 embeddings in 1 shard, "}, nil)
	vectors := map[string][]float32{}
	for _, e := range pipelinetest.Rows[schemas.Embedding](t, filepath.Join(base, "repeated")) {
		if v, ok := vectors[e.Text]; ok && !slices.Equal(v, e.Vector) {
			t.Errorf("%q has two vectors", e.Text)
		}
		vectors[e.Text] = e.Vector
	}

	// An item of a benchmark has one id in all languages: its vectors are told apart by
	// language and side. Those of items without gold are made, too.
	score := 2.5
	items := datasettest.Write(t, nil, []schemas.Benchmark{
		{ID: schemas.DerivedID("i"), Task: "t", File: "f", LanguageA: "eng", TextA: "a house", LanguageB: "eng", TextB: "a home",
			Target: &score},
		{ID: schemas.DerivedID("i"), Task: "t", File: "f", LanguageA: "deu", TextA: "ein Haus", LanguageB: "deu", TextB: "ein Heim",
			Target: &score},
		{ID: schemas.DerivedID("k"), Task: "t", File: "f", Row: 1, LanguageA: "eng", TextA: "no gold", Skip: true},
	})
	call(t, line(filepath.Join(base, "items"), "--texts="+items)...).expect(t, 0, []string{": 5 embeddings in 1 shard, "}, nil)
	var ids []string
	for _, e := range pipelinetest.Rows[schemas.Embedding](t, filepath.Join(base, "items")) {
		ids = append(ids, e.ID+" "+e.Language+" "+e.Text)
	}
	i, k := schemas.DerivedID("i"), schemas.DerivedID("k")
	if diff := cmp.Diff([]string{i + "/eng/a eng a house", i + "/eng/b eng a home", i + "/deu/a deu ein Haus", i + "/deu/b deu ein Heim",
		k + "/eng/a eng no gold"}, ids); diff != "" {
		t.Error(diff)
	}

	silent := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng")}, nil)
	call(t, line(filepath.Join(base, "silent"), "--texts="+silent)...).expect(t, 0, []string{": 0 embeddings in "}, nil)

	documents := filepath.Join(base, "documents")
	call(t, line(documents, "--texts="+c.documents, "--no-text", "--normalize", "--max-tokens=5")...).expect(
		t, 0, []string{"192 embeddings in 2 shards"}, nil)
	rows := pipelinetest.Rows[schemas.Embedding](t, documents)
	first := pipelinetest.Rows[schemas.Document](t, c.documents)[0]
	if rows[1].ID != first.ID+"/1" || rows[1].Text != "" || rows[1].Language != first.Sentences[1].Language {
		t.Errorf("got %+v for a sentence of %s", rows[1], first.ID)
	}
	norm := 0.
	for _, v := range rows[1].Vector {
		norm += float64(v) * float64(v)
	}
	if math.Abs(norm-1) > 1e-5 {
		t.Errorf("the squared length of a normalized vector is %v", norm)
	}

	other := filepath.Join(base, "other")
	call(t, c.untrained(other, "--seed=9")...).expect(t, 0, nil, nil)
	plain, wordless := filepath.Join(base, "plain"), filepath.Join(base, "wordless")
	for folder, name := range map[string]string{plain: "modules.json", wordless: "vocab.txt"} {
		call(t, c.untrained(folder)...).expect(t, 0, nil, nil)
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name  string
		flags []string
		want  []string
	}{
		{"another model", []string{"--model=" + other}, []string{"another plan", "model"}},
		{"another pooling", []string{"--pooling=max"}, []string{"another plan", "pooling"}},
		{"other texts", []string{"--texts=" + c.documents}, []string{"another plan", "texts"}},
		{"no model", []string{"--model=" + filepath.Join(base, "absent")}, []string{"model: ", "absent holds no encoder"}},
		{"a dataset for a model", []string{"--model=" + c.pairs}, []string{"model: ", "holds no encoder"}},
		{"no texts", []string{"--texts=" + filepath.Join(base, "absent")}, []string{"texts: ", "absent", "no dataset"}},
		{"texts that are examples", []string{"--texts=" + c.bitext},
			[]string{"holds rows of example v1; documents, pairs and benchmarks can be embedded"}},
		{"a model for texts", []string{"--texts=" + model}, []string{"texts: ", "no dataset"}},
		{"a layer that it does not have", []string{"--layer=7", "--out=" + filepath.Join(base, "z")},
			[]string{"model: layer is 7, " + model + " has 1 layers"}},
		{"a folder that names no pooling", []string{"--model=" + plain, "--out=" + filepath.Join(base, "z")},
			[]string{"model: " + plain + " does not say", "give --pooling mean, max or cls"}},
		{"a folder without a vocabulary", []string{"--model=" + wordless, "--out=" + filepath.Join(base, "z")},
			[]string{"model: ", wordless, "vocab.txt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { call(t, line(out, test.flags...)...).expect(t, 1, nil, test.want) })
	}
	if diff := cmp.Diff(whole, pipelinetest.Digests(t, out)); diff != "" {
		t.Errorf("after refusals: %s", diff)
	}
	// What was refused leaves nothing behind that is in the way of the next try.
	call(t, line(filepath.Join(base, "z"), "--model="+plain, "--pooling=cls", "--layer=0")...).expect(t, 0, []string{"240 embeddings"}, nil)
	call(t, line(out, "--overwrite")...).expect(t, 0, nil, []string{"nothing to do"}) // nothing else is there
	call(t, line(out, "--overwrite", "--pooling=max")...).expect(t, 0, []string{"240 embeddings"}, nil)
	call(t, line(c.pairs, "--overwrite")...).expect(t, 2, nil, []string{"texts: " + c.pairs + " lies in the output"})
}

// A run that is killed at any moment, and run again, gives the bytes of one that was
// not, at any number of threads.
func TestEmbedKilled(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	model := filepath.Join(base, "model")
	call(t, c.untrained(model, "--hidden=128", "--heads=4", "--layers=2")...).expect(t, 0, nil, nil)
	texts, _ := pipelinetest.Documents{Shards: 12, PerShard: 20, Sentences: 8}.Write(t)
	line := func(name string, threads int) []string {
		return []string{"embed", "--out=" + filepath.Join(base, name), "--model=" + model, "--texts=" + texts,
			fmt.Sprint("--threads=", threads), "--shard-bytes=1"}
	}
	call(t, line("whole", 1)...).expect(t, 0, []string{"in 12 shards"}, nil)
	want := pipelinetest.Digests(t, filepath.Join(base, "whole"))
	random := rand.New(rand.NewPCG(3, 4))
	kills := 0
	for name, threads := range map[string]int{"first": 1, "second": 4} {
		units := func() int {
			entries, err := os.ReadDir(filepath.Join(base, name, "_run", "units"))
			if err != nil {
				return 0
			}
			return len(entries)
		}
		var moments []moment
		for _, n := range []int{1, 4, 8} {
			moments = append(moments, when(units, n, time.Duration(random.Int64N(int64(10*time.Millisecond)))))
		}
		kills += killed(t, moments, line(name, threads))
		if diff := cmp.Diff(want, pipelinetest.Digests(t, filepath.Join(base, name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	t.Logf("killed %d times", kills)
	if kills < 2 {
		t.Errorf("only %d kills came in the midst of the work", kills)
	}
}

func TestPrefix(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	model, bag := filepath.Join(base, "my-model"), filepath.Join(base, "bag")
	call(t, c.cmlm(model, "--prefix-positions=own")...).expect(t, 0, nil, nil)
	line := func(out string, flags ...string) []string {
		return with([]string{"prefix", "--out=" + filepath.Join(base, out), "--model=" + model, "--examples=" + c.consecutive, "--batch=8",
			"--batches=3", "--threads=1"}, flags...)
	}
	got := call(t, line("prefix")...)
	got.expect(t, 0, []string{"my-model: loss with its own prefix ", "my-model: loss with a zero prefix ",
		"my-model: loss with another prefix ", " more than with its own"}, nil)
	rows := pipelinetest.Rows[schemas.Result](t, filepath.Join(base, "prefix"))
	if len(rows) != 5 {
		t.Fatalf("got %+v", rows)
	}
	last := resultOf(t, model).Losses
	for i, want := range []string{"own loss", "zero loss", "zero loss_above_own", "other loss", "other loss_above_own"} {
		r := rows[i]
		about := last[len(last)-1].Loss
		if r.Metric != "loss" {
			about = r.Value
			if above := rows[i-1].Value - rows[0].Value; math.Abs(r.Value-above) > 1e-9 || r.Spread == nil || *r.Spread < 0 {
				t.Errorf("got %+v, the losses differ by %v", r, above)
			}
		}
		if r.Task != "cmlm_prefix" || r.Subtask+" "+r.Metric != want || r.N < 24 || math.Abs(r.Value-about) > 1 {
			t.Errorf("got %+v, want %s and about %v", r, want, about)
		}
	}
	again := call(t, line("prefix")...)
	if again.code != 0 || again.stdout != got.stdout || !strings.Contains(again.stderr, "is complete, nothing to do") {
		t.Errorf("got %+v", again)
	}
	call(t, line("named", "--name=M", "--tokens=12", "--batches=100")...).expect(t, 0, []string{"M: loss with its own prefix "}, nil)
	call(t, line("prefix", "--batches=2")...).expect(t, 1, nil, []string{"another plan", "batches"})
	call(t, line("prefix", "--batches=2", "--overwrite")...).expect(t, 0, []string{"own"}, nil)

	untrained := filepath.Join(base, "untrained")
	call(t, c.untrained(untrained)...).expect(t, 0, nil, nil)
	call(t, c.tiny(bag, "--preset=br", "--bitext="+c.bitext, "--steps=2")...).expect(t, 0, nil, nil)
	tests := []struct {
		name  string
		flags []string
		want  []string
	}{
		{"not trained", []string{"--model=" + untrained}, []string{untrained + " holds no training.json", "`sentweave train`"}},
		{"not trained by CMLM", []string{"--model=" + bag}, []string{bag + " was not trained by CMLM in its last period, br"}},
		{"no model", []string{"--model=" + filepath.Join(base, "absent")}, []string{"absent holds no training.json"}},
		{"examples of another kind", []string{"--examples=" + c.bitext}, []string{"bitext"}},
		{"pairs", []string{"--examples=" + c.pairs}, []string{"holds rows of pair v1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { call(t, line("x", test.flags...)...).expect(t, 1, nil, test.want) })
	}
}

// lines reads the lines of a text file.
func lines(t *testing.T, elements ...string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}
