package senteval

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
)

// The shim is demanded where SentEval would cut rows without it, byte for byte.
func TestCheckShim(t *testing.T) {
	spoilt := append([]byte("#"), shim...)
	for _, c := range []struct {
		name string
		form Form
		file string
		shim []byte
		want string
	}{
		{"there", FormUTF8, "CR/custrev.pos", shim, "[]"},
		{"gone", FormUTF8, "CR/custrev.pos", nil, "[- rus: senteval_utf8.py: file: open senteval_utf8.py: file does not exist]"},
		{"empty", FormUTF8, "SNLI/s2.dev", []byte{},
			"[- rus: senteval_utf8.py: file: it is not the module that makes SentEval read UTF-8: `sentweave folders` writes it]"},
		{"changed", FormUTF8, "TREC/TREC_10.label", spoilt,
			"[- rus: senteval_utf8.py: file: it is not the module that makes SentEval read UTF-8: `sentweave folders` writes it]"},
		{"not needed by the files", FormUTF8, "SICK/SICK_train.txt", nil, "[]"},
		{"not needed by the form", FormReferences, "CR/custrev.pos", nil, "[]"},
	} {
		folder := fstest.MapFS{c.file: {}}
		if c.shim != nil {
			folder[ShimName] = &fstest.MapFile{Data: c.shim}
		}
		tasks := slices.DeleteFunc(Tasks(), func(k Task) bool { return k.Name == "mr" })
		if got := fmt.Sprint(Format{Form: c.form}.CheckShim(tasks, "rus", []string{c.file}, reader(folder))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestStrays(t *testing.T) {
	present := []string{"CR/custrev.pos", "CR/custrev.pos~", "README.txt", ShimName, "STS/STS16-en-test/STS.gs.headlines.txt"}
	const sts, backup, module = "sts16 rus: STS/STS16-en-test/STS.gs.headlines.txt: extra: the source has no task sts16",
		"- rus: CR/custrev.pos~: extra: it is of no task of SentEval", "- rus: senteval_utf8.py: extra: it is of no task of SentEval"
	for form, want := range map[Form][]string{FormUTF8: {backup, sts}, FormReferences: {backup, module, sts}} {
		var got []string
		for _, f := range (Format{Form: form}).Strays([]Task{task(t, "cr"), task(t, "mr")}, "rus", present) {
			got = append(got, f.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q", form, got)
		}
	}
}
