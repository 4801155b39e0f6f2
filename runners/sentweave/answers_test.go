package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sentweave/runners/libtorch"
	"sentweave/runners/recipe/record"
	"sentweave/schemas"
	"sentweave/schemas/storage/cache"
)

// emptyText is JSON lines whose text is in another field than the default one.
const emptyText = `{"content": "The text of this page is in a field of its own."}` + "\n"

// world is a folder with everything that TestAnswers names, and nothing else that the
// program could find.
func world(t *testing.T) {
	t.Helper()
	file, input := writeRecipe(t, recipeText)
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("PATH", folder)
	t.Setenv(libtorch.Variable, "")
	t.Setenv("SENTWEAVE_APERTIUM", "")
	t.Setenv(cache.Variable, filepath.Join(folder, "cache"))
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []struct{ to, name string }{{file, "two.yaml"}, {input, "pages"}} {
		if err := os.Symlink(link.to, link.name); err != nil {
			t.Fatal(err)
		}
	}
	write("json/a.jsonl", emptyText)
	write("partly/a.jsonl", `{"text": ""}`+"\n"+emptyText+emptyText)
	write("made/model.safetensors", "")
	write("broken/a.txt", page("This page can be read."))
	if err := os.Symlink("gone", filepath.Join("broken", "b.txt")); err != nil { // which is left out
		t.Fatal(err)
	}
	write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n")
	write("model.bin", "no model")
	write("translate.yaml", "name: translate\nabout: Translations.\nparameters:\n  engine: {help: engine}\n"+
		"  input: {help: texts}\nsteps:\n- {name: documents, run: corpus, with: {input: \"${input}\", min-sentences: 1, min-language-score: 0}}\n"+
		"- {name: translated, run: translations, from: {texts: documents}, with: {targets: spa, engine: \"${engine}\"}}\n")
	write("train.yaml", "name: train\nabout: An encoder.\nparameters:\n  langid: {help: model}\nsteps:\n"+
		"- {name: documents, run: corpus, with: {input: pages, langid: \"${langid}\"}}\n- {name: heldout, run: corpus, with: {input: pages, langid: \"${langid}\"}}\n"+
		"- {name: small, run: init, with: {vocabulary: vocab.txt}}\n- {name: bag, run: init, with: {vocabulary: vocab.txt}}\n")
	write("large.yaml", "name: large\nabout: An encoder that no disk holds.\nsteps:\n- {name: large, run: init, with: {vocabulary: vocab.txt, hidden: 100000000, layers: 1000, heads: 100}}\n")
	write("prompted/config.json", `{"model_type": "bert"}`)
	write("prompt.yaml", "name: prompt\nabout: Vectors.\nsteps:\n- {name: vectors, run: embed, with: {model: prompted, texts: documents, prompt: ask}}\n"+
		"- {name: results, run: evaluate, with: {model: prompted, data: table, tasks: stsb, prompt: ask}}\n")
	write("layer.yaml", "name: layer\nabout: Vectors of a layer.\nparameters:\n  layer: {help: layer}\nsteps:\n"+
		"- {name: small, run: init, with: {vocabulary: vocab.txt, layers: 2}}\n- {name: start, run: init, from: {from: small}}\n"+
		"- {name: vectors, run: embed, from: {model: start}, with: {texts: documents, layer: \"${layer}\"}}\n"+
		"- {name: results, run: evaluate, from: {model: \"mine=start\"}, with: {data: table, tasks: stsb, layer: \"${layer}\"}}\n")
	write("heldout.yaml", "name: heldout\nabout: Held-out pairs.\nparameters:\n  heldout: {help: share, default: 0.0001}\nsteps:\n"+
		"  - {name: heldout, run: pairs, with: {kind: bitext, input: bitext, part: heldout, heldout-share: \"${heldout}\"}}\n"+
		"  - {name: unseen, run: dedup, from: {pairs: heldout}, with: {loose: true}}\n")
	write("pages.yaml", "name: pages\nabout: Documents.\nparameters:\n  text-field: {help: field, default: text}\nsteps:\n"+
		"- {name: documents, run: corpus, with: {input: json, text-field: \"${text-field}\"}}\n- {name: counts, run: wordcounts, from: {documents: documents}}\n")
	sentweave(t, "corpus", "--input", "pages", "--min-sentences", "1", "--min-language-score", "0", "--out", "documents").expect(
		t, 0, anything, anything)
	write("english/eng/a.txt", page("This page has no other side."))
	write("takedown.txt", "https://example.org/a\n")
	write("none.txt", "# nothing\n")
	write("labels.txt", "__label__xx-klingon a\n__label__qq b\n__label__de __label__en c\n__label__de d\n")
	write("bitext/c.eng", "One.\nTwo.\nThree.\n")
	write("bitext/c.deu", "Eins.\nZwei.\nDrei.\n")
	write("table/t.csv", "id,source,target\n1,One.,Uno.\n")
	write("scored/s.csv", "first,second,score\nOne.,One.,5\n")
	write("sides/c.eng", "One.\n")
	write("sides/c.deu", "Eins.\n")
	write("memory/README", "")
	for _, name := range []string{"sides/d.eng", "memory/m.tmx"} {
		if err := os.Symlink("gone", name); err != nil {
			t.Fatal(err)
		}
	}
	sentweave(t, "corpus", "--input", "english", "--layout", "{language}/{page}.txt", "--min-sentences", "1", "--min-language-score", "0",
		"--out", "alone").expect(t, 0, anything, anything)
	sentweave(t, "wordcounts", "--documents", "documents", "--out", "counts").expect(t, 0, anything, anything)
	sentweave(t, "run", "two.yaml", "--out", "done", "--set", "input=pages").expect(t, 0, anything, anything)
}

