package detokenize

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// Real text that was never tokenised, cut by the programs that SentEval uses: how
// often the text comes back, beside sacremoses' detokenizer on the same tokens. The
// floors stand a little under what was measured, so that a worse rule is noticed.

// naturalTexts returns texts of STS-B as people wrote them: of its test part, because
// rules were made while looking at the dev part.
func naturalTexts(t *testing.T) []string {
	data, err := os.ReadFile(filepath.Join(realdata.Folder(t, "stsb"), "stsb", "sts-test.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range strings.Lines(string(data)) {
		for _, text := range strings.Split(strings.TrimRight(line, "\r\n"), "\t")[5:7] {
			texts = append(texts, strings.Join(strings.Fields(text), " "))
		}
	}
	return texts
}

// run gives lines to a program and returns as many.
func run(t *testing.T, lines []string, program string, args ...string) []string {
	t.Helper()
	t.Setenv("PYTHONIOENCODING", "utf-8")
	t.Setenv("LC_ALL", "C.UTF-8")
	out := peertest.Output(t, []byte(strings.Join(lines, "\n")+"\n"), program, args...)
	got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(got) != len(lines) {
		t.Fatalf("%s gave %d lines for %d", program, len(got), len(lines))
	}
	return got
}

const (
	mosesTokenize = `
import sys, sacremoses
m = sacremoses.MosesTokenizer("en")
for line in sys.stdin: print(m.tokenize(line.rstrip("\n"), return_str=True, escape=False))`
	mosesDetokenize = `
import sys, sacremoses
m = sacremoses.MosesDetokenizer("en")
for line in sys.stdin: print(m.detokenize(line.split(), unescape=False))`
)

// treebankSed is SentEval's own tokenizer.sed.
func treebankSed(t *testing.T) string {
	folder := realdata.Variable(t, "SENTWEAVE_SENTEVAL")
	return filepath.Join(folder, "data", "downstream", "tokenizer.sed")
}

func share(t *testing.T, name string, got, want []string) float64 {
	same, shown := 0, 0
	for i := range want {
		if got[i] == want[i] {
			same++
		} else if shown++; shown <= 12 && testing.Verbose() {
			t.Logf("%s:\n got %s\nwant %s", name, got[i], want[i])
		}
	}
	s := float64(same) / float64(len(want))
	t.Logf("%s: %d of %d are the same (%.2f %%)", name, same, len(want), 100*s)
	return s
}

func ours(texts []string, style Style) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i], _ = Config{Style: style}.Text(text)
	}
	return out
}

func TestRoundTripMoses(t *testing.T) {
	p, texts := peertest.Python(t, "sacremoses"), naturalTexts(t)
	cut := run(t, texts, p, "-c", mosesTokenize)
	peer := share(t, "sacremoses on Moses tokens", run(t, cut, p, "-c", mosesDetokenize), texts)
	if got := share(t, "Moses tokens", ours(cut, Moses), texts); got < .9 || got < peer {
		t.Errorf("%.4f come back, sacremoses %.4f", got, peer)
	}
}

func TestRoundTripTreebank(t *testing.T) {
	sed, texts := treebankSed(t), naturalTexts(t)
	cut := run(t, texts, "sed", "-f", sed)
	if got := share(t, "Treebank tokens", ours(cut, PTB), texts); got < .9 {
		t.Errorf("%.4f come back", got)
	}
	p := peertest.Python(t, "sacremoses")
	share(t, "sacremoses on Treebank tokens", run(t, cut, p, "-c", mosesDetokenize), texts)
}

// The real tokenised texts have no original; how often two detokenizers agree is
// no measure of quality, but a change in it is one of a rule.
func TestAgreement(t *testing.T) {
	p := peertest.Python(t, "sacremoses")
	folder := filepath.Join(realdata.Folder(t, "senteval"), "senteval")
	for _, file := range []string{"raw/rt-polarity.pos", "raw/custrev.neg", "raw/TREC.test", "stsa.fine.test"} {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for line := range strings.Lines(strings.ToValidUTF8(string(data), "")) {
			texts = append(texts, strings.Join(strings.Fields(line), " "))
		}
		share(t, file, ours(texts, PTB), run(t, texts, p, "-c", mosesDetokenize))
	}
}

// What SentEval deletes from TREC's questions comes back: the questions as they were
// are the truth, but for quotation marks, which are gone.
func TestUnquoted(t *testing.T) {
	folder := filepath.Join(realdata.Folder(t, "senteval"), "senteval", "raw")
	quotation := regexp.MustCompile(`"|(^|[^A-Za-z0-9.])'|'([^A-Za-z0-9]|$)`)
	plain := func(text string) string {
		return strings.Join(strings.Fields(quotation.ReplaceAllString(text, "$1$2")), " ")
	}
	changed, wrong := 0, 0
	for _, name := range []string{"TREC.train", "TREC.test"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.ToValidUTF8(string(data), "?")) {
			_, question, _ := strings.Cut(line, " ")
			want, _ := Config{Style: PTB}.Text(question)
			unquoted := strings.NewReplacer("`", "", "'", "").Replace(question)
			got, _ := Config{Style: PTBUnquoted}.Text(unquoted)
			if before, _ := (Config{Style: PTB}).Text(unquoted); got != before {
				changed++
				if plain(got) != plain(want) {
					wrong++
					t.Logf("got  %s\nwant %s", got, want)
				}
			}
		}
	}
	if changed < 740 || wrong > 2 {
		t.Errorf("%d questions changed, %d of them into others than they were", changed, wrong)
	}
}
