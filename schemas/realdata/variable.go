package realdata

import (
	"os"
	"testing"
)

// variables are those of the environment that name what a test cannot do without, and what each of them names.
var variables = map[string]string{
	"SENTWEAVE_FAISS":       "a Python with faiss",
	"SENTWEAVE_HANDBOOK":    "the folder of the Debian handbook, which runners/fetch.sh handbook makes",
	"SENTWEAVE_KENLM":       "a Python with kenlm, beside build_binary for binary files",
	"SENTWEAVE_LID176":      "the path of lid.176.ftz",
	"SENTWEAVE_MANUALS":     "a folder with a folder for each manual, which runners/fetch.sh manuals makes",
	"SENTWEAVE_MINILM":      "the folder of all-MiniLM-L6-v2",
	"SENTWEAVE_MPNET":       "the folder of all-mpnet-base-v2",
	"SENTWEAVE_NVRTC":       "the folder of libnvrtc, which runners/fetch.sh nvrtc makes",
	"SENTWEAVE_PAIRFILTERS": "a Python with opusfilter and bicleaner-hardrules",
	"SENTWEAVE_PERSONAL":    "a Python with phonenumbers, schwifty and faker",
	"SENTWEAVE_SENTEVAL":    "a checkout of facebookresearch/SentEval",
	"SENTWEAVE_WORDNET":     "the folder of Princeton's files, which runners/fetch.sh wordnet makes",
}

// Variable returns the value of one of these variables. The test is skipped where it is not set.
func Variable(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Skipf("skipped: %s, %s, is not set", name, variables[name])
	}
	return value
}