// A user's mistake has an answer that names his own flags and the way out.
func TestAnswers(t *testing.T) {
	world(t)
	tests := []struct {
		command string
		code    int
		answer  []string // on either stream; after ! what must not be there
	}{
		// Nothing given, and typos.
		{"corpus", 2, []string{"--input is empty: give the folder of the pages", "--out is empty", "see `sentweave corpus --help`"}},
		{"pairs", 2, []string{"--documents is empty: give the dataset of the documents, or --kind bitext and --input to import bitext",
			"--out is empty"}},
		{"pairs --kind bitext --out x", 2, []string{"--input is empty"}},
		{"dedup --out x", 2, []string{"give either --documents or --pairs"}},
		{"mine --margin distance --out x", 2, []string{"--source is empty: give a dataset of embeddings", "--target is empty",
			"the margin distance has no usual threshold: give --threshold, or true pairs in --gold"}},
		{"mine --source documents --target documents --out x", 1, []string{"--source: documents holds documents, not embeddings"}},
		{"dedup --documents documents --near fineweb --out x", 2, []string{`--near must be one of "","datatrove","nemo"`}},
		{"dedup --documents documents --near nemo --level sentence --loose --out x", 2,
			[]string{"--near compares whole documents", "--loose is for exact duplicates"}},
		{"dedup --pairs pairs --near nemo --out x", 2, []string{"--near is for documents"}},
		{"erase --documents documents --out x", 2, []string{"give either --urls or --domains"}},
		{"erase --documents documents --urls none.txt --out x", 1, []string{"urls: none.txt has no entry: nothing would be erased"}},
		{"erase --documents documents --urls takedown.txt --out documents/x", 2,
			[]string{"--out: documents/x lies in a dataset, and would go with it"}},
		{"erase --documents documents --urls takedown.txt --search nowhere --out x", 1, []string{"search: nowhere does not exist"}},
		{"erase --documents documents --urls takedown.txt --search documents --out erased", 0,
			[]string{"erased 0 of", "1 kept byte for byte", "name no origin", "erased/erasure.json certifies it", "document  has none"}},
		{"erase --documents documents --urls takedown.txt --out erased", 0, []string{"nothing to do", "document  has none"}},
		{"verify erased --urls takedown.txt", 0,
			[]string{"erased is whole", "erased/erasure.json: 0 rows of manifest", "of which none is left"}},
		{"verify erased --domains takedown.txt", 1, []string{"another list was erased: 1 line of --urls"}},
		{"verify documents --urls takedown.txt", 2, []string{"documents was not made by `sentweave erase`"}},
		{"train --out x --preset mse --bitext b --teacher t --from f --bitext-batch 0", 2,
			[]string{"--bitext-batch is 0, it must be from 1", "!--batch"}},
		{"train --out x --preset cmlm --examples e --vocabulary v --batch 0", 2,
			[]string{"--batch is 0, it must be from 1", "!mixture", "!periods["}},
		{"train --out x --preset br --bitext b --vocabulary v --bitext-batch 1 --steps 0", 2,
			[]string{"--bitext-batch is 1, bitext needs at least 2", "--steps is 0", "!mixture"}},
		{"train --out x --preset cmlm --examples e --vocabulary v --clip=-1 --weight-decay=-1 --tokens 2", 2,
			[]string{"--clip is -1", "--weight-decay is -1", "--tokens is 2"}},
		{"train --out x --preset cmlm --examples e --from f --unigram-bias", 1, []string{"--from: f does not exist"}},
		{"run", 2, []string{"name a recipe", "give --out"}},
		{"run pages --out x", 2, []string{"parameter input is not set", "give --set input=…"}},
		{"run cmlm-english --out x --set row=cmlm-lrage", 2,
			[]string{`parameter row is "cmlm-lrage", did you mean cmlm-large?; it must be one of cmlm-base, cmlm-large, `,
				"parameter data is not set"}},
		{"run cmlm-english --out x --set row=given --set data=d", 2,
			[]string{"parameter from is not set: encoder to begin with, its vocabulary included, which row=given needs; give --set from=…",
				"!input"}},
		{"run cmlm-english --out x --set scale=papers", 2,
			[]string{`parameter scale is "papers", did you mean paper?; it must be one of demo, paper`}},
		{"run two.yaml --out x --set input=pages --set input=english", 2,
			[]string{"--set: input is set twice; a list is one value, as in --set input=A,B"}},
		{"run two.yaml --out x --set pages", 2, []string{`--set: "pages" is not NAME=VALUE`}},
		{"run two.yaml --out x --set input=nowhere --dry-run", 1,
			[]string{"sentweave corpus --out=x/documents", "CPU minutes", "the run would not begin: step documents",
				"nowhere does not exist"}},
		{"run two.yaml --out x --set input=pages --dry-run", 0, []string{"!would not begin"}},
		{"run cmlm-english --out x --set row=given --set data=d --set from=encoder --set input=i", 1,
			[]string{"note: --set input has no effect: no step that runs here reads it", "nothing was begun"}},
		{"run cmlm-english --out x --set row=given --set data=d --set from=encoder --set encoder.steps=3", 1,
			[]string{"note: --set encoder.steps has no effect: step encoder is left out here, since no step that runs reads it",
				"nothing was begun"}},
		{"run cmlm-english --out x --set row=given --set data=d --set from=encoder --set encoder.stpes=3", 2,
			[]string{"step encoder: unknown flag --stpes of train"}},
		{"run cmlm-english --out x --set input=pages --set data=d --set encodr.steps=4", 2,
			[]string{`encodr.steps: the recipe has no step "encodr", did you mean encoder?; it has `, "!left out", "!parameter"}},
		{"run cmlm-english --out x --set scale=paper --set input=pages --set data=d --dry-run", 1,
			[]string{"108,891,648  1,000,000  1,048,576,000,000", "1,635", "by 100 TFLOP/s"}},
		{"run cmlm-english --out x --set row=given --set from=e --set data=d --set tasks=stsb --dry-run", 1,
			[]string{" --tasks=stsb", "!probe"}},
		{"run cmlm-english --out x --set row=given --set from=e --set data=d --set tasks=stsb --set scale=paper --dry-run", 1,
			[]string{" --tasks=stsb", "!probe", "!seeds"}},
		{"run cmlm-english --out x --set row=given --set from=e --set data=d --set scale=paper --dry-run", 1,
			[]string{"--probe=literature", "--seeds=5"}},
		{"run cmlm-english --out x --set row=given --set from=e --set data=d --set tasks=stsb --set languages-measured=fra", 1,
			[]string{"note: --set languages-measured has no effect on what step results does here", "!probe"}},
		{"run cmlm-english --out x --set row=given --set from=e --set data=d --set tasks=stsb --set results.probe=lbfgs", 1,
			[]string{"note: --set results.probe has no effect on what step results does here"}},
		{"run cmlm-tatoeba --out x --set row=mlm --set input=nowhere --set data=d --set encoder.margin=0.3 --set encoder.bitext-weight=0.5",
			1, []string{"note: --set encoder.margin has no effect on what step encoder does here",
				"note: --set encoder.bitext-weight has no effect on what step encoder does here", "nothing was begun"}},
		{"run cmlm-tatoeba --out x --set row=cmlm+br --set input=nowhere --set data=d --set encoder.margin=0.3 --set encoder.bitext-weight=0.5 --dry-run",
			1, []string{"--margin=0.3", "--bitext-weight=0.5", "!note: "}},
		{"run prompt.yaml --out x --dry-run", 1,
			[]string{`step vectors: prompt "ask": prompted has the prompts document, query`, `step results: model prompted: prompt "ask": `}},
		{"run layer.yaml --out x --set layer=3", 1,
			[]string{"steps vectors and results: the encoder in x/start has 2 layers, and no layer 3: --set layer=-1 takes the last", "nothing was begun"}},
		{"run layer.yaml --out x --set layer=2", 1, []string{"nothing was begun", "!and no layer"}},
		{"run pages --out x --set input=pages --set inptu=a", 2, []string{"did you mean input?"}},
		{"inspect done", 1, []string{"done holds a recipe, whose datasets lie in folders of their own (`sentweave status` lists them), as its run.json shows"}},
		{"evaluate --texts done --tasks retrieval --baseline char3 --out x", 1,
			[]string{"--texts: done holds a recipe, not documents or pairs"}},
		{"inspct documents", 2, []string{`did you mean "inspect"?`}},
		{"corpus --inptu pages --out x", 2, []string{`unknown flag --inptu, did you mean "--input"?`}},
		{"evaluate --model baseline:char3 --tasks sentval --benchmarks b --out x", 2,
			[]string{`--tasks: "sentval" is not one of`, "did you mean senteval?"}},
		{"doctor --install torch", 2, []string{`--install must be one of "","apertium","langid","libtorch","flink" but got "torch"`}},
		{"completion powershell", 2, []string{`must be one of "bash","zsh","fish"`}},

		// What is not there, or is something else.
		{"corpus --input nowhere --out x", 1, []string{"--input: nowhere does not exist"}},
		{"corpus --input pages --langid lid.176.ftz --out x", 1,
			[]string{"--langid: lid.176.ftz does not exist; embedded takes the model of the program, and `sentweave doctor --install langid` fetches"}},
		{"corpus --input /dev/zero --out x", 1, []string{"--input: /dev/zero is a device, a pipe or a socket, and a folder is wanted"}},
		{"corpus --input pages/a.txt --out x", 1, []string{"--input: pages/a.txt is a file, and a folder is wanted; pages is the one"}},
		{"corpus --input https://a.example --out x", 2, []string{"--input https://a.example: a web server lists no files: give --paths"}},
		{"corpus --input http://a.example --paths pages/a.txt --out x", 1, []string{
			"plain http is read from this machine alone: give https://"}},
		{"corpus --input pages --out https://a.example/x", 2, []string{
			"--out: https://a.example/x is an address, from which is only read"}},
		{"corpus --input pages --thresholds nowhere --out x", 1, []string{"--thresholds: nowhere does not exist"}},
		{"corpus --input pages --thresholds vocab.txt --out x", 1, []string{"thresholds: vocab.txt: line 1: invalid character"}},
		{"quality fit --documents documents --tail 2 --reference en --out x", 2, []string{"--tail 2 is not above 0", "give eng for"}},
		{"quality fit --documents documents --method tail --out x", 1, []string{
			"make them by `sentweave corpus --scores`, or lower --least"}},
		{"quality train --good documents --bad documents --hold-out 1 --maxn 65 --out x", 2,
			[]string{"--hold-out is 1, it must be from 0 to 0.9", "maxn is 65"}},
		{"quality train --good documents --bad counts --out x", 1, []string{"--bad: counts holds word counts, not documents"}},
		{"quality train --good documents --bad nowhere --out x", 1, []string{
			"--bad: nowhere does not exist; `sentweave corpus` makes documents"}},
		{"quality train --good documents --bad documents --out x", 2, []string{"documents is given by --good and by --bad"}},
		{"corpus --input pages --quality-model nowhere --out x", 1, []string{"--quality-model: nowhere does not exist"}},
		{"corpus --input pages --quality-model vocab.txt --out x", 1, []string{
			"quality-model: vocab.txt: magic number", "not a fastText model"}},
		{"corpus --input pages --perplexity-model eng=nowhere --out x", 1, []string{"--perplexity-model: nowhere does not exist"}},
		{"corpus --input pages --perplexity-model nowhere --out x", 2, []string{`"nowhere" is not LANG=FILE`}},
		{"init --vocabulary vocab.txt --architecture modernbert --heads 7 --dropout 2 --positions 0 --layers=-1 --out x", 2,
			[]string{"--hidden 768 is not a multiple of --heads 7", "--dropout is 2, it must be in [0, 1)",
				"--positions is 0, it must be at least 3", "--layers is -1, it must be from 0 to 1024", "!num_", "!hidden_size"}},
		{"corpus --input pages --languages eng_Zzzz --out x", 2,
			[]string{"--languages: eng_Zzzz: texts in the script Zzzz are not told from those in others: give the language without its script"}},
		{"translations --texts documents --engine identity --targets sr,de,srp --out x", 2,
			[]string{`--targets: "srp" is given twice: "sr" is the same language`}},
		{"langid train --maxn 1 --languages de --out x", 2,
			[]string{"minn 2 is above maxn 1", "give deu for", "give --documents, --texts or both"}},
		{"langid train --texts pages/a.txt --features 300 --out x.bin", 2,
			[]string{"--features has no effect where --out does not end in .ftz"}},
		{"langid train --texts pages/a.txt --features 500000 --out x.ftz", 2,
			[]string{"--features is 500000, it must be at least 256 and below --buckets, which is 500000"}},
		{"langid evaluate --texts pages/a.txt --model none", 2, []string{"\"none\" is not [NAME=]FILE"}},
		{"langid train --texts pages/a.txt --out x", 1, []string{"no_label", "give documents of corpus --layout, or lines such as"}},
		{"langid evaluate --texts pages/a.txt --model a.bin,b/a.bin", 2, []string{"two models are named a.bin: give NAME=FILE"}},
		{"langid evaluate --texts pages/a.txt --model m=nowhere.bin", 1, []string{"--model: ", "nowhere.bin"}},
		{"corpus --input pages --sample 3 --out x", 2, []string{"--sample 3 is not from 0 to 1"}},
		{"pairs --kind bitext --input /nowhere --out x", 1, []string{"--input: /nowhere does not exist"}},
		{"evaluate --model baseline:char3 --tasks sts --benchmarks /nowhere --out x", 1,
			[]string{"--benchmarks: /nowhere does not exist; `sentweave benchmarks` makes benchmarks"}},
		{"dedup --documents counts --out x", 1,
			[]string{"--documents: counts holds word counts, not documents; `sentweave corpus` makes documents"}},
		{"dedup --documents nowhere --extend elsewhere --out x", 1, []string{"--documents: nowhere does not exist; `sentweave corpus` makes documents",
			"--extend: elsewhere does not exist; `sentweave dedup` makes documents"}},
		{"corpus --input . --extend elsewhere --out x", 1, []string{"--extend: elsewhere does not exist; `sentweave corpus` makes documents"}},
		{"wordcounts --documents nowhere --out x", 1, []string{"--documents: nowhere does not exist; `sentweave corpus` makes documents"}},
		{"vocab --wordcounts w --out x --model unigram --size 0 --min-count 3", 2,
			[]string{"--size 0: want more than the 5 special tokens", "--min-count is a setting of --model wordpiece: leave it out"}},
		{"vocab --wordcounts w --out x --seed-size 3", 2, []string{"--seed-size is a setting of --model unigram: leave it out"}},
		{"vocab --wordcounts documents --out x", 1,
			[]string{"--wordcounts: documents holds documents, not word counts; `sentweave wordcounts` makes"}},
		{"examples --documents documents --vocabulary nowhere.txt --out x", 1,
			[]string{"--vocabulary: nowhere.txt does not exist; `sentweave vocab` makes a vocabulary"}},
		{"examples --documents documents --vocabulary documents --out x", 1,
			[]string{"--vocabulary: documents is a folder without a vocabulary"}},
		{"embed --model sentence-transformers/all-MiniLM-L6-v2 --texts documents --out x", 1,
			[]string{"--model: sentence-transformers/all-MiniLM-L6-v2 does not exist", "Hugging Face Hub",
				"`hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2`", "!sentweave train"}},
		{"evaluate --model mine=owner/name --texts documents --tasks retrieval --out x", 1,
			[]string{"--model: owner/name does not exist", "hf download owner/name"}},
		{"train --out x --preset br --bitext documents --from owner/name", 1,
			[]string{"--from: owner/name does not exist", "hf download owner/name"}},
		{"embed --model nowhere --texts documents --out x", 1,
			[]string{"--model: nowhere does not exist; `sentweave train` makes an encoder"}},
		{"init --vocabulary vocab.txt --out x", 1,
			[]string{"sentweave-torch, which has libtorch, is neither beside this program nor on PATH", "make torch"}},
		{"status nowhere", 1, []string{"nowhere does not exist", "!manifest"}},

		// Recipes are checked before their first step.
		{"run train.yaml --out x --set langid=lid.176.ftz", 1,
			[]string{"steps documents and heldout: --set langid=…: lid.176.ftz does not exist; embedded takes the model of the program, and `sentweave doctor --install langid`",
				"steps small and bag: sentweave-torch", "nothing was begun", "!──"}},
		{"run mining --out x --set source=pages --set target=pages --set source-language=deu --set target-language=eng --set encoder=no --set mined.device=cpu", 1,
			[]string{"steps source-vectors, target-vectors, mined, start,", "nothing was begun"}},
		{"run train.yaml --out x --set langid=model.bin --only documents", 1,
			[]string{"step documents: --set langid=…: open language identifier \"model.bin\"", "nothing was begun"}},
		{"run translate.yaml --out x --set input=pages --set engine=apertium", 1,
			[]string{"step translated: engine apertium: find apertium", "`sentweave doctor --install apertium`", "nothing was begun",
				"!──"}},
		{"run translate.yaml --out x --set input=nowhere --set engine=identity", 1,
			[]string{"step documents: --set input=…: nowhere does not exist", "nothing was begun"}},
		{"run two.yaml --out x --set input=pages --only counts", 1,
			[]string{"step counts: documents: x/documents is not there; step documents makes it\n"}},
		{"run two.yaml --out x --set input=broken --dry-run", 0, []string{"!would not begin"}},
		{"corpus --input broken --out x --min-sentences 1 --min-language-score 0 --dry-run", 0,
			[]string{"note: 1 of 2 files is left out, b.txt: a link that leads nowhere", "input     pages: 1 file"}},
		{"run two.yaml --out pages/x --set input=pages", 1,
			[]string{"step documents: --set input=…: pages holds --out", "choose an --out outside of it", "nothing was begun"}},
		{"run two.yaml --out documents --set input=pages", 1, []string{"--out: documents holds a dataset", "choose another folder", "!──"}},
		{"run pages.yaml --out y", 1, []string{`step documents: no record at the beginning of a.jsonl has the field "text": --set text-field=NAME names`,
			"; there are content", "!--text-field", "!── "}},
		{"corpus --input json --limit 1 --out y", 1, []string{`has the field "text": --text-field=NAME names the field of the text; there are content`}},
		{"run pages.yaml --out y --set documents.input=partly", 1, []string{"step documents: y/documents is empty: of 3 documents the step read dropped 2 as ",
			"field_missing: --set text-field=… names the field of the text", "!--text-field", "!── counts"}},
		{"run heldout.yaml --out w", 1,
			[]string{"step heldout: it left no rows: ", "all of them as other_part: --set heldout=… says how much is held out",
				"!── unseen"}},
		{"run pages.yaml --out z --set documents.min-sentences=none", 2,
			[]string{"step documents: ", "--set documents.min-sentences=…", "!--min-sentences"}},

		{"pairs --kind parallel --documents alone --out none", 0,
			[]string{"all of them are in eng, and one language alone makes no pairs", "!--layout"}},
		{"pairtrain --scores x --hold-out merged,copied,merged --out x", 2, []string{`--hold-out: "merged" is given twice`}},
		{"langid evaluate --texts vocab.txt --model =model.bin,x=", 2,
			[]string{`--model: "=model.bin" is not [NAME=]FILE`, `--model: "x=" is not [NAME=]FILE`}},
		{"langid train --least 0 --texts labels.txt --out x", 1,
			[]string{"1 text left out: several_labels", "such as qq, xx-klingon\n", "all texts that are left are in one language, deu"}},
		{"corpus --quiet --input pages --min-sentences 100 --min-language-score 0 --out few", 1,
			[]string{"few is empty: of 2 documents the step quality dropped 2 as too_few_sentences", "!document_dropped"}},
		{"wordcounts --documents few --out none-counted", 0, []string{"note: none-counted is empty: its input has none"}},
		{"pairs --kind bitext --input bitext --out read", 0, []string{", 3 rows read"}},
		{"pairs --kind bitext --input bitext/c.eng,bitext/c.deu --out single", 0, []string{", 3 rows read"}},
		{"pairs --kind bitext --input bitext --repeated --out again", 0, []string{", 3 rows read"}},
		{"pairs --kind bitext --input table --columns eng,spa --out x", 1,
			[]string{"t.csv: its first row has 3 columns (id, source, target), and --columns names 2"}},
		{"pairs --kind bitext --input table --columns -,eng,spa --out headed", 0,
			[]string{"note: the first line of t.csv, id, source, target, seems to name its columns and is read as a row: --header"}},
		{"pairs --kind bitext --input table --columns -,eng,spa --header --out unheaded", 0,
			[]string{"unheaded: 1 pair in 1 shard", "!seems to name"}},

		{"pairs --kind sts --input scored --columns eng,eng,target --out x", 1,
			[]string{"s.csv: its first line (first, second, score) has no number in column 3", "--header"}},
		{"pairs --kind bitext --input sides --dry-run --out x", 0, []string{"1 of 3 files is left out, d.eng: cannot be opened"}},
		{"pairs --kind bitext --input sides --unreadable skip --dry-run --out x", 0,
			[]string{"1 of 3 files is left out, d.eng: cannot be opened"}},
		{"memories --input memory --unreadable skip --out x", 1, []string{"the only file is left out, m.tmx: a link that leads nowhere"}},
		{"run bitext-encoder --out x --set input=bitext --set languages=eng,fra", 1,
			[]string{"steps pairs and heldout: no input is in two of the languages eng, fra", "nothing was begun"}},
		{"run bitext-encoder --out x --set input=bitext --set pivot=fra", 1,
			[]string{"steps pairs and heldout: --set pivot=… names fra", "nothing was begun"}},
		{"run pages-encoder --out x --set input=pages --set steps=-3", 2,
			[]string{"steps bag and encoder: train: --set steps=… is -3, it must be at least 1", "!warmup"}},
		{"run pages-encoder --out x --set input=pages --set steps=1,2", 2,
			[]string{"step bag: train: --set steps=… has 2 values, the preset br has one period: give one value", "!step encoder"}},
		{"run bitext-encoder --out x --set input=bitext --set from=json", 1,
			[]string{"steps start and beginning: --set from=…: json holds no encoder: there is no config.json", "nothing was begun"}},
		{"run bitext-encoder --out x --set input=bitext --set from=documents", 1,
			[]string{"steps start and beginning: --set from=…: documents holds documents, not an encoder", "nothing was begun"}},

		{"dedup --documents documents --against documents --out none2", 0,
			[]string{"what --against names holds all of it: hold more texts out"}},

		// What was done is one line a step, and no step that dropped nothing has a note.
		{"diff made done", 1, []string{
			"made holds an encoder", "encoders are compared by their results: `sentweave evaluate --model a=made,b=done`"}},
		{"diff done done", 1, []string{
			"done holds a recipe", "diff compares two complete datasets; name the folder of a step, as in done/results"}},
		{"run two.yaml --out done --set input=pages", 0,
			[]string{"documents is complete, nothing to do\n", "counts is complete, nothing to do\n", "!──", "!rows", "recipe test took"}},
		{"run two.yaml --out done --set input=pages --verbose", 0,
			[]string{"documents is complete, nothing to do\n", "these steps dropped nothing"}},
		{"run two.yaml --out done --set input=pages --quiet", 0, []string{"!documents", "!took"}},
		{"corpus --input pages --min-sentences 1 --min-language-score 0 --out quiet --quiet", 0, []string{"!page", "!units"}},
		{"corpus --input pages --min-sentences 1 --min-language-score 0 --out loud", 0,
			[]string{"loud: 2 documents in 1 shard", "!dropped nothing"}},
		{"status nowhere --json", 1, []string{"nowhere does not exist"}},
		{"status documents --json", 0,
			[]string{`{"folder":"documents","kind":"dataset","state":"whole","pipeline":"corpus","units":1,"units_done":1,"rows":2,`}},
		{"status done --json", 0, []string{
			`{"folder":"done","kind":"recipe","state":"whole","recipe":"test","run":{"command":"sentweave run two.yaml `,
			`"steps":[{"step":"documents","verb":"corpus","began":"`}},
		{"sample --documents documents --out x --rows 0", 2,
			[]string{"--rows must be at least 1, or --share above 0: else nothing is drawn"}},
		{"sample --documents documents --out x --rows 1 --share .5", 2, []string{"sample: --rows and --share exclude each other"}},
		{"sample --documents documents --out x --rows 1 --alpha .5", 2, []string{"sample: --balanced and --alpha say how many rows"}},
		{"wordcounts --documents documents --out x --cased=maybe", 2, []string{"--cased=maybe: true or false is wanted"}},
		{"sample --documents documents --out x --rows 3 --share 0.1", 2, []string{"--rows"}},
		{"status done", 0, []string{"done: recipe test is whole", "documents  done   2 documents, "}},
		{"run two.yaml --out some --set input=pages --only documents", 0, []string{"recipe test took"}},
		{"status some", 0, []string{"some: the steps of recipe test that --only named are whole", "documents  done   2 documents, "}},
		{"verify documents", 0, []string{"documents is whole: 2 rows of document"}},

		// Help.
		{"help corpus", 0, []string{"Usage: sentweave corpus --out=DIR --input=DIR [flags]", "Example:",
			"sentweave corpus --input pages --out documents", "Every verb"}},
		{"help views synonym", 0, []string{"sentweave views synonym --texts documents"}},
		{"help", 0, []string{"Usage: sentweave <command>", "completion ", "version "}},
		{"version", 0, []string{"sentweave ", "go1.", "sentweave-torch: none"}},
		{"completion bash", 0, []string{"complete -o default", "_sentweave", "sentweave __complete"}},
		{"completion zsh", 0, []string{"#compdef sentweave", "sentweave __complete"}},
		{"completion fish", 0, []string{"complete -c sentweave"}},
		{"__complete corp", 0, []string{"corpus\tTurn HTML pages"}},
		{"__complete pairs --kind=bi", 0, []string{"--kind=bitext\t"}},
		{"__complete pairs --kind = bi", 0, []string{"bitext\t", "!--kind"}},
		{"__complete pairs --kind par", 0, []string{"parallel\t", "!bitext"}},
		{"__complete help views syn", 0, []string{"synonym\t"}},
		{"__complete benchmarks sen", 0, []string{"senteval\t"}},
		{"__complete run pag", 0, []string{"pages\t"}},
		{"__complete run bitext-encoder --set la", 0, []string{"languages=\tlanguages to keep", "!pairs"}},
		{"__complete run bitext-encoder --set en", 0, []string{"encoder.\tflags of the step, which is train"}},
		{"__complete run bitext-encoder --out x --set encoder.st", 0, []string{"encoder.steps=\t", "!bag"}},
		{"__complete run --set la", 0, []string{"!languages"}},
		{"run --list bitext-encoder", 0, []string{"--set from=…", "--set encoder.FLAG=…  train", "--set unseen.FLAG=…  dedup"}},
		{"run --list", 0, []string{"pages-encoder: ", "Yang et al. 2021 (CMLM)\n", "  cmlm-english, tables 1 and 2: CMLM on pages",
			"`sentweave run --list NAME` lists the parameters", "!--set"}},
		{"run --list cmlm-english", 0, []string{"  Yang et al. 2021 (CMLM), tables 1 and 2", "--set scale=…  demo, a small",
			"one of demo, paper)", "What holds with scale=demo and row=cmlm-base;",
			`(default "8000")`, `(default "sentence")`, "sts16,senteval"}},
		{"run --list cmlm-english --set row=given --set scale=paper", 0,
			[]string{`numbers of the paper (set to "paper"`, "its vocabulary included (required)", `(default "start")`,
				"sick-r-cos,senteval", "!input", "!vocabulary-size", "!examples."}},
		{"run --list lens-english", 0, []string{"folder of the test data", "!input", "!preset", "!documents.", "!languages-measured"}},
		{"run --list cmlm-tatoeba", 0, []string{"tatoeba36", "!languages-measured"}},
		{"run --list cmlm-pcr", 0, []string{"languages-measured"}},
		{"run --list --set row=given", 2, []string{"name a recipe: --list with --set"}},
		{"run --list cmlm-english --set rwo=given", 2, []string{`has no parameter "rwo", did you mean row?`}},
		{"__complete completion z", 0, []string{"zsh\t", "!bash"}},
		{"__complete corpus --input p", 0, []string{"!a"}}, // files are the shell's
		{"__complete wordcounts --doc", 0, []string{"--documents\t"}},
	}
	for _, test := range tests {
		t.Run(test.command, func(t *testing.T) {
			got := sentweave(t, strings.Fields(test.command)...)
			if got.code != test.code {
				t.Errorf("exit code %d, want %d", got.code, test.code)
			}
			text := got.stdout + got.stderr
			for _, want := range test.answer {
				if unwanted, not := strings.CutPrefix(want, "!"); not && strings.Contains(text, unwanted) || !not &&
					!strings.Contains(text, want) {
					t.Errorf("does not fit %q:\n%s%s", want, got.stdout, got.stderr)
				}
			}
		})
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("work began before a fault was told")
	}
}

// Every verb has an example that its parser takes, whose flags are all required.
func TestExamples(t *testing.T) {
	p := newProgram(nil, nil)
	verbs, err := p.Flags()
	if err != nil {
		t.Fatal(err)
	}
	for verb := range verbs {
		examples := p.ExamplesOf(verb)
		if len(examples) == 0 && !slices.Contains([]string{"help", "version", "completion"}, verb) {
			t.Errorf("%s has no example", verb)
		}
		for i, example := range examples {
			args := wordsOf(example)
			if err := p.Check(args); err != nil && verb != "worker-pool" { // which reads the file
				t.Errorf("%s: %v", example, err)
			}
			if !strings.HasPrefix(example, verb) {
				t.Errorf("%s is not an example of %s", example, verb)
			}
			for k := 0; i == 0 && k < len(args); k++ {
				if !strings.HasPrefix(args[k], "--") || args[k] == "--set" { // which depends on the recipe
					continue
				}
				without := slices.Delete(slices.Clone(args), k, k+2)
				if err := p.Check(without); err == nil {
					t.Errorf("%s: %s is not required", example, args[k])
				}
			}
		}
	}
	for _, v := range p.Verbs {
		for _, example := range v.Examples {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(verbs)),
				func(words string) bool { return slices.Contains(p.ExamplesOf(words), example) }) {
				t.Errorf("%s: %s is an example of no verb", v.Name, example)
			}
		}
	}
}

// wordsOf splits a command line that may have words between single quotes.
func wordsOf(line string) (words []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	return words
}

// What a verb needs comes first, and clusters last.
func TestHelpOrder(t *testing.T) {
	help := sentweave(t, "corpus", "--help").stdout
	last := -1
	for _, title := range []string{"Example:", "\nRequired, as in the first example\n", "\nInput\n", "\nOutput\n", "\nRunning\n",
		"\nFlink\n", "\nDataflow\n", "\nEvery verb\n"} {
		at := strings.Index(help, title)
		if at <= last {
			t.Errorf("%q is at %d, after %d:\n%s", title, at, last, help)
		}
		last = at
	}
}

// A recipe that runs says at which step it is, and what the others wait for.
func TestStatusOfARun(t *testing.T) {
	out := t.TempDir()
	now := time.Now()
	notes := &record.Record{Recipe: "r", Run: &record.Run{Command: "sentweave run r --out o", Host: "elsewhere", Process: 7,
		Started: now.Add(-time.Minute), Seen: now, Steps: []record.StepState{
			{Step: "a", Verb: "corpus", Began: now.Add(-time.Minute), Ended: now.Add(-30 * time.Second)},
			{Step: "b", Verb: "train", Needs: []string{"a"}, Began: now.Add(-30 * time.Second)},
			{Step: "c", Verb: "embed", Needs: []string{"a", "b"}},
			{Step: "d", Verb: "corpus"},
		}}}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(out, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("b.train/training.json", `{"steps": 2000}`)
	write("b/losses.jsonl", `{"step":10,"loss":3.5}`+"\n"+`{"step":20,"loss":2.25}`+"\n"+`{"step":3`)
	status := func(want ...string) {
		t.Helper()
		if err := notes.Write(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		sentweave(t, "status", out).expect(t, 0, want, nil)
	}
	status("recipe r is running: process 7 on elsewhere", "a     done", "b     running", "step 20 of 2,000, loss 2.2500",
		"c     waits for b", "d     waits for its turn")
	file, input := writeRecipe(t, recipeText)
	sentweave(t, "run", file, "--out", out, "--set", "input="+input).expect(
		t, 1, []string{"!──"}, []string{"a recipe is running in " + out + ": process 7 on elsewhere"})
	if again, err := record.Read(t.Context(), out); err != nil || again.Recipe != "r" {
		t.Errorf("a run that was refused has changed the record: %v", err)
	}
	write("b.train/checkpoints/000021/training.json", "{}")
	write("b.train/checkpoints/000022/model.safetensors", "") // of no whole checkpoint
	status("step 21 of 2,000, as its checkpoint says")
	if err := os.RemoveAll(filepath.Join(out, "b.train", "checkpoints")); err != nil {
		t.Fatal(err)
	}
	notes.Run.Seen = now.Add(-time.Hour)
	status("recipe r has stopped: last seen ", "the same command goes on where it ended", "sentweave run r --out o", "b     stopped",
		"step 20 of 2,000", "c     to come")
	notes.Run.Ended, notes.Run.Fault, notes.Run.Steps[1].Failed, notes.Run.Steps[1].Ended = now, "step b: no room", true, now
	status("recipe r has failed", "step b: no room", "b     failed")
	for _, folder := range []string{"b", "b.train"} { // both are of the training
		sentweave(t, "status", filepath.Join(out, folder)).expect(
			t, 0, []string{"training has stopped, unless another machine is at work: step 20 of 2,000, loss 2.2500, last seen ",
				"the same `sentweave train` goes on"}, nil)
	}
	write("b.train/checkpoints/000021/training.json", `{"steps": 2000, "step": 21, "max_time": "1h0m0s"}`)
	sentweave(t, "status", filepath.Join(out, "b")).expect(t, 0, []string{
		"training has ended a run after the 1h0m0s of --max-time: step 21 of 2,000, as its checkpoint says; the same"}, nil)
	if err := os.RemoveAll(filepath.Join(out, "b.train", "checkpoints")); err != nil {
		t.Fatal(err)
	}
	write("b/training.json", `{"steps": 2000, "step": 1000}`) // after the first of two periods
	status("recipe r has failed", "b     failed")
	sentweave(t, "status", filepath.Join(out, "b")).expect(t, 0, []string{"training has stopped, unless another machine is at work"}, nil)
	write("b/training.json", `{"steps": 2000, "step": 2000}`)
	write("b/config.json", `{"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 16}`)
	write("b/model.safetensors", "\x02\x00\x00\x00\x00\x00\x00\x00{}")
	write("c/report.html", "</html>")
	write("c/summary.json", "{}")
	status("recipe r has failed", "step b stopped at what an earlier command has made there", "b     done before", "c     done before",
		"d     to come")
	sentweave(t, "status", filepath.Join(out, "b")).expect(t, 0, []string{"training is whole: 2,000 steps, loss 2.2500"}, nil)
	notes.Run.Ended, notes.Run.Fault, notes.Run.Steps[1].Failed, notes.Run.Steps[1].Ended = time.Time{}, "", false, time.Time{}
	status("recipe r has stopped", "b     stopped      2 layers × 16", "c     done before",
		"!b     done") // killed when it had all but ended
	write("b/training.json",
		`{"steps": 2000, "step": 230, "period": "p", "config": {"periods": [{"name": "p"}]}, "validated": {"stopped": true}}`)
	sentweave(t, "status", filepath.Join(out, "b"), "--json").expect(
		t, 0, []string{`"kind":"training","state":"whole","steps":2000,"step":230,"loss":2.25}`}, nil)
	sentweave(t, "status", filepath.Join(out, "b")).expect(
		t, 0, []string{"training is whole: it ended after 230 of 2,000 steps, loss 2.2500"}, nil)
}

// What is gone or cut since a recipe was whole is told, and named in JSON.
func TestStatusOfDamage(t *testing.T) {
	out, _, run := wholeRecipe(t)(t)
	cut := func(name string, size int64) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(out, name))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		if err := os.Truncate(files[0], size); err != nil {
			t.Fatal(err)
		}
	}
	sentweave(t, "status", out).expect(t, 0, []string{"recipe stages is whole", "page        done", "!gone", "!damaged"}, nil)
	sentweave(t, "status", out, "--json").expect(t, 0, []string{`"state":"whole"`, `!"damage"`}, nil)
	if err := os.RemoveAll(filepath.Join(out, "counts")); err != nil {
		t.Fatal(err)
	}
	cut("some/data/*.parquet", 100)
	cut("page/report.html", 1000)
	cut("vocabulary/vocab.txt", 50)
	sentweave(t, "status", out).expect(
		t, 1, []string{"recipe stages was done ", "what steps counts, vocabulary, some and page made is gone or damaged since",
			"sentweave run ",
			"pairs       done", "counts      gone", "vocabulary  damaged", "some        damaged", "results     done", "page        damaged",
			"!is whole"}, nil)
	sentweave(t, "status", out, "--json").expect(
		t, 1, []string{`"state":"damaged","damage":[{"step":"counts","fault":"gone"},{"step":"vocabulary","fault":"damaged: `,
			`{"step":"some","fault":"damaged: data/`, `"step":"page"`}, nil)
	sentweave(t, "status", filepath.Join(out, "some")).expect(
		t, 1, []string{"some is damaged: data/", "the same `sentweave sample` makes it again"}, nil)
	sentweave(t, "status", filepath.Join(out, "some"), "--json").expect(t, 1, []string{`"state":"damaged","damage":[{"fault":"data/`}, nil)
	run().expect(t, 0, []string{"recipe stages took"}, anything)
	sentweave(t, "status", out).expect(t, 0, []string{"recipe stages is whole", "!gone", "!damaged"}, nil)
}

// Tables go into the terminal: models have tables of their own where one is too wide.
func TestTablesFit(t *testing.T) {
	var figures []figure
	values := map[figure]map[string]schemas.Result{
		{"sts", "all", "eng", "spearman"}: {"a model with a long name": {Value: .5}, "another one": {Value: .25}}}
	for f := range values {
		figures = append(figures, f)
	}
	for _, width := range []int{50, 60, 80, 100, 0} {
		var results strings.Builder
		printFigures(&results, figures, []string{"a model with a long name", "another one"}, values, width)
		if tables := strings.Count(results.String(), "spearman"); tables != map[bool]int{true: 2, false: 1}[width > 0 && width < 75] ||
			!strings.Contains(results.String(), "25.00") {
			t.Errorf("width %d: %d tables:\n%s", width, tables, results.String())
		}
	}
}

// A correlation that is undefined counts as 0, and says what it is; a mean says how many of them are.
func TestUndefinedFigure(t *testing.T) {
	for settings, want := range map[string]string{`{"undefined":true}`: " 0.00 undefined", `{"undefined":3}`: " 0.00 3 undefined",
		`{"split":"test"}`: " 0.00"} {
		var out strings.Builder
		printResults(&out, []schemas.Result{{Model: "m", Task: "sts", Metric: "spearman", Settings: settings}}, true)
		if !strings.HasSuffix(strings.TrimSpace(out.String()), want) {
			t.Errorf("%s: %s", settings, out.String())
		}
	}
}
